"""Output of a command that runs once."""

import asyncio
import sys
from collections.abc import Coroutine, Iterable

import click
import uvloop

from tavla_server.errors import StartError


def print_lines(command: Coroutine[None, None, Iterable[str]]) -> None:
    """Run a command and print what it says; an error is one line, and the exit code 1."""
    try:
        with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
            for line in runner.run(command):
                click.echo(line)
    except StartError as error:
        click.echo(f"tavla-server: {error}", err=True)
        sys.exit(1)
