"""Matches in files that accounts have collected, in the archive's database, where the judge finds them."""

import msgspec
import sqlalchemy as sa
from msgspec.structs import replace
from tavla_protocol.messages import Analysis, CollectedMatch

from tavla_server.features.archive.database import Database
from tavla_server.features.archive.rows import page_of
from tavla_server.features.archive.schema import analyses, collected
from tavla_server.features.archive.transaction import Transaction


class Collections:
    """Collections in a database. All methods raise ArchiveUnavailable."""

    def __init__(self, database: Database, page: int) -> None:
        """page: matches in one answer."""
        self._database, self._page = database, page

    async def add(self, player: str, match: CollectedMatch, document: bytes, most: int) -> bool:
        """Add a match, or let it take the place of the same one. False: the player has so many others already."""
        about = {"player": player, "added_ms": match.added, "document": document}
        about |= {"about": msgspec.json.encode(match).decode()}
        others = sa.select(sa.func.count()).where(collected.c.player == player, collected.c.id != match.match)
        row = self._database.insert(collected).values(id=match.match, **about)
        async with self._database.writing() as connection:
            if (await connection.scalar(others) or 0) >= most:
                return False
            await connection.execute(row.on_conflict_do_update(index_elements=[collected.c.id], set_=about))
            return True

    async def page(self, player: str, after: str) -> tuple[list[CollectedMatch], str | None]:
        """A page of a player's collection, newest first, and where the next begins. after: that of the page before."""
        mine = _matches().where(collected.c.player == player)
        asked = page_of(mine, (collected.c.added_ms, collected.c.id), after, self._page)
        rows = (await self._database.read(asked)).all()
        found = [_shown(row) for row in rows[: self._page]]
        return found, f"{found[-1].added}.{found[-1].match}" if len(rows) > len(found) else None

    async def find(self, player: str, match: str) -> tuple[CollectedMatch, bytes] | None:
        """A match of a player's collection, and its document."""
        asked = _matches(collected.c.document).where(collected.c.player == player, collected.c.id == match)
        row = (await self._database.read(asked)).one_or_none()
        return None if row is None else (_shown(row), row.document)

    async def document(self, match: str) -> bytes | None:
        """The document of a match, whoever has collected it."""
        document: bytes | None = await self._database.read_scalar(
            sa.select(collected.c.document).where(collected.c.id == match)
        )
        return document

    async def remove(self, player: str, match: str) -> bool:
        """Take a match out of a player's collection. False: it is not there."""
        async with self._database.writing() as connection:
            return await remove_matches(connection, collected.c.player == player, collected.c.id == match) > 0


async def hand_on_collection(connection: Transaction, old: str, into: str) -> None:
    """A player's collection becomes another one's."""
    await connection.execute(sa.update(collected).where(collected.c.player == old).values(player=into))


async def remove_matches(connection: Transaction, *which: sa.ColumnElement[bool]) -> int:
    """Remove some collected matches, with their analyses; how many there were."""
    ids = sa.select(collected.c.id).where(*which)
    await connection.execute(sa.delete(analyses).where(analyses.c.match.in_(ids)))
    return (await connection.execute(sa.delete(collected).where(*which))).rowcount


def _matches(*more: sa.ColumnElement[bytes]) -> sa.Select[tuple[str, str]]:
    columns = collected.c.about, analyses.c.result, *more
    joined = collected.outerjoin(analyses, analyses.c.match == collected.c.id)
    return sa.select(*columns).select_from(joined)


def _shown(row: sa.Row[tuple[str, str]]) -> CollectedMatch:
    about = msgspec.json.decode(row.about, type=CollectedMatch)
    return replace(about, analysis=row.result and msgspec.json.decode(row.result, type=Analysis))
