"""`tavla play`: wait for someone who wants the same, then play."""

import asyncio
import time
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import replace
from typing import Any

import click
from prompt_toolkit import PromptSession
from rich.text import Text
from tavla_client import Client, ClientError, Match, PlayStopped
from tavla_engine.rules import BadRules
from tavla_protocol import messages as m

from tavla_cli.bots.computer import casual, play_computer
from tavla_cli.commands.options import Options, common, leave
from tavla_cli.commands.rule_options import often_chosen_rules
from tavla_cli.input.common_options import GroupedCommand
from tavla_cli.input.rules_arguments import new_rules
from tavla_cli.input.terminal import is_interactive, new_console
from tavla_cli.screens.pending_question import ANSWERS
from tavla_cli.screens.waiting_screen import WaitingScreen, elapsed_text
from tavla_cli.text import story
from tavla_cli.text.cleaning import clean
from tavla_cli.text.rules import engine_rules, rules_text

Rules = Mapping[str, bool | int | str]


@click.command(cls=GroupedCommand)
@often_chosen_rules
@common
async def play(options: Options, **rules: Any) -> None:
    """Play whoever wants the same: quick match. Ctrl-C gives up waiting.

    With the usual rules to 3 points and, unless it is rated, without a clock: as in the page.
    """
    async with options.client() as client:
        await options.play(client, await _opponent(options, client, new_rules(rules)))


async def _opponent(options: Options, client: Client, rules: Rules) -> Match:
    """The match of a quick match. Where the dice may have been chosen, the user says whether to look on."""
    while True:
        try:
            return await _sought(options, client, rules)
        except PlayStopped as stopped:
            if not is_interactive():
                raise
            new_console(options.ascii_only).print(Text(f"WARNING: {clean(str(stopped))}", "bold red"))
            with suppress(EOFError):
                answer = await PromptSession[str]().prompt_async("look for an opponent again? yes or no> ")
                if ANSWERS.get(answer.strip().lower()):
                    continue
            raise ClientError("you look no longer: nothing was played, and nothing is lost") from None


async def _sought(options: Options, client: Client, rules: Rules) -> Match:
    """A quick match. The screen shows the wait and its time."""
    console, before, since = new_console(options.ascii_only), set(client.me.matches), time.monotonic()
    console.print(f"looking for an opponent: {_wanted(rules)}")
    callbacks = client.callbacks
    client.callbacks = replace(
        callbacks,
        void=lambda match: console.print(Text(story.void_while_seeking(match.view, match.seat, match.doubt), "bold")),
    )
    seeking, pastime = asyncio.create_task(client.seek(rules)), None
    try:
        lists_wanted: tuple[m.Subject, ...] = ("people", "tables", "seekers")
        async with client.lobby.lists(*lists_wanted) as lists:
            while await WaitingScreen(console, client, rules, lists, since, options.ascii_only).wants_computer(seeking):
                pastime = await _meanwhile(options, client, rules, seeking, pastime)
    except asyncio.CancelledError:
        seeking.cancel()
        await asyncio.wait([seeking])
        console.print("you wait no longer")
        for made in set(client.me.matches) - before:
            console.print("but an opponent was found just then, and waits for you:")
            console.print(Text(f"  {options.command('resume', made, client=client)}", "bold", no_wrap=True))
        raise
    finally:
        seeking.cancel()
        client.callbacks = callbacks
    match = seeking.result()
    console.print(f"an opponent, after {elapsed_text(since)}")
    return match


async def _meanwhile(
    options: Options, client: Client, rules: Rules, seeking: "asyncio.Task[Match]", before: Match | None
) -> Match | None:
    """Play the computer until an opponent is found, or it has been enough. before: the match played last time, if any.

    Returns: this one.
    """
    try:
        if before is not None and before.view.phase != "over":
            match = await client.attach(before.id)
        else:
            match = await play_computer(client, casual(rules))
    except ClientError as error:
        click.echo(clean(str(error)))
        return None
    click.echo("as soon as an opponent is found you play them, and this match waits for you")
    playing = asyncio.create_task(options.play(client, match))
    try:
        await asyncio.wait((seeking, playing), return_when=asyncio.FIRST_COMPLETED)
    finally:
        playing.cancel()
        await asyncio.wait([playing])
    if not playing.cancelled() and isinstance(playing.exception(), ClientError):
        click.echo(clean(str(playing.exception())))  # such as a rematch that was declined
    found = seeking.result() if seeking.done() and seeking.exception() is None else None
    for left in [known for known in client.following if known is not found]:
        await leave(client, left)
    return match


def _wanted(rules: Mapping[str, Any]) -> str:
    """Words for what is sought. The server judges whether it can be played."""
    try:
        return rules_text(engine_rules(rules, quick=True)._asdict())
    except BadRules:
        return ", ".join(f"{option} {value}" for option, value in rules.items())
