"""`tavla collection`: matches in files of other programs that the server keeps for an account, and judges."""

from datetime import datetime

import click
from rich.text import Text
from tavla_client import Client, Refused
from tavla_engine.errors import BadText
from tavla_protocol import messages as m
from tavla_protocol.codes import ErrorCode
from tavla_protocol.file_match import pack

from tavla_cli.commands.options import Options, common, json_option, print_objects
from tavla_cli.commands.records import whole_file
from tavla_cli.console import warn
from tavla_cli.input.common_options import GroupedCommand
from tavla_cli.input.terminal import new_console
from tavla_cli.records.files import file_match_of
from tavla_cli.screens.grids import grid
from tavla_cli.text.cleaning import clean
from tavla_cli.text.collection import COLUMNS, NUMBERS, collected_line, seat_of
from tavla_cli.text.phrases import plural

ACTIONS = ("add", "remove")


@click.command(cls=GroupedCommand)
@click.argument("action", required=False, type=click.Choice(ACTIONS), metavar="[add|remove]")
@click.argument("what", nargs=-1, metavar="[FILE|MATCH]...")
@click.option("--me", metavar="NAME", help="Who you are in these files: the match then counts in your figures.")
@json_option
@common
async def collection(
    options: Options, action: str | None, what: tuple[str, ...], me: str | None, as_json: bool
) -> None:
    """List, add or remove matches in files that you keep.

    The server judges them, and nobody else sees them. `replay`, `export` and `analyse` take their ids.
    """
    if bool(action) != bool(what):
        raise click.UsageError("say which: tavla collection add FILE, or tavla collection remove MATCH")
    async with options.client(known=True) as client:
        if action == "add":
            lacking = [name for name in what if not await _add(client, name, me)]
            if lacking:
                raise click.ClickException(f"{len(lacking)} of {plural(len(what), 'file')} could not be added")
        elif action == "remove":
            for match in what:
                await client.archive.discard(match)
        elif as_json:
            async for one in client.archive.collection():
                print_objects([one])
        else:
            await _show(options, client)


async def _add(client: Client, name: str, me: str | None) -> bool:
    """Add a file. False: what is wrong with it is said, and does not keep others out. Raises: ClientError."""
    try:
        record = whole_file(name)
        if record.told is not None:
            raise click.ClickException(f"{name}: this match was played on a Tavla server, which keeps it")
        seat = seat_of(record.names, me)
        added = await client.archive.collect(pack(file_match_of(record)), clean(name.rpartition("/")[2])[:100], seat)
        click.echo(f"{name}: {added.match}, {' - '.join(map(clean, added.players))}")
        return True
    except click.ClickException as error:
        warn(clean(str(error)))
    except BadText as error:
        warn(f"{name}: {clean(str(error))}")
    except Refused as refused:
        if refused.code != ErrorCode.BAD_MESSAGE:
            raise
        warn(f"{name}: {clean(str(refused))}")
    return False


async def _show(options: Options, client: Client) -> None:
    found: list[m.CollectedMatch] = [one async for one in client.archive.collection()]
    console = new_console(options.ascii_only)
    if not found:
        console.print(Text("you keep no match: tavla collection add FILE"))
        return
    rows = [(datetime.fromtimestamp(one.added / 1000).strftime("%Y-%m-%d"), *collected_line(one)) for one in found]
    console.print(grid(COLUMNS, rows, NUMBERS))
