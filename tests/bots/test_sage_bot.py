"""Sage as an opponent, in its real process: single decisions, a match through a server, what the house decides."""

import gc
import os
import signal

import pytest
from tavla_bots import BOTS, sage
from tavla_bots.house import House, WorldClass
from tavla_bots.sage_bot import SageBot
from tavla_client import ClientError
from tavla_engine.match import Cube
from tavla_engine.position import Position, row
from tavla_engine.rules import Rules, preset

from tests.support.games.bots import RACE, START, state, turn_of
from tests.support.games.sage_program import need_sage
from tests.support.players.clients import match_of_bots
from tests.support.servers.processes import ServerProcess, alive

pytestmark = pytest.mark.slow  # it starts programs


@pytest.fixture
def bot() -> SageBot:
    need_sage()
    bot = SageBot()
    assert bot.choose_play(turn_of(state(START, (3, 1))))
    return bot


def pid_of(bot: SageBot) -> int:
    assert bot._process is not None, "it was asked"
    return bot._process.pid


def test_single_decisions(bot: SageBot) -> None:
    assert set(bot.choose_play(turn_of(state(START, (3, 1)))).moves) == {(8, 5), (6, 5)}
    assert bot.offer_double(turn_of(state(RACE)))
    assert not bot.offer_double(turn_of(state(START)))
    assert bot.take_double(turn_of(state(START), seat=1))
    assert not bot.take_double(turn_of(state(Position(row(p1=2, off=13), row(p6=5, off=10))), seat=1))
    assert bot.offer_double(turn_of(state(RACE, cube=Cube(2, 0)), seat=0))
    # Sage counts 1.10 where the doubler has 3 points to go and we have 2, and .91 at 2 and 7.
    race = Position(row(p6=3, p5=3, p4=3, p1=1, off=5), RACE.theirs)
    scores = (state(race, rules=Rules(length=7), score=score) for score in ((4, 5), (5, 0)))
    assert [bot.take_double(turn_of(at, seat=1)) for at in scores] == [False, True]


def test_all_its_matches_share_a_process_which_ends_with_the_last(bot: SageBot) -> None:
    other, pid = SageBot(), pid_of(bot)
    assert other.choose_play(turn_of(state(START, (3, 1))))
    assert pid_of(other) == pid
    del other
    assert bot.choose_play(turn_of(state(START, (3, 1))))
    bot.__dict__.clear()
    gc.collect()
    assert not alive(pid)


def test_it_comes_back_when_its_process_has_died(bot: SageBot) -> None:
    turn = turn_of(state(START, (3, 1)))
    first = bot.choose_play(turn)
    os.kill(pid_of(bot), signal.SIGKILL)
    assert bot.choose_play(turn).after in [play.after for play in turn.plays], "by the house, or by a new process"
    while bot._process is None or bot._process.has_ended:
        bot.choose_play(turn)
    assert bot.choose_play(turn) == first


UNKNOWN = [Rules(length=26), Rules(crawford=False), Rules(automatic_doubles=1), preset("money", {"beavers": 2})]


def test_of_matches_that_sage_does_not_know_the_house_decides(bot: SageBot) -> None:
    os.kill(pid_of(bot), signal.SIGSTOP)  # who asks it waits for ever
    try:
        for rules in UNKNOWN:
            turn = turn_of(state(START, (3, 1), rules=rules))
            assert bot.choose_play(turn) == WorldClass().choose_play(turn)
    finally:
        os.kill(pid_of(bot), signal.SIGKILL)


async def test_a_match_through_a_server(bot: SageBot, server: ServerProcess) -> None:
    result, theirs = await match_of_bots(server.url, bot, House(), {"length": 1})
    assert result.won is not theirs.won


@pytest.mark.parametrize("name", ["sage", "gnubg"])
def test_where_the_engine_is_missing_a_bot_says_how_to_get_it(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("shutil.which", lambda *_, **__: None)
    monkeypatch.setattr(sage, "is_installed", lambda: False)
    with pytest.raises(ClientError, match="install"):
        BOTS[name]()
    assert "install" in BOTS[name].missing()
    assert not BOTS["expert"].missing()


def test_it_does_not_come_to_games_that_sage_does_not_know() -> None:
    for name in ("tavla", "portes", "club"):
        rules = preset(name)._asdict()
        assert any(rules[option] not in values for option, values in SageBot.plays.items()), name
