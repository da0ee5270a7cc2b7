"""GNU Backgammon itself as a bot: single decisions, and a whole match through a server."""

import pytest
from tavla_bots.gnubg import Gnubg
from tavla_bots.house import House
from tavla_engine.match import Cube
from tavla_engine.plays import legal_plays
from tavla_engine.position import Position, row

from tests.support.games.bots import RACE, START, state, turn_of
from tests.support.games.gnubg_program import gnubg_program
from tests.support.players.clients import match_of_bots
from tests.support.servers.processes import ServerProcess


@pytest.fixture
def gnubg() -> Gnubg:
    """The bot, where the program is installed; it has to be in CI."""
    gnubg_program()
    return Gnubg()


def test_single_decisions(gnubg: Gnubg) -> None:
    assert set(gnubg.choose_play(turn_of(state(START, (3, 1)))).moves) == {(8, 5), (6, 5)}
    hit = Position(row(bar=1, p13=5, p8=3, p6=6), row(p24=1, p13=6, p8=2, p6=6))
    for dice in ((6, 5), (4, 4), (2, 1)):
        chosen = gnubg.choose_play(turn_of(state(hit, dice)))
        assert chosen.after in legal_plays(hit, dice)
    assert gnubg.offer_double(turn_of(state(RACE)))
    assert not gnubg.offer_double(turn_of(state(START)))
    assert gnubg.take_double(turn_of(state(START), seat=1))
    assert not gnubg.take_double(turn_of(state(Position(row(p1=2, off=13), row(p6=5, off=10))), seat=1))
    assert gnubg.offer_double(turn_of(state(RACE, cube=Cube(2, 0)), seat=0))
    gnubg._engine.stop()


def test_it_comes_back_when_its_process_has_died(gnubg: Gnubg) -> None:
    turn = turn_of(state(START, (3, 1)))
    first = gnubg.choose_play(turn)
    running = gnubg._engine._process
    assert running is not None
    running.process.kill()
    running.process.wait()
    assert gnubg.choose_play(turn) == first
    gnubg._engine.stop()


async def test_a_match_through_a_server(gnubg: Gnubg, server: ServerProcess) -> None:
    result, theirs = await match_of_bots(server.url, gnubg, House(), {"length": 3})
    assert result.won is not theirs.won
    assert max(result.score) >= 3
    assert gnubg._engine._process is not None
    assert gnubg._engine._process.process.poll() is not None, "its process ends with the match"
