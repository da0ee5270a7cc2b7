"""`tavla analyse`: how well a match was played."""

import asyncio
import json
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager

import click
from rich.text import Text
from tavla_engine.analysis import plain
from tavla_engine.errors import BadText

from tavla_cli.bots.analysing import analysed
from tavla_cli.bots.loading import NoBot
from tavla_cli.commands.options import Options, common
from tavla_cli.commands.records import CODE, WHAT, load, sound
from tavla_cli.input.terminal import TICK_S, new_console
from tavla_cli.output import raw
from tavla_cli.text.analysis import caution, summary, worst
from tavla_cli.text.words import clean


@click.command()
@WHAT
@CODE
@click.option("--json", "as_json", is_flag=True, help="Everything, each decision too, as one JSON object.")
@common
async def analyse(options: Options, what: str, code: str, as_json: bool) -> None:
    """Judge how well a match was played.

    By GNU Backgammon, if it is installed, else by the house bot's evaluator. Ctrl-C gives up.
    """
    record = sound(await load(options, what, code))
    line = _ProgressLine()
    with line.shown():
        try:
            analysis = await analysed(record, line.update)
        except (NoBot, BadText) as error:
            raise click.ClickException(str(error)) from None
    if as_json:
        click.echo(json.dumps({"match": record.id, "players": record.names, **plain(analysis)}))
        return
    console = new_console(options.ascii_only, wrap=False)
    console.print(Text(f"{' - '.join(map(clean, record.names))}, judged by {analysis.by}\n", "bold"))
    for text in (*caution(analysis), *summary(analysis, record.names), "", *worst(analysis, record.names)):
        console.print(Text(text))


COMMANDS = (analyse,)


class _ProgressLine:
    """A line on standard error, if that is a terminal; nothing is left of it."""

    def __init__(self) -> None:
        self._done, self._games, self._since = 0, 0, time.monotonic()

    def update(self, done: int, games: int) -> None:
        """Called from another thread."""
        self._done, self._games = done, games

    @contextmanager
    def shown(self) -> Iterator[None]:
        if not sys.stderr.isatty():
            yield
            return
        task = asyncio.ensure_future(self._draw())
        try:
            yield
        finally:
            task.cancel()
            self._write("")

    async def _draw(self) -> None:
        while True:
            of = f" of {self._games}" if self._games else ""
            took = int(time.monotonic() - self._since)
            self._write(f"judging game {min(self._done + 1, self._games or 1)}{of}, {took} s")
            await asyncio.sleep(TICK_S)

    def _write(self, text: str) -> None:
        """In place of what stands there."""
        stderr = raw(sys.stderr)
        stderr.write(f"\r\x1b[K{text}")
        stderr.flush()
