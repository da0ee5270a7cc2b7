"""GNU Backgammon's protocol for external players, with the real program as the engine."""

import os
import socket
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from tavla_bots.external import ADDRESS, External
from tavla_cli.bots.local_match import play, shared_dice
from tavla_client import Bot, ClientError, Failures, Result
from tavla_engine.match import Phase
from tavla_engine.position import Position, row
from tavla_engine.rules import preset

from tests.support.games.bots import RACE, START, state, turn_of
from tests.support.games.gnubg_program import gnubg_program
from tests.support.servers.processes import free_port

DECISIONS = ("chequerplay", "cubedecision")
OVER = Result("", "", None, (0, 0), "score")


def gnubg(home: Path, commands: str) -> "subprocess.Popen[str]":
    """The program, which has been told so; it has to be installed in CI."""
    program = gnubg_program()
    pipe = subprocess.PIPE
    env = {**os.environ, "HOME": str(home), "LC_ALL": "C.UTF-8"}
    process = subprocess.Popen([program, "-t", "-q"], stdin=pipe, stdout=pipe, text=True, env=env, cwd=home)
    assert process.stdin is not None, "a pipe"
    process.stdin.write(commands)
    process.stdin.flush()
    return process


@pytest.fixture
def engine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """GNU Backgammon as an engine that waits at an address."""
    address = f"localhost:{free_port()}"
    settings = [f"set evaluation {what} evaluation plies 0\n" for what in DECISIONS]
    process = gnubg(tmp_path, "".join(settings) + f"external {address}\n")
    assert process.stdout is not None, "a pipe"
    for line in process.stdout:
        if line.startswith("Waiting for a connection"):
            break
    monkeypatch.setenv(ADDRESS, address)
    yield address
    process.kill()
    process.communicate()


async def test_gnu_backgammon_plays_as_an_engine_of_ours(engine: str) -> None:
    failures = Failures()
    bot = External()
    assert set(bot.choose_play(turn_of(state(START, (3, 1))))) == {(8, 5), (6, 5)}
    closed = Position(row(bar=1, p6=14), row(p1=2, p2=2, p3=2, p4=2, p5=2, p6=2, p13=3))
    assert bot.choose_play(turn_of(state(closed, (3, 1)))) == ()
    assert bot.offer_double(turn_of(state(RACE)))
    assert not bot.offer_double(turn_of(state(START)))
    assert bot.take_double(turn_of(state(START), seat=1))
    assert not bot.take_double(turn_of(state(Position(row(p1=2, off=13), row(p6=5, off=10))), seat=1))
    match = await play((bot, Bot()), preset("tournament", {"length": 2}), shared_dice("engine"), failures)
    assert match.phase is Phase.OVER
    assert not failures
    bot.on_match_end(OVER)
    with pytest.raises(ValueError, match="closed"):
        bot.offer_double(turn_of(state(START)))


def test_the_score_counts_for_the_right_side(engine: str) -> None:
    """After the Crawford game the one who is behind doubles at once; who leads never does."""
    rules = preset("tournament", {"length": 5})
    bot = External()
    doubles = [bot.offer_double(turn_of(state(START, None, rules, score))) for score in ((0, 4), (4, 0))]
    assert doubles == [True, False]
    bot.on_match_end(OVER)


def test_where_no_engine_is_it_says_what_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    for address in ("", "nowhere", f"localhost:{free_port()}"):
        monkeypatch.setenv(ADDRESS, address)
        with pytest.raises(ClientError, match=f"no engine answers at '{address}'.*set TAVLA_EXTERNAL"):
            External()


def test_an_engine_that_cannot_say_is_no_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    with socket.create_server(("localhost", 0)) as listening:
        monkeypatch.setenv(ADDRESS, f"localhost:{listening.getsockname()[1]}")
        bot = External()
        there, _ = listening.accept()
        there.sendall(b"Error: no idea\n")
        with pytest.raises(ValueError, match="no idea"):
            bot.offer_double(turn_of(state(START)))
        there.close()
        bot.on_match_end(OVER)
