"""People at a terminal against the computer: at each level, once more, while they wait for a match, and with hints."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager, suppress

from tavla_bots import BOTS
from tavla_cli.bots.computer import LEVELS
from tavla_client import Client, Runner, available

from tests.support.patience import PATIENCE_S
from tests.support.players.terminal import NewTerminal, Terminal
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
                    await lists.wait_for_change()
            yield
        finally:
            running.cancel()
            with suppress(asyncio.CancelledError):
                await running


async def shows(terminal: Terminal, *texts: str) -> None:
    """Wait until it shows these, one after the other."""
    for text in texts:
        await asyncio.to_thread(terminal.wait_for, text)


async def test_a_person_plays_two_levels_in_two_games_and_takes_a_rematch(
    own_server: ServerProcess, terminal_of: NewTerminal
) -> None:
    async with asyncio.timeout(WHOLE_S), AsyncExitStack() as stack:
        for level in LEVELS[0], "world-class":
            await stack.enter_async_context(at_work(own_server.url, level))
        for level, variant in (LEVELS[0], "hypergammon"), ("world-class", "longgammon"):
            rules = "--variant", variant, "--length", "1", "--side", "white"
            ada = terminal_of(own_server.url, "ada", "create", "--vs", "computer", "--level", level, *rules)
            await shows(ada, f"you play white against bot-{level}", "game 1")
            ada.type("forfeit")
            ada.type("yes")
            await shows(ada, "another match?")
            ada.type("yes")
            await shows(ada, "matches before this one: ada 0, bot-")
            ada.type("quit")
            assert await asyncio.to_thread(ada.wait) == 0


async def test_without_a_computer_it_is_said_what_to_do(own_server: ServerProcess, terminal_of: NewTerminal) -> None:
    nobody = terminal_of(own_server.url, "ada", "create", "--vs", "computer")
    await shows(nobody, "no computer is here now")
    async with asyncio.timeout(WHOLE_S), at_work(own_server.url, "beginner"):
        other = terminal_of(own_server.url, "ada", "create", "--vs", "computer", "--level", "expert")
        await shows(other, "no computer plays at level expert", "bot-beginner (beginner)")
        assert [await asyncio.to_thread(one.wait) for one in (nobody, other)] == [1, 1]


async def test_who_waits_for_somebody_plays_the_computer_until_they_come(
    own_server: ServerProcess, terminal_of: NewTerminal
) -> None:
    async with asyncio.timeout(WHOLE_S), at_work(own_server.url, "beginner"):
        ada = terminal_of(own_server.url, "ada", "play", "--length", "1")
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
        bob = terminal_of(own_server.url, "bob", "play", "--length", "1")
        await shows(bob, "against ada")
        await shows(ada, "an opponent, after", "against bob")
        ada.type("forfeit")
        ada.type("yes")
        await shows(bob, "another match?")
        bob.type("no")
        assert await asyncio.to_thread(bob.wait) == 0


async def test_ctrl_c_gives_up_waiting_at_a_terminal(own_server: ServerProcess, terminal_of: NewTerminal) -> None:
    ada = terminal_of(own_server.url, "ada", "play")
    await shows(ada, "Ctrl-C gives up")
    ada.press("\x03")
    await shows(ada, "you wait no longer")
    assert await asyncio.to_thread(ada.wait) == 0


async def test_hints_rank_the_plays_unless_the_match_is_rated(
    own_server: ServerProcess, terminal_of: NewTerminal
) -> None:
    async with asyncio.timeout(WHOLE_S), Client(own_server.url, name="bob") as bob:
        rules: dict[str, bool | int | str] = {"length": 1, "hints": True, "opening": "seat_0"}
        table = await bob.create("den", rules, "black")
        ada = terminal_of(own_server.url, "ada", "join", "den")
        await shows(ada, "game 1 begins")
        ada.type("hint")
        await shows(ada, "the house bot would play", "legal plays:")
        ranked = ada.shown.partition("-1 one lost:")[2].splitlines()[1:4]
        equities = [float(line.split()[-1]) for line in ranked]
        assert equities == sorted(equities, reverse=True)
        assert table.view.rules["rated"] is False
