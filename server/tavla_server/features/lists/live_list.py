"""A list of the lobby, as its followers see it: the whole of it, then what changes, encoded once for all of them."""

import functools
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import msgspec
from tavla_protocol.codec import encode, pack
from tavla_protocol.messages import Changes, Line, Listing, Pairing, Person, Seeker, Standing, Table, Tournament

from tavla_server.cluster.clock import Timer
from tavla_server.cluster.packed_rows import PackedRows
from tavla_server.delivery.fanout import FanOut
from tavla_server.delivery.frames import frame_of
from tavla_server.delivery.outbox import Outbox
from tavla_server.features.lists.leaders import ORDERS, Leading
from tavla_server.gateway.core import Core
from tavla_server.gateway.presence import unpack as unpack_person
from tavla_server.telemetry.metrics import count_sent

FOLLOWER_MS = 0.25  # between two changes, for each who follows a list here: so all take 4,000 writes a second at most

Row = dict[str, Any]
Shown = Table | Person | Line | Seeker | Tournament | Standing | Pairing


def row_of(value: Shown) -> Row:
    """A row on the wire: fields without their default. (msgspec leaves out no tuples.)"""
    fields = _defaults(type(value))
    return {name: given for name, default in fields if (given := getattr(value, name)) != default}


@functools.cache  # to ask msgspec takes three times as long as all else that is done with a row
def _defaults(kind: type[Shown]) -> list[tuple[str, object]]:
    return [(field.name, field.default) for field in msgspec.structs.fields(kind)]


def _raw(rows: dict[str, bytes]) -> dict[str, Any]:
    """Rows that are packed already, to be part of a message."""
    return {key: msgspec.Raw(row) for key, row in rows.items()}


class Veil(NamedTuple):
    """A veil of a row: it hides the row from some, who see the list as if it was not there.

    speaker: the id of the player whose words it has; "" = nobody's. ignored: the ids of those whom its player ignores.
    """

    speaker: str = ""
    ignored: frozenset[str] = frozenset()

    def hides_from(self, outbox: Outbox) -> bool:
        """True if the row is not shown there."""
        return self.speaker in outbox.ignored or outbox.player.id in self.ignored


NO_VEIL = Veil()


class _Sent(NamedTuple):
    """A row of the feed, the key that its list has it under, what is sent of it, and from whom it is hidden."""

    row: bytes
    key: str
    packed: bytes
    veil: Veil


class LiveList:
    """A list. Changes are collected and shown `Timings.listing_ms` after the last ones, to a crowd less often.

    rows: of the feed, of which the list keeps the first ones alone. show: what is shown of a row; None = nothing.
    veil: of a row.
    """

    def __init__(
        self,
        core: Core,
        what: str,
        rows: PackedRows,
        show: Callable[[bytes], Shown | None],
        tournament: str = "",
        veil: Callable[[bytes], Veil] = lambda _: NO_VEIL,
    ) -> None:
        self.outboxes: dict[Outbox, None] = {}
        self._missed: set[Outbox] = set()  # those who were not shown all changes
        self._withheld: dict[Outbox, int] = {}  # changes of which nothing is for someone, who counts without them
        self._fanout = FanOut(self._write)
        self._clock, self._every_ms = core.clock, core.timings.listing_ms
        self._what, self._show, self._tournament, self._veil = what, show, tournament, veil
        self._changes = functools.partial(Changes, what=what, tournament=tournament)
        self.rows, self._count = rows, 0  # of which so many are the list's
        self._leading = [Leading(order, show, core.limits) for order in ORDERS[what]]
        self._veiled: list[_Sent] = []  # those of what is shown that are hidden from some
        self._shown: dict[str, bytes] = {}  # as they are sent
        self._sent: dict[str, _Sent] = {}  # the same by their keys in the feed
        self._packed = pack({})  # what is shown
        self._seq = self._total = 0
        self._changed = False
        self._refreshed_ms = 0
        self._timer: Timer | None = None

    def change(self, key: str, before: bytes | None, after: bytes | None, again: bool = False) -> None:
        """A row of the feed has changed. again: another is the same player's, and they count once."""
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
        self._withheld.pop(outbox, None)
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
        return self._whole(outbox, id)

    def _whole(self, outbox: Outbox, id: int | None = None) -> bytes:  # noqa: A002
        """The rows that were shown last, as far as this client may see them."""
        hidden = _hidden_from(outbox, self._veiled)
        rows = _raw({key: row for key, row in self._shown.items() if key not in hidden}) if hidden else {}
        total, seq = self._total - len(hidden), self._seq_for(outbox)
        listing = encode(Listing(id=id, what=self._what, tournament=self._tournament, seq=seq, total=total, rows=rows))
        if hidden:
            return listing
        empty = pack({})
        assert listing.endswith(empty), "the rows come last"
        return listing.removesuffix(empty) + self._packed

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
        seq, total = self._seq, self._total
        before, veiled, self._shown = self._shown, self._veiled, self._packed_rows()
        changed = {key: row for key, row in self._shown.items() if before.get(key) != row}
        gone = [key for key in before if key not in self._shown]
        others = {
            outbox: _hidden_from(outbox, veiled)
            for outbox in _who_see_less(self.outboxes, self._withheld, [*veiled, *self._veiled])
        }
        followers = {outbox: None for outbox in self.outboxes if outbox not in others}
        if changed or gone or self._count != self._total:  # (else what came has gone again)
            self._seq, self._total, self._packed = self._seq + 1, self._count, pack(_raw(self._shown))
            changes = self._changes(seq=self._seq, total=self._total, set=_raw(changed), gone=gone)
            self._fanout.write_by_and_by(frame_of(encode(changes)), followers)
        for outbox, was in others.items():
            now = _hidden_from(outbox, self._veiled)
            visible = {key: row for key, row in changed.items() if key not in now}
            left = [key for key in gone if key not in was]
            if any(key in before and key in self._shown for key in was ^ now):
                self._write(outbox, frame_of(self._whole(outbox)))
            elif visible or left or total - len(was) != self._total - len(now):
                total_here = self._total - len(now)
                own = self._changes(seq=self._seq_for(outbox), total=total_here, set=_raw(visible), gone=left)
                self._write(outbox, frame_of(encode(own)))
            elif self._seq != seq:  # an empty message would tell of what is hidden
                self._withheld[outbox] = self._withheld.get(outbox, 0) + 1

    def _seq_for(self, outbox: Outbox) -> int:
        return self._seq - self._withheld.get(outbox, 0)

    def _write(self, outbox: Outbox, frame: bytes) -> None:
        if outbox not in self.outboxes:  # it has left meanwhile
            return
        if outbox.write(frame):
            self._missed.add(outbox)
        else:
            count_sent(frame)

    def _packed_rows(self) -> dict[str, bytes]:
        """Rows as they are sent: all, or the first ones by each order. Most have not changed since the last time."""
        before, self._sent = self._sent, {}
        first = (leading.first(self._count, self.rows) for leading in self._leading)
        for _, key, row in {placed.key: placed for rows in first for placed in rows}.values():
            sent = before.get(key)
            if sent is None or sent.row != row:
                sent = _sent(self._what, key, row, self._show(row), self._veil(row))
            self._sent[key] = sent
        self._veiled = [sent for sent in self._sent.values() if sent.veil != NO_VEIL]
        return {sent.key: sent.packed for sent in self._sent.values()}


def _hidden_from(outbox: Outbox, veiled: Sequence[_Sent]) -> set[str]:
    """The keys of rows that are not shown to someone."""
    return {sent.key for sent in veiled if sent.veil.hides_from(outbox)}


def _who_see_less(outboxes: Iterable[Outbox], withheld: Mapping[Outbox, int], veiled: Sequence[_Sent]) -> list[Outbox]:
    """Outboxes of players who may not see all of the list now, or of what was veiled before."""
    if not veiled and not withheld:
        return []
    speakers = {sent.veil.speaker for sent in veiled}
    ignored = frozenset[str]().union(*(sent.veil.ignored for sent in veiled))
    return [
        outbox
        for outbox in outboxes
        if outbox.player.id in ignored
        or outbox in withheld
        or (outbox.ignored and not outbox.ignored.isdisjoint(speakers))
    ]


def _sent(what: str, key: str, row: bytes, shown: Shown | None, veil: Veil) -> _Sent:
    assert shown is not None, "it is among the leading ones"
    return _Sent(row, unpack_person(row)[0] if what == "people" else key, pack(row_of(shown)), veil)
