"""`tavla create`, `join`, `watch`, `resume`: a table or a match that one names."""

from typing import Any

import click
from tavla_client import Client
from tavla_engine.rules import PRESETS
from tavla_protocol import messages as m

from tavla_cli.bots import computer
from tavla_cli.commands.options import Options, common, meaning
from tavla_cli.commands.rule_options import all_rules
from tavla_cli.input import completion
from tavla_cli.input.arguments import side_option, table_code, table_name
from tavla_cli.input.common_options import GroupedCommand
from tavla_cli.input.rules_arguments import new_rules
from tavla_cli.text.cleaning import clean
from tavla_cli.text.people import my_match_text


@click.command(
    cls=GroupedCommand, epilog="Presets: " + " ".join(f"[{name}] {preset.text}" for name, preset in PRESETS.items())
)
@click.argument("table", required=False, metavar="[TABLE]", callback=table_name)
@side_option
@click.option("--private", is_flag=True, help="Not in the lobby: whoever has the code may join or watch.")
@click.option("--spectators/--no-spectators", default=True, help="Whether others may watch; by default they may.")
@click.option(
    "--vs", type=click.Choice(["person", "computer"]), default="person", show_default=True, help="Whom you play."
)
@click.option(
    "--level", metavar="LEVEL", help=f"Of the computer: {', '.join(computer.LEVELS)}, or what else is here, as gnubg."
)
@all_rules
@common
async def create(
    options: Options,
    table: str | None,
    side: m.Side,
    private: bool,
    spectators: bool,
    vs: str,
    level: str | None,
    **rules: Any,
) -> None:
    """Open a table and wait for an opponent. With --vs computer, play a program at once."""
    if vs == "computer" or level:
        if table or private or not spectators:
            raise click.UsageError("against the computer there is no table to be named or hidden: leave that out")
        async with options.client() as client:
            await options.play(client, await computer.play_computer(client, new_rules(rules), level, side))
        return
    async with options.client() as client:
        match = await client.create(table, new_rules(rules), side, private=private, spectators=spectators)
        await options.play(client, match)


_code = click.option("--code", default="", callback=table_code, help="Of a private table, from whoever opened it.")


@click.command(cls=GroupedCommand)
@click.argument("table", callback=table_name, shell_complete=completion.tables)
@_code
@common
async def join(options: Options, table: str, code: str) -> None:
    """Sit down at a table, by its name or match id."""
    async with options.client() as client:
        async with meaning(table, client, completion.table_names):
            match = await client.join(table, code=code)
        await options.play(client, match)


@click.command(cls=GroupedCommand)
@click.argument("table", callback=table_name, shell_complete=completion.matches)
@_code
@common
async def watch(options: Options, table: str, code: str) -> None:
    """Watch a match, by the table's name or the match id."""
    async with options.client(looks_on=True) as client:
        async with meaning(table, client, completion.match_names):
            match = await client.attach(table, code=code)
        await options.play(client, match)


@click.command(cls=GroupedCommand)
@click.argument("match", required=False, metavar="[MATCH]", callback=table_name, shell_complete=completion.mine)
@common
async def resume(options: Options, match: str | None) -> None:
    """Come back to a match of yours."""
    async with options.client(returning=True, match=match) as client:
        if match is None:
            match = await _only(client)
        followed = await client.attach(match)
        if followed.seat is None:
            raise click.ClickException(
                f"{client.me.name} does not play this match: watch it with tavla watch {clean(match)}"
            )
        await options.play(client, followed)


async def _only(client: Client) -> str:
    if not client.me.matches:
        raise click.ClickException(f"{client.me.name} has no match to come back to")
    if len(client.me.matches) > 1:
        mine = await client.lobby.tables("mine")
        lines = [
            f"  {clean(id_)}  {my_match_text(mine[id_], client.me.name or '')}"
            for id_ in client.me.matches
            if id_ in mine
        ]
        raise click.ClickException("\n".join(["say which match, tavla resume MATCH:", *lines]))
    return client.me.matches[0]
