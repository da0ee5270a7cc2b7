"""The replay in a terminal of 80 columns and 24 rows: keys, a live match that goes on, and what is saved."""

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from tavla_cli.records.files import read
from tavla_client import Client

from tests.support.games.gnubg_matches import MAT_FILES, shown
from tests.support.players.plain import unique, within
from tests.support.players.terminal import Terminal
from tests.support.servers.processes import ServerProcess

pytestmark = pytest.mark.slow  # each starts a program in a terminal

OpenTerminal = Callable[..., Terminal]


@pytest.fixture
def terminal(tmp_path: Path) -> Iterator[OpenTerminal]:
    opened: list[Terminal] = []

    def new(*arguments: str) -> Terminal:
        opened.append(Terminal(tmp_path, *arguments, "--ascii"))
        opened[-1].resize(24, 80)
        return opened[-1]

    yield new
    for one in opened:
        one.clean_up()


def shows(pattern: str) -> Any:
    """True if a line of the screen is like this."""
    return lambda screen: re.search(pattern, screen, re.MULTILINE)


def test_keys_lead_through_a_file(terminal: OpenTerminal, tmp_path: Path) -> None:
    eve = terminal("import", str(MAT_FILES[1]))
    eve.wait_for_screen(shows("^ PlayerA - PlayerB, match to 7 points"))
    eve.wait_for_screen(shows("^ game 1 begins: PlayerB starts with 3-1"))
    eve.press("\x1b[C")
    eve.wait_for_screen(shows("^ PlayerA doubles to 2$"))
    eve.press("\x1b[D")
    eve.wait_for_screen(shows("^ game 1 begins"))
    eve.press("\x1b[B")
    eve.wait_for_screen(shows("^ game 2 of [0-9], turn 1 of "))
    eve.press("\x1b[A")
    eve.wait_for_screen(shows("^ game 1 of [0-9], turn 1 of "))
    eve.press("\x1b[F")
    eve.wait_for_screen(shows("wins the match"))
    eve.press("\x1b[H")
    eve.wait_for_screen(shows("^ game 1 begins"))
    eve.press("f")
    eve.wait_for_screen(shows(r"> X PlayerB\n *12 11"))
    eve.press(" ")
    eve.wait_for_screen(shows("plays by itself"))
    eve.wait_for_screen(shows("^ PlayerA doubles to 2$"))
    eve.press(" ")
    eve.wait_for_screen(shows("q quit"))
    eve.press("s")
    eve.wait_for_screen(shows("save as .*match_02.mat"))
    file = tmp_path / "copy.sgf"
    eve.press("\x15" + f"{file}\r")
    eve.wait_for_screen(shows("^ saved as "))
    assert shown(read(file).events) == shown(read(MAT_FILES[1]).events)
    eve.press("q")
    assert eve.wait() == 0
    assert eve.screen == [], "the terminal is as it was"


async def test_a_live_match_is_replayed_from_its_start_and_goes_on(
    server: ServerProcess, terminal: OpenTerminal
) -> None:
    async with Client(server.url, name=unique("ada")) as ada, Client(server.url, name=unique("bob")) as bob:
        match = await ada.create(unique("t"), {"length": 3, "opening": "seat_0"}, "white")
        played = await bob.join(match.id)
        while match.view.phase != "move":
            await within(match.changed())
        eve = terminal("replay", match.view.name, "--server", server.url, "--as", unique("eve"))
        eve.wait_for_screen(shows(r"^ game 1 of 1\+, turn 1"))
        eve.press("\x1b[F")
        eve.wait_for_screen(shows(f"^ {ada.me.name} to play [0-9]-[0-9]"))
        await match.resign(1)
        eve.wait_for_screen(shows(f"^ {ada.me.name} offers to resign a single game"))
        eve.press("\x1b[H")
        eve.wait_for_screen(shows("^ game 1 begins"))
        while played.view.phase != "resign":
            await within(played.changed())
        await played.accept()
        eve.wait_for_screen(shows("^ the match has gone on: End shows it"))
        eve.press("\x1b[F")
        eve.wait_for_screen(shows(f"^ {ada.me.name} resigns a single game: {bob.me.name} wins 1 point"))
        eve.press("q")
        assert eve.wait() == 0
