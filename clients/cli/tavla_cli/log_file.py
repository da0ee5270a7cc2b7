"""The log of the terminal client."""

import logging
import sys
from logging.handlers import RotatingFileHandler
from typing import Any

from tavla_cli.output import LINES
from tavla_cli.text.cleaning import clean
from tavla_cli.user_folder import config_dir

LOG = "tavla.log"  # in the user's folder
MAX_LOG_BYTES = 500_000  # then a new one is begun; one old one is kept


class LogFile(RotatingFileHandler):
    """A log file. It is made by the first line that is written to it."""

    def __init__(self) -> None:
        super().__init__(config_dir() / LOG, maxBytes=MAX_LOG_BYTES, backupCount=1, encoding="utf-8", delay=True)
        self.setFormatter(logging.Formatter("%(asctime)s %(name)s %(message)s"))
        self.errors = "backslashreplace"
        self._failed = False

    @property
    def whereabouts(self) -> str:
        """Pointer to the log."""
        if self._failed:
            return f"{sys.exc_info()[1]!r}; {self.baseFilename} cannot be written"
        return f"what happened stands in {self.baseFilename}"

    def format(self, record: logging.LogRecord) -> str:
        """A line, to be read in a terminal."""
        return clean(super().format(record), LINES)

    def _open(self) -> Any:
        config_dir().mkdir(mode=0o700, parents=True, exist_ok=True)
        return super()._open()

    def handleError(self, record: logging.LogRecord) -> None:  # noqa: N802 - logging's name
        self._failed = True
