"""A decision as a bot sees it: the match at this moment, and every play that the dice allow with the position after it.

The plays are computed here, by the engine. The server would send them too, but only at tables that allow hints, and up
to a hundred times the bytes of the dice.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from tavla_engine.plays import legal_plays
from tavla_engine.position import BAR, OFF, Move, Position, pips
from tavla_protocol.view import View

from tavla_client.clock import TimeLeft


class Board(Position):
    """A board: a position seen by one player, `mine` and `theirs`, with what bots like to count."""

    __slots__ = ()

    @property
    def blots(self) -> int:
        """Own checkers that stand alone on a point."""
        return self.mine[1:BAR].count(1)

    @property
    def pips(self) -> int:
        """Points that the own checkers still have to travel."""
        return pips(self.mine)

    @property
    def their_pips(self) -> int:
        """Points that the opponent's checkers still have to travel."""
        return pips(self.theirs)

    @property
    def off(self) -> int:
        """Own checkers borne off."""
        return self.mine[OFF]


class Play(NamedTuple):
    """Legal play. moves: (from, to) pairs in the own numbering, 25 = bar, 0 = off. after: where it leads."""

    moves: tuple[Move, ...]
    after: Board


@dataclass(frozen=True)
class Turn:
    """Decision that the match asks of us now. Safe to be read in any thread.

    match: its id. seat: ours. time_left, their_time_left: as the turn began, None in a match without a clock.
    """

    match: str
    view: View
    seat: int
    time_left: TimeLeft | None = None
    their_time_left: TimeLeft | None = None

    @cached_property
    def board(self) -> Board:
        """Position of the checkers, our own first."""
        return Board(self.view.row(self.seat), self.view.row(1 - self.seat))

    @property
    def dice(self) -> tuple[int, ...]:
        """The dice to be played, the higher first; none before the roll."""
        return self.view.dice

    @cached_property
    def plays(self) -> tuple[Play, ...]:
        """Every legal play, one for each position that can be reached; none when there are no dice of ours to play."""
        if self.view.phase != "move" or self.view.turn != self.seat or len(self.dice) != 2:
            return ()
        hit_and_run = bool(self.rules.get("hit_and_run", True))
        plays = legal_plays(self.board, (self.dice[0], self.dice[1]), hit_and_run)
        return tuple(Play(moves, Board(*after)) for after, moves in plays.items())

    @property
    def rules(self) -> Mapping[str, bool | int | str]:
        """Every option of the table by name."""
        return self.view.rules

    @property
    def opponent(self) -> str:
        """The opponent's name."""
        return self.view.players[1 - self.seat] or ""

    @property
    def score(self) -> tuple[int, int]:
        """Points won so far, our own first."""
        return self.view.score[self.seat], self.view.score[1 - self.seat]

    @property
    def away(self) -> tuple[int, int] | None:
        """Points that we and the opponent still need to win the match; None in money play."""
        length = int(self.rules.get("length", 0))
        return (length - self.score[0], length - self.score[1]) if length else None

    @property
    def offered_resignation(self) -> int:
        """Resignation that the opponent offers: 1 single, 2 gammon, 3 backgammon; 0 = nothing."""
        resignation = self.view.resignation
        return resignation[1] if resignation is not None and resignation[0] != self.seat else 0
