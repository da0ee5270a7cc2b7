"""`tavla lobby` and `tavla matches`: what there is to join, to watch and to come back to."""

import time
from contextlib import AsyncExitStack, suppress

import click
from msgspec.structs import replace
from rich.console import Console
from rich.text import Text
from tavla_client import Client, Lists, Refused
from tavla_protocol import messages as m

from tavla_cli.commands.options import Options, common, json_option, leave, print_objects
from tavla_cli.input.common_options import GroupedCommand
from tavla_cli.input.terminal import is_interactive, new_console
from tavla_cli.screens.grids import grid
from tavla_cli.screens.lobby_screen import LobbyScreen
from tavla_cli.text.absence import leaving_text, paused_text
from tavla_cli.text.phrases import word_for
from tavla_cli.text.rules import rules_text


@click.command(cls=GroupedCommand)
@json_option
@common
async def lobby(options: Options, as_json: bool) -> None:
    """See who is here, join, watch, challenge and talk."""
    if is_interactive() and not as_json:
        await _live(options)
    else:
        await _once(options, as_json)


@click.command(cls=GroupedCommand)
@json_option
@common
async def matches(options: Options, as_json: bool) -> None:
    """List your matches. Those that are not over, and how to come back to them."""
    async with options.client(known=True) as client:
        mine = await client.lobby.tables("mine")
    mine = {id_: table for id_, table in mine.items() if table.outcome is None}
    if as_json:
        print_objects(mine.values(), match=mine)
        return
    console = new_console(options.ascii_only)
    if not mine:
        console.print(f"{client.me.name} has no match to come back to")
        return
    rows = [_mine(table, client) for table in mine.values()]
    console.print(grid(("table", "opponent", "rules", "score", "state"), rows))
    console.print()
    for id_ in mine:
        _print_command(console, options.command("resume", id_, client=client))
    if private := {id_: table for id_, table in mine.items() if table.code and None in table.players}:
        console.print("\nnobody sees a private table; the other player types:")
        for id_, table in private.items():
            _print_command(console, options.join(word_for(table.name, id_), table.code))


def _lists(client: Client) -> Lists:
    """Lists that the screen shows."""
    return client.lobby.lists("tables", "matches", "people", "seekers")


async def _live(options: Options) -> None:
    """From the lobby into matches, and back."""
    async with options.client() as client, _lists(client) as lists, AsyncExitStack() as stack:
        client.patience_s = None
        with suppress(Refused):  # asked for too often: the lobby does without
            await client.friends.watch()
        screen = LobbyScreen(client, lists, stack, options.ascii_only, options.hearing)
        screen.first_notice = "; ".join(options.ended)
        options.on_link.append(screen.on_link)
        while (match := await screen.run()) is not None:
            played = await options.play(client, match)
            if played.seat is not None and played.view.phase != "over":
                screen.first_notice = leaving_text(played.view, played.seat, played.absence[played.seat])
            await leave(client, played)


async def _once(options: Options, as_json: bool) -> None:
    async with options.client(shared=True, looks_on=True) as client:
        known = await client.lobby.tables() | await client.lobby.tables("matches")
    if as_json:
        print_objects(known.values(), match=known)
        return
    tables = [*known.values()]
    console = new_console(options.ascii_only)
    tables.sort(key=lambda table: any(table.away))
    if not tables:
        console.print(f"nobody is here: open a table with {options.command('create', client=client)}")
        return
    console.print(grid(("table", "players", "rules", "score", "state"), map(_line, tables)))


def _print_command(console: Console, command: str) -> None:
    console.print(Text(command, "bold", no_wrap=True, overflow="ignore"))  # to be copied in one piece


def _line(table: m.Table) -> tuple[str, ...]:
    """A table's row in the lobby."""
    players = " - ".join(player or "?" for player in table.players)
    rules = rules_text(table.rules)
    if None in table.players:
        return table.name, players, rules, "", "open: join"
    paused = paused_text(table, int(time.time()))
    return table.name, players, rules, "{}-{}".format(*table.score), f"paused: {paused}" if paused else "playing: watch"


def _mine(table: m.Table, client: Client) -> tuple[str, ...]:
    """A match of one's own: own points first, and whom it waits for."""
    you = table.players.index(client.me.name)
    opponent = table.players[1 - you]
    if opponent is None:
        code = f", code {table.code}" if table.code else ""
        return table.name, "", rules_text(table.rules), "", f"waiting for an opponent{code}"
    state = "waits for you" if you in table.to_act else f"waits for {opponent}"
    if table.away[1 - you]:
        away = (0, table.away[1]) if you == 0 else (table.away[0], 0)  # the player at this screen is here
        state += f", paused: {paused_text(replace(table, away=away), int(time.time()))}"
    return table.name, opponent, rules_text(table.rules), f"{table.score[you]}-{table.score[1 - you]}", state
