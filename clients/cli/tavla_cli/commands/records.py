"""`tavla history`, `replay`, `export`, `dice`: matches to look back at."""

import asyncio
import json
import os
import re
import time
from collections.abc import AsyncIterator
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any

import click
from rich.text import Text
from tavla_client import Client, ClientError, Refused
from tavla_engine.errors import BadText
from tavla_protocol.codes import ErrorCode

from tavla_cli.commands.options import Options, common, print_objects
from tavla_cli.console import warn
from tavla_cli.input import completion
from tavla_cli.input.arguments import player_name, table_code
from tavla_cli.input.common_options import GroupedCommand
from tavla_cli.input.terminal import is_interactive, new_console
from tavla_cli.records.files import as_mat, read, record_in_collection, sound, write
from tavla_cli.records.positions import position_in
from tavla_cli.records.record import Record, of_server, with_more
from tavla_cli.records.steps import steps
from tavla_cli.screens.grids import grid
from tavla_cli.screens.history_screen import show_history
from tavla_cli.screens.replay_screen import ReplayScreen
from tavla_cli.text.cleaning import clean
from tavla_cli.text.dice import bounds_text, dice_table, dice_text, is_whole
from tavla_cli.text.prompts import waited_for

WHAT = click.argument("what", metavar="MATCH|FILE", shell_complete=completion.matches)
HEADS = ("", *(f"second {two}" for two in range(1, 7)))  # of the table of dice
COLLECTED = re.compile(r"[a-z2-7]{16}")  # an id of a collection: a match that was played here has a shorter one
POLL_S = 2.0  # between two questions whether one's own live match has gone on; a server allows 2 a second
OUTPUT = click.option(
    "-o", "--output", type=click.Path(path_type=Path, dir_okay=False), help="A new file; else it is printed."
)
CODE = click.option("--code", default="", callback=table_code, help="Of a private match, if you do not play it.")


@click.command(cls=GroupedCommand)
@click.argument("name", required=False, callback=player_name, shell_complete=completion.people)
@click.option("--json", "as_json", is_flag=True, help="Everything, one JSON object a line.")
@common
async def history(options: Options, name: str | None, as_json: bool) -> None:
    """List your finished matches, or someone else's. The newest come first."""
    async with options.client(shared=True, known=name is None and options.player is None) as client:
        if not as_json:
            await show_history(client, new_console(options.ascii_only), name)
            return
        async for played in client.archive.history(name):
            print_objects([played])


@click.command(cls=GroupedCommand)
@WHAT
@CODE
@common
async def replay(options: Options, what: str, code: str) -> None:
    """Step through a match, live or over.

    MATCH is its id, or the name of a live one's table; FILE a match of any program.
    """
    if is_file(what):
        await _show(options, sound(whole_file(what)), Path(what).stem)
        return
    async with options.client(shared=True) as client:
        record = sound(await fetch(client, what, code))
        if record.told is None:  # of a collection
            await _show(options, record, what)
            return
        side = record.names.index(client.me.name) if client.me.name in record.names else 0
        deeper = partial(client.archive.look_deeper, record.id, code=code)
        await _show(options, record, record.id, side, partial(_growing, client, code), deeper)


@click.command(cls=GroupedCommand)
@WHAT
@OUTPUT
@CODE
@common
async def export(options: Options, what: str, output: Path | None, code: str) -> None:
    """Write a match to a file. Or a file in another format.

    Its name says which: .mat, as every backgammon program reads it; .sgf, as GNU Backgammon saves its matches; .ogxm,
    as OpenGammon does; .json, everything, with times. All have the verdicts that are kept with the match, and the
    proof of the dice.
    """
    record = await load(options, what, code)
    for fault in record.faults:  # as JSON it is kept all the same: it is the proof
        warn(f"WARNING: {clean(fault)}")
    if output is None:
        click.echo(as_mat(record), nl=False)
    else:
        write(record, output)


async def load(options: Options, what: str, code: str) -> Record:
    """The record of a match or a file, sound or not. Raises: ClientError, click.ClickException."""
    if is_file(what):
        record = whole_file(what)
        for note in record.notes:
            warn(f"{what}: {clean(note)}")
        return record
    async with options.client(shared=True) as client:
        return await fetch(client, what, code)


async def fetch(client: Client, match: str, code: str = "") -> Record:
    """The record of a match, by its id; or while it is live, by the name of its table; or of one's collection."""
    try:
        if COLLECTED.fullmatch(match):
            return record_in_collection(await client.archive.collection_match(match))
        told = await client.archive.record(match, code=code)
    except Refused as refused:
        if refused.code not in (ErrorCode.NO_SUCH_MATCH, ErrorCode.BAD_MESSAGE):
            raise
        told = await client.archive.record(await _match_at(client, match, refused), code=code)
    try:
        return of_server(told)
    except BadText as error:
        raise click.ClickException(f"{error}: perhaps this tavla is older than the server") from None


def whole_file(what: str) -> Record:
    """The record in a file that is named as a match. Raises: click.ClickException."""
    with suppress(BadText, OSError):
        if position_in(what) is not None:
            raise click.ClickException("this is a position, not a match: tavla analyse judges it")
        if os.path.isdir(what):
            raise click.ClickException(f"{what} is a folder: name a file in it; tavla analyse judges all its matches")
    return read(Path(what))


def is_file(what: str) -> bool:
    """True if this names a file and no match: one that is there, or a word with a dot, a slash or the like in it."""
    return not re.fullmatch(r"[\w -]+", what) or Path(what).is_file()


@click.command(cls=GroupedCommand)
@click.option("--json", "as_json", is_flag=True, help="All counts, as one JSON object.")
@common
async def dice(options: Options, as_json: bool) -> None:
    """Show how this server's dice have fallen so far."""
    async with options.client(shared=True, looks_on=True) as client:
        rolls = await client.archive.dice()
    if as_json:
        click.echo(json.dumps({name: getattr(rolls, name) for name in rolls.__struct_fields__ if name != "id"}))
        return
    console = new_console(options.ascii_only)
    when = time.strftime("%Y-%m-%d %H:%M", time.localtime(rolls.time / 1000))
    for line in dice_text(rolls, options.server, when):
        console.print(Text(line))
    if rolls.matches and is_whole(rolls):
        console.print(grid(HEADS, dice_table(rolls), HEADS[1:]))
        for line in bounds_text(rolls):
            console.print(Text(line))


async def _match_at(client: Client, table: str, refused: Refused) -> str:
    for what in ("mine", "matches"):
        for match, row in (await client.lobby.tables(what)).items():
            if row.name == table:
                return match
    raise refused


async def _growing(client: Client, code: str, record: Record) -> AsyncIterator[Record]:
    """The record anew each time it has grown, until the match is over."""
    async for _ in _news(client, code, record):
        assert record.told is not None, "of a server"
        later = await client.archive.record(record.id, after=record.told.seq, code=code)
        if later.events:
            record = with_more(record, later)
            if record.faults:
                raise ClientError(f"this match is not sound: {record.faults[0]}")
            yield record
        if record.over:
            return


async def _news(client: Client, code: str, record: Record) -> AsyncIterator[None]:
    """Each time a match may have gone on. One's own is asked about: to follow it would take the seat from the window in
    which one plays.
    """
    while client.me.name in record.names:
        await asyncio.sleep(POLL_S)
        yield
    match = await client.attach(record.id, code=code)
    seen = record.told.seq if record.told else 0
    async for change in match.changes(newest=True):
        if change.seq > seen:
            seen = change.seq
            yield


async def _show(
    options: Options, record: Record, name: str, side: int = 0, more: Any = None, deeper: Any = None
) -> None:
    """A screen; without a terminal, what happened, line by line."""
    if is_interactive():
        await ReplayScreen(record, options.ascii_only, side, name, more, deeper).run()
        return
    console = new_console(options.ascii_only, wrap=False)
    all_steps = steps(record)
    for step in all_steps:
        for sentence in step.said:
            console.print(Text(sentence))
    if asked := waited_for(all_steps[-1].view):
        console.print(Text(asked))
