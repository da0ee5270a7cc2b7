"""Claims of a match from a player who has been away for long enough, and the end of one that both have left."""

from collections.abc import Sequence

from tavla_engine import actions as a
from tavla_engine.actions import Seat
from tavla_engine.conditions import to_act
from tavla_engine.events import Ending, MatchEnded
from tavla_engine.match import READY
from tavla_engine.rules import MONEY_POINTS
from tavla_protocol.codes import ErrorCode

from tavla_server.cluster.clock import Clock
from tavla_server.cluster.liveness import Liveness
from tavla_server.errors import Refused
from tavla_server.match.seats import Seats
from tavla_server.record.decider import Decide, engine_decide
from tavla_server.record.dice import MatchDice
from tavla_server.record.events import Event
from tavla_server.record.state import Record, apply
from tavla_server.timings import Timings


class Claims:
    """The claims of one match. An outage of ours costs no absent player any time."""

    __slots__ = ("_clock", "_liveness", "_seats", "_timings")

    def __init__(self, seats: Seats, clock: Clock, liveness: Liveness, timings: Timings) -> None:
        self._seats, self._clock, self._liveness, self._timings = seats, clock, liveness, timings

    def decision(self, seat: Seat) -> Decide:
        """The decision on a claim of this seat: won, if the other player has been away for long enough."""

        def decide(record: Record, _: MatchDice) -> tuple[list[Event], Record]:
            if record.open or record.over or record.missing_seeds:
                raise Refused(ErrorCode.NO_CLAIM, "this match is not being played")
            if self._seats.online(1 - seat):
                raise Refused(ErrorCode.NO_CLAIM, "your opponent is here")
            if 1 - seat not in to_act(record.match):
                raise Refused(ErrorCode.NO_CLAIM, "the match waits for you: play on, then your opponent is to act")
            if (wait_ms := self._wait_ms(record, 1 - seat)) > 0:
                raise Refused(ErrorCode.NO_CLAIM, f"your opponent has {_wait_text(wait_ms)} to come back")
            event = MatchEnded(seat, Ending.ABANDONED)
            return [event], apply(record, event)

        return decide

    def left_by_both(self, record: Record, dice: MatchDice) -> tuple[Sequence[Event], Record]:
        """The decision to end a match that both have left for days: lost by the one whom it waits for.

        Between games that is the one who left first; money play just ends there.
        """
        waits_for, away = to_act(record.match), self._seats.away
        if not waits_for or not record.match.game or any(self._seats.both_online):
            return [], record
        if self._left_ms(max(*away, self._seats.pause.resumed_ms), self._timings.absence_s) > 0:
            return [], record
        if record.match.phase is READY and not record.match.rules.length:
            return engine_decide(a.Leave(0))(record, dice)
        event = MatchEnded(1 - min(waits_for, key=lambda seat: away[seat]), Ending.ABANDONED)
        return [event], apply(record, event)

    def after_s(self, record: Record, seat: Seat) -> int | None:
        """Seconds until the match may be claimed from an absent player; None = the player is here."""
        return None if self._seats.online(seat) else max(0, -(-self._wait_ms(record, seat) // 1000))

    def _wait_ms(self, record: Record, seat: Seat) -> int:
        since_ms = self._seats.pause.counts_from(self._clock.now_ms(), self._timings.absence_s)
        return self._left_ms(max(self._seats.away[seat], since_ms), self.absence_s(record, seat))

    def _left_ms(self, since_ms: int, absence_s: int) -> int:
        now = self._clock.now_ms()
        return 1000 * absence_s - (now - since_ms - self._liveness.credit_ms(since_ms, now))

    def absence_s(self, record: Record, seat: Seat) -> int:
        """For how long a player may be away: people may pause a match without a clock for days; programs do not."""
        rules, player, claim_s = record.match.rules, record.players[seat], self._timings.claim_s
        if not rules.clocked and (player is None or player.kind != "bot"):
            return self._timings.absence_s
        reserve_s = rules.reserve_s * (rules.length or MONEY_POINTS) if rules.clocked else claim_s
        return max(self._timings.claim_least_s, min(claim_s, reserve_s))


def _wait_text(wait_ms: int) -> str:
    """`42 s`, `3 h` or `2 days`, rounded up."""
    for unit_ms, name in ((86_400_000, "days"), (3_600_000, "h"), (60_000, "min")):
        if wait_ms > 2 * unit_ms:
            return f"{-(-wait_ms // unit_ms)} {name}"
    return f"{-(-wait_ms // 1000)} s"
