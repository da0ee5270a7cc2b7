"""`tavla`, the terminal client: create a table, join one, watch, come back to a match."""

from typing import Any

import click
from tavla_client import Client
from tavla_engine.rules import CLOCKS, PRESETS, Opening, Variant
from tavla_protocol import messages as m

from tavla_cli.bots import computer
from tavla_cli.commands import account, arena, bot_run, challenges, lobby, play
from tavla_cli.input import completion
from tavla_cli.options import F, Options, common, table_code, table_name


def main() -> None:
    """Run the command line. Exit codes: 0 fine, 1 an error that one line on stderr tells, 2 a wrong command line."""
    cli(prog_name="tavla")


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="tavla")
def cli() -> None:
    """Play backgammon in a terminal.

    `tavla play` finds you an opponent, `tavla lobby` shows who is here. Or open a table with `tavla create`; a friend
    sits down with `tavla join NAME`. In a match type `help`.
    """


_GROUPS = (lobby, challenges, account, bot_run, arena)
for _command in (play.play, *(command for group in _GROUPS for command in group.COMMANDS)):
    cli.add_command(_command)


def _rules_options(command: F) -> F:
    """Every option of the rules; those that are not given stay as the preset has them."""
    number = click.IntRange(min=0)
    options = [
        click.option(
            "--preset",
            type=click.Choice(list(PRESETS)),
            default="tournament",
            show_default=True,
            help="The rules to begin with.",
        ),
        click.option("--length", type=number, help="Points to win the match; 0 for money play."),
        click.option(
            "--variant", type=click.Choice([variant.value for variant in Variant]), help="How the checkers start."
        ),
        click.option("--cube/--no-cube", default=None, help="Play with the doubling cube."),
        click.option("--cube-cap", type=number, help="The highest value of the cube, a power of two; 0 for none."),
        click.option(
            "--crawford/--no-crawford", default=None, help="No cube in the game after one comes within a point."
        ),
        click.option("--jacoby/--no-jacoby", default=None, help="Gammons count only after a double."),
        click.option("--beavers", type=number, help="How many redoubles may follow a double at once."),
        click.option("--automatic-doubles", type=number, help="How many opening ties turn the cube."),
        click.option("--opening", type=click.Choice([opening.value for opening in Opening]), help="Who starts a game."),
        click.option("--forfeit-multiplier", type=number, help="A forfeit costs so many cubes; 0 for the match."),
        click.option("--resignations/--no-resignations", default=None, help="Whether one may offer to resign a game."),
        click.option("--hints/--no-hints", default=None, help="Whether players may ask for their legal plays."),
        click.option("--clock", type=click.Choice(list(CLOCKS)), help="Free seconds a turn, and a reserve."),
        click.option("--rated/--unrated", default=None, help="Whether the result counts for the ratings."),
    ]
    for option in reversed(options):
        command = option(command)
    return command


@cli.command(epilog="Presets: " + " ".join(f"[{name}] {preset.text}" for name, preset in PRESETS.items()))
@click.argument("table", required=False, metavar="[TABLE]", callback=table_name)
@click.option("--name", metavar="TABLE", callback=table_name, help="The table's name; by default your own.")
@click.option(
    "--side", type=click.Choice(["either", "white", "black"]), default="either", show_default=True, help="Yours."
)
@click.option("--private", is_flag=True, help="Not in the lobby: whoever has the code may join or watch.")
@click.option("--spectators/--no-spectators", default=True, help="Whether others may watch; by default they may.")
@click.option(
    "--vs", type=click.Choice(["person", "computer"]), default="person", show_default=True, help="Whom you play."
)
@click.option("--level", type=click.Choice(computer.LEVELS), help="Of the computer; by default any.")
@_rules_options
@common
async def create(
    options: Options,
    table: str | None,
    name: str | None,
    side: m.Side,
    private: bool,
    spectators: bool,
    vs: str,
    level: str | None,
    **rules: Any,
) -> None:
    """Open a table and wait for an opponent. With --vs computer, play a program at once."""
    if table and name and table != name:
        raise click.UsageError("give the table one name")
    given = {option: value for option, value in rules.items() if value is not None}
    if vs == "computer" or level:
        if table or name or private or not spectators:
            raise click.UsageError("against the computer there is no table to be named or hidden: leave that out")
        async with options.client() as client:
            await options.play(client, await computer.play_computer(client, given, level, side))
        return
    async with options.client() as client:
        match = await client.create(table or name, given, side, private=private, spectators=spectators)
        await options.play(client, match)


_code = click.option("--code", default="", callback=table_code, help="Of a private table, from whoever opened it.")


@cli.command()
@click.argument("table", callback=table_name, shell_complete=completion.tables)
@_code
@common
async def join(options: Options, table: str, code: str) -> None:
    """Sit down at a table, by its name or match id."""
    async with options.client() as client:
        await options.play(client, await client.join(table, code=code))


@cli.command()
@click.argument("table", callback=table_name, shell_complete=completion.matches)
@_code
@common
async def watch(options: Options, table: str, code: str) -> None:
    """Watch a match, by the table's name or the match id."""
    async with options.client() as client:
        await options.play(client, await client.attach(table, code=code))


@cli.command()
@click.argument("match", required=False, metavar="[MATCH]", callback=table_name, shell_complete=completion.mine)
@common
async def resume(options: Options, match: str | None) -> None:
    """Come back to a match of yours."""
    async with options.client(returning=True, match=match) as client:
        if match is None:
            match = _only(client)
        followed = await client.attach(match)
        if followed.seat is None:
            raise click.ClickException(f"{client.name} does not play this match: watch it with tavla watch {match}")
        await options.play(client, followed)


def _only(client: Client) -> str:
    if not client.matches:
        raise click.ClickException(f"{client.name} has no match to come back to")
    if len(client.matches) > 1:
        raise click.ClickException(f"say which match, tavla resume MATCH: {', '.join(client.matches)}")
    return client.matches[0]
