"""A disk that loses at a power cut what was not synced."""

import os
import stat
from pathlib import Path

import pytest


class Disk:
    """Notes what `os.fsync` has put on the disk, and takes everything else away at `cut`.

    A file keeps the bytes that it had when it was synced last; a name stays only if its folder was synced after it
    was given. Source: fsync(2), POSIX.
    """

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self._bytes: dict[int, bytes] = {}
        self._names: set[tuple[int, str, int]] = set()
        self._sync = os.fsync
        monkeypatch.setattr(os, "fsync", self._fsync)

    def _fsync(self, handle: int) -> None:
        self._sync(handle)
        found = os.fstat(handle)
        if stat.S_ISDIR(found.st_mode):
            self._names |= {(found.st_ino, entry.name, entry.inode()) for entry in os.scandir(handle)}
        else:
            self._bytes[found.st_ino] = Path(f"/proc/self/fd/{handle}").read_bytes()

    def cut(self, folder: Path) -> None:
        """The power goes and comes back: what a folder has then."""
        inode = folder.stat().st_ino
        for path in sorted(folder.iterdir()):
            if (inode, path.name, path.stat().st_ino) not in self._names:
                path.rename(folder.parent / f"lost-{path.stat().st_ino}")
            elif path.is_dir():
                self.cut(path)
            else:
                path.write_bytes(self._bytes.get(path.stat().st_ino, b""))
