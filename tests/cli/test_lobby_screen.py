"""The live lobby in a terminal of 80 columns and 24 rows, at a real server."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tavla_client import Client
from tavla_protocol import messages as m

from tests.players import Player, unique, within
from tests.servers import ServerProcess
from tests.terminal import Terminal


@pytest.fixture
def server(own_server: ServerProcess) -> ServerProcess:
    """One with nobody else in its lobby."""
    return own_server


@pytest.fixture
def eve(server: ServerProcess, tmp_path: Path) -> Iterator[Terminal]:
    """Someone who looks at the lobby."""
    terminal = Terminal(tmp_path, "lobby", "--server", server.url, "--as", "eve", "--ascii")
    terminal.resize(24, 80)
    yield terminal
    terminal.clean_up()


def shows(pattern: str) -> Any:
    """Whether a line of the screen is like this."""
    return lambda screen: re.search(pattern, screen, re.MULTILINE)


async def test_a_table_that_someone_opens_appears_and_enter_joins_it(server: ServerProcess, eve: Terminal) -> None:
    eve.wait_for_screen(shows("^   none: c opens one"))
    async with Client(server.url, name="ada") as ada:
        match = await ada.create("sofa", {"length": 5})
        eve.wait_for_screen(shows("^ > sofa +ada +match to 5 points$"))
        eve.wait_for_screen(shows("^   ada, eve$"))
        eve.press("\r")
        while match.view.phase == "open":
            await within(match.changed())
        assert "eve" in match.view.players
        eve.wait_for("you play")
        eve.type("quit")
        while all(match.online):
            await within(match.changed())
        eve.wait_for_screen(shows("^ > sofa +(ada - eve|eve - ada) +0-0"))
        eve.wait_for_screen(shows("^ your match against ada is on"))
        before = len(eve.shown)
        eve.press("\r")
        eve.wait_for("you play", after=before)
        await match.forfeit()
        eve.wait_for("another match?")
        eve.type("no")
        eve.wait_for_screen(shows("^   nobody plays just now"))
    eve.press("q")
    assert eve.wait() == 0
    assert eve.screen == [], "the terminal is as it was"


async def test_a_match_is_watched_and_the_row_of_a_table_that_has_gone_is_not_joined(
    server: ServerProcess, eve: Terminal
) -> None:
    async with Player(server.url, "ada") as ada, Player(server.url, "bob") as bob:
        eve.wait_for_screen(shows("^   none: c opens one"))
        await ada.ask(m.Create, name="sofa")
        eve.wait_for_screen(shows("^ > sofa"))
        await bob.ask(m.Create, name="den")
        eve.wait_for_screen(shows("^   den"))
        await bob.ask(m.Join, table="sofa")
        eve.wait_for_screen(shows("^   sofa +(ada - bob|bob - ada)"))
        eve.wait_for_screen(shows("^ open tables: 1"))
        eve.press("\r")
        eve.wait_for_screen(shows("^ that one is gone: choose another$"))
        eve.press("j")
        eve.wait_for_screen(shows("^ > "))
        eve.press("\x1b[F")
        eve.wait_for_screen(shows("^ > sofa"))
        eve.press("\r")
        eve.wait_for("watching ")


async def test_c_opens_a_table_and_the_screen_follows_the_window(eve: Terminal) -> None:
    eve.wait_for_screen(shows("^ up/down: choose   c: open a table   q: leave$"))
    eve.resize(10, 40)
    eve.wait_for_screen(lambda screen: len(screen.splitlines()[0]) < 40 and "people" not in screen)
    eve.resize(24, 80)
    eve.wait_for_screen(shows("^ people online: 1$"))
    eve.press("c")
    eve.wait_for("table eve is open")
    eve.type("quit")
    eve.wait_for_screen(shows("^ > eve +you wait here"))


async def test_a_server_that_goes_and_comes_back_is_told(server: ServerProcess, eve: Terminal) -> None:
    eve.wait_for_screen(shows("^ people online: 1$"))
    server.kill()
    eve.wait_for_screen(shows("^ connection lost, trying again$"))
    server.restart()
    eve.wait_for_screen(lambda screen: "connection lost" not in screen)
    async with Client(server.url, name=unique("a")) as ada:
        await ada.create("sofa")
        eve.wait_for_screen(shows("^ > sofa"))
    eve.press("\x03")
    assert eve.wait() == 0
