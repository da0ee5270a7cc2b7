"""Tournaments that are over, for good: their journals, and what a list of them shows."""

import asyncio
from collections.abc import Callable, Sequence
from typing import NamedTuple

import msgspec
import sqlalchemy as sa
import structlog
from tavla_protocol.messages import Tournament

from tavla_server.errors import JournalUnreadable
from tavla_server.features.archive.database import Database
from tavla_server.features.archive.packing import UNPACKABLE, pack, unpack
from tavla_server.features.archive.rows import page_of
from tavla_server.features.archive.schema import tournaments
from tavla_server.limits import DEFAULT_LIMITS

log = structlog.get_logger()


class KeptTournament(NamedTuple):
    """A tournament that is over. ended_ms: its last entry. listed: all may see it. players: ids of all who entered."""

    id: str
    ended_ms: int
    listed: bool
    shown: Tournament
    players: Sequence[str]
    journal: list[bytes]


class TournamentArchive:
    """Tournaments in a database. All methods raise ArchiveUnavailable, of a damaged file ArchiveDamaged."""

    def __init__(self, database: Database, page: int = DEFAULT_LIMITS.history_page) -> None:
        """page: tournaments of a list in one answer."""
        self._database, self._page_size = database, page
        self._asked: dict[str, asyncio.Task[tuple[dict[str, Tournament], str | None]]] = {}  # pages being read

    async def put(self, kept: KeptTournament) -> bool:
        """Add a tournament, unless it is there as it is now, or as it was later. False: it was."""
        row = {**await asyncio.to_thread(_row, kept), "id": kept.id, "ended_ms": kept.ended_ms, "listed": kept.listed}
        insert = self._database.insert(tournaments).values(row)
        added = insert.on_conflict_do_update(
            index_elements=["id"], set_=row, where=tournaments.c.ended_ms < kept.ended_ms
        ).returning(tournaments.c.id)
        async with self._database.writing() as connection:
            return await connection.scalar(added) is not None

    async def version(self, tournament: str) -> str | None:
        """The version of a tournament: another one after each change, such as of a name; None if it is not here."""
        asked = sa.select(tournaments.c.ended_ms, tournaments.c.players).where(tournaments.c.id == tournament)
        row = (await self._database.read(asked)).one_or_none()
        return None if row is None else f"{row.ended_ms}{row.players}"

    async def journal(self, tournament: str) -> list[bytes] | None:
        """The entries of a tournament; None if it is not here. Raises: JournalUnreadable."""
        data = await self._database.read_scalar(sa.select(tournaments.c.journal).where(tournaments.c.id == tournament))
        try:
            return None if data is None else await asyncio.to_thread(unpack, data)
        except UNPACKABLE as error:
            raise JournalUnreadable(tournament, error) from None

    async def page(self, after: str) -> tuple[dict[str, Tournament], str | None]:
        """Some of those that all may see, the newest first, and where the next page begins; None = that was all.

        after: as it was told with the page before, "" = the newest. Who asks for the same at the same moment gets the
        same answer: thousands may, and each read takes a connection to the archive.
        """
        reading = self._asked.get(after)
        if reading is None:
            reading = self._asked[after] = asyncio.create_task(self._read_page(after))
            reading.add_done_callback(lambda _: self._asked.pop(after))
        return await asyncio.shield(reading)

    async def _read_page(self, after: str) -> tuple[dict[str, Tournament], str | None]:
        by = tournaments.c.ended_ms, tournaments.c.id
        asked = sa.select(*by, tournaments.c.shown).where(tournaments.c.listed)
        rows = (await self._database.read(page_of(asked, by, after, self._page_size))).all()
        shown = rows[: self._page_size]
        found = {row.id: _shown(row.id, row.shown) for row in shown}
        more = f"{shown[-1].ended_ms}.{shown[-1].id}" if len(rows) > len(shown) else None
        return {id_: tournament for id_, tournament in found.items() if tournament is not None}, more

    async def archived_ids(self, ids: Sequence[str]) -> set[str]:
        """The tournaments, of those given, that are archived."""
        return set((await self._database.read(sa.select(tournaments.c.id).where(tournaments.c.id.in_(ids)))).scalars())

    async def change(self, player: str, changed: Callable[[str, list[bytes]], KeptTournament]) -> None:
        """Have all tournaments of a player written anew, such as without the name."""
        there = tournaments.c.players.contains(f" {player} ", autoescape=True)
        found = list((await self._database.read(sa.select(tournaments.c.id).where(there))).scalars())
        for id_ in found:
            here = tournaments.c.id == id_
            async with self._database.writing() as connection:
                data = await connection.scalar(sa.select(tournaments.c.journal).where(here).with_for_update())
                try:
                    row = _row(await asyncio.to_thread(changed, id_, unpack(data)))
                except UNPACKABLE as error:
                    log.error("journal_unreadable", tournament=id_, error=str(error))
                    continue
                await connection.execute(sa.update(tournaments).where(here).values(row))


def _row(kept: KeptTournament) -> dict[str, object]:
    """The parts that name its players."""
    return {
        "shown": msgspec.json.encode(kept.shown).decode(),
        "players": f" {' '.join(kept.players)} ",
        "journal": pack(kept.journal),
    }


def _shown(id_: str, shown: str) -> Tournament | None:
    """A line of a list; None, and a line of the log, if it makes no sense: the others are shown."""
    try:
        return msgspec.json.decode(shown, type=Tournament)
    except msgspec.MsgspecError as error:
        log.error("archive_row_unreadable", tournament=id_, error=str(error))
        return None
