"""The archive: every match that was played to its end, for good."""

import asyncio
from collections.abc import Callable, Sequence
from typing import NamedTuple

import msgspec
import sqlalchemy as sa
from msgspec.structs import replace
from tavla_protocol.messages import Analysis, Finding, Played

from tavla_server.errors import JournalUnreadable, OtherMatch
from tavla_server.features.archive.collections import Collections
from tavla_server.features.archive.database import Database
from tavla_server.features.archive.judgement import Judgement
from tavla_server.features.archive.packing import UNPACKABLE, pack, unpack
from tavla_server.features.archive.players import ArchivedPlayers
from tavla_server.features.archive.rolls import RollCounts, roll_rows
from tavla_server.features.archive.rows import (
    RatingChange,
    finished_or_none,
    labels,
    match_row,
    opposite_seats,
    page_of,
    rating_change,
    seat_row,
)
from tavla_server.features.archive.schema import analyses, matches, rolls, seats
from tavla_server.features.archive.summary import Summary, replay
from tavla_server.features.archive.tournaments import TournamentArchive
from tavla_server.limits import DEFAULT_LIMITS


class Extent(NamedTuple):
    """The extent of an archive: its number of matches, and the newest one, by its end in ms since 1970."""

    matches: int
    newest_ms: int
    newest: str


class Archive:
    """Finished matches in a database. All methods raise ArchiveUnavailable, of a damaged file ArchiveDamaged.

    rolls: how their dice have fallen. tournaments: those that are over. players: those of the matches. collections:
    matches in files that accounts have collected.
    """

    def __init__(self, database: Database, page: int = DEFAULT_LIMITS.history_page) -> None:
        """page: matches of a history in one answer."""
        self._database, self._page_size = database, page
        self.rolls, self.tournaments = RollCounts(database), TournamentArchive(database, page)
        self.players, self.collections = ArchivedPlayers(database), Collections(database, page)

    @property
    def trouble(self) -> str:
        """The reason why matches cannot be archived now, in plain words; "" = they can."""
        if self._database.damage:
            return "the archive is damaged: stop all servers and run tavla-server repair"
        return "the archive is away: what ends waits in the store until it is back" if self._database.away else ""

    async def put(self, found: Summary, journal: list[bytes]) -> bool:
        """Add a match, unless it is there. False: it was.

        If it is there and ended earlier, that one gives way: the store had lost its end, and it was played again. So
        does one that cannot be read.
        Raises: OtherMatch when it is another match of the same id that is there; nothing has changed.
        """
        match = found.record.id
        data, fallen = await asyncio.to_thread(lambda: (pack(journal), roll_rows(match, journal)))
        async with self._database.writing() as connection:
            asked = sa.select(matches.c.ended_ms, matches.c.journal).where(matches.c.id == match)
            known = (await connection.execute(asked)).one_or_none()
            if known is not None:
                commitment = await _commitment(match, known.journal)
                if commitment not in ("", found.record.commitment):
                    raise OtherMatch(match)
                if commitment and known.ended_ms >= found.ended_ms:
                    return False
                await connection.execute(sa.delete(matches).where(matches.c.id == match))
                await connection.execute(sa.delete(analyses).where(analyses.c.match == match))
            insert = self._database.insert(matches)
            row = insert.values(match_row(found, data)).on_conflict_do_nothing().returning(matches.c.id)
            if await connection.scalar(row) is None:
                return False  # another node was first
            await connection.execute(sa.insert(seats), [seat_row(found, seat) for seat in (0, 1)])
            await connection.execute(sa.insert(rolls), fallen)
            return True

    async def journal(self, match: str) -> list[bytes] | None:
        """The entries of a match; None if it is not here. Raises: JournalUnreadable."""
        data = await self._database.read_scalar(sa.select(matches.c.journal).where(matches.c.id == match))
        try:
            return None if data is None else unpack(data)
        except UNPACKABLE as error:
            raise JournalUnreadable(match, error) from None

    async def packed_journals(self, ids: Sequence[str]) -> dict[str, bytes]:
        """The entries of some matches, as far as they are here, each packed as it is kept."""
        asked = sa.select(matches.c.id, matches.c.journal).where(matches.c.id.in_(ids))
        return {row.id: row.journal for row in await self._database.read(asked)}

    async def judgement(self, match: str) -> tuple[Analysis, tuple[Finding, ...]] | None:
        """The judge's figures of a match, and of its decisions; None if it was not judged."""
        asked = sa.select(analyses.c.result, analyses.c.seen, analyses.c.plays).where(analyses.c.match == match)
        row = (await self._database.read(asked)).one_or_none()
        if row is None or row.result is None:
            return None
        figures = replace(msgspec.json.decode(row.result, type=Analysis), seen=(row.seen, row.plays))
        return figures, msgspec.json.decode(row.result, type=Judgement).findings

    async def newest_judgements(self, before_ms: int, limit: int) -> list[tuple[str, str]]:
        """The newest public matches that were over and judged before a time, each with its judgement as JSON."""
        asked = (
            sa.select(matches.c.id, analyses.c.result)
            .join(analyses, analyses.c.match == matches.c.id)
            .where(matches.c.listed, analyses.c.result.is_not(None), sa.not_(analyses.c.rough))
            .where(matches.c.ended_ms < before_ms, analyses.c.until_ms < before_ms)
            .order_by(matches.c.ended_ms.desc(), matches.c.id.desc())
            .limit(limit)
        )
        return [(row.id, row.result) for row in await self._database.read(asked)]

    async def history(self, player: str, after: str, own: bool) -> Played:
        """A page of a player's matches. after: `next` of the page before, "" = the newest. own: private ones, too."""
        return await self._page(lambda mine: mine.c.player == player, after, own)

    async def history_by_name(self, name: str, after: str) -> Played:
        """The same for a name that has no player any more."""
        return await self._page(lambda mine: mine.c.name_key == name.lower(), after, own=False)

    async def _page(self, whose: Callable[[sa.FromClause], sa.ColumnElement[bool]], after: str, own: bool) -> Played:
        mine, other, both = opposite_seats()
        columns = [column for column in matches.c if column is not matches.c.journal]
        asked = (
            sa.select(*columns, analyses.c.result, mine.c.seat, *labels("mine", mine), *labels("other", other))
            .select_from(
                mine.join(matches, matches.c.id == mine.c.match)
                .join(other, both)
                .outerjoin(analyses, analyses.c.match == mine.c.match)
            )
            .where(whose(mine))
        )
        if not own:
            asked = asked.where(matches.c.listed)
        page = page_of(asked, (mine.c.ended_ms, mine.c.match), after, self._page_size)
        rows = (await self._database.read(page)).mappings().all()
        shown = rows[: self._page_size]
        last = shown[-1] if len(rows) > len(shown) else None
        cursor = None if last is None else f"{last['ended_ms']}.{last['id']}"
        found = [played for row in shown if (played := finished_or_none(row)) is not None]
        return Played(id=0, matches=found, next=cursor)

    async def ping(self) -> None:
        """Ask for nothing, to see whether there is an answer, and no damage was found."""
        self._database.demand_whole()
        await self._database.read(sa.select(1))

    async def count(self) -> int:
        """The number of matches."""
        count = sa.select(sa.func.count()).select_from(seats).where(seats.c.seat == 0)
        return await self._database.read_scalar(count) or 0

    async def extent(self) -> Extent:
        """The extent of the archive."""
        count = await self.count()
        newest = sa.select(matches.c.ended_ms, matches.c.id).order_by(matches.c.ended_ms.desc(), matches.c.id.desc())
        found = (await self._database.read(newest.limit(1))).one_or_none()
        return Extent(count, *(found or (0, "")))

    async def archived_ids(self, ids: Sequence[str]) -> set[str]:
        """The matches, of those given, that are archived."""
        return set((await self._database.read(sa.select(matches.c.id).where(matches.c.id.in_(ids)))).scalars())

    async def changes(self, after: tuple[int, str], limit: int) -> list[RatingChange]:
        """Changes of ratings, the oldest first: two a match, from the one after (ended_ms, id) on."""
        mine, other, both = opposite_seats()
        names = "id", "rules", "score_0", "score_1", "results", "experience", "ended_ms", "listed"
        columns = [matches.c[name] for name in names]
        asked = (
            sa.select(*columns, mine.c.seat, *labels("mine", mine), *labels("other", other))
            .select_from(matches.join(mine, matches.c.id == mine.c.match).join(other, both))
            .where(
                matches.c.results > 0, sa.tuple_(matches.c.ended_ms, matches.c.id) > sa.tuple_(*map(sa.literal, after))
            )
            .order_by(matches.c.ended_ms, matches.c.id, mine.c.seat)
            .limit(2 * limit)
        )
        return [rating_change(row) for row in (await self._database.read(asked)).mappings()]


async def _commitment(match: str, data: bytes) -> str:
    """By which a match is known for certain: to the server's seed. "" = it cannot be read."""
    try:
        return (await replay(match, unpack(data)[:1])).commitment
    except UNPACKABLE:
        return ""
