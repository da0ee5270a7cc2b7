"""Sage as a judge, in its real process: it agrees with GNU Backgammon, is not asked what it gets wrong, and ends."""

import json
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace
from tavla_bots import sage
from tavla_bots.analysis import analyse
from tavla_bots.deeper import looks
from tavla_bots.house_judge import HOUSE
from tavla_bots.judging import JudgeDeath, turn_of
from tavla_bots.sage import SageJudge, knows
from tavla_engine.mat import import_mat
from tavla_engine.match import Cube, Match, Phase, new_match
from tavla_engine.notation import format_play
from tavla_engine.position import row
from tavla_engine.positionid import parse_position_id
from tavla_engine.rules import Rules, preset

from tests.support.games.gnubg_matches import MAT_FILES
from tests.support.games.sage_program import need_sage
from tests.support.patience import PATIENCE_S

pytestmark = pytest.mark.slow  # it starts programs
GNUBG = json.loads((Path(__file__).parents[1] / "data" / "judge.json").read_text("utf-8"))["examples"]
PLAYS = [one for one in GNUBG if one["right"] in ("13/11 6/5*", "13/11 8/5*", "21/13 16/8*")]
RACE = next(one for one in GNUBG if one["theme"] == "race")  # it is soon played to its end
CUBES = [one for one in GNUBG if one["kind"] == "cube" and one["no_double"] in (1.2014, 0.5433, 1.1519)]
OWNERS = {"centred": None, "player on roll": 0, "opponent": 1}
TOLERANCE = 0.06  # equity, between the two programs


@pytest.fixture(scope="module")
def judge() -> Iterator[SageJudge]:
    need_sage()
    judge = SageJudge()
    yield judge
    judge.end()


def match_of(one: dict[str, Any]) -> Match:
    """The match at this moment; seat 0 is on roll."""
    ours, theirs = parse_position_id(one["position_id"])
    jacoby = "Jacoby" in one["theme"]
    rules = Rules(length=one["length"], crawford=bool(one["length"]), jacoby=jacoby, forfeit_multiplier=1)
    score = tuple(one["length"] - away for away in one["away"] or (0, 0))
    assert len(score) == 2
    return Match(
        rules,
        phase=Phase.MOVE if "dice" in one else Phase.ROLL,
        score=score,
        game=1,
        crawford=one["crawford"],
        board=(ours, theirs),
        dice=tuple(one["dice"]) if "dice" in one else None,
        cube=Cube(one["cube"], OWNERS[one["cube_owner"]]),
    )


@pytest.mark.parametrize("one", PLAYS, ids=[one["theme"] for one in PLAYS])
def test_it_ranks_plays_as_gnubg_does(judge: SageJudge, one: dict[str, Any]) -> None:
    match = match_of(one)
    turn = turn_of(match, 0)
    texts = {format_play(match.position, play.moves): play for play in turn.plays}
    second = one["plays"][1]
    ranking = judge.ranking(turn, texts[second["play"]].after).plays
    assert len(ranking) == len(turn.plays)
    assert format_play(match.position, ranking[0][0].moves) == one["right"]
    equities = {format_play(match.position, play.moves): equity for play, equity in ranking}
    for play in one["plays"][:2]:
        assert equities[play["play"]] == pytest.approx(play["equity"], abs=TOLERANCE)


@pytest.mark.parametrize("one", CUBES, ids=[one["theme"] for one in CUBES])
def test_it_weighs_the_cube_as_gnubg_does(judge: SageJudge, one: dict[str, Any]) -> None:
    """At a score, in money play, with the Jacoby rule."""
    equities = judge.cube(match_of(one), 0, doubled=True)
    assert equities == pytest.approx((one["no_double"], one["double_take"]), abs=TOLERANCE)


def test_it_is_named_with_version_and_depth_and_judges_a_match(judge: SageJudge) -> None:
    record = import_mat(MAT_FILES[0].read_text())
    found = analyse(record.start, record.events[:8], lambda *_: None, threading.Event())
    assert found.by == judge.name
    assert found.by.startswith("Sage ")
    assert found.by.endswith(", 3 plies (GNU Backgammon's 2)")
    assert found.findings
    assert all(one.loss >= 0 for one in found.findings)
    assert all(found.luck)


KNOWN = [
    (preset("tournament"), True),
    (preset("tournament", {"length": 25, "variant": "nackgammon"}), True),
    (preset("money"), True),
    (preset("tournament", {"length": 26}), False),
    (preset("tournament", {"crawford": False}), False),
    (preset("tournament", {"automatic_doubles": 1}), False),
    (preset("money", {"beavers": 2}), False),
    (preset("club"), False),
    (preset("tavla"), False),
    (preset("portes"), False),
    (preset("tournament", {"backgammons": False}), False),
    (preset("tournament", {"hit_and_run": False}), False),
    (preset("tournament", {"variant": "hypergammon"}), False),
    (preset("tournament", {"variant": "longgammon"}), False),
]


@pytest.mark.parametrize(("rules", "known"), KNOWN)
def test_it_is_asked_about_games_alone_that_it_gets_right(rules: Rules, known: bool) -> None:
    assert knows(new_match(rules)) == known


def test_a_side_of_more_than_15_checkers_is_none_of_its_games() -> None:
    start = new_match(preset("tournament"))
    assert not knows(replace(start, board=(row(p6=16), row(p6=15))))


@pytest.mark.parametrize(
    "program",
    ["import os, signal; os.kill(os.getpid(), signal.SIGILL)", "raise ImportError('no wheel')"],
    ids=["no AVX2", "no wheel"],
)
def test_where_it_cannot_run_the_house_judges_and_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, program: str
) -> None:
    need_sage()
    (tmp_path / "bgbot_cpp.py").write_text(program)
    monkeypatch.setitem(sage.ENVIRONMENT, "PYTHONPATH", str(tmp_path))
    record = import_mat(MAT_FILES[0].read_text())
    found = analyse(record.start, record.events[:3], lambda *_: None, threading.Event())
    assert found.by == HOUSE


def test_one_that_is_killed_at_its_work_leaves_nothing_judged() -> None:
    need_sage()
    judge = SageJudge()
    os.kill(judge.pid, signal.SIGKILL)
    with pytest.raises(JudgeDeath, match="try again"):
        judge.cube(match_of(CUBES[0]), 0, doubled=True)


def test_it_ends_with_whoever_asks_it() -> None:
    need_sage()
    program = subprocess.Popen(
        [sys.executable, "-m", "tavla_bots.sage_script"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert program.stdout is not None, "a pipe"
    assert program.stdin is not None, "a pipe"
    assert json.loads(program.stdout.readline())["name"].startswith("Sage ")
    program.stdin.close()
    assert program.wait(PATIENCE_S) == 0
    program.stdout.close()


def test_the_luck_of_rolls_is_none_in_the_mean_and_a_good_roll_is_a_good_one(judge: SageJudge) -> None:
    """The network stays loaded for it: 4 s of CPU a match less than the package's own look at the cube."""
    match = replace(new_match(preset("tournament")), phase=Phase.MOVE, game=1)
    rolls = {(high, low): 2 - (high == low) for high in range(1, 7) for low in range(1, high + 1)}
    luck = {roll: judge.luck(replace(match, dice=roll), opening=False) for roll in rolls}
    assert sum(count * luck[roll] for roll, count in rolls.items()) == pytest.approx(0, abs=1e-6)
    assert luck[3, 1] > 0 > luck[5, 1]


def test_a_double_that_is_far_off_is_weighed_as_the_package_weighs_it_at_two_plies(judge: SageJudge) -> None:
    one = CUBES[0]
    deep, shallow = (judge.cube(match_of(one), 0, doubled=doubled) for doubled in (True, False))
    assert shallow == pytest.approx(deep, abs=TOLERANCE)


def test_it_looks_deeper_with_an_error_at_a_play_and_at_the_cube(judge: SageJudge) -> None:
    made = RACE["plays"][-1]["play"]
    first, deep = looks(match_of(RACE), made, "sage")
    assert first["by"].endswith("3 plies (GNU Backgammon's 2)")
    assert {error for *_, error in first["choices"]} == {None}
    assert deep["by"].endswith("rollout of 72 games")
    assert len(deep["choices"]) >= 2
    assert made in [choice for choice, *_ in deep["choices"]], "also what was made"
    assert all(0 < error < 0.3 for *_, error in deep["choices"])
    first, deep = looks(match_of(CUBES[0]), "", "sage")
    assert {choice for choice, *_ in deep["choices"]} == {"no double", "double, take", "double, drop"}
    for choice, equity, _ in first["choices"]:
        rolled = next(one for one in deep["choices"] if one[0] == choice)
        assert rolled[1] == pytest.approx(equity, abs=0.3)
