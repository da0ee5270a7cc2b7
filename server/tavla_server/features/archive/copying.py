"""The files of an archive in SQLite: found, checked, and copied, consistent under concurrent writes."""

import contextlib
import sqlite3
from pathlib import Path

from tavla_server.errors import ArchiveUnavailable, StartError

SQLITE = "sqlite:///"


def file_of(url: str | None) -> Path | None:
    """The file of an archive in SQLite; None without a file, or for another database."""
    path = Path(url.removeprefix(SQLITE)) if url and url.startswith(SQLITE) else None
    return path if path and (path.is_file() or repair_place(path).is_file()) else None


def repair_place(file: Path) -> Path:
    """The place of a repaired archive, until it takes that of the damaged one."""
    return file.with_name(f"{file.name}.repaired")


def demand_in_place(file: Path) -> None:
    """Raises: StartError while a repair is not done, for what stands there, or nothing, is not the archive."""
    if repair_place(file).exists():
        raise StartError(f"the repair of the archive {file} was interrupted: run tavla-server repair again")


def copy(source: Path, to: Path) -> int:
    """Copy an archive as it is at one moment, and check the copy; how many matches it has.

    Source: sqlite.org/backup.html. Raises: StartError, ArchiveUnavailable.
    """
    demand_in_place(source)
    try:
        with contextlib.closing(sqlite3.connect(source)) as whole, contextlib.closing(sqlite3.connect(to)) as copied:
            whole.backup(copied)
        as_one_file(to)
    except sqlite3.Error as error:
        raise ArchiveUnavailable(str(error)) from None
    return check(to)


def as_one_file(file: Path) -> None:
    """Have all of an archive in its file, without those beside it. Raises: sqlite3.Error."""
    with contextlib.closing(sqlite3.connect(file)) as archive:
        archive.execute("PRAGMA journal_mode = DELETE")


def check(file: Path) -> int:
    """The number of matches in a copy. Raises: ArchiveUnavailable when it is damaged."""
    try:
        with contextlib.closing(sqlite3.connect(file)) as copied:
            (found,) = copied.execute("PRAGMA integrity_check").fetchone()
            if found != "ok":
                raise ArchiveUnavailable(found)
            matches: int = copied.execute("SELECT count(*) FROM matches").fetchone()[0]
            return matches
    except sqlite3.Error as error:
        raise ArchiveUnavailable(str(error)) from None
