"""The lobby's index of tables. The journals are the truth; what stands here only helps to find them.

A match is entered before its journal begins and taken out after it has ended, so a process that dies in between leaves
at most a row too many, or one that is behind: `reconcile` sets that right.
"""

import asyncio
import contextlib
import math
from collections.abc import Iterable, Iterator
from functools import lru_cache

import msgspec
from tavla_protocol.codec import pack
from tavla_protocol.messages import Table

from tavla_server.cluster.feed import ABSENT, TABLES, Feed, RowUpdate
from tavla_server.errors import StoreUnavailable
from tavla_server.features.tables.meetings import Meetings
from tavla_server.features.tables.player_matches import PlayerMatches
from tavla_server.features.tables.table_names import TableNames
from tavla_server.gateway.core import Core
from tavla_server.gateway.places import Places
from tavla_server.record.projection import changed_options, ratings_of
from tavla_server.record.state import Record
from tavla_server.store import keys
from tavla_server.store.client import text

MISSED_S = 7 * 86_400  # a match that is over leaves the store then, and is in its players' history


class Note(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """The note of a match that is not over: its row on all nodes.

    since: when it was entered, or its second player sat down, in ms since 1970. players: the ids of those who sit
    there. listed: anybody may see it. table: what the lobby shows; None until its journal has begun. awaited: the first
    game has not begun, since a player has not come to it. away: by seat, since when its player is away, in ms since
    1970; 0 = is there. hidden_from: the ids of those whom the player ignores who waits there for an opponent.
    """

    since: int
    players: tuple[str, ...]
    listed: bool = False
    table: Table | None = None
    awaited: bool = False
    away: tuple[int, int] = (0, 0)
    hidden_from: tuple[str, ...] = ()

    @property
    def open(self) -> bool:
        """True if a player waits there for an opponent."""
        return self.table is not None and None in self.table.players


class _Seating(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """The beginning of a `Note`."""

    since: int
    players: tuple[str, ...]


_notes = msgspec.msgpack.Decoder(Note)
_seatings = msgspec.msgpack.Decoder(_Seating)


class TableRows:
    """The rows of tables that are not over, as this node knows them."""

    def __init__(self, feed: Feed) -> None:
        self._rows = feed.rows(TABLES)
        self._unsettled: dict[str, Note] = {}  # those of them at which a sweep looks
        feed.listen(TABLES, self._row_changed)

    def __len__(self) -> int:
        return len(self._rows)

    def __iter__(self) -> Iterator[str]:
        """Every match that is not over."""
        return iter(self._rows)

    def sitters(self) -> Iterator[tuple[str, tuple[str, ...]]]:
        """Every match with the ids of those who sit there, a third of what their notes take."""
        return ((match, _seatings.decode(row).players) for match, row in self._rows.each())

    def note(self, match: str) -> Note | None:
        """The row of a match; None when it is over, or unknown here."""
        row = self._rows.get(match)
        return None if row is None else unpack(row)

    def away(self, match: str) -> tuple[int, int]:
        """Since when each seat's player is away, in ms since 1970; 0 = is there, as far as this node knows."""
        known = self.note(match)
        return (0, 0) if known is None else known.away

    def open(self) -> list[tuple[str, Note]]:
        """The open tables, those first that have waited longest."""
        found = [(match, note) for match, note in self._unsettled.items() if note.open]
        return sorted(found, key=lambda known: known[1].since)

    def to_sweep(self) -> list[tuple[str, Note]]:
        """The matches that need a sweep: not begun, open, or with an absent player."""
        return list(self._unsettled.items())

    def _row_changed(self, match: str, before: bytes | None, after: bytes | None) -> None:
        self._unsettled.pop(match, None)
        if after is not None:
            note = unpack(after)
            if note.table is None or note.open or note.awaited:
                self._unsettled[match] = note


class Tables:
    """Every table that is not over, as a row of the lobby feed.

    rows: as this node knows them. meetings: how often two have lately met. names: by which tables are found. places: in
    the list, of those that wait for an opponent. played: the matches that each player sits at. missed: those that have
    ended while the player was away, and that were not looked at since.
    """

    def __init__(self, core: Core) -> None:
        self._redis, self._feed, self._clock = core.redis, core.feed, core.clock
        self.names, self.meetings = TableNames(core.redis), Meetings(core)
        self.places = Places(core.redis, core.clock, "open-tables")
        self.played = PlayerMatches(core.redis, keys.PLAYER_PLAYED)
        self.missed = PlayerMatches(core.redis, keys.PLAYER_MISSED, MISSED_S)
        self.rows = TableRows(core.feed)

    async def enter(self, match: str, *players: str) -> None:
        """Note that a match is about to begin its journal, with these players."""
        note = Note(self._clock.now_ms(), players)
        await self._feed.writer.put(RowUpdate(TABLES, match, pack(note), most=ABSENT))
        for player in players:
            await self.played.add(player, match)

    async def shuns(self, maker: str, player: str) -> bool:
        """True if one player ignores another one, by id, to whom a table where the first waits is none."""
        return bool(await self._redis.sismember(keys.PLAYER_IGNORED(maker), player))

    async def are_apart(self, one: str, other: str) -> bool:
        """True if one of two players, by id, ignores the other."""
        return await self.shuns(one, other) or await self.shuns(other, one)

    async def hide(self, record: Record, seq: int) -> None:
        """Show an open table to those alone whom its maker does not ignore, from now on."""
        known = await self.read(record.id)
        if record.open and known is not None and known.open:
            note = msgspec.structs.replace(known, hidden_from=await self._hidden_from(record))
            await self._feed.writer.put(RowUpdate(TABLES, record.id, pack(note), version=seq, least=0, most=seq))

    async def _hidden_from(self, record: Record) -> tuple[str, ...]:
        """The ids of those whom a player ignores who waits at an open table."""
        if not record.open:
            return ()
        maker = next(player for player in record.players if player is not None)
        return tuple(sorted(map(text, await self._redis.smembers(keys.PLAYER_IGNORED(maker.id)))))

    async def read(self, match: str) -> Note | None:
        """The row of a match, also of one that this node may not have read yet. Raises: StoreUnavailable."""
        row = await self._feed.find(TABLES, match)
        return None if row is None else unpack(row)

    async def age_s(self, match: str) -> float:
        """The age of a match's row in seconds; infinite if it is not there."""
        row = await self._feed.fetch(TABLES, match)
        return (self._clock.now_ms() - unpack(row).since) / 1000 if row else math.inf

    async def show(self, record: Record, seq: int, time_ms: int) -> None:
        """Update the row of a match, unless it is of a later version; take it out when the match is over.

        time_ms: when entry `seq` was made. The row may be made later, and says all the same when the match began.
        """
        if not record.over:
            known = await self.read(record.id)
            away, hidden_from = (0, 0) if known is None else known.away, await self._hidden_from(record)
            note = _note(record, _since(record, known, time_ms), away, hidden_from)
            await self._feed.writer.put(RowUpdate(TABLES, record.id, pack(note), version=seq, least=0, most=seq - 1))
            if known is not None and known.open and not note.open:
                await self.places.free(record.id)
            return
        if (known := self.rows.note(record.id)) is None or known.open:
            await self.places.free(record.id)
        await self.drop(record.id, [player.id for player in record.players if player])
        await self.names.release(record.name, record.id)

    async def away_from(self, match: str) -> tuple[int, int]:
        """The same as `rows.away`, also of a match whose row this node may not have read yet, if the store says it."""
        with contextlib.suppress(StoreUnavailable):
            known = await self.read(match)
            return (0, 0) if known is None else known.away
        return 0, 0

    def shows(self, record: Record) -> bool:
        """True if the index says of a match that is not over all that there is to say; as far as known here."""
        known = self.rows.note(record.id)
        return (
            known is not None and not record.over and known == _note(record, known.since, known.away, known.hidden_from)
        )

    async def show_away(self, record: Record, seq: int, away: tuple[int, int]) -> None:
        """Update the absences in a match's row, if it has one and they differ."""
        known = await self.read(record.id)
        if record.over or known is None or known.table is None or [*map(bool, away)] == [*map(bool, known.away)]:
            return
        note = _note(record, _since(record, known, known.since), away, known.hidden_from if record.open else ())
        await self._feed.writer.put(RowUpdate(TABLES, record.id, pack(note), version=seq, least=0, most=seq))

    async def drop(self, match: str, players: Iterable[str]) -> None:
        """Take a match out."""
        await self._feed.writer.put(RowUpdate(TABLES, match, None))
        for player in players:
            await self.played.remove(player, match)

    def may_list(self, match: str) -> bool:
        """True if a match has a row, or may have one that this node has not read yet."""
        return self.rows.note(match) is not None or self._feed.loading

    async def of(self, player: str) -> list[tuple[str, Note]]:
        """The matches of a player that are not over. Raises: StoreUnavailable."""
        entered = await self.played.of(player)
        notes = await asyncio.gather(*map(self.read, entered))
        return [(match, note) for match, note in zip(entered, notes, strict=True) if note and player in note.players]


@lru_cache(maxsize=32)  # all listeners to a change ask for the same
def unpack(row: bytes) -> Note:
    """A note from its row."""
    return _notes.decode(row)


def table_of(record: Record, since_ms: int = 0, away: tuple[int, int] = (0, 0)) -> Table:
    """A match in the lobby's list."""
    white, black = record.players
    return Table(
        name=record.name,
        players=(white and white.name, black and black.name),
        rules=changed_options(record.match.rules),
        score=record.match.score,
        since=since_ms // 1000,
        kinds=(white and white.kind, black and black.kind),
        ratings=ratings_of(record),
        opponent=record.terms.opponent,
        spectators=record.terms.spectators,
        private=bool(record.terms.code),
        away=(away[0] // 1000, away[1] // 1000),
    )


def _since(record: Record, known: Note | None, time_ms: int) -> int:
    """Since when the row says that a match is as it is; it may change with an entry of this time."""
    if known is None or known.table is None or known.open != record.open:
        return time_ms
    return known.since


def _note(record: Record, since_ms: int, away: tuple[int, int], hidden_from: tuple[str, ...]) -> Note:
    players = tuple(player.id for player in record.players if player)
    listed = not record.terms.code and (record.open or record.terms.spectators)
    awaited = not record.open and not record.match.game
    return Note(since_ms, players, listed, table_of(record, since_ms, away), awaited, away, hidden_from)
