"""Files that are written once and have to be there, whole, after a power cut."""

import contextlib
import fcntl
import os
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import IO

DISK_LEAST = 1_000_000  # bytes: with less, a disk is full: Valkey ends at the next write that finds no room


def why_not_writable(folder: Path) -> str:
    """The reason why a folder cannot be written to, in a few words; "" = it can."""
    disk = os.statvfs(folder)
    if disk.f_flag & os.ST_RDONLY:
        return "read-only"
    return "full" if disk.f_bavail * disk.f_frsize < DISK_LEAST else ""


def make_folder(folder: Path) -> None:
    """Make a folder for its owner alone, and those above it. Raises: OSError."""
    missing = [one for one in (folder, *folder.parents) if not one.exists()]
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    for one in missing:
        sync(one.absolute().parent)


def open_private(path: Path, mode: str) -> IO[bytes]:
    """A file that is its owner's alone, should it be new."""
    return open(path, mode, opener=lambda name, flags: os.open(name, flags, 0o600))


@contextlib.contextmanager
def folder_lock(folder: Path) -> Iterator[bool]:
    """True while nobody else has a folder; a lock ends with its process, however that ends."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        yield try_lock(handle)
    finally:
        os.close(handle)


def try_lock(handle: int) -> bool:
    """Have an open file or folder for this process alone, until it is closed; False if another process has it."""
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True


def write_whole(file: Path, data: bytes, replace: bool = True) -> None:
    """Write a file for its owner alone: whole or not at all, and on disk when this returns.

    Raises: FileExistsError without `replace`, when it is there; of several processes one is first. OSError.
    """
    handle, temporary = tempfile.mkstemp(dir=file.parent, prefix=".new-")  # mode 0600
    try:
        with os.fdopen(handle, "wb") as new:
            new.write(data)
            new.flush()
            os.fsync(new.fileno())
        if replace:
            os.replace(temporary, file)
        else:
            os.link(temporary, file)
    finally:
        Path(temporary).unlink(missing_ok=True)
    sync(file.parent)


def sync(path: Path) -> None:
    """Have a file's bytes, or the names in a folder, on disk. A name is not until its folder is synced."""
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def sync_all(folder: Path) -> None:
    """Have a folder with all that is in it on disk."""
    for path in (*folder.rglob("*"), folder):
        if path.is_dir() or path.is_file():
            sync(path)


def leave_to_owner(folder: Path) -> None:
    """Give what root has made in a folder to the folder's owner: a server that is not root's could not use it."""
    if os.geteuid() != 0 or not (owner := folder.stat()).st_uid:
        return
    for path in folder.rglob("*"):
        with contextlib.suppress(FileNotFoundError):  # a socket that goes
            made = path.lstat()
            if made.st_uid == 0 and (made.st_nlink == 1 or path.is_dir()):  # no link to a file of root's elsewhere
                os.chown(path, owner.st_uid, owner.st_gid, follow_symlinks=False)
