"""Answers to positions that were right in a row: one file in the user's folder, as the page keeps them in a browser."""

from pathlib import Path

import msgspec
from tavla_client import write_whole

from tavla_cli.user_folder import config_dir

FILE = "puzzles.json"
KEPT = 300  # positions whose first answer is remembered


class Streak(msgspec.Struct, frozen=True):
    """A streak of right answers. right: in a row. done: keys of the positions that were answered, the newest first."""

    right: int = 0
    done: tuple[str, ...] = ()

    def after(self, key: str, is_right: bool) -> "Streak":
        """The streak after an answer; one that is not the first changes nothing."""
        if key in self.done:
            return self
        return Streak(self.right + 1 if is_right else 0, (key, *self.done)[:KEPT])


def read_streak(folder: Path | None = None) -> Streak:
    """The streak so far; a file that cannot be read is as none."""
    try:
        return msgspec.json.decode(((folder or config_dir()) / FILE).read_bytes(), type=Streak)
    except (OSError, msgspec.MsgspecError):
        return Streak()


def count(key: str, is_right: bool, folder: Path | None = None) -> Streak:
    """Count an answer. Returns: the streak with it. Raises: OSError, when it cannot be written down."""
    before = read_streak(folder)
    streak = before.after(key, is_right)
    if streak != before:
        write_whole((folder or config_dir()) / FILE, msgspec.json.encode(streak))
    return streak
