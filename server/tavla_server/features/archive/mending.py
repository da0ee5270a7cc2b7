"""A damaged archive in SQLite, set aside; what can still be read of it goes into a new one.

The new one is made beside it, gets another name when it is whole, and only then takes its place: whatever a death cuts
short, the next repair finds either the damaged archive, or the new one, and goes on.

SQLite's own `.recover` is part of its shell, not of its library. Rows are read in the order in which they were written,
past those that cannot be. If the file's first page is gone, which says where all else is, that of a new archive takes
its place: the tables of both were made in the same order. What no match can be made of is left where it is.
"""

import asyncio
import contextlib
import shutil
import sqlite3
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

import msgspec
import sqlalchemy as sa

from tavla_server import files
from tavla_server.errors import ArchiveUnavailable
from tavla_server.features.archive import copying
from tavla_server.features.archive.archive import Archive
from tavla_server.features.archive.database import Database
from tavla_server.features.archive.packing import UNPACKABLE, unpack
from tavla_server.features.archive.schema import analyses, collected, matches, seats, tournaments
from tavla_server.features.archive.summary import summary
from tavla_server.record.events import decode_entry

BESIDE = ("", "-wal", "-shm")  # the files of an archive
PAGE_BYTES = 4096  # SQLite's own choice
TRIES = 10_000  # in a row that fail, before the rest is given up
STEADY = 100  # of them go from row to row, then ever further: some 500,000 rows in all
SEATS = 2
DAY_S = 86_400.0  # for a transaction: nobody waits for it, and a slow machine is to be repaired, too
AT_ONCE = 100  # matches whose seats are made anew
TIMES: dict[sa.Table, Callable[[bytes], int]] = {  # of an entry of a journal; a tournament's are [time, events]
    matches: lambda entry: decode_entry(entry).time_ms,
    tournaments: lambda entry: msgspec.msgpack.decode(entry, type=list)[0],
}


class ArchiveRepair(NamedTuple):
    """A repair: `matches` are in the new archive; the old one is at `aside`."""

    matches: int
    aside: Path


async def mend(file: Path) -> ArchiveRepair | None:
    """Make a new archive from what can be read of a damaged one; None if it is whole. No server may be using it.

    Raises: ArchiveUnavailable, OSError.
    """
    if not copying.repair_place(file).exists():
        with contextlib.suppress(ArchiveUnavailable):
            await asyncio.to_thread(copying.check, file)
            return None
        await _make_anew(file)
    aside = _take_its_place(file)
    return ArchiveRepair(await asyncio.to_thread(copying.check, file), aside)


async def _make_anew(file: Path) -> None:
    """Make a whole archive of what can be read of a damaged one, which is left as it is."""
    new = file.with_name(f"{file.name}.repairing")
    _remove(new)  # of a repair that was killed
    database = Database(f"{copying.SQLITE}{new}", answer_s=DAY_S)
    try:
        archive = Archive(database)
        await archive.ping()
        await database.close()
        await asyncio.to_thread(_salvage, file, new)
        while lone := await asyncio.to_thread(_take_out_lone, new):
            for match, journal in lone:  # it tells who sat where
                if (found := await summary(match, unpack(journal))) is not None:
                    await archive.put(found, unpack(journal))
        await database.close()
        await asyncio.to_thread(copying.as_one_file, new)
        files.sync(new)
        new.rename(copying.repair_place(file))
        files.sync(file.parent)
    except sqlite3.Error as error:
        raise ArchiveUnavailable(str(error)) from None
    finally:
        await database.close()
        _remove(new)


def _take_its_place(file: Path) -> Path:
    """Set a damaged archive aside, and put the repaired one there; the path of the former. May be done in two goes."""
    number = 1
    while (aside := file.with_name(f"{file.name}.damaged-{number}")).exists():
        number += 1
    if file.exists():
        for end in reversed(BESIDE):  # the file itself is the last, so that the others keep its number
            if (part := file.with_name(file.name + end)).exists():
                part.rename(aside.with_name(aside.name + end))
        files.sync(file.parent)
    else:
        aside = file.with_name(f"{file.name}.damaged-{number - 1}")
    copying.repair_place(file).rename(file)
    files.sync(file.parent)
    return aside


def _remove(archive: Path) -> None:
    for end in BESIDE:
        archive.with_name(archive.name + end).unlink(missing_ok=True)


def _salvage(damaged: Path, new: Path) -> None:
    """Take over all rows that make sense: a match has a journal."""
    with contextlib.closing(sqlite3.connect(new)) as into:
        if not _has_tables(damaged) or not _take_over(damaged, into):
            patched = new.with_name(f"{new.name}.first-page")
            _remove(patched)  # of a repair that was killed
            try:
                _lend_first_page(damaged, new, patched)
                _take_over(patched, into)
            finally:
                _remove(patched)


def _has_tables(file: Path) -> bool:
    """True if the first page can be read."""
    with contextlib.closing(sqlite3.connect(file)) as old, contextlib.suppress(sqlite3.DatabaseError):
        return bool(old.execute("SELECT count(*) FROM sqlite_master").fetchone()[0])
    return False


def _take_over(damaged: Path, into: sqlite3.Connection) -> int:
    """Copy the readable matches; their number."""
    with contextlib.closing(sqlite3.connect(damaged)) as old, into:
        old.text_factory = lambda data: data.decode(errors="replace")
        for table in (matches, seats, analyses, tournaments, collected):  # the others are made of these
            names = [column.name for column in table.columns]
            marks = ", ".join("?" * len(names))
            for row in _rows(old, table.name, names):
                if table not in TIMES or _makes_sense(table, dict(zip(names, row, strict=True))):
                    with contextlib.suppress(sqlite3.IntegrityError):
                        into.execute(f"INSERT INTO {table.name} VALUES ({marks})", row)
        into.execute("DELETE FROM seats WHERE match NOT IN (SELECT id FROM matches)")
        into.execute(
            "DELETE FROM analyses WHERE match NOT IN (SELECT id FROM matches UNION ALL SELECT id FROM collected)"
        )
        taken: int = into.execute("SELECT count(*) FROM matches").fetchone()[0]
        return taken


def _take_out_lone(file: Path) -> list[tuple[str, bytes]]:
    """Remove some matches that have lost a seat; their ids and journals."""
    with contextlib.closing(sqlite3.connect(file)) as archive, archive:
        lone = "SELECT id, journal FROM matches WHERE (SELECT count(*) FROM seats WHERE match = id) < ? LIMIT ?"
        found = archive.execute(lone, (SEATS, AT_ONCE)).fetchall()
        for match, _ in found:
            archive.execute("DELETE FROM seats WHERE match = ?", (match,))
            archive.execute("DELETE FROM analyses WHERE match = ?", (match,))
            archive.execute("DELETE FROM matches WHERE id = ?", (match,))
        return found


def _rows(old: sqlite3.Connection, table: str, names: list[str]) -> Iterator[tuple[object, ...]]:
    """The rows of a table that can be read, without its indices."""
    asked = f"SELECT rowid, {', '.join(names)} FROM {table} NOT INDEXED WHERE rowid > ? ORDER BY rowid"
    after = failed = 0
    while failed < TRIES:
        try:
            for number, *row in old.execute(asked, (after,)):
                yield tuple(row)
                after, failed = max(after, number), 0
            return
        except sqlite3.DatabaseError:
            after, failed = after + 1 + failed // STEADY, failed + 1


def _makes_sense(table: sa.Table, row: dict[str, object]) -> bool:
    journal = row["journal"]
    try:
        return isinstance(journal, bytes) and TIMES[table](unpack(journal)[-1]) == row["ended_ms"]
    except (IndexError, *UNPACKABLE):
        return False


def _lend_first_page(damaged: Path, new: Path, to: Path) -> None:
    """Copy a damaged archive with a new one's first page, and its own length. Source: sqlite.org/fileformat."""
    shutil.copyfile(damaged, to)
    page = bytearray(new.read_bytes()[:PAGE_BYTES])
    page[24:28] = page[92:96]  # this length is valid
    page[28:32] = (to.stat().st_size // PAGE_BYTES).to_bytes(4, "big")
    page[32:40] = bytes(8)  # no free pages are known
    with to.open("r+b") as file:
        file.write(page)
