"""`tavla play`: wait for someone who wants the same, then play."""

import asyncio
import time
from collections.abc import Mapping
from typing import Any

import click
from rich.console import Console
from rich.status import Status
from rich.text import Text
from tavla_client import Client, Match
from tavla_engine.rules import BadRules, preset

from tavla_cli import words
from tavla_cli.options import Options, common, given, match_options
from tavla_cli.terminal import TICK_S, look_of, new_console


@click.command()
@match_options
@common
async def play(options: Options, **rules: Any) -> None:
    """Play whoever wants the same: quick match. Ctrl-C gives up waiting."""
    async with options.client() as client:
        await options.play(client, await _opponent(options, client, given(rules)))


async def _opponent(options: Options, client: Client, rules: Mapping[str, bool | int | str]) -> Match:
    """The match with whoever comes. It is shown that, and how long, one waits."""
    console, before, since = new_console(options.ascii_only), set(client.matches), time.monotonic()
    showing = asyncio.create_task(_show(console, client, _wanted(rules), options.ascii_only))
    try:
        match = await client.seek(rules)
    except asyncio.CancelledError:
        await _stop(showing)
        console.print("you wait no longer")
        for made in set(client.matches) - before:
            console.print("but an opponent was found just then, and waits for you:")
            console.print(Text(f"  {options.command('resume', made, client=client)}", "bold", no_wrap=True))
        raise
    finally:
        await _stop(showing)
    console.print(f"an opponent, after {_clock(since)}")
    return match


async def _stop(showing: "asyncio.Task[None]") -> None:
    showing.cancel()
    await asyncio.wait([showing])


async def _show(console: Console, client: Client, wanted: str, ascii_only: bool) -> None:
    """What is looked for, and in a terminal the time that runs."""
    console.print(f"looking for an opponent: {wanted}")
    if not console.is_terminal:
        return
    since = time.monotonic()
    plain = look_of(console, ascii_only).ascii
    with Status("", console=console, spinner="line" if plain else "dots") as status:
        while True:
            lost = "" if client.online else "connection lost, trying again; "
            status.update(Text(f"{_clock(since)}  {lost}Ctrl-C gives up"))
            await asyncio.sleep(TICK_S)


def _clock(since: float) -> str:
    minutes, seconds = divmod(int(time.monotonic() - since), 60)
    return f"{minutes}:{seconds:02}"


def _wanted(rules: Mapping[str, Any]) -> str:
    """What is sought, in words. What cannot be played, the server will tell."""
    changes = dict(rules)
    try:
        return words.rules_text(preset(changes.pop("preset"), changes)._asdict())
    except BadRules:
        return ", ".join(f"{option} {value}" for option, value in rules.items())
