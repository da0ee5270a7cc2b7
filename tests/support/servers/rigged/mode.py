"""A way in which a rigged server cheats, made of lies in one place each."""

from collections.abc import Callable
from typing import NamedTuple

from tavla_engine.actions import Seat
from tavla_protocol.view import View
from tavla_server.record.events import Event
from tavla_server.record.state import Record

from tests.support.servers.rigged.retelling import Entries


def _honest_events(_record: Record, event: Event, _friend: Seat) -> list[Event]:
    return [event]


def _honest_view(_record: Record, view: View, _friend: Seat) -> View:
    return view


def _honest_record(_record: Record, entries: Entries, _friend: Seat) -> Entries:
    return entries


def _honest_state(_before: Record, after: Record, _event: Event) -> Record:
    return after


def _nothing(_record: Record, _friend: Seat) -> Event | None:
    return None


class Mode(NamedTuple):
    """A way to cheat.

    unasked: what the server does by itself at a record that has not changed for UNASKED_S, in an entry of its own.

    instead: the events that stand in place of one, by the record before it. shown: the view that is shown of a record,
    by the true one. told: the entries that `record` tells, by those of the journal. applied: the record after an event,
    by those before it and after it as the rules have it. All are told the friend's seat but the last.
    """

    instead: Callable[[Record, Event, Seat], list[Event]] = _honest_events
    shown: Callable[[Record, View, Seat], View] = _honest_view
    told: Callable[[Record, Entries, Seat], Entries] = _honest_record
    applied: Callable[[Record, Record, Event], Record] = _honest_state
    unasked: Callable[[Record, Seat], Event | None] = _nothing
