"""Events of a tournament, and their form in its journal. Pure."""

import msgspec
from tavla_engine.actions import Seat
from tavla_engine.rules import Rules
from tavla_engine.values import Value
from tavla_protocol.codec import pack

from tavla_server.player import Player

ARENA = "arena"  # the one format without rounds


class TournamentEvent(Value, frozen=True):
    """Of a tournament. Players are named by their ids, matches by the numbers of their pairings."""


class Opened(TournamentEvent, frozen=True, tag=0):
    """A tournament was made. seed: what decides between equals in a pairing. starts_ms, ends_ms: since 1970.

    private: it is in no list, and its matches have a code. band: the ratings with which one may come, the lowest and
    the highest; 0 = any.
    format: one of `formats.FORMATS`. rounds: that were asked for; 0 = as many as there are to be. round_ms: the time of
    each.
    """

    name: str
    by: Player
    rules: Rules
    starts_ms: int
    ends_ms: int
    seed: bytes
    private: bool = False
    band: tuple[int, int] = (0, 0)
    format: str = ARENA
    rounds: int = 0
    round_ms: int = 0


class Entered(TournamentEvent, frozen=True, tag=1):
    """A player waits for a match. commitment: to the seed for its dice."""

    player: Player
    commitment: str


class Left(TournamentEvent, frozen=True, tag=2):
    """A player waits no longer, and keeps the points. Rounds begin without the player, until the next `Entered`."""

    player: str


class Paired(TournamentEvent, frozen=True, tag=3):
    """Two who waited play a match, the next in number. players: by seat; "" = the first has a bye.

    bracket: of a knock-out, the number in `knock_out.BRACKETS`. absent: the seats whose players did not wait when the
    round began: no match is opened, and the other one wins.
    """

    players: tuple[str, str]
    bracket: int = 0
    absent: tuple[Seat, ...] = ()


class Scored(TournamentEvent, frozen=True, tag=4):
    """A match is over. winner: None = it counts for nobody, or in a knock-out is to be played again.

    absent: the seats from which no seed came: they leave. unplayed: it ended before both had made two plays.
    again: it is to be played again wherever there are rounds: a restore has made it void.
    """

    number: int
    winner: Seat | None
    absent: tuple[Seat, ...] = ()
    unplayed: bool = False
    again: bool = False


class Closed(TournamentEvent, frozen=True, tag=5):
    """The time is over, and all matches are: the table is final."""


class Halted(TournamentEvent, frozen=True, tag=6):
    """Pairing stops, or (on=False) goes on."""

    on: bool


class Extended(TournamentEvent, frozen=True, tag=7):
    """The time is over at another time, in ms since 1970."""

    ends_ms: int


class Removed(TournamentEvent, frozen=True, tag=8):
    """A player is in the standings no longer, and does not come back. The results of opponents stay."""

    player: str


class Directed(TournamentEvent, frozen=True, tag=9):
    """The ruling behind the events beside it. by: who decided; None = of a match nobody is named. about: None = all.

    judge: as what, `director`, `moderator`, `operator` or `server`. match: the number of the one that it ended.
    """

    by: Player | None
    what: str
    about: Player | None
    reason: str
    judge: str
    match: int | None = None


class Renamed(TournamentEvent, frozen=True, tag=10):
    """A player is called otherwise, or has become another one, which was not in the tournament before."""

    player: str
    to: Player


class Added(TournamentEvent, frozen=True, tag=11):
    """The director lets a player in, whatever the rating, or again after a removal."""

    player: Player


class Round(TournamentEvent, frozen=True, tag=12):
    """The next round begins, and its pairs follow. ends_ms: when its time is over. of: how many rounds there are."""

    ends_ms: int
    of: int


class Curtailed(TournamentEvent, frozen=True, tag=13):
    """The round that is played is the last one."""


class Begun(TournamentEvent, frozen=True, tag=14):
    """The tournament begins now, not when it was to."""


class Away(TournamentEvent, frozen=True, tag=15):
    """A player waits no longer, and is to be called when the next match is due: rounds wait for the player a while."""

    player: str


class Again(TournamentEvent, frozen=True, tag=16):
    """The two of a match that was void wait again: it is played anew, with their new commitments."""

    number: int


class Retitled(TournamentEvent, frozen=True, tag=17):
    """The tournament is called otherwise."""

    name: str


# A tag is an event's code in every journal. Append new ones, never change one.
Event = (
    Opened
    | Entered
    | Left
    | Paired
    | Scored
    | Closed
    | Halted
    | Extended
    | Removed
    | Directed
    | Renamed
    | Added
    | Round
    | Curtailed
    | Begun
    | Away
    | Again
    | Retitled
)


class TournamentEntry(Value, frozen=True):
    """An entry of a tournament's journal: what was decided at one time, in ms since 1970."""

    time_ms: int
    events: tuple[Event, ...]


# As the journal keeps an entry. Journals are our own: what cannot be read is a fault of ours and raises.
encode_entry = pack
decode_entry = msgspec.msgpack.Decoder(TournamentEntry).decode
