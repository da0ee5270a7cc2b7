"""Faults of this program: the terminal is restored, one sentence names the log, and the log has the rest."""

import asyncio
import logging
import sys
from collections.abc import Callable, Coroutine
from logging.handlers import RotatingFileHandler
from typing import Any

import click

from tavla_cli.identity import config_dir
from tavla_cli.output import LINES, raw
from tavla_cli.text.words import clean

_USUAL = "\x1b[0m\x1b[?25h\x1b[?7h\x1b[?2004l\n"  # no colour, a cursor, wrapped lines, no marks around a paste
LOG = "tavla.log"  # in the user's folder
MAX_LOG_BYTES = 500_000  # then a new one is begun; one old one is kept
_LOGGED = ("tavla_cli", "asyncio", "websockets")  # without a file their warnings would be written into the screen

log = logging.getLogger("tavla_cli")


def guarded(run: Callable[[], None]) -> None:
    """Run the program. A failure of its own: exit code 1, a sentence on stderr, the traceback in the log."""
    file = _LogFile()
    for name in _LOGGED:
        logging.getLogger(name).addHandler(file)
    restore = _terminal()
    try:
        run()
    except Exception:
        log.exception("tavla %s has failed", " ".join(sys.argv[1:2]))
        restore()
        click.echo(f"Error: tavla has failed, by a fault of its own: {file.whereabouts}", err=True)
        click.echo("A match that you play waits for you: tavla resume comes back to it", err=True)
        sys.exit(1)


def run_async(main: Coroutine[Any, Any, None]) -> None:
    """As `asyncio.run`, but what fails beside the main task ends it: else a screen would stand there, half alive."""
    failed: list[BaseException] = []

    async def supervised() -> None:
        loop, task = asyncio.get_running_loop(), asyncio.current_task()
        assert task is not None, "asyncio runs tasks"

        def on_failure(_: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
            error = context.get("exception")
            if error is None or "never retrieved" in context["message"]:  # nobody waits for it any more
                log.warning("%s", context["message"], exc_info=error)
            else:
                failed.append(error)
                task.cancel()

        loop.set_exception_handler(on_failure)
        await main

    try:
        asyncio.run(supervised())
    except BaseException:
        if not failed:
            raise
    if failed:
        raise failed[0]


class _LogFile(RotatingFileHandler):
    """The log. It is made by the first line that is written to it."""

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


def _terminal() -> Callable[[], None]:
    """Function that restores the terminal as it is now: it echoes what is typed, and shows a cursor."""
    if sys.platform == "win32" or not (sys.stdin.isatty() and sys.stdout.isatty()):
        return lambda: None
    import termios

    settings = termios.tcgetattr(sys.stdin)

    def restore() -> None:
        termios.tcsetattr(sys.stdin, termios.TCSADRAIN, settings)
        raw(sys.stdout).write(_USUAL)
        sys.stdout.flush()

    return restore
