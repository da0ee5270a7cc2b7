"""Events of a table, the server's own beside the engine's, and their form in the journal."""

from collections.abc import Iterable
from operator import attrgetter
from typing import Any, NamedTuple, get_args

import msgspec
from msgspec.structs import replace
from tavla_engine import events as engine_events
from tavla_engine.actions import Seat
from tavla_engine.events import MatchEnded
from tavla_engine.rules import Rules, compact
from tavla_engine.values import Value
from tavla_protocol.codec import pack

from tavla_server.player import Player


class Terms(NamedTuple):
    """The terms of a table beside its rules, by its maker.

    code: of a private table, which is not listed and wants it from all but its players; "" for others. spectators:
    others may watch. opponent: who may join, `person` or `computer`. series: matches won, by seat, in those that led to
    this one, each the other's rematch. tournament: its id, and the number of the pairing there; None = it is of none.
    """

    code: str = ""
    spectators: bool = True
    opponent: str = "person"
    series: tuple[int, int] = (0, 0)
    tournament: tuple[str, int] | None = None


class TableEvent(Value, frozen=True):
    """Of the table, not of the match that is played at it."""


class Created(TableEvent, frozen=True, tag=0):
    """A table was opened. seed: the server's secret, 32 bytes, the last link of its chain of seeds; commitment: link 0,
    shown from the start.

    sealed: the seed as the store has it; `seed` is empty then.
    """

    name: str
    rules: Rules
    seed: bytes
    terms: Terms = Terms()
    sealed: bytes = b""
    commitment: str = ""


class Seated(TableEvent, frozen=True, tag=1):
    """A player took a seat. salt: of the name in the terms, 32 hex digits, gone with the account. commitment: to the
    player's seed, see `Revealed`; empty = none.
    """

    seat: Seat
    player: Player
    salt: str = ""
    commitment: str = ""


class Revealed(TableEvent, frozen=True, tag=17):
    """A seed is known, in hex, that was committed to. seat: the player's; None = the server's, of a game that ends."""

    seat: Seat | None
    seed: str


class Forked(TableEvent, frozen=True, tag=16):
    """The match was put back: the store had lost entries that were shown. All clients start anew.

    seed: the newest of the server's that anybody was shown of what is lost, in hex, "" = none; the next roll takes the
    link after it. time_ms: when that was found, in ms since 1970.
    """

    seed: str = ""
    time_ms: int = 0


class Cancelled(TableEvent, frozen=True, tag=2):
    """The table was closed before the match began, or the match is void: a player did not come, or did not reveal.

    put_back: a restore has made it void.
    """

    put_back: bool = False


class Ruled(TableEvent, frozen=True, tag=19):
    """A ruling; its result follows in the same entry.

    judge: `moderator`, `operator`, or `director` of its tournament; `tournament`: the time of its round.
    """

    judge: str
    why: str


class Met(TableEvent, frozen=True, tag=21):
    """The two players of a rated match have begun so many others with each other within a day; see `record/rating`."""

    times: int


class Agreed(TableEvent, frozen=True, tag=22):
    """The terms of the match, when both players sit: their text, which stays as it is."""

    text: str


ROUND_OVER = Ruled("tournament", "the time of the round is over: the match is won by who has taken less of it")

Event = Created | Seated | Agreed | Revealed | Cancelled | Forked | Ruled | Met | engine_events.Event

# By tag: an event's code in every journal. Append new ones, never change one.
EVENTS: tuple[type[Event], ...] = tuple(sorted(get_args(Event), key=attrgetter("__struct_config__.tag")))
assert [kind.__struct_config__.tag for kind in EVENTS] == list(range(len(EVENTS))), "every event has a code of its own"


class Entry(Value, frozen=True):
    """An entry of a journal: the events of one action.

    player, action: who sent it and under which request id; "" for the server's own.
    time_ms: when it was decided, in milliseconds since 1970. credit_ms: how much of the time since the last entry does
    not count: the way of the message, and outages of ours.
    """

    player: str
    action: int
    time_ms: int
    credit_ms: int
    events: tuple[Event, ...]


def end_of(entries: Iterable[Entry]) -> MatchEnded | Cancelled | None:
    """The event that ended a match, the last of them: what is over may still be voided. None = it goes on.

    Other entries may stand behind it, such as a fork by a store that had lost something.
    """
    end = None
    for entry in entries:
        for event in entry.events:
            if isinstance(event, MatchEnded | Cancelled):
                end = event
    return end


_entries = msgspec.msgpack.Decoder(Entry)


def encode_entry(entry: Entry) -> bytes:
    """An entry as the journal keeps it."""
    first = entry.events[0] if entry.events else None
    # Holds bench/ceilings.toml: with `isinstance` an action would take 820 instructions more.
    if type(first) is Created:
        rules: Any = compact(first.rules)
        entry = replace(entry, events=(replace(first, rules=rules), *entry.events[1:]))
    return pack(entry)


def decode_entry(data: bytes) -> Entry:
    """An entry from the journal. Journals are our own: what cannot be read is a fault of ours and raises."""
    return _entries.decode(data)
