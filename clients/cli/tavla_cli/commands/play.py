"""`tavla play`: wait for someone who wants the same, then play."""

import asyncio
import signal
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import click
from prompt_toolkit.input import create_input
from rich.console import Console
from rich.status import Status
from rich.text import Text
from tavla_client import Client, ClientError, Lists, Match
from tavla_engine.rules import BadRules

from tavla_cli.bots.computer import play_computer, suitable
from tavla_cli.commands.options import Options, common, leave
from tavla_cli.commands.rule_options import often_chosen_rules
from tavla_cli.input.arguments import engine_rules, given
from tavla_cli.input.terminal import TICK_S, is_interactive, look_of, new_console
from tavla_cli.text import words
from tavla_cli.text.rules import rules_text

OFFER_S = 8.0  # so long nobody has come: perhaps nobody is here

Rules = Mapping[str, bool | int | str]


@click.command()
@often_chosen_rules
@common
async def play(options: Options, **rules: Any) -> None:
    """Play whoever wants the same: quick match. Ctrl-C gives up waiting."""
    async with options.client() as client:
        await options.play(client, await _opponent(options, client, given(rules)))


COMMANDS = (play,)


async def _opponent(options: Options, client: Client, rules: Rules) -> Match:
    """The match with whoever comes. It is shown that, and how long, one waits."""
    console, before, since = new_console(options.ascii_only), set(client.matches), time.monotonic()
    console.print(f"looking for an opponent: {_wanted(rules)}")
    seeking, pastime = asyncio.create_task(client.seek(rules)), None
    try:
        async with client.lists("people") as lists:
            while await Waiting(console, client, rules, lists, since, options.ascii_only).wants_computer(seeking):
                pastime = await _meanwhile(options, client, rules, seeking, pastime)
    except asyncio.CancelledError:
        seeking.cancel()
        await asyncio.wait([seeking])
        console.print("you wait no longer")
        for made in set(client.matches) - before:
            console.print("but an opponent was found just then, and waits for you:")
            console.print(Text(f"  {options.command('resume', made, client=client)}", "bold", no_wrap=True))
        raise
    finally:
        seeking.cancel()
    match = seeking.result()
    console.print(f"an opponent, after {_clock(since)}")
    return match


class Waiting:
    """What one sees who waits: the time that runs; and when nobody comes, that the computer is there to be played."""

    def __init__(
        self, console: Console, client: Client, rules: Rules, lists: Lists, since: float, ascii_only: bool
    ) -> None:
        self._console, self._client, self._rules, self._lists = console, client, rules, lists
        self._since, self._plain = since, look_of(console, ascii_only).ascii
        self._wants_computer = asyncio.Event()

    async def wants_computer(self, seeking: "asyncio.Task[Match]") -> bool:
        """Wait until an opponent is found, or the user would like to play the computer meanwhile."""
        if not is_interactive():
            await asyncio.wait([seeking])
            return False
        with Status("", console=self._console, spinner="line" if self._plain else "dots") as status, self._keys():
            while not seeking.done() and not self._wants_computer.is_set():
                status.update(Text(self._text()))
                await asyncio.wait([seeking], timeout=TICK_S)
        return not seeking.done()

    @property
    def _offers(self) -> bool:
        people = self._lists.rows["people"]
        return time.monotonic() - self._since > OFFER_S and bool(suitable(people, casual(self._rules)))

    def _text(self) -> str:
        lost = "" if self._client.online else "connection lost, trying again; "
        offer = "play the computer while you wait? c does it; " if self._offers else ""
        return f"{_clock(self._since)}  {lost}{offer}Ctrl-C gives up"

    @contextmanager
    def _keys(self) -> Iterator[None]:
        """Single keys, as they are pressed."""
        keys = create_input()

        def pressed() -> None:
            for press in keys.read_keys():
                if press.key == "c" and self._offers:
                    self._wants_computer.set()
                elif press.key in ("c-c", "c-d"):
                    signal.raise_signal(signal.SIGINT)  # which a terminal does not do by itself now

        with keys.raw_mode(), keys.attach(pressed):
            yield


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
        click.echo(words.clean(str(error)))
        return None
    click.echo("as soon as an opponent is found you play them, and this match waits for you")
    playing = asyncio.create_task(options.play(client, match))
    try:
        await asyncio.wait((seeking, playing), return_when=asyncio.FIRST_COMPLETED)
    finally:
        playing.cancel()
        await asyncio.wait([playing])
    if not playing.cancelled() and isinstance(playing.exception(), ClientError):
        click.echo(words.clean(str(playing.exception())))  # such as a rematch that was declined
    found = seeking.result() if seeking.done() else None
    for left in [known for known in client.following if known is not found]:
        await leave(client, left)
    return match


def casual(rules: Rules) -> dict[str, bool | int | str]:
    """The same rules for a match that may be left at any moment."""
    return {**rules, "rated": False, "clock": "none"}


def _clock(since: float) -> str:
    minutes, seconds = divmod(int(time.monotonic() - since), 60)
    return f"{minutes}:{seconds:02}"


def _wanted(rules: Mapping[str, Any]) -> str:
    """What is sought, in words. What cannot be played, the server will tell."""
    try:
        return rules_text(engine_rules(rules)._asdict())
    except BadRules:
        return ", ".join(f"{option} {value}" for option, value in rules.items())
