"""A match: its state, its phases, and the questions that one may ask of it."""

import enum
from typing import NamedTuple

from tavla_engine import actions as a
from tavla_engine.actions import Seat
from tavla_engine.events import Ending
from tavla_engine.position import Play, Position, Rows
from tavla_engine.rules import Opening, Rules
from tavla_engine.values import State


class Phase(enum.StrEnum):
    """What the match waits for. An automatic step never waits, so no match rests in OPENING."""

    READY = "ready"  # before each game: both players to be ready
    OPENING = "opening"  # the server: the opening roll
    ROLL = "roll"  # the player on roll: roll, or offer the cube
    CUBE = "cube"  # the opponent of the one who offered: take, drop or beaver
    MOVE = "move"  # the player on roll: play the dice
    RESIGN = "resign"  # the opponent of the one who resigns: accept or refuse
    OVER = "over"

    __hash__ = str.__hash__  # a phase is a key with every action, and an enumeration's own hash is a call of Python's


READY, OPENING, ROLL, CUBE, MOVE, RESIGN, OVER = Phase  # in Python 3.11 `Phase.MOVE` costs as much as `replace`

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
    """A double that waits for an answer. holder: who owns the cube when it is taken. beavers: how many came before."""

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
    """How the last game, or the match, ended. points: of the game; 0 for the end of a match as such."""

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
    player last asked to abort the match; see `asks_abort`.
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


def to_act(match: Match) -> tuple[Seat, ...]:
    """The seats that the match waits for: none when it is over, both or one between games, else one."""
    phase = match.phase
    if phase is MOVE or phase is ROLL:
        return (match.turn,)
    if phase is READY:
        return tuple(seat for seat in (0, 1) if not match.ready[seat])
    if phase is CUBE:
        assert match.offer is not None, "a cube phase has an offer"
        return (1 - match.offer.seat,)
    if phase is RESIGN:
        assert match.resignation is not None, "a resign phase has a resignation"
        return (1 - match.resignation.seat,)
    return ()


def starter(match: Match) -> Seat | None:
    """The seat whose turn the next game begins with; None = it begins with a roll that nobody decides."""
    if match.rules.opening is Opening.WINNER and match.outcome is not None:
        return match.outcome.winner
    return 0 if match.rules.opening is Opening.SEAT_0_CUBE else None


def no_double(match: Match, seat: Seat) -> str | None:
    """Why this seat may not offer the cube now, as a sentence; None when it may.

    Source: bkgm.com/rules.html#the_doubling_cube and #match_play. A cube that already decides the match for its
    owner is dead: GNU Backgammon refuses such a double too.
    """
    rules, cube = match.rules, match.cube
    if not rules.cube:
        return "this match is played without the cube"
    if match.crawford:
        return "this is the Crawford game: nobody may double"
    if cube.value >= rules.cube_limit:
        return f"the cube is at {cube.value}, its cap: nobody may double"
    if cube.owner == 1 - seat:
        return "your opponent owns the cube"
    if rules.length and cube.value >= rules.length - match.score[seat]:
        return "the cube is dead: winning this game already wins you the match"
    return None


ABORT_TURNS = 2  # so many turns into a match its players may still agree that it shall not count
ASKED_ROLLS = 1  # so many rolls later an offer to abort still stands: the opponent's turn, and no further


def no_abort(match: Match) -> str | None:
    """Why the players may not agree to abort the match now, as a sentence; None when they may.

    At its start any match may be aborted; one without a clock at any time, since nothing else may ever end it.
    """
    if not match.rules.clocked or (match.game <= 1 and match.rolls - match.opened <= ABORT_TURNS):
        return None
    return "after its second turn a match with a clock is played to its end: resign or forfeit"


def asks_abort(match: Match, seat: Seat) -> bool:
    """Whether this seat's offer to abort the match stands: until the opponent has played on."""
    asked = match.aborts[seat]
    return asked is not None and match.rolls <= asked + ASKED_ROLLS


def loss_kind(loser_row: bytes) -> int:
    """What bearing off against these checkers wins: 1 single, 2 gammon (none off), 3 backgammon.

    Source: bkgm.com/rules.html: a backgammon, if the loser has borne off none and still has a checker on the bar or
    in the winner's home.
    """
    if loser_row[0]:
        return 1
    return 3 if any(loser_row[19:26]) else 2
