"""The players' clocks: simple delay and a reserve. Pure; time comes from the entries of the journal.

Source: the simple delay of tournament clocks (US Backgammon Federation, clock rules): the first seconds of each turn
are free, and what a player takes beyond them comes off the reserve, which is never given back.
"""

from typing import Protocol

from msgspec.structs import replace

from tavla_engine.actions import Seat
from tavla_engine.conditions import to_act
from tavla_engine.match import Match, Phase
from tavla_engine.rules import MONEY_POINTS, Rules
from tavla_engine.values import State, with_one


class Sitter(Protocol):
    """A sitter at a table: a person, or a program (`bot`)."""

    @property
    def kind(self) -> str:
        """Kind of player, as the view has it."""


Players = tuple[Sitter | None, Sitter | None]

FIRST_TURN_MS = 60_000  # a player who was paired may be looking away: nobody loses a match that was not seen


class GameClock(State, frozen=True):
    """The clock of a game: both players' time, in milliseconds. reserve: what is left of it, by seat.

    seat: whose time runs; None = neither's. since: when it began to, in milliseconds since 1970. free: how much of the
    turn was still free then. used: what each has taken in all, free time too.
    """

    reserve: tuple[int, int] = (0, 0)
    seat: Seat | None = None
    since: int = 0
    free: int = 0
    used: tuple[int, int] = (0, 0)

    def left(self, now_ms: int, credit_ms: int = 0) -> int:
        """Milliseconds until the flag of the one whose time runs falls; negative when it has fallen.

        credit_ms: time since `since` that does not count.
        """
        assert self.seat is not None, "somebody's time runs"
        return self.reserve[self.seat] + self.free - max(0, now_ms - self.since - credit_ms)

    def stop(self, now_ms: int, credit_ms: int = 0) -> "GameClock":
        """The clock, stopped."""
        if self.seat is None:
            return self
        spent = max(0, now_ms - self.since - credit_ms)
        over = max(0, spent - self.free)
        reserve = with_one(self.reserve, self.seat, max(0, self.reserve[self.seat] - over))
        used = with_one(self.used, self.seat, self.used[self.seat] + spent)
        return GameClock(reserve, None, now_ms, max(0, self.free - spent), used)


def full(rules: Rules) -> GameClock:
    """The clock at the start of a match, or of a game of money play."""
    reserve = 1000 * rules.reserve_s * (rules.length or MONEY_POINTS)
    return GameClock((reserve, reserve))


def clock_after(
    clock: GameClock, before: Match, after: Match, now_ms: int, credit_ms: int, players: Players = (None, None)
) -> GameClock:
    """The clock after an entry that was decided at `now_ms`. players: of the seats; programs look away from nothing."""
    rules = after.rules
    stopped = clock.stop(now_ms, credit_ms)
    if after.game > before.game and (before.game == 0 or rules.length == 0):
        stopped = full(rules)
    seat = _running(after)
    if seat is None:
        return stopped
    # A player who rolls and then moves has one turn. After a move of anyone it is another one, be it the same player's.
    same_turn = seat == clock.seat and after.last == before.last and after.game == before.game
    free = stopped.free if same_turn else 1000 * rules.delay_s
    if not (same_turn or stopped.used[seat]) and ((player := players[seat]) is None or player.kind != "bot"):
        free = max(free, FIRST_TURN_MS - stopped.reserve[seat])  # its first turn
    return replace(stopped, seat=seat, since=now_ms, free=free)


def _running(match: Match) -> Seat | None:
    """The seat whose time runs; None between games, and when the match is over."""
    waits_for = () if match.phase is Phase.READY else to_act(match)
    return waits_for[0] if waits_for else None
