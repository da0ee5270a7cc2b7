"""A match on the screen, through pipes: what is typed is done or refused, and what happens is told."""

import asyncio
from pathlib import Path
from typing import Any

import pytest
from tavla_cli.screens.commentary import SLOW_S
from tavla_cli.screens.match_screen import is_news_for
from tavla_cli.screens.opening_roll import is_rolled_for
from tavla_cli.settings import SettingsFile
from tavla_cli.text.settings import Settings
from tavla_client import Client, Match
from tavla_engine.notation import format_play
from tavla_engine.plays import legal_plays
from tavla_engine.position import Position
from tavla_protocol.view import View

from tests.support.players.plain import unique, within
from tests.support.players.programs import Program, Start
from tests.support.players.terminal import NewTerminal
from tests.support.servers.processes import ServerProcess

pytestmark = pytest.mark.slow  # each starts a program or more


async def until_phase(match: Match, *phases: str) -> None:
    """Wait until a match is in one of these phases."""
    while match.view.phase not in phases:
        await within(match.next_change())


async def sit_down(start: Start, bob: Client, *options: str) -> tuple[Program, Match]:
    """Ada at a terminal, white and the first to play, and bob, who is black."""
    table = unique("t")
    ada = await start("create", table, "--side", "white", "--rules", "opening=seat_0", "--ascii", *options)
    await ada.expect("> waiting for an opponent")
    match = await bob.join(table)
    await ada.expect(r"> your \d-\d|> roll or double")
    return ada, match


async def test_a_hint_that_takes_long_is_not_laid_to_the_server(
    server: ServerProcess, start: Start, tmp_path: Path
) -> None:
    slow = tmp_path / "tavla_bots" / "__init__.py"
    slow.parent.mkdir()
    slow.write_text(f"import time\ntime.sleep({SLOW_S + 0.5})\nraise ModuleNotFoundError(name=__name__)\n")
    table = unique("t")
    ada = await start(
        "create", table, "--side", "white", "--rules", "opening=seat_0", "--hints", PYTHONPATH=str(tmp_path)
    )
    await ada.expect("> waiting for an opponent")
    async with Client(server.url, name=unique("bob")) as bob:
        await bob.join(table)
        await ada.expect(r"> your \d-\d")
        await ada.type("hint", "legal plays:")
        assert "no answer yet" not in ada.text


async def test_commands_are_done_or_refused_in_one_sentence(server: ServerProcess, start: Start) -> None:
    async with Client(server.url, name=unique("bob")) as bob:
        ada, match = await sit_down(start, bob, "--length", "3", "--hints")
        await ada.type("board", r" 12 11 10  9  8  7      6  5  4  3  2  1")
        await ada.type("auto roll on", "the server rolls for you in this game")
        await ada.type("auto roll off", "you are asked about the cube again")
        await ada.type("auto play off", "you play forced turns yourself")
        await ada.type("say " + "x" * 500, "this has 500 characters: [0-9]+ can be said at once")
        await ada.type(f"mute {bob.me.name}", f"you hear no more of {bob.me.name}")
        await ada.type(f"unmute {bob.me.name}", f"you hear again of {bob.me.name}")
        await match.say("hello")
        await ada.expect(f"{bob.me.name}: hello")
        await ada.type("help", "8/5 6/5 .*play the dice")
        await ada.type("hint", "legal plays:")
        await ada.type("resign gammon", "offer to lose this game as a gammon. yes or no")
        await ada.type("y", "you offer to resign a gammon")
        await until_phase(match, "resign")
        await match.refuse()
        await ada.expect(f"{bob.me.name} refuses the resignation")
        await ada.type("resign gammon")
        await ada.type("yes", "your opponent refused that in this turn: offer another, or play on")
        await ada.type("resign backgammon")
        await ada.type("yes", "offer to resign a backgammon")
        await until_phase(match, "resign")
        await match.accept()
        await ada.expect("you resign a backgammon: .* wins 3 points")
        await ada.expect(f"{bob.me.name} wins the match 3 to 0")
        assert await ada.end() == (0, "")


async def test_an_empty_line_starts_the_next_game_and_leave_ends_money_play(
    server: ServerProcess, start: Start
) -> None:
    async with Client(server.url, name=unique("bob")) as bob:
        ada, match = await sit_down(start, bob, "--length", "0")
        await ada.type("")  # means nothing now
        await ada.type("resign single")
        await ada.type("yes")
        await until_phase(match, "resign")
        await match.accept()
        await ada.expect("score: .* 0, .* 1\n")
        await ada.expect("> Enter plays game 2, leave ends it")
        await match.ready()
        await ada.type("", "game 2 begins")
        await ada.expect("> ")
        await ada.type("resign single")
        await ada.type("yes")
        await until_phase(match, "resign")
        await match.accept()
        await ada.expect("> Enter plays game 3, leave ends it")
        await ada.type("leave", "the session is over, .* leads at 2 to 0")
        assert await ada.end() == (0, "")


async def test_the_prompt_shows_the_clock_and_when_the_match_may_be_claimed(
    server: ServerProcess, start: Start
) -> None:
    async with Client(server.url, name=unique("bob")) as bob:
        ada, match = await sit_down(start, bob, "--length", "1", "--clock", "slow")
        await ada.expect(r"\[\d+ s, then \d+:\d\d\]")
        await match.forfeit()
        await ada.expect("forfeits the match at .*: you win")
        assert await ada.end() == (0, "")
    async with Client(server.url, name=unique("eve")) as eve:
        ada, match = await sit_down(start, eve, "--length", "1", "--clock", "slow")
    await ada.expect("is away: you may claim the match in [0-9]+ s")
    await ada.type("claim", "your opponent has .* to come back|the match waits for you: play on")
    await ada.type("quit")
    assert await ada.end() == (0, "")


async def test_who_comes_to_a_match_that_is_over_sees_how_it_stands_and_goes(
    server: ServerProcess, start: Start
) -> None:
    async with Client(server.url, name=unique("bob")) as bob, Client(server.url, name=unique("eve")) as eve:
        match = await bob.create(unique("t"), {"length": 1})
        await eve.join(match.id)
        await until_phase(match, "move", "roll")
        await match.forfeit()
        await until_phase(match, "over")
        watching = await start("watch", match.id)
        await watching.expect("watching .* against")
        await watching.expect(f"{bob.me.name} forfeits the match at .*: {eve.me.name} wins")
        assert (await watching.end())[0] == 0


async def test_tab_completes_what_can_be_typed_now_and_the_board_follows_the_window(
    server: ServerProcess, open_terminal: NewTerminal
) -> None:
    async with Client(server.url, name=unique("bob")) as bob:
        table = unique("t")
        ada = open_terminal("create", table, "--server", server.url, "--length", "1")
        await asyncio.to_thread(ada.wait_for, "waiting for an opponent")
        await bob.join(table)
        await asyncio.to_thread(ada.wait_for, "game 1 begins")
        ada.press("than\t\r")  # which nobody understands as it was typed
        await asyncio.to_thread(ada.wait_for, ": Thank you!")
        before = len(ada.shown)
        ada.resize(50, 79)  # what stood beside the board stands below it
        await asyncio.to_thread(ada.wait_for, ", 0 points, 167 pips", after=before)
        ada.type("forfeit")
        await asyncio.to_thread(ada.wait_for, "really forfeit? yes or no")
        ada.press("than\t\r")  # a question has other answers
        await asyncio.to_thread(ada.wait_for, "answer yes or no")
        ada.type("no")
        await asyncio.to_thread(ada.wait_for, "then not")
        ada.type("quit")
        assert await asyncio.to_thread(ada.wait) == 0
        assert ada.shown.count(": Thank you!") == 1


def is_legal(match: Match) -> str:
    """The first legal play of the player on roll, as it is typed."""
    view, seat = match.view, match.view.turn
    board = Position(view.row(seat), view.row(1 - seat))
    return format_play(board, next(iter(legal_plays(board, (view.dice[0], view.dice[1])).values())))


async def test_a_play_is_shown_and_can_be_taken_back_before_it_is_final(
    server: ServerProcess, tmp_path: Path, open_terminal: NewTerminal
) -> None:
    async with Client(server.url, name=unique("bob")) as bob:
        table = unique("t")
        arguments = (
            "create",
            table,
            "--server",
            server.url,
            "--length",
            "3",
            "--side",
            "white",
            "--rules",
            "opening=seat_0",
        )
        ada = open_terminal(*arguments, "--ascii")

        async def shows(text: str) -> None:
            await asyncio.to_thread(ada.wait_for, text)

        await shows("waiting for an opponent")
        match = await bob.join(table)
        await until_phase(match, "move")
        await shows("> ")
        assert "\a" in ada.written, "it rings on one's turn"
        ada.type("yes")
        await shows("that is no answer now: your ")
        ada.type("undo")
        await shows("there is nothing to take back")
        ada.type("double")  # is not asked about: it cannot be
        await shows("you have rolled: the cube is offered before the roll")
        ada.type("confirm on")
        await shows("confirm on ")
        ada.type(is_legal(match))
        await shows("is this your play? yes or no")
        ada.type("roll")
        await shows("answer yes or no")
        ada.type("undo")
        await shows("then not")
        assert match.view.phase == "move"
        assert match.view.turn == 0, "nothing was played"
        ada.type(f"m {is_legal(match)}")
        await asyncio.to_thread(ada.wait_for, "is this your play? yes or no", after=ada.shown.rindex("then not"))
        ada.type("y")
        await until_phase(match, "roll")
        await match.double()
        ada.type("accept")  # as FIBS has it
        await shows("take the cube at 2? yes or no")
        ada.type("no")
        ada.type("drop")
        await shows("drop, and lose 1 point? yes or no")
        ada.type("no")
        ada.type("take")
        ada.type("yes")
        await shows("you take the cube at 2")
        await shows("owns the cube: 2")
        await until_phase(match, "move")
        await asyncio.to_thread(ada.wait_for, "[", after=ada.shown.rindex("you take the cube"))
        for line, answer in (
            (f"tell {bob.me.name} well done", ": well done"),
            ("tell nobody hello", "nobody does not play against you"),
            ("who", bob.me.name or ""),
            ("oldmoves", "game 1 begins"),
        ):
            before = len(ada.shown)
            ada.type(line)
            await asyncio.to_thread(ada.wait_for, answer, after=before)
        ada.type("set ask off")
        await shows("ask off ")
        assert not match.view.auto_play[0], "forced turns are one's own, unless one wants them to be played"
        ada.type("set forced on")
        await shows("the server plays your forced turns")
        await shows("forced on ")
        ada.type("quit")
        assert await asyncio.to_thread(ada.wait) == 0
        assert SettingsFile(folder=tmp_path).now == Settings(confirm=True, ask=False, forced=True)


async def test_a_player_may_roll_for_first(server: ServerProcess, tmp_path: Path, open_terminal: NewTerminal) -> None:
    async with Client(server.url, name=unique("bob")) as bob:
        table = unique("t")
        SettingsFile(folder=tmp_path).switch("first", on=True)
        ada = open_terminal("create", table, "--server", server.url, "--length", "1", "--ascii")
        await asyncio.to_thread(ada.wait_for, "waiting for an opponent")
        match = await bob.join(table)
        await until_phase(match, "move")
        await asyncio.to_thread(ada.wait_for, "Enter rolls for first")
        ada.type("")
        view, seat = match.view, 1 - (match.seat or 0)
        own, other = view.dice if view.turn == seat else view.dice[::-1]
        await asyncio.to_thread(ada.wait_for, f"you roll {own}, {bob.me.name} rolls {other}")
        await asyncio.to_thread(ada.wait_for, "game 1 begins: ")
        shown = ada.shown
        assert shown.index("rolls for first") < shown.index("you roll ") < shown.index("game 1 begins")


ROLLED: dict[str, Any] = {"game": 1, "dice": (5, 3), "rules": {"opening": "roll_off"}}
OPENINGS: list[tuple[dict[str, Any], bool]] = [  # what differs of a view, whether the player may roll for first
    ({}, True),
    ({"dice": ()}, False),
    ({"last": ((0, 5, 3),)}, False),
    ({"rules": {"opening": "seat_0"}}, False),
    ({"rules": {"opening": "winner"}}, True),
    ({"rules": {"opening": "winner"}, "game": 2}, False),
    ({"clock": (60_000, 60_000, 6_000)}, True),
    ({"clock": (60_000, 60_000, 5_999)}, False),
]


@pytest.mark.parametrize(("differs", "may"), OPENINGS)
def test_a_roll_for_first_waits_where_there_is_one_and_the_clock_has_room(differs: dict[str, Any], may: bool) -> None:
    assert is_rolled_for(View(**ROLLED | differs)) == may


NEWS = [  # before, now, whether seat 0 need be told that it is to act
    (None, View(phase="move", turn=0), True),
    (View(phase="roll", turn=1), View(phase="roll", turn=0), True),
    (View(phase="roll", turn=1), View(phase="cube", turn=1, offer=1), True),
    (View(phase="roll", turn=0), View(phase="move", turn=0), False),
    (View(phase="move", turn=0), View(phase="roll", turn=1), False),
    (View(phase="move", turn=0), View(phase="roll", turn=0, last=((0, 2, 1), (1, 6, 6))), True),
    (View(phase="move", turn=0), View(phase="ready"), False),
]


@pytest.mark.parametrize(("before", "now", "news"), NEWS)
def test_it_rings_when_the_opponent_has_played_or_doubled(before: View | None, now: View, news: bool) -> None:
    assert is_news_for(0, before, now) == news


async def test_after_a_beaver_there_is_none_where_none_may_follow(server: ServerProcess, start: Start) -> None:
    async with Client(server.url, name=unique("bob")) as bob:
        ada, match = await sit_down(start, bob, "--length", "0", "--rules", "beavers=1,opening=seat_0_cube")
        await ada.type("double")
        await until_phase(match, "cube")
        await match.beaver()
        await ada.expect(f"> {bob.me.name} beavers to 4: take or drop")
        await ada.type("beaver", "the cube cannot be turned once more here: take or drop")
        await ada.type("take", "you take the cube at 4")
