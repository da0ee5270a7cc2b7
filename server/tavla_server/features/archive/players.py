"""Players of archived matches: their opponents, and accounts that are merged or closed."""

import asyncio
import contextlib
from typing import NamedTuple

import msgspec
import sqlalchemy as sa
from tavla_engine.terms import SOMEONE

from tavla_server.features.archive.collections import hand_on_collection, remove_matches
from tavla_server.features.archive.database import Database
from tavla_server.features.archive.judgement import Judgement
from tavla_server.features.archive.packing import UNPACKABLE, pack, unpack
from tavla_server.features.archive.rows import opposite_seats
from tavla_server.features.archive.schema import analyses, collected, matches, seats
from tavla_server.features.archive.summary import NOBODY, anonymous_journal, is_named_after


class JudgedMatch(NamedTuple):
    """A match that was judged, as the player in a seat sees it. opponent: by id and name."""

    match: str
    seat: int
    judgement: Judgement
    opponent: tuple[str, str]


class ArchivedPlayers:
    """The players of all archived matches. All methods raise ArchiveUnavailable."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def opponents(self, player: str) -> list[tuple[str, str]]:
        """All matches of a player, each with the opponent's id."""
        mine, other, both = opposite_seats()
        asked = (
            sa.select(other.c.match, other.c.player).select_from(mine.join(other, both)).where(mine.c.player == player)
        )
        return [(row.match, row.player) for row in await self._database.read(asked)]

    async def judged_matches(self, player: str, most: int) -> list[JudgedMatch]:
        """The newest rated matches of a player that were judged deeply."""
        mine, other, both = opposite_seats()
        asked = (
            sa.select(mine.c.match, mine.c.seat, analyses.c.result, other.c.player, other.c.name)
            .select_from(
                mine.join(other, both)
                .join(matches, matches.c.id == mine.c.match)
                .join(analyses, analyses.c.match == mine.c.match)
            )
            .where(mine.c.player == player, matches.c.rated, analyses.c.result.is_not(None), sa.not_(analyses.c.rough))
            .order_by(mine.c.ended_ms.desc(), mine.c.match.desc())
            .limit(most)
        )
        rows = (await self._database.read(asked)).all()
        return [
            JudgedMatch(row.match, row.seat, msgspec.json.decode(row.result, type=Judgement), (row.player, row.name))
            for row in rows
        ]

    async def merge(self, old: str, into: str) -> None:
        """The matches of a player are another one's, but for those of the two with each other, and so is what it has
        collected. Names stay.
        """
        other = seats.alias()
        both = sa.exists().where(other.c.match == seats.c.match, other.c.player == into)
        moved = sa.update(seats).where(seats.c.player == old, ~both).values(player=into)
        async with self._database.writing() as connection:
            await connection.execute(moved)
            await hand_on_collection(connection, old, into)

    async def is_seated(self, match: str, player: str) -> bool:
        """True if this is one of the player's own matches."""
        asked = sa.select(seats.c.seat).where(seats.c.match == match, seats.c.player == player)
        return await self._database.read_scalar(asked) is not None

    async def forget(self, player: str) -> list[str]:
        """A player becomes `someone` in all matches; their ids. What it has collected goes."""
        async with self._database.writing() as connection:
            await remove_matches(connection, collected.c.player == player)
        asked = sa.select(seats.c.match, seats.c.seat).where(seats.c.player == player)
        found = [(row.match, row.seat) for row in await self._database.read(asked)]
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
                data = await asyncio.to_thread(lambda: pack(anonymous_journal(unpack(data), seat)))
            nobody = {"player": NOBODY, "name": SOMEONE, "name_key": SOMEONE}
            await connection.execute(sa.update(matches).where(matches.c.id == match).values(journal=data, name=name))
            await connection.execute(sa.update(seats).where(here).values(nobody))
