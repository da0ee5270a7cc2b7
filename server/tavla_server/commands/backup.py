"""`tavla-server backup` and `restore`: the embedded store, its archive and its seed key, as one file, and back.

The store is copied first and the archive after it: a match that moves in between is in both, and none is in neither.
"""

import contextlib
import hashlib
import io
import json
import os
import shutil
import tarfile
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import IO, TypedDict

from tavla_protocol import __version__

from tavla_server import files
from tavla_server.cluster.liveness import note_gone
from tavla_server.errors import ArchiveUnavailable, StartError, StoreUnavailable
from tavla_server.features.archive import copying
from tavla_server.match.census import count, count_live, fork_all
from tavla_server.options import ARCHIVE, SEED_KEY_FILE, Options
from tavla_server.own_store import embedded_store, running_store
from tavla_server.store import keys, snapshot
from tavla_server.store.client import connection_to

STORE, ABOUT = "store.rdb", "backup.json"  # in the file; beside them ARCHIVE and SEED_KEY_FILE
PARTS = (STORE, ARCHIVE, SEED_KEY_FILE)
CHUNK = 1_000_000  # bytes
UNFINISHED = ".tavla-unfinished-"  # how the names of folders begin in which a backup or a restore is made


class _About(TypedDict):
    """A backup's manifest. tavla: the version that made it. sha256: of each part."""

    tavla: str
    made: str
    sha256: dict[str, str]


async def backup(options: Options, file: Path) -> list[str]:
    """Write a backup of what a data folder has, while its server runs or not; what is in it, in lines.

    It is tried before it gets its name: a store is started on it, and everything counted.
    Raises: StartError, with what is wrong.
    """
    if options.redis:
        raise StartError("this copies the store of a data folder; of a Redis of yours, see deploy/operate.md, Backup")
    demand_new_file(file)
    with _errors_told("back up"), _folder_beside(file) as made:
        folder = made / "data"
        folder.mkdir(mode=0o700)
        await _collect(options, folder)
        sums = {name: _sum(folder / name) for name in PARTS if (folder / name).exists()}
        whole = made / file.name
        _pack(folder, sums, whole)
        lines = await _unpack(whole, made / "tried")
        size = _put(whole, file)
    return [f"{file}, {size / 1e6:.1f} MB: {lines}", *_missing(options, sums)]


async def restore(file: Path, data: Path) -> list[str]:
    """Make a data folder, which must be new or empty, from a backup; what is in it, in lines.

    Live matches get a new epoch: a client that has seen more of one is sent it as it is now. A match before its last
    reveal is void.
    Raises: StartError, with what is wrong.
    """
    _demand_empty_folder(data)
    with _errors_told("restore"), _folder_beside(data) as made:
        lines = await _unpack(file, made / "data", fork=True)
        _put(made / "data", data)
    return [f"{data} has {lines}", f"start the server with --data {data}"]


def demand_new_file(file: Path) -> None:
    """Raises: StartError for a file that is there, or has no folder."""
    if file.exists():
        raise StartError(f"{file} is there: give a new name")
    if not file.absolute().parent.is_dir():
        raise StartError(f"there is no folder {file.parent}: make it, or give another name")


def _demand_empty_folder(data: Path) -> None:
    if data.exists() and (not data.is_dir() or any(data.iterdir())):
        raise StartError(f"{data} is not empty: give --data a new folder, and start the server with that")


async def _collect(options: Options, folder: Path) -> None:
    """The store, the archive and the key, each as a file of a folder."""
    async with running_store(None, options.data) as url, connection_to(url) as redis:
        await snapshot.save(redis, options.data, folder / STORE)
    archive = copying.file_of(options.archive_url)
    if archive is not None:
        copying.copy(archive, folder / ARCHIVE)
    if options.seed_key_file.exists():
        shutil.copyfile(options.seed_key_file, folder / SEED_KEY_FILE)


def _missing(options: Options, sums: dict[str, str]) -> list[str]:
    """The parts that a backup lacks, a sentence each."""
    lines = []
    if ARCHIVE not in sums:
        elsewhere = options.archive_url and not options.archive_url.startswith(copying.SQLITE)
        lines.append("the archive is elsewhere: back it up now, after this" if elsewhere else "there is no archive yet")
    if SEED_KEY_FILE not in sums:
        lines.append("there is no seed key: without it no match that is in here can be played on")
    return lines


def _pack(folder: Path, sums: dict[str, str], whole: Path) -> None:
    """Put the parts into one file, with what they are, and have it on disk. It is its owner's alone."""
    about: _About = {"tavla": __version__, "made": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()), "sha256": sums}
    with files.open_private(whole, "xb") as file:
        with tarfile.open(fileobj=file, mode="w") as tar:
            text = json.dumps(about, indent=1).encode()
            head = tarfile.TarInfo(ABOUT)
            head.size = len(text)
            tar.addfile(head, io.BytesIO(text))
            for name in sums:
                tar.add(folder / name, name)
        file.flush()
        os.fsync(file.fileno())


async def _unpack(file: Path, data: Path, fork: bool = False) -> str:
    """Make a data folder from a backup, and start a store on it; what it has, as a sentence.

    Raises: StartError when the file is damaged, or none of ours.
    """
    about = _take_out(file, data)
    snapshot.lay_out(data, data / STORE)
    archived = copying.check(data / ARCHIVE) if ARCHIVE in about["sha256"] else 0
    store = embedded_store(data)
    try:
        await store.start()
        async with connection_to(store.url) as redis:
            live, void = await fork_all(redis) if fork else (await count_live(redis), 0)
            if fork:
                await note_gone(redis)
            matches, entries = await count(redis)
            names = sum([1 async for _ in redis.scan_iter(match=keys.NAME("*"), count=1000)])
    finally:
        await store.stop()
    voided = f"; void, since their dice had not begun: {void}" if void else ""
    return (
        f"{matches} matches with {entries} entries, of which {live} go on{voided}; {names} names; {archived} matches "
        f"in the archive; as of {about['made']}"
    )


def _take_out(file: Path, data: Path) -> _About:
    """Take the parts out of a backup into a new folder; what it says of itself."""
    data.mkdir(mode=0o700)
    try:
        with tarfile.open(file, "r:") as tar:  # as it was written: to guess a compression has five lines of errors
            about = _about(tar)
            for name, wanted in about["sha256"].items():
                _extract(tar, name, data / name)
                if _sum(data / name) != wanted:
                    raise StartError(f"{file} is damaged: {name} is not what was written")
    except (KeyError, ValueError, tarfile.TarError) as error:
        raise StartError(f"{file} is no backup of ours, or damaged: {error}") from None
    return about


def _about(tar: tarfile.TarFile) -> _About:
    """The manifest of a backup. Raises: KeyError, ValueError."""
    about: _About = json.load(_member(tar, ABOUT))
    if STORE not in about["sha256"] or not set(about["sha256"]) <= set(PARTS):
        raise ValueError("it names other parts")
    return about


def _member(tar: tarfile.TarFile, name: str) -> IO[bytes]:
    found = tar.extractfile(name)
    if found is None:
        raise KeyError(f"{name} is no file")
    return found


def _extract(tar: tarfile.TarFile, name: str, to: Path) -> None:
    with files.open_private(to, "xb") as file:
        shutil.copyfileobj(_member(tar, name), file, CHUNK)
        file.flush()
        os.fsync(file.fileno())


def _sum(file: Path) -> str:
    with file.open("rb") as opened:
        return hashlib.file_digest(opened, "sha256").hexdigest()


def _put(made: Path, place: Path) -> int:
    """Give what is finished its place, where there may be an empty folder, and have that on disk; its size in bytes."""
    if made.is_dir():
        files.sync_all(made)
    made.rename(place)
    files.sync(place.absolute().parent)
    return place.stat().st_size


@contextlib.contextmanager
def _folder_beside(path: Path) -> Iterator[Path]:
    """A folder on the same disk, for what is not finished; it goes in the end, or with the next one after a kill."""
    place = path.absolute().parent
    place.mkdir(parents=True, exist_ok=True)
    for left in place.glob(f"{UNFINISHED}*"):
        with files.folder_lock(left) as is_ours:
            if is_ours:
                shutil.rmtree(left, ignore_errors=True)
    with tempfile.TemporaryDirectory(prefix=UNFINISHED, dir=place) as folder, files.folder_lock(Path(folder)):
        yield Path(folder)


@contextlib.contextmanager
def _errors_told(what: str) -> Iterator[None]:
    try:
        yield
    except (StoreUnavailable, ArchiveUnavailable) as error:
        raise StartError(f"cannot {what}: {error}") from None
    except OSError as error:
        raise StartError(f"cannot {what}: {error.filename or ''}: {error.strerror}") from None
