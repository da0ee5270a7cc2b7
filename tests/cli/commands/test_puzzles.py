"""`tavla daily` and `tavla puzzles`: positions to be solved, through pipes."""

import asyncio
import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from tavla_bots.house import House
from tavla_cli.records.classics import CLASSICS
from tavla_cli.records.steps import view_of
from tavla_client import Client, Turn
from tavla_engine.notation import format_play
from tavla_engine.plays import legal_plays
from tavla_engine.xgid import parse_xgid

from tests.support.patience import PATIENCE_S, PAUSE_S
from tests.support.players.plain import unique, within
from tests.support.players.programs import Machine
from tests.support.servers.processes import ServerProcess
from tests.support.stores.judged import server_of_old_matches

pytestmark = pytest.mark.slow  # each starts programs

SECRET = "correct horse"
BEGIN = "no other mistake of yours is known: here are classic decisions"


@pytest.fixture(scope="module")
def club() -> Iterator[ServerProcess]:
    with server_of_old_matches() as server:
        yield server


async def test_the_position_of_the_day_is_answered_and_counted(club: ServerProcess, tmp_path: Path) -> None:
    ada = Machine(tmp_path, club.url)
    looked = json.loads(ada.run("daily", "--json").text)
    assert (looked["choices"], looked["match"], looked["finding"]) == ({}, "", None)
    async with Client(club.url) as client:
        assert (await client.archive.daily()).xgid == looked["xgid"]
    at = parse_xgid(looked["xgid"])
    assert at.dice is not None
    play = format_play(at.position, next(iter(legal_plays(at.position, at.dice).values())))
    asked = ada.run("daily", "--ascii", typed=f"24/1\n{play}\n")
    assert (asked.code, asked.errors) == (0, "")
    dice = "-".join(map(str, at.dice))
    assert f"(you)\n  12 11 10  9  8  7      6  5  4  3  2  1\n> your {dice}\n24/1 is not a " in asked.text
    for said in (r" is best \(GNU Backgammon, 2-ply\)", "the house bot would play", rf"chosen today +by\n{play} +1\n"):
        assert re.search(said, asked.text), asked.text
    told = json.loads(ada.run("daily", play, "--json").text)
    assert told["choices"] == {play: 1}, "the first one counts, once"
    assert asked.text.endswith(f"the whole match: tavla replay {told['match']}\n")
    assert ada.run("daily", "take") == (1, "", "Error: type a play, such as 8/5 6/5, or quit\n")
    assert ada.run("daily", typed="quit\n").text.endswith(f"your {dice}\n")


def test_without_a_position_it_says_why(here: Machine) -> None:
    ended = here.run("daily")
    assert (ended.code, ended.text) == (1, "")
    assert ended.errors == (
        "Error: there is no position today: it comes from a match that the server has judged; tavla puzzles has classic"
        " decisions\n"
    )
    assert json.loads(here.run("daily", "--json").text)["xgid"] == ""


def make_due(folder: Path) -> None:
    """Let a day pass for each mistake that was answered."""
    (kept,) = folder.rglob("puzzles.json")
    kept.write_text(re.sub(r"\[0,(\d+)\]", lambda found: f"[0,{int(found[1]) - 1}]", kept.read_text()))


async def test_own_mistakes_come_one_after_the_other(club: ServerProcess, tmp_path: Path) -> None:
    eve = Machine(tmp_path, club.url)
    assert eve.run("register", "eve", typed=f"{SECRET}\n").code == 0
    async with Client(club.url, name="eve", password=SECRET) as one, Client(club.url, name="hal") as other:
        match = await one.create(unique("t"), {"length": 3, "opening": "seat_0"}, "white")
        await other.join(match.id)
        while match.view.phase != "move":
            await within(match.next_change())
        ranked = House().ranking(turn := Turn("", match.view, 0))
        best, worst = (format_play(turn.board, ranked[place][0].moves) for place in (0, -1))
        await match.move(ranked[-1][0].moves)
        await match.forfeit()
        async with asyncio.timeout(PATIENCE_S):
            while not [row async for row in one.archive.history()]:  # noqa: ASYNC110 - no event tells
                await asyncio.sleep(PAUSE_S)
    asked = eve.run("puzzles", typed=f"{worst}\n\n")
    assert (asked.code, asked.errors) == (0, "")
    assert re.search(rf"\? {re.escape(worst)} costs \S+, as in the match: ", asked.text), asked.text
    assert f"the whole match: tavla replay {match.id}\n> Enter shows the next one, quit ends\n" in asked.text
    assert "\n0 right in a row; this one comes back in 1 day\n" in asked.text
    assert f"> Enter shows the next one, quit ends\n{BEGIN}\n" in asked.text
    assert eve.run("puzzles", typed="quit\n").text.startswith(BEGIN), "it comes back tomorrow"
    make_due(tmp_path)
    again = eve.run("puzzles", typed=f"{best}\nquit\n").text
    assert "in the match: ?" in again
    assert "\n0 right in a row; this one comes back in 3 days\n" in again, "the first answer counts"


async def test_puzzles_of_others_come_by_theme_and_level_and_are_rated(club: ServerProcess, tmp_path: Path) -> None:
    hal = Machine(tmp_path, club.url)
    assert hal.run("register", "hal-9", typed=f"{SECRET}\n").code == 0
    puzzle = hal.run("puzzles", "--theme", "any", "--level", "medium", "--ascii", typed="quit\n").text
    assert puzzle.startswith("a puzzle rated 1500\n")
    async with Client(club.url) as client:
        at = parse_xgid((await client.archive.puzzle()).xgid)
    assert at.dice is not None
    play = format_play(at.position, next(iter(legal_plays(at.position, at.dice).values())))
    asked = hal.run("puzzles", "--level", "medium", "--ascii", typed=f"{play}\n\n")
    assert re.search(r"; your rating at puzzles: \d+ \([+-]\d+\)\n", asked.text), asked.text
    assert asked.text.endswith("come tomorrow\n"), "each is asked once"
    assert hal.run("puzzles", "--theme", "cube").text.startswith("there is no such puzzle")


def test_without_mistakes_of_ones_own_there_are_classic_decisions(here: Machine) -> None:
    asked = here.run("puzzles", "--ascii", typed="8/5 6/5\n\n8/4 6/4\n\nquit\n")
    assert (asked.code, asked.errors) == (0, "")
    assert asked.text.startswith(f"{BEGIN}\n")
    for said in (
        r"your 3-1\nright: 8/5 6/5 is best \(GNU Backgammon, 2-ply\)\n1 right",
        r"8/4 6/4 is best",
        "your 6-1",
    ):
        assert re.search(said, asked.text), asked.text
    assert "in the match" not in asked.text
    assert "2-ply)\n2 right in a row\n" in asked.text
    assert "> your 6-1\n" in here.run("puzzles", "--ascii").text, "answered ones are not asked again"


def test_what_is_called_best_at_the_classic_ones_is_what_the_house_bot_would_do() -> None:
    house = House()
    for xgid, best in CLASSICS.items():
        at = parse_xgid(xgid)
        view = view_of(at)
        turn = Turn("", view, view.to_act[0])
        if at.dice:
            assert format_play(turn.board, house.ranking(turn)[0][0].moves) == best
        elif view.phase == "roll":
            assert house.offer_double(turn) == (best == "double")
        else:
            assert house.take_double(turn) == (best == "take")
