"""`tavla challenge`, `tavla accept`: a match with one player in particular."""

import asyncio
from typing import Any

import click
from rich.text import Text
from tavla_client import Client
from tavla_protocol import messages as m

from tavla_cli.commands.options import Options, common, meaning
from tavla_cli.commands.rule_options import often_chosen_rules
from tavla_cli.input import completion
from tavla_cli.input.arguments import player_name, side_option
from tavla_cli.input.common_options import GroupedCommand
from tavla_cli.input.rules_arguments import new_rules
from tavla_cli.input.terminal import new_console
from tavla_cli.text.cleaning import clean
from tavla_cli.text.people import challenge_text

GREETING_S = 0.5  # for the challenges that wait to be told, after the connection


@click.command(cls=GroupedCommand)
@click.argument("name", callback=player_name, shell_complete=completion.people)
@side_option
@often_chosen_rules
@common
async def challenge(options: Options, name: str, side: m.Side, **rules: Any) -> None:
    """Challenge someone who is online, and wait for the answer."""
    async with options.client() as client:
        console = new_console(options.ascii_only)
        console.print(f"you challenge {name}: waiting for the answer. Ctrl-C takes it back")
        async with meaning(name, client, completion.people_names):
            match = await client.challenges.send(name, new_rules(rules), side)
        await options.play(client, match)


@click.command(cls=GroupedCommand)
@click.argument("name", required=False, callback=player_name, shell_complete=completion.people)
@common
async def accept(options: Options, name: str | None) -> None:
    """Accept a challenge, and play."""
    async with options.client(shared=True) as client:
        found = await _challenge_by(client, name)
        new_console(options.ascii_only).print(Text(challenge_text(found)))
        await options.play(client, await client.challenges.accept(found.challenge))


async def _challenge_by(client: Client, name: str | None) -> m.Challenged:
    await asyncio.sleep(GREETING_S)
    known = [known for known in client.challenges.open.values() if known.to == client.me.name]
    found = [known for known in known if name is None or known.by.lower() == name.lower()]
    if not found:
        raise click.ClickException(f"{name} has not challenged you" if name else "nobody challenges you")
    if len(found) > 1:
        raise click.ClickException(f"say whose: {', '.join(sorted(clean(known.by) for known in found))}")
    return found[0]
