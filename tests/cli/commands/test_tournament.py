"""`tavla tournament`, from the command line."""

import asyncio
import json
import time

import pytest
from tavla_client import Client
from tavla_protocol import messages as m

from tests.support.patience import PATIENCE_S, PAUSE_S
from tests.support.players.accounts import registered
from tests.support.players.plain import Player, unique
from tests.support.players.programs import Ended, Machine, Start
from tests.support.players.terminal import NewTerminal
from tests.support.servers.processes import ServerProcess

pytestmark = pytest.mark.slow  # each starts programs

SECRET = "correct horse"


def test_an_arena_is_made_listed_directed_and_ended(here: Machine, there: Machine) -> None:
    ada, name = unique("ada"), unique("Yılbaşı Kupası ")
    assert here.run("register", ada, typed=f"{SECRET}\n").code == 0
    made = here.run("tournament", "create", name, "--length", "3", "--clock", "fast")
    assert made.code == 0, made.errors
    id_ = made.text.splitlines()[1].split()[3]
    listed = there.run("tournament", "list")
    assert id_ in listed.text, (made.text, listed)
    line = next(row for row in listed.text.splitlines() if id_ in row)
    assert name in line
    assert "under way" in line
    assert there.run("tournament", "standings", name).text.split() == ["player", "points", "won", "performance", "now"]
    assert there.run("tournament", "standings", "nothing").errors == (
        "Error: there is no tournament nothing: tavla tournament list\n"
    )
    assert there.run("tournament", "matches", name).text.split() == ["match", "white", "black", "won", "by"]
    assert here.run("tournament", "leave", name).text == "you have left it; your points stay\n"
    assert here.run("tournament", "direct", name, "remove", "--reason", "x").code == 2
    ended = f"{name} ends: no more matches begin, and those that are played count\n"
    assert here.run("tournament", "direct", name, "end", "--reason", "enough") == Ended(0, ended, "")
    played = there.run("tournament", "join", name)
    assert "no more matches are made" in played.text


def listed_line(here: Machine, name: str) -> str:
    """The line of a tournament in the list, which learns of it a moment later."""
    while not (lines := [row for row in here.run("tournament", "list").text.splitlines() if name in row]):
        time.sleep(PAUSE_S)
    return lines[0]


def test_one_with_rounds_is_made_and_begun(here: Machine) -> None:
    ada, name = unique("ada"), unique("s")
    assert here.run("register", ada, typed=f"{SECRET}\n").code == 0
    made = here.run("tournament", "create", name, "--format", "swiss", "--rounds", "3", "--length", "1")
    assert made.code == 0, made.errors
    line = listed_line(here, name)
    assert "swiss, match to 1 point" in line
    assert line.rstrip().endswith("begins in 5 min"), "as wide as the longest of the other tests' tournaments"
    early = here.run("tournament", "direct", name, "begin", "--reason", "all are here")
    assert (early.code, "no player is here yet: a tournament begins with two at least" in early.errors) == (1, True)
    assert here.run("tournament", "direct", name, "rename", "--reason", "x").code == 2
    renamed = here.run("tournament", "direct", name, "rename", "--name", (other := unique("r")), "--reason", "x")
    assert renamed == Ended(0, f"{name} is called {other} now\n", "")
    name = other
    listed_line(here, name)
    meant = here.run("tournament", "standings", f"{name}x").errors
    assert meant == f"Error: there is no tournament {name}x (did you mean {name}?): tavla tournament list\n"
    assert here.run("tournament", "standings", name).text.split() == ["player", "points", "buchholz", "s-b"]
    cancelled = here.run("tournament", "direct", name, "cancel", "--reason", "x")
    assert cancelled == Ended(0, f"{name} is cancelled: nobody has played in it\n", "")


async def test_a_player_who_goes_from_a_match_is_told_how_to_come_back(server: ServerProcess, start: Start) -> None:
    async with Player(server.url) as ada, Client(server.url, name=unique("b")) as bob:
        await registered(ada)
        made = await ada.get(
            m.Organised, m.CreateTournament, name=unique("friday"), rules={"length": 1, "clock": "fast"}
        )
        program = await start("tournament", "join", made.tournament)
        await program.expect("friday.*: under way, 0 players are in it; match to 1 point")
        await program.expect("you wait for an opponent")
        async with asyncio.timeout(PATIENCE_S):
            await bob.tournaments.enter(made.tournament)
        await program.expect(str(bob.me.name))
        listed = await start("tournament", "matches", made.tournament, "--json")
        assert await listed.end() == (0, "")
        (row,) = map(json.loads, listed.text.splitlines())
        assert bob.me.name in row["players"]
        await program.type("quit")
        assert await program.end() == (0, "")
        assert "tavla resume" in program.text
        assert "you wait" not in program.text.partition("tavla resume")[2]


async def test_the_end_of_a_match_leads_to_the_next_one_without_a_question(
    server: ServerProcess, open_terminal: NewTerminal
) -> None:
    async with Player(server.url) as ada, Client(server.url, name=unique("b")) as bob:
        await registered(ada)
        made = await ada.get(
            m.Organised, m.CreateTournament, name=unique("friday"), rules={"length": 1, "clock": "fast"}
        )
        there = ("--server", server.url, "--as", unique("eve"), "--ascii")
        terminal = open_terminal("tournament", "join", made.tournament, *there)
        await asyncio.to_thread(terminal.wait_for, "you wait for an opponent")
        async with asyncio.timeout(PATIENCE_S):
            match = await bob.tournaments.enter(made.tournament)
            await asyncio.to_thread(terminal.wait_for, "game 1 begins")
            before = len(terminal.shown)
            await match.forfeit()
        await asyncio.to_thread(terminal.wait_for, "you wait for an opponent", after=before)
        assert "another match?" not in terminal.shown
