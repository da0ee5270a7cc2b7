"""UBGI: what an engine answers, as the specification has it, line by line and as a program."""

import subprocess

import pytest
from tavla_bots.house import House
from tavla_cli.bots.ubgi import Engine
from tavla_client import Failures
from tavla_engine.match import Cube
from tavla_engine.position import Position, row
from tavla_engine.positionid import position_id
from tavla_engine.rules import preset
from tavla_engine.xgid import xgid

from tests.support.games.bots import RACE, START, state
from tests.support.patience import PATIENCE_S
from tests.support.servers.processes import script

BEGUN = f"position gnubgid {position_id(START)}"
CLOSED = Position(row(bar=1, p6=14), row(p1=2, p2=2, p3=2, p4=2, p5=2, p6=2, p13=3))
OFF = Position(row(p3=1, p1=1, off=13), row(p1=1, off=14))
LAST = preset("tournament", {"length": 3})

TALKS = [  # what is sent, and the answers to the last line
    (["ubgi"], ["id name Tavla it", "id author Tavla", "proto 0.2", "ubgiok"]),
    (["isready"], ["readyok"]),
    ([BEGUN, "dice 3 1", "go chequer"], ["bestmove 8/5 6/5"]),
    ([BEGUN, "dice 1 3", "go role chequer"], ["bestmove 8/5 6/5"]),
    ([BEGUN, "dice 3 1", "dice 6 1", "go"], ["bestmove 13/7 8/7"]),
    ([f"position gnubgid {position_id(CLOSED)}", "dice 3 1", "go"], ["bestmove pass"]),
    ([f"position gnubgid {position_id(OFF)}", "dice 6 6", "go"], ["bestmove 3/off 1/off"]),
    ([BEGUN, "go"], ["bestcube nodouble"]),
    ([f"position gnubgid {position_id(RACE)}", "go cube"], ["bestcube double"]),
    ([f"position xgid {xgid(state(RACE, cube=Cube(2, 1)))}", "go cube"], ["bestcube nodouble"]),
    ([f"position xgid {xgid(state(RACE, None, LAST, (2, 0)))}", "go cube"], ["bestcube nodouble"]),
    ([f"position xgid {xgid(state(START, (3, 1)))}", "go chequer"], ["bestmove 8/5 6/5"]),
    ([BEGUN], []),
    (["newgame"], []),
    (["keys"], ["key game.variant enum backgammon backgammon"]),
    (["get game.variant"], ["value game.variant backgammon"]),
    (["set game.variant backgammon"], []),
    (["set game.variant hypergammon"], ["error bad_value game.variant must_be backgammon"]),
    ([BEGUN, "newgame", "go"], ["error bad_state missing position"]),
    (["dice 3 1"], ["error bad_state dice are rolled in a position without a double"]),
    ([BEGUN, "go chequer"], ["error bad_state the cube is turned before the roll, and checkers are moved after it"]),
    ([BEGUN, "dice 7 1"], ["error bad_value two dice of 1 to 6, not 7 1"]),
    (["position gnubgid x"], ["error bad_value a Position ID has 14 characters, this one has 1"]),
    (["position fen x"], ["error unsupported position fen x"]),
    # What `bgci check` asks: entering, bearing off, both dice in a bear-off.
    (["position gnubgid Np7BQSCYZ/AAWA", "dice 5 3", "go chequer"], ["bestmove bar/20 13/10"]),
    (["position gnubgid /z0AADDeaxsAAA", "dice 5 5", "go chequer"], ["bestmove 7/2 7/2 5/off 5/off"]),
    (["position gnubgid t02oASACAAAAAA", "dice 5 1", "go chequer"], ["bestmove 2/1 1/off"]),
    (["go turn"], ["error unsupported go turn"]),
    (["set engine.ply 2"], ["error unsupported set engine.ply 2"]),
    (["hello"], ["error bad_command hello"]),
]


@pytest.mark.parametrize(("sent", "answers"), TALKS, ids=[sent[-1] for sent, _ in TALKS])
async def test_each_line_has_its_answers(sent: list[str], answers: list[str]) -> None:
    failures = Failures()
    engine = Engine(House(), "it", failures)
    *before, last = sent
    assert [await engine.answer(line) for line in before] == [[]] * len(before)
    assert await engine.answer(last) == answers
    assert not failures


@pytest.mark.slow
def test_it_answers_as_a_program_until_it_is_told_to_quit() -> None:
    lines = ["ubgi", "isready", "newgame", BEGUN, "dice 4 2", "go", "quit", "isready"]
    asked = "".join(f"{line}\n" for line in lines)
    command = [*script("tavla"), "bot", "ubgi", "expert"]
    run = subprocess.run(command, input=asked, capture_output=True, text=True, timeout=PATIENCE_S, check=True)
    said = run.stdout.splitlines()
    assert said[3:] == ["ubgiok", "readyok", "bestmove 8/4 6/4"]
