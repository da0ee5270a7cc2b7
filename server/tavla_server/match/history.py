"""The latest entries of a match, kept in memory.

It serves clients that come back, requests that are sent again, and a store that has lost its last writes.
"""

import zlib
from collections.abc import Iterator, Sequence
from itertools import chain
from typing import NamedTuple

import msgpack
from tavla_protocol.codec import pack

from tavla_server.delivery.frames import frame_of
from tavla_server.record.events import Entry, Revealed, decode_entry, encode_entry
from tavla_server.record.projection import checksum_of, encode_update
from tavla_server.record.reducer import apply_entry
from tavla_server.record.state import Record, decode_milestone, encode_milestone

MILESTONE = 16  # entries from one record that is kept to the next: to go on from it takes 0.03 ms for each
RECENT = 64  # entries are kept, unless they are older than
ENTRY = pack(tuple(Entry.__struct_fields__))[:1]  # how each begins: as an array of its fields
KEPT_MS = 60_000  # that: more than a connection takes to be renewed, or a store loses


def _acts(entry: Entry, player: str) -> bool:
    return entry.player == player and not any(isinstance(event, Revealed) for event in entry.events)


class Have(NamedTuple):
    """The part that clients have: a version of the match, and the checksum of its view, if it has told that."""

    epoch: int = 0
    seq: int = 0
    checksum: int | None = None


HAVE_NOTHING = Have()


class _Run:
    """Some entries in a row. All is kept as bytes, which holds the 6 KiB of a live match in bench/README.md.

    first: the first one's number. since_ms: when it was made. before: the record before it, as a milestone; None if
    they were shown before this session began. entries: one behind the other, see `History.add`.
    """

    __slots__ = ("_entries", "before", "first", "since_ms")

    def __init__(self, first: int, since_ms: int, before: bytes | Record | None, entries: bytearray) -> None:
        """entries: those that there are so far; more are added to the same object."""
        self.first, self.since_ms, self.before = first, since_ms, before
        self._entries: bytes | bytearray = entries

    def end(self) -> None:
        """Keep no room for further entries: there will be none.

        The first ones of a match, with rules, names and seeds, are longer than all that follow: they are compressed.
        """
        self._entries = zlib.compress(self._entries) if self.first == 1 else bytes(self._entries)

    @property
    def entries(self) -> bytes:
        """The entries as bytes, uncompressed."""
        kept = self._entries
        return zlib.decompress(kept) if self.first == 1 and isinstance(kept, bytes) else bytes(kept)


class History:
    """The history of a match: the latest entries of one session: those that it has shown, and a few that were there
    before it.
    """

    __slots__ = ("_fresh", "_full", "_players", "_runs")

    def __init__(self, seq: int, known: Sequence[Entry] = ()) -> None:
        """known: the last entries up to `seq`, oldest first."""
        self._runs: tuple[_Run, ...] = ()
        self._players: tuple[str, ...] = ()  # whose entries are kept
        self._fresh = bytearray()  # the entries of the last run, if they were shown here
        self._full = seq + 1  # at this version the next run begins: with none of those that are known
        for entry in known:
            self.add(seq, entry, encode_entry(entry), None)
        if known:
            self._runs = (_Run(seq - len(known) + 1, known[0].time_ms, None, self._fresh),)
            self._fresh, self._full = bytearray(), 0

    @property
    def newest(self) -> bytes | None:
        """The last entry that was shown here, if any was."""
        return [*self._entries(self._runs[-1])][-1][1] if self._fresh else None

    @property
    def entries(self) -> dict[int, bytes]:
        """All entries that are known, by number, as the journal keeps them."""
        return dict(self._all())

    def _all(self) -> Iterator[tuple[int, bytes]]:
        return chain.from_iterable(map(self._entries, self._runs))

    def _entries(self, run: _Run) -> Iterator[tuple[int, bytes]]:
        """Each with its number, as the journal keeps it."""
        entries, seq, start = run.entries, run.first, 0
        unpacker = msgpack.Unpacker()
        unpacker.feed(entries)
        while start < len(entries):
            for _ in Entry.__struct_fields__:
                unpacker.skip()
            end = unpacker.tell()
            yield seq, ENTRY + pack(self._players[entries[start]]) + entries[start + 1 : end]
            seq, start = seq + 1, end

    def add(self, seq: int, entry: Entry, data: bytes, before: Record | None) -> None:
        """Add an entry that was shown; beyond RECENT, or KEPT_MS, the oldest are dropped.

        It is kept without its first byte, and with a number for its player's id, which is a third of an entry.
        data: the entry as the journal keeps it. before: the match before it, None = nobody asks for that.
        """
        if seq >= self._full:
            self._begin_run(seq, entry.time_ms, before)
        player, fresh = entry.player, self._fresh
        try:
            number = self._players.index(player)
        except ValueError:
            assert len(pack(player)) == 1 + len(player), "an id is a short string"
            number, self._players = len(self._players), (*self._players, player)
        fresh.append(number)
        fresh += data[2 + len(player) :]

    def _begin_run(self, seq: int, now_ms: int, before: Record | None) -> None:
        runs, self._fresh, self._full = self._runs, bytearray(), seq + MILESTONE
        if runs:
            runs[-1].end()
        runs = *runs, _Run(seq, now_ms, before and encode_milestone(before), self._fresh)
        enough = -(-(RECENT - 1) // MILESTONE) + 1
        while len(runs) > 2 and (len(runs) > enough or now_ms - runs[1].since_ms > KEPT_MS):
            runs = runs[1:]
        self._runs = runs

    def seq_of(self, player: str, request: int) -> int | None:
        """The version that a request led to; None if it has not acted, as far as is known here."""
        if player not in self._players:
            return None
        begin = bytes((self._players.index(player),)) + pack(request)
        for run in self._runs:
            if begin in run.entries:  # as a rule it is not, and need not be taken apart
                for seq, data in self._entries(run):
                    entry = decode_entry(data)
                    if (entry.player, entry.action) == (player, request):
                        return seq
        return None

    @property
    def shown_ms(self) -> int | None:
        """The time of the newest entry that was shown here, in ms since 1970; None if none was."""
        newest = self.newest
        return None if newest is None else decode_entry(newest).time_ms

    def has_acted(self, player: str) -> bool:
        """True if a player has done anything of what was shown here; to reveal a seed is a program's doing."""
        shown = chain.from_iterable(map(self._entries, (run for run in self._runs if run.before is not None)))
        return player in self._players and any(_acts(decode_entry(data), player) for _, data in shown)

    def updates_after(self, have: Have, seq: int, record: Record) -> list[bytes] | None:
        """The frames of all updates after what a client has; None when they are not known, or would not fit.

        seq, record: the match as it is now.
        """
        if have.epoch != record.epoch or have.seq > seq:
            return None
        then = record if have.seq == seq else self._record_at(have.seq, record)
        if then is None:
            return None
        if have.checksum is not None and checksum_of(then) != have.checksum:
            return None  # a store that lost changes may be as far again by others, under the same epoch
        return self._frames_after(have.seq, then)

    def _frames_after(self, seq: int, record: Record) -> list[bytes]:
        frames = []
        for number, data in chain.from_iterable(
            self._entries(run) for run in self._runs if run.first + MILESTONE > seq
        ):
            if number > seq:
                entry, before = decode_entry(data), record
                record = apply_entry(before, entry)
                frames.append(frame_of(encode_update(before, record, number, entry.events)))
        return frames

    def _record_at(self, seq: int, later: Record) -> Record | None:
        """The record at a recent seq, or None if it is not known any more. later: the match as it is now."""
        for run in reversed(self._runs):
            if run.first <= seq + 1 and run.before is not None:
                record = decode_milestone(run.before, later)
                for number, data in self._entries(run):
                    if number <= seq:
                        record = apply_entry(record, decode_entry(data))
                return record
        return None
