"""The append-only files of an embedded store: whether all are there, and how a broken one is repaired.

The folder `appendonlydir` has a base, which is a snapshot, then files of commands, and a manifest that names them in
order. Source: valkey.io/topics/persistence, "Multi Part AOF".
"""

import re
import shutil
import subprocess
from pathlib import Path
from typing import NamedTuple

from tavla_server import files
from tavla_server.errors import StoreError
from tavla_server.store.program import valkey_server
from tavla_server.store.salvage import salvage

FOLDER, MANIFEST = "appendonlydir", "appendonly.aof.manifest"
KINDS = {"base": "b", "incr": "i"}
_LINE = re.compile(r"file (\S+) seq \d+ type [bhi](?: .*)?")
_NAME = re.compile(r"appendonly\.aof\.(\d+)\.(base|incr)\.(?:rdb|aof)")


class Cut(NamedTuple):
    """A cut: `bytes` of `file` could not be read and are left out; a manifest was made if there was none to be used.

    missing: files that the old manifest named. matches: named in what is left out. copy: the folder as it was before.
    """

    file: str
    bytes: int
    manifest: bool
    missing: list[str]
    matches: set[str]
    copy: Path


def tail(data: Path) -> Path | None:
    """The file to which commands are appended; None when there is none yet."""
    found = _files(data, "incr")
    return found[-1] if found else None


def size(data: Path) -> int:
    """The length of that file in bytes."""
    file = tail(data)
    return file.stat().st_size if file else 0


def has_lost_its_manifest(data: Path) -> bool:
    """True if there are files, and no manifest that names files which are there.

    Without one Valkey would begin with an empty store, and append to the old file.
    """
    if not (_files(data, "base") or _files(data, "incr")):
        return False
    named = _named(data)
    return not named or None in named or bool(_missing(data))


def _named(data: Path) -> list[str | None]:
    """The files that the manifest names; None for a line that makes no sense."""
    try:
        lines = (data / FOLDER / MANIFEST).read_text().splitlines()
    except (OSError, ValueError):
        return []
    found = [_LINE.fullmatch(line) for line in lines if not line.startswith("#")]
    return [line and line[1] for line in found]


def _missing(data: Path) -> list[str]:
    return [name for name in _named(data) if name and not (data / FOLDER / name).exists()]


def repair(data: Path) -> Cut | None:
    """Make the files of a folder such that Valkey reads them; None when there was nothing to do.

    No Valkey may be using them. Raises: StoreError when that cannot be done; OSError.
    """
    file = tail(data)
    if file is None and not _files(data, "base"):
        raise StoreError(f"there is no store in {data}: give --data")
    lost = has_lost_its_manifest(data)
    if not lost and (file is None or _checks(file)):
        return None
    copy = _free_name(data)
    shutil.copytree(data / FOLDER, copy)
    files.sync_all(copy)
    missing = _missing(data)
    if lost:
        write_manifest(data)
    left_out, matches = 0, set[str]()
    for one in _files(data, "incr"):
        if not _checks(one):
            file = one
            salvaged = salvage(one)
            left_out, matches = left_out + salvaged.bytes, matches | salvaged.matches
    return Cut(file.name if file else MANIFEST, left_out, lost, missing, matches, copy)


def _checks(file: Path) -> bool:
    """True if a file of commands is whole, in the opinion of valkey-check-aof: the same program by another name.

    (Valkey's own advice, to give it the manifest, fails: it cannot read a base that is a snapshot.)
    """
    command = ["valkey-check-aof", str(file)]
    done = subprocess.run(command, executable=valkey_server(), capture_output=True, check=False)
    return done.returncode == 0


def write_manifest(data: Path) -> None:
    """Make a manifest that names the files there are: the newest base, and all files of commands after it."""
    named = [("base", file) for file in _files(data, "base")[-1:]] + [("incr", file) for file in _files(data, "incr")]
    lines = "".join(f"file {file.name} seq {_number(file)} type {KINDS[kind]}\n" for kind, file in named)
    files.write_whole(data / FOLDER / MANIFEST, lines.encode())


def _files(data: Path, kind: str) -> list[Path]:
    """The files of a kind, oldest first."""
    found = (file for file in (data / FOLDER).glob(f"appendonly.aof.*.{kind}.*") if _NAME.fullmatch(file.name))
    return sorted(found, key=_number)


def _number(file: Path) -> int:
    name = _NAME.fullmatch(file.name)
    assert name, "one of the files"
    return int(name[1])


def _free_name(data: Path) -> Path:
    """A folder for the copy, which is not there yet."""
    number = 1
    while (copy := data / f"{FOLDER}.before-repair-{number}").exists():
        number += 1
    return copy
