"""Answers to positions: how many were right in a row, and when own mistakes come back.

One file in the user's folder has it, as the page keeps it in a browser.
"""

import time
from pathlib import Path

import msgspec
from tavla_client import write_whole

from tavla_cli.user_folder import config_dir

FILE = "puzzles.json"
KEPT = 300  # positions whose first answer is remembered, and own mistakes that come back
DAYS = (1, 3, 10, 30)  # until an own mistake comes back: the next after a right answer, the first after a wrong one


class Streak(msgspec.Struct, frozen=True):
    """A streak of right answers. right: in a row. done: keys of the positions that were answered, the newest first.

    again: own mistakes that come back, by key: the place in DAYS, and the day on which it is due (since 1970).
    """

    right: int = 0
    done: tuple[str, ...] = ()
    again: dict[str, tuple[int, int]] = msgspec.field(default_factory=dict)

    def asks(self, key: str, today: int) -> bool:
        """True for a position that was never answered, or is due."""
        return self.again[key][1] <= today if key in self.again else key not in self.done

    def due(self, today: int) -> list[str]:
        """Own mistakes that are due."""
        return [key for key, (_, day) in self.again.items() if day <= today]

    def after(self, key: str, is_right: bool, today: int, comes_back: bool = False) -> "Streak":
        """The streak after an answer; one that was not asked for changes nothing, and only a first one counts."""
        if not self.asks(key, today):
            return self
        again = {one: when for one, when in self.again.items() if one != key}
        step = self.again[key][0] + 1 if is_right and key in self.again else 0
        if comes_back and step < len(DAYS):
            again[key] = step, today + DAYS[step]
        again = dict([*again.items()][-KEPT:])
        if key in self.again:
            return Streak(self.right, self.done, again)
        return Streak(self.right + 1 if is_right else 0, (key, *self.done)[:KEPT], again)


def day_now() -> int:
    """The day since 1970, UTC."""
    return int(time.time() // 86_400)


def read_streak(folder: Path | None = None) -> Streak:
    """The streak so far; a file that cannot be read is as none."""
    try:
        return msgspec.json.decode(((folder or config_dir()) / FILE).read_bytes(), type=Streak)
    except (OSError, msgspec.MsgspecError):
        return Streak()


def count(key: str, is_right: bool, comes_back: bool = False, folder: Path | None = None) -> Streak:
    """Count an answer. Returns: the streak with it. Raises: OSError, when it cannot be written down."""
    before = read_streak(folder)
    streak = before.after(key, is_right, day_now(), comes_back)
    if streak != before:
        write_whole((folder or config_dir()) / FILE, msgspec.json.encode(streak))
    return streak
