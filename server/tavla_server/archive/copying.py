"""A copy of an archive in SQLite, consistent under concurrent writes."""

import contextlib
import sqlite3
from pathlib import Path

from tavla_server.errors import ArchiveUnavailable

SQLITE = "sqlite:///"


def file_of(url: str | None) -> Path | None:
    """The file of an archive in SQLite; None without a file, or for another database."""
    path = Path(url.removeprefix(SQLITE)) if url and url.startswith(SQLITE) else None
    return path if path and path.is_file() else None


def copy(source: Path, to: Path) -> int:
    """Copy an archive as it is at one moment, and check the copy; how many matches it has.

    Source: sqlite.org/backup.html. Raises: ArchiveUnavailable.
    """
    try:
        with contextlib.closing(sqlite3.connect(source)) as whole, contextlib.closing(sqlite3.connect(to)) as copied:
            whole.backup(copied)
            copied.execute("PRAGMA journal_mode = DELETE")  # one file, without those beside it
    except sqlite3.Error as error:
        raise ArchiveUnavailable(str(error)) from None
    return check(to)


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
