"""A clock that a test sets, for real processes: Debian's libfaketime."""

import os
from pathlib import Path

import pytest

LIBRARIES = sorted(Path("/usr/lib").glob("*/faketime/libfaketime.so.1"))


class FakeTime:
    """Time of day for processes with `env`; how time passes (`monotonic`) is left to them as it is."""

    def __init__(self, folder: Path) -> None:
        if not LIBRARIES:
            missing = "libfaketime is not installed: apt-get install libfaketime"
            if os.environ.get("CI") == "true":
                pytest.fail(missing)
            pytest.skip(missing)
        self._file = folder / "faketime"
        self.set(0)
        self.env = {
            "LD_PRELOAD": str(LIBRARIES[0]),
            "FAKETIME_TIMESTAMP_FILE": str(self._file),
            "FAKETIME_NO_CACHE": "1",
            "DONT_FAKE_MONOTONIC": "1",
            "FAKETIME_DONT_FAKE_MONOTONIC": "1",
        }

    def set(self, ahead_s: int) -> None:
        """Set the clock to so many seconds ahead of the real one, or behind it."""
        new = self._file.with_suffix(".new")
        new.write_text(f"{ahead_s:+d}s\n")
        new.replace(self._file)
