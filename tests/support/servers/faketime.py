"""A clock that a test sets, for real processes: Debian's libfaketime."""

from pathlib import Path

from tests.support.needs import need

LIBRARIES = sorted(map(str, Path("/usr/lib").glob("*/faketime/libfaketime.so.1")))


class FakeTime:
    """Time of day for processes with `env`; how time passes (`monotonic`) is left to them as it is."""

    def __init__(self, folder: Path) -> None:
        library = need(next(iter(LIBRARIES), None), "libfaketime")
        self._file = folder / "faketime"
        self.set(0)
        self.env = {
            "LD_PRELOAD": library,
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
