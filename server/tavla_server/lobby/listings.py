"""The lobby's lists as views with diffs: open tables, live matches, people online, the last lines of its chat.

Made from this node's copy of the lobby feed. What subscribers of a list get is encoded once for all of them.
"""

import functools
import heapq
from collections import Counter
from collections.abc import Callable
from typing import Any, Generic, TypeVar, get_args

import msgspec
from msgspec.structs import replace
from tavla_protocol.codec import encode, pack
from tavla_protocol.messages import Changes, Line, Listing, Person, Seeker, Subject, Table

from tavla_server.cluster.clock import Clock, Timer
from tavla_server.cluster.feed import CHAT, PEOPLE, SEEKERS, TABLES, Feed
from tavla_server.delivery.frames import framed
from tavla_server.delivery.outbox import Outbox
from tavla_server.limits import DEFAULT_LIMITS, Limits
from tavla_server.lobby.chat import unpack as unpack_line
from tavla_server.lobby.presence import unpack as unpack_person
from tavla_server.lobby.seekers import unpack as unpack_seeker
from tavla_server.lobby.tables import unpack as unpack_table
from tavla_server.telemetry.metrics import count_sent

PAUSED = 10**12  # a match that waits for a player comes behind all others: more than a time in seconds, or ratings

Row = dict[str, Any]
Shown = Table | Person | Line | Seeker
T = TypeVar("T")

# A client that sorts by one of a list's orders has the first `Limits.listed` rows by it.
ORDERS: dict[str, tuple[Callable[[Any], int], ...]] = {
    "tables": (lambda table: table.since,),
    "matches": (
        lambda table: table.since - PAUSED * any(table.away),
        lambda table: sum(rating or 0 for rating in table.ratings) - PAUSED * any(table.away),
    ),
    "people": (lambda person: person.since, lambda person: person.rating or 0),
    "chat": (lambda line: line.since,),
    "seekers": (lambda seeker: seeker.since,),
}


class Listings:
    """All lists, and who follows them."""

    def __init__(self, feed: Feed, clock: Clock, every_ms: int, limits: Limits = DEFAULT_LIMITS) -> None:
        """every_ms: between two changes of a list, at least."""
        self._listings = {what: _List(what, clock, every_ms, _SHOW[what], limits) for what in get_args(Subject)}
        self._further: Counter[str] = Counter()  # how many nodes someone is at beyond the first, by name
        feed.listen(self._row_changed)

    def listing(self, what: str, outbox: Outbox, id: int) -> bytes:  # noqa: A002 - the field's name on the wire
        """The message that shows a list as it is now, as the answer to request `id`."""
        return self._listings[what].listing(outbox, id)

    def subscribe(self, what: str, outbox: Outbox, id: int) -> None:  # noqa: A002
        """Show a list, and from now on its changes."""
        outbox.send(self.listing(what, outbox, id))
        self._listings[what].add(outbox)

    def show_again(self, what: str, outbox: Outbox) -> None:
        """Show the whole list, if it is followed, to one for whom other rows are hidden now."""
        if self.follows(what, outbox):
            outbox.send(self._listings[what].listing(outbox))

    def follows(self, what: str, outbox: Outbox) -> bool:
        """True if a list's changes are shown there."""
        return outbox in self._listings[what].outboxes

    def unsubscribe(self, what: str, outbox: Outbox) -> None:
        """Show its changes no longer."""
        self._listings[what].discard(outbox)

    def leave(self, outbox: Outbox) -> None:
        """Unsubscribe from everything."""
        for list_ in self._listings.values():
            list_.discard(outbox)

    def resync(self, outbox: Outbox) -> None:
        """Send the lists of which changes were dropped again, to a client that has caught up."""
        for list_ in self._listings.values():
            list_.resync(outbox)

    def _row_changed(self, name: str, key: str, before: bytes | None, after: bytes | None) -> None:
        if name == TABLES:
            self._table_changed(key, after)
        elif name == PEOPLE:
            self._person_changed(before, after)
        elif name == SEEKERS:
            self._listings["seekers"].set(key, after)
        elif name == CHAT:
            self._listings["chat"].set(key, after, unpack_line(after)[0] if after else "")

    def _table_changed(self, match: str, row: bytes | None) -> None:
        note = unpack_table(row) if row else None
        listed = row if note is not None and note.listed and note.table is not None else None
        is_open = note is not None and note.open
        self._listings["tables"].set(match, listed if is_open else None)
        self._listings["matches"].set(match, None if is_open else listed)

    def _person_changed(self, before: bytes | None, after: bytes | None) -> None:
        """Count a player who came to a node, changed there or left: a player at two nodes counts at both."""
        people = self._listings["people"]
        if after is not None:
            name, _ = unpack_person(after)
            if name in people:
                self._further[name] += 1
            people.set(name, after)
        if before is not None:
            name, _ = unpack_person(before)
            further = self._further.pop(name, 0)
            if further > 1:
                self._further[name] = further - 1
            elif not further:
                people.set(name, None)


def row_of(value: Shown) -> Row:
    """A row on the wire: fields without their default. (msgspec leaves out no tuples.)"""
    fields = _defaults(type(value))
    return {name: given for name, default in fields if (given := getattr(value, name)) != default}


@functools.cache  # to ask msgspec takes three times as long as all else that is done with a row
def _defaults(kind: type[Shown]) -> list[tuple[str, object]]:
    return [(field.name, field.default) for field in msgspec.structs.fields(kind)]


def _shown_of_table(row: bytes) -> Table:
    table = unpack_table(row).table
    assert table is not None, "what is listed has begun"
    return table


# What is shown of a row of the feed, by list.
_SHOW: dict[str, Callable[[bytes], Shown]] = {
    "tables": _shown_of_table,
    "matches": _shown_of_table,
    "people": lambda row: unpack_person(row)[1],
    "chat": lambda row: unpack_line(row)[1],
    "seekers": lambda row: unpack_seeker(row)[1],
}


def _raw(rows: dict[str, bytes]) -> dict[str, Any]:
    """Rows that are packed already, to be part of a message."""
    return {key: msgspec.Raw(row) for key, row in rows.items()}


class _Leading(Generic[T]):
    """The rows that come first by one order, found without looking at all rows each time."""

    def __init__(self, order: Callable[[T], int], show: Callable[[bytes], T], limits: Limits) -> None:
        self._order, self._show, self._limits = order, show, limits
        self._kept: dict[str, int] = {}  # all rows from `least` on, and where they stand by the order
        self._least: int | None = None  # None: of all rows

    def set(self, key: str, shown: T | None) -> None:
        """A row has changed; None: it is gone."""
        place = None if shown is None else self._order(shown)
        if place is not None and (self._least is None or place >= self._least):
            self._kept[key] = place
            if len(self._kept) > 2 * self._limits.ordered:
                self._keep(self._kept)
        else:
            self._kept.pop(key, None)

    def first(self, rows: dict[str, bytes]) -> list[str]:
        """The first ones of all rows, which are handed in for when too many of those that are kept have gone."""
        most = self._limits.listed
        if len(self._kept) < min(most, len(rows)):
            self._keep({key: self._order(self._show(row)) for key, row in rows.items()})
        return heapq.nlargest(most, self._kept, key=self._kept.__getitem__)

    def _keep(self, places: dict[str, int]) -> None:
        kept = heapq.nlargest(self._limits.ordered, places, key=places.__getitem__)
        self._least = places[kept[-1]] if len(kept) < len(places) else None
        self._kept = {key: places[key] for key in kept}


class _List:
    """A list. Changes are collected and shown `every_ms` after the last ones.

    show: what is shown of a row of the feed. Rows are kept as they are there, so that they are kept once; only those
    that are shown are packed as they are sent.
    """

    def __init__(self, what: str, clock: Clock, every_ms: int, show: Callable[[bytes], Shown], limits: Limits) -> None:
        self.outboxes: set[Outbox] = set()
        self._missed: set[Outbox] = set()  # those who were not shown all changes
        self._what, self._clock, self._every_ms, self._show = what, clock, every_ms, show
        self._all = limits.listed  # rows: of more, the first ones are shown
        self._rows: dict[str, bytes] = {}  # as the feed has them
        self._leading = [_Leading(order, show, limits) for order in ORDERS[what]]
        self._speakers: dict[str, str] = {}  # whose a row is, if some do not want to hear of them
        self._shown: dict[str, bytes] = {}  # as they are sent
        self._shown_of: dict[str, bytes] = {}  # of which rows of the feed
        self._packed = pack({})  # what is shown
        self._seq = self._total = 0
        self._changed = False
        self._refreshed_ms = 0
        self._timer: Timer | None = None

    def __contains__(self, key: str) -> bool:
        return key in self._rows

    def set(self, key: str, row: bytes | None, speaker: str = "") -> None:
        """Change a row; None takes it out. speaker: the id of the player whose words it has."""
        if self._rows.get(key) == row:
            return
        if row is None:
            del self._rows[key]
            self._speakers.pop(key, None)
        else:
            self._rows[key] = row
        shown = None if row is None else self._show(row)
        for leading in self._leading:
            leading.set(key, shown)
        if speaker:
            self._speakers[key] = speaker
        self._changed = True
        self._wake()

    def add(self, outbox: Outbox) -> None:
        """Show the changes to one more, those also that came without followers and that the listing has not yet."""
        self.outboxes.add(outbox)
        if self._changed:
            self._wake()

    def discard(self, outbox: Outbox) -> None:
        """Show the changes to one less."""
        self.outboxes.discard(outbox)
        self._missed.discard(outbox)

    def resync(self, outbox: Outbox) -> None:
        """Send the whole list to a client that has missed a change."""
        if outbox in self._missed:
            outbox.send(self.listing(outbox))
            self._missed.discard(outbox)

    def listing(self, outbox: Outbox, id: int | None = None) -> bytes:  # noqa: A002 - the field's name on the wire
        """The rows, as of at most `every_ms` ago."""
        if self._wait_ms() <= 0:
            self._refresh()
        if hidden := self._hidden_from(outbox):
            rows = _raw({key: row for key, row in self._shown.items() if key not in hidden})
            return encode(Listing(id=id, what=self._what, seq=self._seq, total=self._total - len(hidden), rows=rows))
        head = encode(Listing(id=id, what=self._what, seq=self._seq, total=self._total, rows={}))
        empty = pack({})
        assert head.endswith(empty), "the rows come last"
        return head.removesuffix(empty) + self._packed

    def _wake(self) -> None:
        if self._timer is None and self.outboxes:
            self._timer = self._clock.call_later(max(0, self._wait_ms()) / 1000, self._due)

    def _due(self) -> None:
        self._timer = None
        self._refresh()

    def _wait_ms(self) -> int:
        return min(
            self._every_ms, self._refreshed_ms + self._every_ms - self._clock.now_ms()
        )  # a clock may be set back

    def _refresh(self) -> None:
        """Update what is shown, and send the difference."""
        if not self._changed:
            return
        self._changed, self._refreshed_ms = False, self._clock.now_ms()
        before, self._shown = self._shown, self._packed_rows(self._top())
        changed = {key: row for key, row in self._shown.items() if before.get(key) != row}
        gone = [key for key in before if key not in self._shown]
        if not changed and not gone and len(self._rows) == self._total:
            return  # what came has gone again
        self._seq, self._total, self._packed = self._seq + 1, len(self._rows), pack(_raw(self._shown))
        changes = Changes(what=self._what, seq=self._seq, total=self._total, set=_raw(changed), gone=gone)
        frame = framed(encode(changes))
        for outbox in self.outboxes:
            if hidden := self._hidden_from(outbox):
                visible = _raw({key: row for key, row in changed.items() if key not in hidden})
                own = framed(encode(replace(changes, total=self._total - len(hidden), set=visible)))
            else:
                own = frame
            if outbox.write(own):
                self._missed.add(outbox)
            else:
                count_sent(own)

    def _packed_rows(self, rows: dict[str, bytes]) -> dict[str, bytes]:
        """Rows as they are sent. Most have not changed since they were last."""
        before, self._shown_of = self._shown_of, rows
        return {
            key: self._shown[key] if before.get(key) is row else pack(row_of(self._show(row)))
            for key, row in rows.items()
        }

    def _hidden_from(self, outbox: Outbox) -> list[str]:
        """The rows of people whom someone ignores."""
        if outbox.ignored.isdisjoint(self._speakers.values()):
            return []
        return [key for key in self._shown if self._speakers.get(key) in outbox.ignored]

    def _top(self) -> dict[str, bytes]:
        """The rows of the feed that are shown: all of them, or the first ones by each order."""
        if len(self._rows) <= self._all:
            return dict(self._rows)
        keys: dict[str, None] = {}
        for leading in self._leading:
            keys |= dict.fromkeys(leading.first(self._rows))
        return {key: self._rows[key] for key in keys}
