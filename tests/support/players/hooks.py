"""Failures of the house bot's hooks: the kit survives them and plays at random, but a test in which one comes fails."""

import logging
from collections.abc import Iterator
from contextlib import contextmanager

from tavla_bots import BOTS
from tavla_bots.house import House

LOG = "tavla_client"
HOUSE = {bot.__name__ for bot in BOTS.values() if issubclass(bot, House)}


class HookFailures(logging.Handler):
    """Failures of hooks of the house bot, as the kit logs them. lines: what was logged."""

    def __init__(self) -> None:
        super().__init__(logging.WARNING)
        self.lines: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        """Note it, if it is one."""
        hook = str(record.args[0]) if isinstance(record.args, tuple) and record.args else ""
        if hook.partition(".")[0] in HOUSE:
            self.lines.append(logging.Formatter().format(record))


@contextmanager
def hook_failures() -> Iterator[HookFailures]:
    """What fails meanwhile."""
    failures = HookFailures()
    logging.getLogger(LOG).addHandler(failures)
    try:
        yield failures
    finally:
        logging.getLogger(LOG).removeHandler(failures)
