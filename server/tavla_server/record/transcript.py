"""The public transcript of a match: its journal without private facts."""

import re
from collections.abc import Callable, Iterable
from typing import Any

import msgspec
from msgspec.structs import astuple

from tavla_server.record.events import EVENTS, Agreed, Entry, Event, Forked, Met, Revealed, Ruled, Seated, TableEvent


def event_rows(seq: int, entry: Entry) -> list[list[object]]:
    """The events of entry `seq`, each [seq, time in ms since 1970, type, ...]; after the type, what the event has."""
    return [[seq, entry.time_ms, TYPES[type(event)], *_facts(event)] for event in entry.events]


def _facts(event: Event) -> list[object]:
    if isinstance(event, TableEvent):
        tell = _PUBLIC.get(type(event))
        return [] if tell is None else [*tell(event)]
    return [msgspec.to_builtins(value, builtin_types=(bytes,)) for value in astuple(event)]


def _seated(event: Seated) -> list[object]:
    return [event.seat, event.player.name]


# Table events may hold secrets (the server's seed, players' ids): each says here what may be shown. The rest is in the
# view, as far as anyone may know it.
_PUBLIC: dict[type[Event], Callable[[Any], Iterable[object]]] = {
    Seated: _seated,
    Met: astuple,
    Agreed: astuple,
    Revealed: astuple,
    Ruled: astuple,
    Forked: lambda event: [event.seed] if event.seed else [],
}

TYPES: dict[type[Event], str] = {type_: re.sub(r"\B([A-Z])", r"_\1", type_.__name__).lower() for type_ in EVENTS}
