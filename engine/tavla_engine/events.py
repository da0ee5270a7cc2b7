"""Events of a match. Replaying them gives its state, byte for byte.

An event's tag stands before its fields in plain data: it is its code in every journal, and never changes. The codes in
between are events of the server's own.
"""

import enum

from tavla_engine.actions import Auto, OfSeat, Seat
from tavla_engine.dice import Dice
from tavla_engine.position import Play
from tavla_engine.values import Value


class Ending(enum.StrEnum):
    """Endings: the reason for the end of a game or a match."""

    BORNE_OFF = "borne_off"
    DROP = "drop"
    RESIGNATION = "resignation"
    FORFEIT = "forfeit"
    SCORE = "score"  # a match: the winner has the points
    LEFT = "left"  # money play: someone left between two games
    TIME = "time"  # a match: the loser's time ran out
    ABANDONED = "abandoned"  # a match: the loser was gone, and the winner claimed it, or was gone as well
    ABORTED = "aborted"  # a match: both agreed on no winner
    ADJUDICATED = "adjudicated"  # a match: a moderator has said who wins it
    VOIDED = "voided"  # a match: a moderator has said that it does not count
    PUT_BACK = "put_back"  # a match: a backup was brought back that is older than its first roll


class Readied(OfSeat, frozen=True, tag=3):
    """A player wants the next game to start."""


class GameStarted(Value, frozen=True, tag=4):
    """The checkers are set up. crawford: no player may double in this game."""

    crawford: bool


class OpeningRolled(Value, frozen=True, tag=5):
    """A die each, by seat. Unequal: the higher starts and plays both. Equal: rolled again."""

    die_0: int
    die_1: int

    @property
    def dice(self) -> Dice:
        """The dice as they were drawn."""
        return self.die_0, self.die_1


class Rolled(OfSeat, frozen=True, tag=6):
    """The player on roll has dice."""

    die_1: int
    die_2: int

    @property
    def dice(self) -> Dice:
        """The dice as they were drawn."""
        return self.die_1, self.die_2


class Moved(OfSeat, frozen=True, tag=7):
    """A whole turn was played. moves: single steps in an order in which they can be made; empty = no legal play.

    auto: no player was asked: nothing could be played, or the player leaves forced turns to the server.
    """

    moves: Play
    auto: bool = False


class Doubled(OfSeat, frozen=True, tag=8):
    """The cube is offered at twice its value."""


class Taken(OfSeat, frozen=True, tag=9):
    """The offer is accepted."""


class Beavered(OfSeat, frozen=True, tag=10):
    """The offer is accepted, and the next one made by the player who holds the cube, or by the other (raccoon)."""


class ResignationOffered(OfSeat, frozen=True, tag=11):
    """A player would lose this game as a single (1), gammon (2) or backgammon (3)."""

    value: int


class ResignationRefused(OfSeat, frozen=True, tag=12):
    """The game goes on as it was."""


class AutoSet(OfSeat, frozen=True, tag=13):
    """A player leaves something to the server, or takes it back."""

    auto: Auto
    on: bool


class GameEnded(Value, frozen=True, tag=14):
    """points: what the winner scores. kind: cubes it costs: 1 single, 2 gammon, 3 backgammon, or a forfeit's number."""

    winner: Seat
    points: int
    kind: int
    ending: Ending


class MatchEnded(Value, frozen=True, tag=15):
    """winner: None for money play that ends level, and for a match that both wanted to abort."""

    winner: Seat | None
    ending: Ending


class AbortAsked(OfSeat, frozen=True, tag=18):
    """A player would abort the match, or would no longer."""

    on: bool


class PositionSet(OfSeat, frozen=True, tag=20):
    """A position was set up by hand, with this seat on roll. Only records of other programs have it: no match does.

    board: each seat's 26 counts, in its own numbering. cube, owner: of the cube.
    """

    board: tuple[tuple[int, ...], tuple[int, ...]]
    cube: int
    owner: Seat | None


TurnEvent = Readied | Rolled | Moved | Doubled | Taken | Beavered
PlayerEvent = TurnEvent | ResignationOffered | ResignationRefused | AutoSet | AbortAsked
Event = GameStarted | OpeningRolled | PlayerEvent | GameEnded | MatchEnded | PositionSet
