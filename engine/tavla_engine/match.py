"""A match: its state, its phases, and the questions that one may ask of it."""

import enum
from typing import NamedTuple

from tavla_engine import actions as a
from tavla_engine.actions import Seat
from tavla_engine.events import Ending
from tavla_engine.position import Play, Position, Rows
from tavla_engine.rules import Rules
from tavla_engine.values import State


class Phase(enum.StrEnum):
    """The phase of a match: the step that it waits for. An automatic step never waits, so no match rests in OPENING."""

    READY = "ready"  # before each game: both players to be ready
    OPENING = "opening"  # the server: the opening roll
    ROLL = "roll"  # the player on roll: roll, or offer the cube
    CUBE = "cube"  # the opponent of the one who offered: take, drop or beaver
    MOVE = "move"  # the player on roll: play the dice
    RESIGN = "resign"  # the opponent of the one who resigns: accept or refuse
    OVER = "over"

    __hash__ = str.__hash__  # a phase is a key with every action, and an enumeration's own hash is a call of Python's


# Holds bench/ceilings.toml: looked up at their enumeration an action would take 5,800 instructions more.
READY, OPENING, ROLL, CUBE, MOVE, RESIGN, OVER = Phase

_ANY_TIME = (a.Resign, a.Forfeit, a.SetAuto, a.Abort)
ACCEPTS: dict[Phase, tuple[type[a.Action], ...]] = {
    Phase.READY: (a.Ready, a.Leave, a.Forfeit, a.SetAuto, a.Abort),
    Phase.OPENING: (),
    Phase.ROLL: (a.Roll, a.Double, *_ANY_TIME),
    Phase.CUBE: (a.Take, a.Drop, a.Beaver, *_ANY_TIME),
    Phase.MOVE: (a.Move, *_ANY_TIME),
    Phase.RESIGN: (a.AcceptResignation, a.RefuseResignation, *_ANY_TIME),
    Phase.OVER: (),
}
EITHER_SEAT = frozenset({a.Ready, a.Leave, *_ANY_TIME})  # not bound to a turn


class Cube(NamedTuple):
    """The doubling cube.

    owner: the seat that may double next; None = in the middle. turned: a player's double was taken in this game.
    """

    value: int = 1
    owner: Seat | None = None
    turned: bool = False


CENTRED = Cube()  # at the start of every game


class Offer(NamedTuple):
    """An offer of the cube: a double that waits for an answer.

    holder: who owns the cube when it is taken. beavers: how many came before.
    """

    seat: Seat
    holder: Seat
    beavers: int = 0


class Resignation(NamedTuple):
    """A resignation that waits for an answer. phase: where the match goes on when it is refused."""

    seat: Seat
    value: int
    phase: Phase


class Turn(State, frozen=True):
    """A turn that was played. moves: empty when nothing could be played."""

    seat: Seat
    dice: tuple[int, int]
    moves: Play


class Outcome(NamedTuple):
    """The outcome of the last game, or of the match. points: of the game; 0 for the end of a match as such."""

    winner: Seat | None
    points: int
    kind: int
    ending: Ending


class Match(State, frozen=True):
    """The whole state of a match. Every pair is indexed by seat.

    board: each seat's 26 counts, in its own numbering. turn: the seat on roll. dice: those to be played, else None.
    rolls: how many pairs of dice were drawn in this match. refused: bits of the resignations refused in this turn.
    last: the turn that a player played last, and those that the server played since; empty at a game's start.
    game: number of the current game, from 1. outcome: of the last game; of the match once it is over.
    opened: `rolls` when this game's first dice to be played were about to be drawn. aborts: by seat, `rolls` when a
    player last asked to abort the match; see `asks_abort`. burnt: links of the chain of seeds that are of no game,
    since they were known when the match was put back; see `link_after`.
    """

    rules: Rules
    phase: Phase = Phase.READY
    score: tuple[int, int] = (0, 0)
    game: int = 0
    crawford: bool = False
    crawford_done: bool = False
    board: tuple[bytes, bytes] = (bytes(26), bytes(26))
    turn: Seat = 0
    dice: tuple[int, int] | None = None
    cube: Cube = CENTRED
    offer: Offer | None = None
    resignation: Resignation | None = None
    refused: tuple[int, int] = (0, 0)
    ready: tuple[bool, bool] = (False, False)
    auto_roll: tuple[bool, bool] = (False, False)
    auto_play: tuple[bool, bool] = (False, False)
    rolls: int = 0
    last: tuple[Turn, ...] = ()
    outcome: Outcome | None = None
    opened: int = 0
    aborts: tuple[int | None, int | None] = (None, None)
    burnt: int = 0

    @property
    def link(self) -> int:
        """The link of the chain of seeds that the next roll takes; once the match is over, the last that it took."""
        return self.game + self.burnt + (self.phase is Phase.READY)

    @property
    def position(self) -> Position:
        """The board as the player on roll sees it."""
        return Position(*rows_of(self))


def rows_of(match: Match) -> Rows:
    """The board as the player on roll sees it, as a plain pair."""
    board = match.board
    return board if match.turn == 0 else (board[1], board[0])


def new_match(rules: Rules) -> Match:
    """A match that waits for both players to be ready."""
    return Match(rules, board=(rules.start.mine, rules.start.theirs))
