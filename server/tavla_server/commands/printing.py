"""Output of a command that runs once."""

import asyncio
import signal
import sys
import threading
from collections.abc import Coroutine, Iterable

import click
import uvloop

from tavla_server.errors import StartError


def print_lines(command: Coroutine[None, None, Iterable[str]]) -> None:
    """Run a command and print what it says; an error is one line, and the exit code 1."""
    try:
        with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
            for line in runner.run(_until_asked_to_end(command)):
                click.echo(line)
    except StartError as error:
        click.echo(f"tavla-server: {error}", err=True)
        sys.exit(1)
    except PermissionError as error:
        then = "use sudo, or be the user that the server runs as"
        click.echo(f"tavla-server: {error.filename}: {error.strerror}: {then}", err=True)
        sys.exit(1)
    except asyncio.CancelledError:
        sys.exit(128 + signal.SIGTERM)


async def _until_asked_to_end(command: Coroutine[None, None, Iterable[str]]) -> Iterable[str]:
    """Let SIGTERM end a command as Ctrl-C does: it takes away what it has not finished."""
    task = asyncio.current_task()
    assert task is not None, "it runs"
    if threading.current_thread() is threading.main_thread():  # no other one hears of signals
        asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, task.cancel)
    return await command
