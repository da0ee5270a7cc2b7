"""The replay in a terminal of 80 columns and 24 rows: keys, a live match that goes on, and what is saved."""

from pathlib import Path

import pytest
from tavla_cli.records.files import read
from tavla_client import Client

from tests.support.games.gnubg_matches import MAT_FILES, shown
from tests.support.players.plain import unique, within
from tests.support.players.terminal import NewTerminal
from tests.support.servers.processes import ServerProcess

pytestmark = pytest.mark.slow  # each starts a program in a terminal


def test_keys_lead_through_a_file(open_terminal: NewTerminal, tmp_path: Path) -> None:
    eve = open_terminal("replay", str(MAT_FILES[1]), "--ascii")
    eve.resize(24, 80)
    eve.shows("^ PlayerA - PlayerB, match to 7 points")
    eve.shows("^ game 1 begins: PlayerB starts with 3-1")
    eve.press("\x1b[C", "^ PlayerA doubles to 2$")
    eve.press("\x1b[D", "^ game 1 begins")
    eve.press("\x1b[B", "^ game 2 of [0-9], turn 1 of ")
    eve.press("\x1b[A", "^ game 1 of [0-9], turn 1 of ")
    eve.press("\x1b[F", "wins the match")
    eve.press("\x1b[H", "^ game 1 begins")
    eve.press("f", r"> X PlayerB\n *12 11")
    eve.press("d", "^ a server looks deeper at matches that are over there, and at no file$")
    eve.press(" ", "plays by itself")
    eve.shows("^ PlayerA doubles to 2$")
    eve.press(" ", "q quit")
    eve.press("s", "save as .*match_02.mat")
    file = tmp_path / "copy.sgf"
    eve.press("\x15" + f"{file}\r")
    eve.shows("^ saved as ")
    assert shown(read(file).events) == shown(read(MAT_FILES[1]).events)
    eve.press("q")
    assert eve.wait() == 0
    assert eve.screen == [], "the terminal is as it was"


async def test_a_live_match_is_replayed_from_its_start_and_goes_on(
    server: ServerProcess, open_terminal: NewTerminal
) -> None:
    async with Client(server.url, name=unique("ada")) as ada, Client(server.url, name=unique("bob")) as bob:
        match = await ada.create(unique("t"), {"length": 3, "opening": "seat_0"}, "white")
        played = await bob.join(match.id)
        while match.view.phase != "move":
            await within(match.next_change())
        eve = open_terminal("replay", match.view.name, "--server", server.url, "--as", unique("eve"), "--ascii")
        eve.resize(24, 80)
        eve.shows(r"^ game 1 of 1\+, turn 1")
        eve.press("\x1b[F", f"^ {ada.me.name} to play [0-9]-[0-9]")
        await match.resign(1)
        eve.shows(f"^ {ada.me.name} offers to resign a single game")
        eve.press("\x1b[H", "^ game 1 begins")
        while played.view.phase != "resign":
            await within(played.next_change())
        await played.accept()
        eve.shows("^ the match has gone on: End shows it")
        eve.press("\x1b[F", f"^ {ada.me.name} resigns a single game: {bob.me.name} wins 1 point")
        eve.press("d", "^ a server looks deeper at matches that are over there")
        eve.press("q")
        assert eve.wait() == 0
