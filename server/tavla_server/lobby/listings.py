"""The lobby's lists as views with diffs: open tables, live matches, people online, the last lines of its chat.

Made from this node's copy of the lobby feed. What subscribers of a list get is encoded once for all of them.
"""

import functools
import heapq
from collections.abc import Callable, Iterable
from operator import attrgetter
from typing import Any, Generic, NamedTuple, TypeVar

import msgspec
from msgspec.structs import replace
from tavla_protocol.codec import encode, pack
from tavla_protocol.messages import Changes, Line, Listing, Pairing, Person, Seeker, Standing, Table, Tournament

from tavla_server.cluster.clock import Clock, Timer
from tavla_server.cluster.feed import CHAT, PEOPLE, SEEKERS, TABLES, TOURNAMENTS, Feed
from tavla_server.cluster.packed_rows import PackedRows
from tavla_server.delivery.fanout import FanOut
from tavla_server.delivery.frames import framed
from tavla_server.delivery.outbox import Outbox
from tavla_server.limits import DEFAULT_LIMITS, Limits
from tavla_server.lobby.chat import unpack as unpack_line
from tavla_server.lobby.presence import unpack as unpack_person
from tavla_server.lobby.seekers import unpack as unpack_seeker
from tavla_server.lobby.tables import unpack as unpack_table
from tavla_server.telemetry.metrics import count_sent

FOLLOWER_MS = 0.25  # between two changes, for each who follows a list here: so all take 4,000 writes a second at most
PERFORMANCES = 10**6  # a point, or a tiebreak, comes before any performance
TIEBREAKS = 10**4  # likewise before any tiebreak
PAUSED = 10**12  # a match that waits for a player comes behind all others: more than a time in seconds, or ratings

Row = dict[str, Any]
Shown = Table | Person | Line | Seeker | Tournament | Standing | Pairing
T = TypeVar("T")
_PLACE = attrgetter("place")

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
    "tournaments": (lambda tournament: tournament.starts,),
    "standings": (lambda row: PERFORMANCES * _scored(row) + (row.performance or 0),),
    "pairings": (lambda row: row.round,),
}


class TournamentRow(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """A tournament in the feed.

    seq: of its journal, from where nodes read on. until_ms: it is over, the archive has it, and nothing is left to be
    done but to list it so long; 0 = there is.
    """

    seq: int
    shown: Tournament
    until_ms: int = 0


unpack_row = msgspec.msgpack.Decoder(TournamentRow).decode
# The lists that each tournament has.
OF_TOURNAMENT: dict[str, Callable[[bytes], Shown]] = {
    "standings": msgspec.msgpack.Decoder(Standing).decode,
    "pairings": msgspec.msgpack.Decoder(Pairing).decode,
}


class Listings:
    """All lists, and who follows them."""

    def __init__(self, feed: Feed, clock: Clock, every_ms: int, limits: Limits = DEFAULT_LIMITS) -> None:
        """every_ms: between two changes of a list, at least."""
        self._people = feed.rows(PEOPLE)
        self._listings = {
            what: _List(what, feed.rows(_SOURCE[what]), clock, every_ms, _SHOW[what], limits) for what in _SOURCE
        }
        self._of_tournaments: dict[tuple[str, str], tuple[_List, PackedRows]] = {}  # by list and tournament
        self._context = clock, every_ms, limits
        feed.listen(self._row_changed)

    def listing(self, what: str, outbox: Outbox, id: int, tournament: str = "") -> bytes:  # noqa: A002 - the field's name on the wire
        """The message that shows a list as it is now, as the answer to request `id`."""
        return self._list(what, tournament).listing(outbox, id)

    def subscribe(self, what: str, outbox: Outbox, id: int, tournament: str = "") -> None:  # noqa: A002
        """Show a list, and from now on its changes."""
        outbox.send(self.listing(what, outbox, id, tournament))
        self._list(what, tournament).add(outbox)

    def show_again(self, what: str, outbox: Outbox) -> None:
        """Show the whole list, if it is followed, to one for whom other rows are hidden now."""
        if self.follows(what, outbox):
            outbox.send(self._listings[what].listing(outbox))

    def follows(self, what: str, outbox: Outbox) -> bool:
        """True if a list's changes are shown there."""
        return outbox in self._listings[what].outboxes

    def unsubscribe(self, what: str, outbox: Outbox, tournament: str = "") -> None:
        """Show its changes no longer."""
        self._list(what, tournament).discard(outbox)

    def set_rows(self, what: str, tournament: str, rows: dict[str, bytes | None]) -> None:
        """Change rows of a list of a tournament."""
        list_, known = self._of_tournament(what, tournament)
        for key, row in rows.items():
            list_.change(key, known.change(key, row), row)

    def drop_rows(self, tournament: str) -> None:
        """A tournament is listed no longer."""
        for what in OF_TOURNAMENT:
            self._of_tournaments.pop((what, tournament), None)

    def _list(self, what: str, tournament: str) -> "_List":
        return self._of_tournament(what, tournament)[0] if what in OF_TOURNAMENT else self._listings[what]

    def _of_tournament(self, what: str, tournament: str) -> "tuple[_List, PackedRows]":
        if (found := self._of_tournaments.get((what, tournament))) is None:
            clock, every_ms, limits = self._context
            rows = PackedRows()
            list_ = _List(what, rows, clock, every_ms, OF_TOURNAMENT[what], limits, tournament)
            found = self._of_tournaments[what, tournament] = list_, rows
        return found

    @property
    def _all(self) -> "list[_List]":
        return [*self._listings.values(), *(list_ for list_, _ in self._of_tournaments.values())]

    def leave(self, outbox: Outbox) -> None:
        """Unsubscribe from everything."""
        for list_ in self._all:
            list_.discard(outbox)

    def resync(self, outbox: Outbox) -> None:
        """Send the lists of which changes were dropped again, to a client that has caught up."""
        for list_ in self._all:
            list_.resync(outbox)

    def _row_changed(self, name: str, key: str, before: bytes | None, after: bytes | None) -> None:
        if name == TABLES:
            self._listings["tables"].change(key, before, after)
            self._listings["matches"].change(key, before, after)
        elif name == PEOPLE:
            elsewhere = self._people.of(key.partition(":")[2]) - (after is not None)
            self._listings["people"].change(key, before, after, again=elsewhere > 0)
        elif name == SEEKERS:
            self._listings["seekers"].change(key, before, after)
        elif name == TOURNAMENTS:
            self._listings["tournaments"].change(key, before, after)
        elif name == CHAT:
            self._listings["chat"].change(key, before, after, unpack_line(after)[0] if after else "")


def _scored(row: Standing) -> int:
    """Points, and what tells those apart that have as many, as one number."""
    return functools.reduce(lambda scored, one: TIEBREAKS * scored + one, row.tiebreaks, row.points)


def row_of(value: Shown) -> Row:
    """A row on the wire: fields without their default. (msgspec leaves out no tuples.)"""
    fields = _defaults(type(value))
    return {name: given for name, default in fields if (given := getattr(value, name)) != default}


@functools.cache  # to ask msgspec takes three times as long as all else that is done with a row
def _defaults(kind: type[Shown]) -> list[tuple[str, object]]:
    return [(field.name, field.default) for field in msgspec.structs.fields(kind)]


def _open_table(row: bytes) -> Table | None:
    note = unpack_table(row)
    return note.table if note.listed and note.open else None


def _live_match(row: bytes) -> Table | None:
    note = unpack_table(row)
    return note.table if note.listed and not note.open else None


def _listed_tournament(row: bytes) -> Tournament | None:
    shown = unpack_row(row).shown
    return None if shown.private else shown


# By list: of which rows of the feed it is made, and what it shows of one; None = nothing.
_SOURCE = {
    "tables": TABLES,
    "matches": TABLES,
    "people": PEOPLE,
    "chat": CHAT,
    "seekers": SEEKERS,
    "tournaments": TOURNAMENTS,
}
_SHOW: dict[str, Callable[[bytes], Shown | None]] = {
    "tables": _open_table,
    "matches": _live_match,
    "people": lambda row: unpack_person(row)[1],
    "chat": lambda row: unpack_line(row)[1],
    "seekers": lambda row: unpack_seeker(row)[1],
    "tournaments": _listed_tournament,
}


def _raw(rows: dict[str, bytes]) -> dict[str, Any]:
    """Rows that are packed already, to be part of a message."""
    return {key: msgspec.Raw(row) for key, row in rows.items()}


class _Placed(NamedTuple):
    """A row of the feed, and where it stands by an order."""

    place: int
    key: str
    row: bytes


class _Leading(Generic[T]):
    """The rows that come first by one order, found without looking at all rows each time."""

    def __init__(self, order: Callable[[T], int], show: Callable[[bytes], T | None], limits: Limits) -> None:
        self._order, self._show, self._limits = order, show, limits
        self._kept: dict[str, _Placed] = {}  # all rows from `least` on, by key
        self._least: int | None = None  # None: all rows

    def set(self, key: str, row: bytes, shown: T) -> None:
        """A row is new, or has changed."""
        self.drop(key)  # it becomes the last one: of a player's two rows the latest is shown
        place = self._order(shown)
        if self._least is None or place >= self._least:
            self._kept[key] = _Placed(place, key, row)
        if len(self._kept) > 2 * self._limits.ordered:
            self._keep(self._kept.values())

    def drop(self, key: str) -> None:
        """A row is gone."""
        self._kept.pop(key, None)

    def first(self, count: int, rows: PackedRows) -> Iterable[_Placed]:
        """The first ones of so many rows, last ones first.

        All rows are looked at when too many of those that are kept have gone.
        """
        most = self._limits.listed
        if len(self._kept) < min(most, count):
            shown = ((key, row, self._show(row)) for key, row in rows.each())
            self._keep(_Placed(self._order(of), key, row) for key, row, of in shown if of is not None)
        kept = self._kept.values()
        return kept if len(kept) <= most else heapq.nlargest(most, kept, key=_PLACE)[::-1]

    def _keep(self, rows: Iterable[_Placed]) -> None:
        leading = heapq.nlargest(self._limits.ordered + 1, rows, key=_PLACE)
        kept = leading[: self._limits.ordered]
        self._least = kept[-1].place if len(kept) < len(leading) else None
        self._kept = {placed.key: placed for placed in kept}


class _Sent(NamedTuple):
    """A row of the feed, the key that its list has it under, and what is sent of it."""

    row: bytes
    key: str
    packed: bytes


class _List:
    """A list. Changes are collected and shown `every_ms` after the last ones, to a crowd less often.

    rows: of the feed, of which the list keeps the first ones alone. show: what is shown of a row; None = nothing.
    """

    def __init__(
        self,
        what: str,
        rows: PackedRows,
        clock: Clock,
        every_ms: int,
        show: Callable[[bytes], Shown | None],
        limits: Limits,
        tournament: str = "",
    ) -> None:
        self.outboxes: dict[Outbox, None] = {}
        self._missed: set[Outbox] = set()  # those who were not shown all changes
        self._fanout = FanOut(self._write)
        self._what, self._clock, self._every_ms, self._show = what, clock, every_ms, show
        self._tournament = tournament
        self._rows, self._count = rows, 0  # of which so many are the list's
        self._leading = [_Leading(order, show, limits) for order in ORDERS[what]]
        self._speakers: dict[str, str] = {}  # whose a row is, if some do not want to hear of them
        self._shown: dict[str, bytes] = {}  # as they are sent
        self._sent: dict[str, _Sent] = {}  # the same by their keys in the feed
        self._packed = pack({})  # what is shown
        self._seq = self._total = 0
        self._changed = False
        self._refreshed_ms = 0
        self._timer: Timer | None = None

    def change(
        self, key: str, before: bytes | None, after: bytes | None, speaker: str = "", again: bool = False
    ) -> None:
        """A row of the feed has changed. speaker: the id of the player whose words it has. again: another is the same
        player's, and they count once.
        """
        shown = self._show(after) if after is not None else None
        was = before is not None and self._show(before) is not None
        if after is not None and shown is not None:
            for leading in self._leading:
                leading.set(key, after, shown)
        elif was:
            for leading in self._leading:
                leading.drop(key)
        else:
            return
        if not again:
            self._count += (shown is not None) - was
        if speaker:
            self._speakers[key] = speaker
        elif shown is None:
            self._speakers.pop(key, None)
        self._changed = True
        self._wake()

    def add(self, outbox: Outbox) -> None:
        """Show the changes to one more, those also that came without followers and that the listing has not yet."""
        self.outboxes[outbox] = None
        if self._changed:
            self._wake()

    def discard(self, outbox: Outbox) -> None:
        """Show the changes to one less."""
        self.outboxes.pop(outbox, None)
        self._missed.discard(outbox)

    def resync(self, outbox: Outbox) -> None:
        """Send the whole list to a client that has missed a change."""
        if outbox in self._missed:
            outbox.send(self.listing(outbox))
            self._missed.discard(outbox)

    def listing(self, outbox: Outbox, id: int | None = None) -> bytes:  # noqa: A002 - the field's name on the wire
        """The rows as of the last changes. What is pending for this client is sent before."""
        if self._wait_ms() <= 0 and self._fanout.idle:
            self._refresh()
        self._fanout.hurry(outbox)
        if hidden := self._hidden_from(outbox):
            rows = _raw({key: row for key, row in self._shown.items() if key not in hidden})
            return encode(Listing(id=id, what=self._what, seq=self._seq, total=self._total - len(hidden), rows=rows))
        of = self._tournament
        head = encode(Listing(id=id, what=self._what, tournament=of, seq=self._seq, total=self._total, rows={}))
        empty = pack({})
        assert head.endswith(empty), "the rows come last"
        return head.removesuffix(empty) + self._packed

    def _wake(self) -> None:
        if self._timer is None and self.outboxes:
            self._timer = self._clock.call_later(max(0, self._wait_ms()) / 1000, self._due)

    def _due(self) -> None:
        self._timer = None
        if self._fanout.idle:
            self._refresh()
        else:
            self._timer = self._clock.call_later(self._pause_ms / 1000, self._due)

    @property
    def _pause_ms(self) -> float:
        """The time between two changes, at least."""
        return max(self._every_ms, FOLLOWER_MS * len(self.outboxes))

    def _wait_ms(self) -> float:
        pause_ms = self._pause_ms
        return min(pause_ms, self._refreshed_ms + pause_ms - self._clock.now_ms())  # a clock may be set back

    def _refresh(self) -> None:
        """Update what is shown, and send the difference."""
        if not self._changed:
            return
        self._changed, self._refreshed_ms = False, self._clock.now_ms()
        before, self._shown = self._shown, self._packed_rows(self._top())
        changed = {key: row for key, row in self._shown.items() if before.get(key) != row}
        gone = [key for key in before if key not in self._shown]
        if not changed and not gone and self._count == self._total:
            return  # what came has gone again
        self._seq, self._total, self._packed = self._seq + 1, self._count, pack(_raw(self._shown))
        changes = Changes(
            what=self._what,
            tournament=self._tournament,
            seq=self._seq,
            total=self._total,
            set=_raw(changed),
            gone=gone,
        )
        followers = dict(self.outboxes)
        for outbox in [outbox for outbox in self.outboxes if outbox.ignored]:
            if hidden := self._hidden_from(outbox):
                visible = _raw({key: row for key, row in changed.items() if key not in hidden})
                del followers[outbox]
                self._write(outbox, framed(encode(replace(changes, total=self._total - len(hidden), set=visible))))
        self._fanout.write_by_and_by(framed(encode(changes)), followers)

    def _write(self, outbox: Outbox, frame: bytes) -> None:
        if outbox not in self.outboxes:  # it has left meanwhile
            return
        if outbox.write(frame):
            self._missed.add(outbox)
        else:
            count_sent(frame)

    def _packed_rows(self, rows: Iterable[_Placed]) -> dict[str, bytes]:
        """Rows as they are sent. Most have not changed since they were last."""
        before, self._sent = self._sent, {}
        for _, key, row in rows:
            sent = before.get(key)
            self._sent[key] = sent if sent is not None and sent.row == row else self._pack(key, row)
        return {sent.key: sent.packed for sent in self._sent.values()}

    def _pack(self, key: str, row: bytes) -> _Sent:
        shown = self._show(row)
        assert shown is not None, "it is among the leading ones"
        return _Sent(row, unpack_person(row)[0] if self._what == "people" else key, pack(row_of(shown)))

    def _hidden_from(self, outbox: Outbox) -> list[str]:
        """The rows of people whom someone ignores."""
        if outbox.ignored.isdisjoint(self._speakers.values()):
            return []
        return [key for key in self._shown if self._speakers.get(key) in outbox.ignored]

    def _top(self) -> Iterable[_Placed]:
        """The rows of the feed that are shown: all of them, or the first ones by each order."""
        first = (leading.first(self._count, self._rows) for leading in self._leading)
        return {placed.key: placed for rows in first for placed in rows}.values()
