"""The archive: every match that was played to its end, for good."""

import asyncio
import contextlib
import json
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import msgspec
import sqlalchemy as sa
import structlog
from tavla_protocol.messages import Analysis, Finding, Finished

from tavla_server.archive.database import Database
from tavla_server.archive.judge import Judgement
from tavla_server.archive.packing import UNPACKABLE, packed, unpacked
from tavla_server.archive.rolls import RollCounts, counted
from tavla_server.archive.schema import analyses, matches, rolls, seats
from tavla_server.archive.summary import NOBODY, SOMEONE, Summary, forgotten, is_named_after, replayed
from tavla_server.archive.tournaments import TournamentArchive
from tavla_server.errors import JournalUnreadable, OtherMatch
from tavla_server.limits import DEFAULT_LIMITS

log = structlog.get_logger()


class Page(NamedTuple):
    """Some of someone's matches. next: where the next page begins; None = that was all."""

    matches: list[Finished]
    next: str | None


class RatingChange(NamedTuple):
    """The change of one player's rating by a match, with what `players/ratings` shows of it."""

    match: str
    player: str
    name: str
    kind: str
    opponent: str
    results: int
    change: float
    experience: int
    length: int
    score: tuple[int, int]
    ended_ms: int


class Extent(NamedTuple):
    """The extent of an archive: its number of matches, and the newest one, by its end in ms since 1970."""

    matches: int
    newest_ms: int
    newest: str


class Archive:
    """Finished matches in a database. All methods raise ArchiveUnavailable, of a damaged file ArchiveDamaged.

    rolls: how their dice have fallen. tournaments: those that are over.
    """

    def __init__(self, database: Database, page: int = DEFAULT_LIMITS.history_page) -> None:
        """page: matches of a history in one answer."""
        self._database, self._page_size = database, page
        self.rolls, self.tournaments = RollCounts(database), TournamentArchive(database, page)

    @property
    def trouble(self) -> str:
        """The reason why matches cannot be archived now, in plain words; "" = they can."""
        if self._database.damage:
            return "the archive is damaged: tavla-server repair"
        return "the archive is away" if self._database.away else ""

    async def put(self, found: Summary, journal: list[bytes]) -> bool:
        """Add a match, unless it is there. False: it was.

        If it is there and ended earlier, that one gives way: the store had lost its end, and it was played again. So
        does one that cannot be read.
        Raises: OtherMatch when it is another match of the same id that is there; nothing has changed.
        """
        match = found.record.id
        data, fallen = await asyncio.to_thread(lambda: (packed(journal), counted(match, journal)))
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
            insert = self._database.insert(matches)
            row = insert.values(_match_row(found, data)).on_conflict_do_nothing().returning(matches.c.id)
            if await connection.scalar(row) is None:
                return False  # another node was first
            await connection.execute(sa.insert(seats), [_seat_row(found, seat) for seat in (0, 1)])
            await connection.execute(sa.insert(rolls), fallen)
            return True

    async def journal(self, match: str) -> list[bytes] | None:
        """The entries of a match; None if it is not here. Raises: JournalUnreadable."""
        async with self._database.reading() as connection:
            data = await connection.scalar(sa.select(matches.c.journal).where(matches.c.id == match))
        try:
            return None if data is None else unpacked(data)
        except UNPACKABLE as error:
            raise JournalUnreadable(match, error) from None

    async def judgement(self, match: str) -> tuple[Analysis, tuple[Finding, ...]] | None:
        """The judge's figures of a match, and of its decisions; None if it was not judged."""
        async with self._database.reading() as connection:
            result = await connection.scalar(sa.select(analyses.c.result).where(analyses.c.match == match))
        if result is None:
            return None
        return msgspec.json.decode(result, type=Analysis), msgspec.json.decode(result, type=Judgement).findings

    async def judged(self, before_ms: int, limit: int) -> list[tuple[str, str]]:
        """The newest public matches that were over and judged before a time, each with its judgement as JSON."""
        asked = (
            sa.select(matches.c.id, analyses.c.result)
            .join(analyses, analyses.c.match == matches.c.id)
            .where(matches.c.listed, analyses.c.result.is_not(None))
            .where(matches.c.ended_ms < before_ms, analyses.c.until_ms < before_ms)
            .order_by(matches.c.ended_ms.desc(), matches.c.id.desc())
            .limit(limit)
        )
        async with self._database.reading() as connection:
            return [(row.id, row.result) for row in await connection.execute(asked)]

    async def history(self, player: str, after: str, own: bool) -> Page:
        """A page of a player's matches. after: `next` of the page before, "" = the newest. own: private ones, too."""
        return await self._page(lambda mine: mine.c.player == player, after, own)

    async def history_by_name(self, name: str, after: str) -> Page:
        """The same for a name that has no player any more."""
        return await self._page(lambda mine: mine.c.name_key == name.lower(), after, own=False)

    async def _page(self, whose: Callable[[sa.FromClause], sa.ColumnElement[bool]], after: str, own: bool) -> Page:
        mine, other, both = _opposed()
        columns = [column for column in matches.c if column is not matches.c.journal]
        asked = (
            sa.select(*columns, analyses.c.result, mine.c.seat, *_labelled("mine", mine), *_labelled("other", other))
            .select_from(
                mine.join(matches, matches.c.id == mine.c.match)
                .join(other, both)
                .outerjoin(analyses, analyses.c.match == mine.c.match)
            )
            .where(whose(mine))
            .order_by(mine.c.ended_ms.desc(), mine.c.match.desc())
            .limit(self._page_size + 1)
        )
        if after:
            time, _, match = after.partition(".")
            before = sa.tuple_(sa.literal(int(time)), sa.literal(match))
            asked = asked.where(sa.tuple_(mine.c.ended_ms, mine.c.match) < before)
        if not own:
            asked = asked.where(matches.c.listed)
        async with self._database.reading() as connection:
            rows = (await connection.execute(asked)).mappings().all()
        shown = rows[: self._page_size]
        last = shown[-1] if len(rows) > len(shown) else None
        cursor = None if last is None else f"{last['ended_ms']}.{last['id']}"
        return Page([played for row in shown if (played := _readable(row)) is not None], cursor)

    async def ping(self) -> None:
        """Ask for nothing, to see whether there is an answer, and no damage was found."""
        self._database.demand_whole()
        async with self._database.reading() as connection:
            await connection.execute(sa.select(1))

    async def count(self) -> int:
        """The number of matches."""
        async with self._database.reading() as connection:
            return await connection.scalar(sa.select(sa.func.count()).select_from(seats).where(seats.c.seat == 0)) or 0

    async def extent(self) -> Extent:
        """The extent of the archive."""
        count = await self.count()
        newest = sa.select(matches.c.ended_ms, matches.c.id).order_by(matches.c.ended_ms.desc(), matches.c.id.desc())
        async with self._database.reading() as connection:
            found = (await connection.execute(newest.limit(1))).one_or_none()
        return Extent(count, *(found or (0, "")))

    async def known(self, ids: Sequence[str]) -> set[str]:
        """The matches, of those given, that are archived."""
        async with self._database.reading() as connection:
            return set(await connection.scalars(sa.select(matches.c.id).where(matches.c.id.in_(ids))))

    async def changes(self, after: tuple[int, str], limit: int) -> list[RatingChange]:
        """Changes of ratings, the oldest first: two a match, from the one after (ended_ms, id) on."""
        mine, other, both = _opposed()
        columns = [
            matches.c[name] for name in ("id", "rules", "score_0", "score_1", "results", "experience", "ended_ms")
        ]
        asked = (
            sa.select(*columns, mine.c.seat, *_labelled("mine", mine), *_labelled("other", other))
            .select_from(matches.join(mine, matches.c.id == mine.c.match).join(other, both))
            .where(
                matches.c.results > 0, sa.tuple_(matches.c.ended_ms, matches.c.id) > sa.tuple_(*map(sa.literal, after))
            )
            .order_by(matches.c.ended_ms, matches.c.id, mine.c.seat)
            .limit(2 * limit)
        )
        async with self._database.reading() as connection:
            return [_change(row) for row in (await connection.execute(asked)).mappings()]

    async def opponents(self, player: str) -> list[tuple[str, str]]:
        """All matches of a player, each with the opponent's id."""
        mine, other, both = _opposed()
        asked = (
            sa.select(other.c.match, other.c.player).select_from(mine.join(other, both)).where(mine.c.player == player)
        )
        async with self._database.reading() as connection:
            return [(row.match, row.player) for row in await connection.execute(asked)]

    async def merge(self, old: str, into: str) -> None:
        """The matches of a player are another one's, but for those of the two with each other. Names stay."""
        other = seats.alias()
        both = sa.exists().where(other.c.match == seats.c.match, other.c.player == into)
        moved = sa.update(seats).where(seats.c.player == old, ~both).values(player=into)
        async with self._database.writing() as connection:
            await connection.execute(moved)

    async def is_seated(self, match: str, player: str) -> bool:
        """True if this is one of the player's own matches."""
        asked = sa.select(seats.c.seat).where(seats.c.match == match, seats.c.player == player)
        async with self._database.reading() as connection:
            return await connection.scalar(asked) is not None

    async def forget(self, player: str) -> list[str]:
        """A player becomes `someone` in all matches; their ids."""
        async with self._database.reading() as connection:
            asked = sa.select(seats.c.match, seats.c.seat).where(seats.c.player == player)
            found = [(row.match, row.seat) for row in await connection.execute(asked)]
        for match, seat in found:
            await self._forget_in(match, seat)
        return [match for match, _ in found]

    async def _forget_in(self, match: str, seat: int) -> None:
        async with self._database.writing() as connection:
            asked = sa.select(matches.c.journal, matches.c.name).where(matches.c.id == match).with_for_update()
            data, table = (await connection.execute(asked)).one()
            here = sa.and_(seats.c.match == match, seats.c.seat == seat)
            known = await connection.scalar(sa.select(seats.c.name).where(here))
            name = SOMEONE if is_named_after(table, known or "") else table
            with contextlib.suppress(*UNPACKABLE):  # what is damaged names no player
                data = await asyncio.to_thread(lambda: packed(forgotten(unpacked(data), seat)))
            nobody = {"player": NOBODY, "name": SOMEONE, "name_key": SOMEONE}
            await connection.execute(sa.update(matches).where(matches.c.id == match).values(journal=data, name=name))
            await connection.execute(sa.update(seats).where(here).values(nobody))


def _opposed() -> tuple[sa.FromClause, sa.FromClause, sa.ColumnElement[bool]]:
    """A seat, the other one of the same match, and that they are so."""
    mine, other = seats.alias(), seats.alias()
    return mine, other, sa.and_(other.c.match == mine.c.match, other.c.seat == 1 - mine.c.seat)


def _labelled(prefix: str, table: sa.FromClause) -> list[sa.Label[object]]:
    return [table.c[name].label(f"{prefix}_{name}") for name in ("player", "name", "kind", "rating", "change")]


def _match_row(found: Summary, data: bytes) -> dict[str, object]:
    record = found.record
    return {
        "id": record.id,
        "name": record.name,
        "rules": json.dumps(found.rules),
        "score_0": record.match.score[0],
        "score_1": record.match.score[1],
        "winner": found.winner,
        "ending": found.ending,
        "started_ms": found.started_ms,
        "ended_ms": found.ended_ms,
        "rated": record.match.rules.rated,
        "listed": found.listed,
        "results": record.tally.results,
        "experience": record.tally.experience,
        "seq": found.seq,
        "journal": data,
    }


def _seat_row(found: Summary, seat: int) -> dict[str, object]:
    player = found.players[seat]
    return {
        "match": found.record.id,
        "seat": seat,
        "player": player.id,
        "name": player.name,
        "name_key": player.name.lower(),
        "kind": player.kind,
        "rating": player.rating,
        "change": found.record.tally.changes[seat],
        "ended_ms": found.ended_ms,
    }


async def _commitment(match: str, data: bytes) -> str:
    """By which a match is known for certain: to the server's seed. "" = it cannot be read."""
    try:
        return (await replayed(match, unpacked(data)[:1])).commitment
    except UNPACKABLE:
        return ""


def _readable(row: sa.RowMapping) -> Finished | None:
    """A line of a history; None, and a line of the log, if the row makes no sense: the others are shown."""
    try:
        return _finished(row)
    except (ValueError, TypeError, msgspec.MsgspecError) as error:
        log.error("archive_row_unreadable", match=row["id"], error=str(error))
        return None


def _finished(row: sa.RowMapping) -> Finished:
    return Finished(
        match=row["id"],
        table=row["name"],
        seat=row["seat"],
        players=_pair(row, "name"),
        kinds=_pair(row, "kind"),
        rules=json.loads(row["rules"]),
        score=(row["score_0"], row["score_1"]),
        winner=row["winner"],
        ending=row["ending"],
        started=row["started_ms"],
        ended=row["ended_ms"],
        ratings=_pair(row, "rating") if row["rated"] else (None, None),
        changes=_pair(row, "change"),
        private=not row["listed"],
        analysis=row["result"] and msgspec.json.decode(row["result"], type=Analysis),
    )


def _pair(row: sa.RowMapping, what: str) -> tuple[Any, Any]:
    """Both seats' value, by seat."""
    mine, other = (
        round(value, 2) if isinstance(value := row[f"{who}_{what}"], float) else value for who in ("mine", "other")
    )
    return (mine, other) if row["seat"] == 0 else (other, mine)


def _change(row: sa.RowMapping) -> RatingChange:
    score = row["score_0"], row["score_1"]
    return RatingChange(
        row["id"],
        row["mine_player"],
        row["mine_name"],
        row["mine_kind"],
        row["other_name"],
        row["results"],
        row["mine_change"],
        row["experience"],
        json.loads(row["rules"]).get("length", 7),
        score if row["seat"] == 0 else (score[1], score[0]),
        row["ended_ms"],
    )
