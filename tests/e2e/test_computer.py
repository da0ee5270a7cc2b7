"""People at a terminal against the computer: at each level, once more, while they wait for a match, and with hints."""

import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from pathlib import Path

import pytest
from tavla_bots import BOTS
from tavla_cli.bots.computer import LEVELS
from tavla_client import Client, Runner, available

from tests.support.patience import PATIENCE_S
from tests.support.players.terminal import Terminal
from tests.support.servers.processes import ServerProcess

WHOLE_S = 2 * PATIENCE_S  # for a whole match


@asynccontextmanager
async def at_work(url: str, level: str) -> AsyncIterator[None]:
    """The computer at this level."""
    async with Client(url, name=f"bot-{level}", bot=True) as client:
        runner = Runner(client, BOTS[level], available(), None, 4)
        running = asyncio.create_task(runner.run())
        try:
            async with client.lobby.lists("people") as lists:
                while not (client.me.name in lists.rows["people"] and lists.rows["people"][client.me.name].places):
                    await lists.changed()
            yield
        finally:
            running.cancel()
            with suppress(asyncio.CancelledError):
                await running


class Terminals:
    """Terminals of people, each with a folder of their own."""

    def __init__(self, url: str, folder: Path) -> None:
        self._url, self._folder = url, folder
        self._opened: list[Terminal] = []

    def open(self, name: str, *arguments: str) -> Terminal:
        """A command of `tavla`, as this person."""
        terminal = Terminal(self._folder / name, *arguments, "--server", self._url, "--as", name, "--ascii")
        self._opened.append(terminal)
        return terminal

    def clean_up(self) -> None:
        """Leave no process behind."""
        for terminal in self._opened:
            terminal.clean_up()


@pytest.fixture
def terminals(own_server: ServerProcess, tmp_path: Path) -> Iterator[Terminals]:
    opened = Terminals(own_server.url, tmp_path)
    yield opened
    opened.clean_up()


async def shows(terminal: Terminal, *texts: str) -> None:
    """Wait until it shows these, one after the other."""
    for text in texts:
        await asyncio.to_thread(terminal.wait_for, text)


async def test_a_person_plays_two_levels_and_takes_a_rematch(own_server: ServerProcess, terminals: Terminals) -> None:
    async with asyncio.timeout(WHOLE_S), AsyncExitStack() as stack:
        for level in LEVELS[0], LEVELS[-1]:
            await stack.enter_async_context(at_work(own_server.url, level))
        for level in LEVELS[0], LEVELS[-1]:
            ada = terminals.open(
                "ada", "create", "--vs", "computer", "--level", level, "--length", "1", "--side", "white"
            )
            await shows(ada, f"you play white against bot-{level}", "game 1")
            ada.type("forfeit")
            ada.type("yes")
            await shows(ada, "another match?")
            ada.type("yes")
            await shows(ada, "matches before this one: ada 0, bot-")
            ada.type("quit")
            assert await asyncio.to_thread(ada.wait) == 0


async def test_without_a_computer_it_is_said_what_to_do(own_server: ServerProcess, terminals: Terminals) -> None:
    nobody = terminals.open("ada", "create", "--vs", "computer")
    await shows(nobody, "no computer is here now")
    async with asyncio.timeout(WHOLE_S), at_work(own_server.url, "beginner"):
        other = terminals.open("ada", "create", "--vs", "computer", "--level", "expert")
        await shows(other, "no computer plays at level expert", "bot-beginner (beginner)")
        strange = terminals.open("ada", "create", "--vs", "computer", "--variant", "hypergammon")
        await shows(strange, "no computer plays by these rules now")
        assert [await asyncio.to_thread(one.wait) for one in (nobody, other, strange)] == [1, 1, 1]


async def test_who_waits_for_somebody_plays_the_computer_until_they_come(
    own_server: ServerProcess, terminals: Terminals
) -> None:
    async with asyncio.timeout(WHOLE_S), at_work(own_server.url, "beginner"):
        ada = terminals.open("ada", "play", "--length", "1")
        await shows(ada, "play the computer while you wait?")
        ada.press("c")
        await shows(ada, "against bot-beginner")
        before = len(ada.shown)
        ada.type("quit")
        await shows(ada, "away bot-beginner may claim")
        await asyncio.to_thread(ada.wait_for, "play the computer while you wait?", after=before)
        before = len(ada.shown)
        ada.press("c")
        await asyncio.to_thread(ada.wait_for, "against bot-beginner", after=before)
        bob = terminals.open("bob", "play", "--length", "1")
        await shows(bob, "against ada")
        await shows(ada, "an opponent, after", "against bob")
        ada.type("forfeit")
        ada.type("yes")
        await shows(bob, "another match?")
        bob.type("no")
        assert await asyncio.to_thread(bob.wait) == 0


async def test_ctrl_c_gives_up_waiting_at_a_terminal(terminals: Terminals) -> None:
    ada = terminals.open("ada", "play")
    await shows(ada, "Ctrl-C gives up")
    ada.press("\x03")
    await shows(ada, "you wait no longer")
    assert await asyncio.to_thread(ada.wait) == 0


async def test_hints_rank_the_plays_unless_the_match_is_rated(own_server: ServerProcess, terminals: Terminals) -> None:
    async with asyncio.timeout(WHOLE_S), Client(own_server.url, name="bob") as bob:
        rules: dict[str, bool | int | str] = {"length": 1, "hints": True, "opening": "seat_0"}
        table = await bob.create("den", rules, "black")
        ada = terminals.open("ada", "join", "den")
        await shows(ada, "game 1 begins")
        ada.type("hint")
        await shows(ada, "the house bot would play", "legal plays:")
        ranked = ada.shown.partition("-1 one lost:")[2].splitlines()[1:4]
        equities = [float(line.split()[-1]) for line in ranked]
        assert equities == sorted(equities, reverse=True)
        assert table.view.rules["rated"] is False
