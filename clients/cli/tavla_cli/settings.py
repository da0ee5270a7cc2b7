"""Settings of the terminal client: one file in the user's folder, read at each start."""

from pathlib import Path

import msgspec
from tavla_client import write_whole

from tavla_cli.text.settings import THROUGH_A_PIPE, Settings
from tavla_cli.user_folder import config_dir

FILE = "settings.json"


class SettingsFile:
    """The settings of the user, `now`.

    kept: those of the file, which are written as soon as they change; else those of this run alone.
    """

    def __init__(self, kept: bool = True, folder: Path | None = None) -> None:
        self._path = (folder or config_dir()) / FILE if kept else None
        self.now = _read(self._path) if self._path is not None else THROUGH_A_PIPE

    def switch(self, name: str, on: bool) -> None:
        """Change one. Raises: OSError, when it cannot be written down; it has changed for this run."""
        self.now = msgspec.structs.replace(self.now, **{name: on})
        if self._path is not None:
            write_whole(self._path, msgspec.json.format(msgspec.json.encode(self.now)) + b"\n")


def _read(path: Path) -> Settings:
    """Read the file; a value that cannot be read keeps its default."""
    try:
        return msgspec.json.decode(path.read_bytes(), type=Settings)
    except (OSError, msgspec.MsgspecError):
        return Settings()
