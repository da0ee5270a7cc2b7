"""Faults of this program: the terminal is restored, one sentence names the log, and the log has the rest."""

import logging
import sys
from collections.abc import Callable
from functools import cached_property
from typing import TYPE_CHECKING

import click

from tavla_cli.output import raw

if TYPE_CHECKING:
    from tavla_cli.log_file import LogFile

_USUAL = "\x1b[0m\x1b[?25h\x1b[?7h\x1b[?2004l\n"  # no colour, a cursor, wrapped lines, no marks around a paste
_LOGGED = ("tavla_cli", "asyncio", "websockets")  # without a file their warnings would be written into the screen

log = logging.getLogger("tavla_cli")


def run_guarded(run: Callable[[], None]) -> None:
    """Run the program. A failure of its own: exit code 1, a sentence on stderr, the traceback in the log."""
    handler = _Log()
    for name in _LOGGED:
        logging.getLogger(name).addHandler(handler)
    restore = _terminal()
    try:
        run()
    except Exception:
        log.exception("tavla %s has failed", " ".join(sys.argv[1:2]))
        restore()
        click.echo(f"Error: tavla has failed, by a fault of its own: {handler.file.whereabouts}", err=True)
        click.echo("A match that you play waits for you: tavla resume comes back to it", err=True)
        sys.exit(1)


class _Log(logging.Handler):
    """A log whose file is there from its first line on; so are the modules that write it, which take time to import."""

    @cached_property
    def file(self) -> "LogFile":
        """The file."""
        from tavla_cli.log_file import LogFile

        return LogFile()

    def emit(self, record: logging.LogRecord) -> None:
        """Write a line."""
        self.file.handle(record)


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
