"""Files that are written once and have to be there, whole, after a power cut."""

import os
import tempfile
from pathlib import Path


def write_whole(file: Path, data: bytes) -> None:
    """Write a file for its owner alone, with its folder: whole or not at all, and on disk when this returns.

    Raises: OSError.
    """
    missing = [one for one in file.parents if not one.exists()]
    file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    handle, temporary = tempfile.mkstemp(dir=file.parent, prefix=".new-")  # mode 0600
    try:
        with os.fdopen(handle, "wb") as new:
            new.write(data)
            new.flush()
            os.fsync(new.fileno())
        Path(temporary).replace(file)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise
    for folder in (file.parent, *(one.absolute().parent for one in missing)):
        _sync(folder)


def _sync(folder: Path) -> None:
    """Have the names in a folder on disk: without this the new one may be lost at a power cut."""
    if os.name == "nt":  # which opens no folder as a file
        return
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
