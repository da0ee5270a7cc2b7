"""Public matches of the archive, with all that others may know of them."""

from typing import NamedTuple

import sqlalchemy as sa
from tavla_engine.events import Ending

from tavla_server.features.archive.database import Database
from tavla_server.features.archive.rows import labels, opposite_seats
from tavla_server.features.archive.schema import analyses, matches

WITHOUT_RESULT = (Ending.ABORTED, Ending.VOIDED, Ending.PUT_BACK)


class PublicMatch(NamedTuple):
    """A match that all may see, with what is told of its players, by seat.

    journal: packed. ratings: None if it was not rated. result: its judgement as JSON, None without a last one.
    """

    id: str
    started_ms: int
    ended_ms: int
    ending: str
    journal: bytes
    names: tuple[str, str]
    kinds: tuple[str, str]
    ratings: tuple[float | None, float | None]
    result: str | None


class PublicMatches:
    """The public matches in a database. All methods raise ArchiveUnavailable."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def after(self, last: tuple[int, str], before_ms: int, limit: int) -> list[PublicMatch]:
        """Public matches with a result, the oldest first: from the one after the last on, which ended before a time.

        last: by end in ms and id.
        """
        white, black, both = opposite_seats()
        shown = [matches.c[name] for name in ("id", "started_ms", "ended_ms", "ending", "journal")]
        asked = (
            sa.select(*shown, matches.c.rated, *labels("white", white), *labels("black", black), analyses.c.result)
            .select_from(
                matches.join(white, matches.c.id == white.c.match)
                .join(black, both)
                .outerjoin(analyses, sa.and_(analyses.c.match == matches.c.id, sa.not_(analyses.c.rough)))
            )
            .where(matches.c.listed, white.c.seat == 0, matches.c.ended_ms < before_ms)
            .where(matches.c.ending.not_in(WITHOUT_RESULT))
            .where(sa.tuple_(matches.c.ended_ms, matches.c.id) > sa.tuple_(*map(sa.literal, last)))
            .order_by(matches.c.ended_ms, matches.c.id)
            .limit(limit)
        )
        rows = (await self._database.read(asked)).mappings().all()
        return [
            PublicMatch(
                **{column.name: row[column.name] for column in shown},
                names=(row["white_name"], row["black_name"]),
                kinds=(row["white_kind"], row["black_kind"]),
                ratings=(row["white_rating"], row["black_rating"]) if row["rated"] else (None, None),
                result=row["result"],
            )
            for row in rows
        ]
