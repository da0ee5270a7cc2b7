"""Waiting for an opponent: the time that runs, and the computer to be played meanwhile."""

import asyncio
import signal
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from prompt_toolkit.application.current import get_app_session
from rich.console import Console
from rich.status import Status
from rich.text import Text
from tavla_client import Client, Lists, Match

from tavla_cli.bots.computer import casual, suitable
from tavla_cli.input.terminal import TICK_S, is_interactive, look_of
from tavla_cli.text.phrases import time_text
from tavla_cli.text.rules import all_options
from tavla_cli.text.seeking import near_misses

NEAR_MISS_S = 1.5  # so long a fitting opponent may take to be found: then those are told of who want something else
NEAR_MISSES = 6  # lines at most
OFFER_S = 8.0  # without an opponent: perhaps no player is here

Rules = Mapping[str, bool | int | str]


class WaitingScreen:
    """Screen for a player who waits: the time that runs; after a while, the offer to play the computer."""

    def __init__(
        self, console: Console, client: Client, rules: Rules, lists: Lists, since: float, ascii_only: bool
    ) -> None:
        self._console, self._client, self._rules, self._lists = console, client, rules, lists
        self._since, self._plain = since, look_of(console, ascii_only).ascii
        self._wants_computer = asyncio.Event()
        self._told: set[str] = set()  # of those who wait for something else

    async def wants_computer(self, seeking: "asyncio.Task[Match]") -> bool:
        """Wait until an opponent is found, or the user would like to play the computer meanwhile."""
        if not is_interactive():
            while not seeking.done():
                self._tell_near_misses()
                await asyncio.wait([seeking], timeout=TICK_S)
            return False
        with Status("", console=self._console, spinner="line" if self._plain else "dots") as status, self._keys():
            while not seeking.done() and not self._wants_computer.is_set():
                self._tell_near_misses()
                status.update(Text(self._text()))
                await asyncio.wait([seeking], timeout=TICK_S)
        return not seeking.done()

    def _tell_near_misses(self) -> None:
        """Tell once of each player who waits for something else, after a moment in which a fitting one may come."""
        if time.monotonic() - self._since < NEAR_MISS_S:
            return
        rows, name = self._lists.rows, self._client.me.name or ""
        sought = all_options(self._rules, quick=True)
        for line in near_misses(sought, name, rows.get("tables", {}), rows.get("seekers", {})):
            if line not in self._told and len(self._told) < NEAR_MISSES:
                self._told.add(line)
                self._console.print(Text(line))

    @property
    def _offers(self) -> bool:
        people = self._lists.rows["people"]
        return time.monotonic() - self._since > OFFER_S and bool(suitable(people, casual(self._rules)))

    def _text(self) -> str:
        lost = "" if self._client.link.online else "connection lost, trying again; "
        offer = "play the computer while you wait? c does it; " if self._offers else ""
        return f"{elapsed_text(self._since)}  {lost}{offer}Ctrl-C gives up"

    @contextmanager
    def _keys(self) -> Iterator[None]:
        """Single keys, as they are pressed."""
        keys = get_app_session().input

        def pressed() -> None:
            for press in keys.read_keys():
                if press.key == "c" and self._offers:
                    self._wants_computer.set()
                elif press.key in ("c-c", "c-d"):
                    signal.raise_signal(signal.SIGINT)  # which a terminal does not do by itself now
                elif press.key == "c-z" and sys.platform != "win32":
                    with keys.cooked_mode():
                        signal.raise_signal(signal.SIGTSTP)

        with keys.raw_mode(), keys.attach(pressed):
            yield


def elapsed_text(since: float) -> str:
    """`1:07`, the minutes and seconds since a moment of the monotonic clock."""
    return time_text(0, int(time.monotonic() - since))
