"""Statistics of this server's dice: rows of counts for each archived match, and their sums.

A match's rows are written by the transaction that archives it, and go with it. Matches without any, as of an archive
that was repaired, are counted before the rows are summed up. That is done by the database, in slices, so that no
question takes long.
"""

import asyncio
import re
from collections import Counter
from collections.abc import Sequence
from typing import Any

import msgspec
import sqlalchemy as sa
from tavla_engine.chain import ChainDice, link_number
from tavla_engine.dice import Dice, keeps
from tavla_engine.events import OpeningRolled, Rolled
from tavla_protocol.messages import Rolls
from websockets.http11 import Response

from tavla_server.delivery.handshake import Handshake
from tavla_server.features.archive.database import Database
from tavla_server.features.archive.packing import UNPACKABLE, unpack
from tavla_server.features.archive.schema import CELLS, OUTCOMES, WHOSE, analyses, matches, rolls
from tavla_server.gateway.downloads import file
from tavla_server.gateway.http import Path
from tavla_server.record.events import Event, TableEvent, decode_entry
from tavla_server.record.state import Record, apply, apply_all

REFRESH_S = 3600.0
SLICE = 5_000  # matches that are summed up by one question
AT_ONCE = 50  # matches that are counted later, and written together
PAUSE_S = 0.05  # between those: their threads share the interpreter with play
OPENING = len(WHOSE) - 1

NOTHING = Rolls(id=0, white=[0] * len(OUTCOMES), black=[0] * len(OUTCOMES), opening=[0] * len(OUTCOMES))


def roll_rows(match: str, journal: Sequence[bytes]) -> list[dict[str, object]]:
    """The rows of a match."""
    events = [event for data in journal for event in decode_entry(data).events]
    drawn = [event for event in events if isinstance(event, OpeningRolled | Rolled)]
    fallen = Counter((event.seat if isinstance(event, Rolled) else OPENING, event.dice) for event in drawn)
    record = apply_all(Record(match), [event for event in events if isinstance(event, TableEvent)])
    return _rows(match, _is_proved(record, events), fallen)


def _is_proved(record: Record, events: Sequence[Event]) -> bool:
    """True if all rolls of a match follow from its seeds."""
    newest = link_number(record.shown, record.commitment) or 0
    dice = ChainDice(record.shown, newest, record.binding, record.seeds)
    played = Record(record.id)
    for event in events:
        if isinstance(event, OpeningRolled | Rolled):
            match = played.match
            if match.link > newest or dice.roller(match)(match.rolls + 1) != event.dice:
                return False
        played = apply(played, event)
    return all(map(keeps, record.seeds, record.commitments))


class RollCounts:
    """The counts in the archive's database. sums: of all matches, as last seen."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self.sums = NOTHING
        self.paths = (Path(re.compile(r"/dice\.json"), self._answer),)

    async def _answer(self, handshake: Handshake, asked: re.Match[str]) -> Response:
        return file("application/json", as_json(self.sums))

    async def refresh(self) -> None:
        """Count what was not counted, and sum up. Raises: ArchiveUnavailable."""
        after: str | None = ""
        while after is not None:
            after = await self._count_some(after)
            await asyncio.sleep(PAUSE_S if after else 0)
        now_ms = await self._database.read_scalar(sa.select(self._database.now_ms))
        (found, proved, *white), (_, _, *black), (_, _, *opening) = [
            await self._summed(_rolls_of(whose)) for whose in range(len(WHOSE))
        ]
        judged, winners, losers, luckier = await self._summed(_judged(self._database.dialect))
        self.sums = Rolls(
            id=0,
            time=now_ms or 0,
            matches=found,
            proved=proved,
            white=white,
            black=black,
            opening=opening,
            judged=judged,
            luck=(winners / 1000, losers / 1000),
            luckier=luckier,
        )

    async def _count_some(self, after: str) -> str | None:
        """Count some matches that have no rows, of those behind `after`; the last one, None without any."""
        lacking = matches.outerjoin(rolls, rolls.c.match == matches.c.id)
        asked = sa.select(matches.c.id, matches.c.journal).select_from(lacking).where(rolls.c.match.is_(None))
        some = asked.where(matches.c.id > after).order_by(matches.c.id).limit(AT_ONCE)
        found = (await self._database.read(some)).all()
        rows = [row for match, data in found for row in await asyncio.to_thread(_counted_or_none, match, data)]
        if rows:
            insert = self._database.insert(rolls).on_conflict_do_nothing()  # another node may be at it
            async with self._database.writing() as connection:
                await connection.execute(insert, rows)
        return found[-1].id if found else None

    async def _summed(self, rows: sa.Subquery) -> list[int]:
        """The sum of each column but `match`, slice by slice."""
        columns = [column for column in rows.c if column.name != "match"]
        sums, after = [0] * len(columns), ""
        while True:
            some = sa.select(rows).where(rows.c.match > after).order_by(rows.c.match).limit(SLICE).subquery()
            asked = sa.select(sa.func.max(some.c.match), *[sa.func.sum(some.c[column.name]) for column in columns])
            last, *part = (await self._database.read(asked)).one()
            if last is None:
                return sums
            sums, after = [one + int(other) for one, other in zip(sums, part, strict=True)], last


def as_json(sums: Rolls) -> bytes:
    """The sums as a file."""
    return msgspec.json.encode({name: getattr(sums, name) for name in sums.__struct_fields__ if name != "id"})


def _counted_or_none(match: str, data: bytes) -> list[dict[str, object]]:
    """A match that cannot be read is in no cell, and not proved."""
    try:
        return roll_rows(match, unpack(data))
    except UNPACKABLE:
        return _rows(match, False, Counter())


def _rows(match: str, proved: bool, fallen: Counter[tuple[int, Dice]]) -> list[dict[str, object]]:
    return [
        {"match": match, "whose": whose, "proved": proved}
        | {name: fallen[whose, dice] for name, dice in zip(CELLS, OUTCOMES, strict=True)}
        for whose in range(len(WHOSE))
    ]


def _rolls_of(whose: int) -> sa.Subquery:
    """Each match's rolls of one kind."""
    columns = sa.literal(1).label("matches"), sa.cast(rolls.c.proved, sa.Integer).label("proved")
    cells = [rolls.c[name] for name in CELLS]
    return sa.select(rolls.c.match, *columns, *cells).where(rolls.c.whose == whose).subquery()


def _judged(dialect: str) -> sa.Subquery:
    """Each judged match with a winner: the luck of winner and loser in thousandths, and whose was greater."""

    def told(*path: str) -> sa.ColumnElement[Any]:
        """A value of the result, which is JSON."""
        if dialect == "sqlite":
            where = "$." + "".join(f"[{step}]" if step.isdigit() else step for step in path)
            return sa.func.json_extract(analyses.c.result, where)
        return sa.func.json_extract_path_text(sa.cast(analyses.c.result, sa.JSON), *path)

    def luck(seat: int) -> sa.ColumnElement[int]:
        value = sa.cast(sa.func.coalesce(told("luck", str(seat)), "0"), sa.Float)
        return sa.cast(sa.func.round(1000 * value), sa.BigInteger)

    white, black, by_white = luck(0), luck(1), matches.c.winner == 0
    winners, losers = sa.case((by_white, white), else_=black), sa.case((by_white, black), else_=white)
    columns = sa.literal(1).label("judged"), winners.label("winners"), losers.label("losers")
    return (
        sa.select(analyses.c.match, *columns, sa.case((winners > losers, 1), else_=0).label("luckier"))
        .join(matches, matches.c.id == analyses.c.match)
        .where(
            analyses.c.result.is_not(None),
            sa.not_(analyses.c.rough),
            told("error").is_(None),
            matches.c.winner.is_not(None),
        )
        .subquery()
    )
