"""Legal plays in numpy against the engine's, one by one and in whole games."""

import gzip
import json
import random
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from tavla_engine.dice import Dice
from tavla_engine.plays import legal_plays
from tavla_engine.position import Position, row
from tavla_engine.rules import STARTS, Variant
from tavla_gym import after_states
from tavla_gym.table import MOST_PLAYS

from tests.support.tries import MANY, tries

CASES = Path(__file__).parent.parent / "data" / "legal_plays.jsonl.gz"


def assert_the_engine_s(cases: Sequence[tuple[Position, Dice]], hit_and_run: bool) -> list[list[Position]]:
    """The positions that each case may lead to, as the opponent sees them."""
    boards = np.frombuffer(b"".join(mine + theirs for (mine, theirs), _ in cases), np.uint8).reshape(-1, 52)
    found, starts = after_states(boards, np.array([dice for _, dice in cases], np.uint8), hit_and_run)
    ways = []
    for number, (position, dice) in enumerate(cases):
        here = [bytes(board) for board in found[starts[number] : starts[number + 1]]]
        expected = {theirs + mine for mine, theirs in legal_plays(position, dice, hit_and_run)}
        assert len(here) == len(expected), (position, dice)
        assert set(here) == expected
        ways.append([Position(board[:26], board[26:]) for board in here])
    assert starts[-1] == len(found)
    return ways


@pytest.mark.slow
def test_the_cases_of_three_programs() -> None:
    with gzip.open(CASES, "rt") as lines:
        cases = [json.loads(line) for line in lines]
    cases = cases[:: 1 if MANY else 8]
    positions = [Position(bytes(case["mine"]), bytes(case["theirs"])) for case in cases]
    rolls: list[Dice] = [tuple(case["dice"]) for case in cases]
    for hit_and_run in (True, False):
        assert_the_engine_s(list(zip(positions, rolls, strict=True)), hit_and_run)


@pytest.mark.slow
@pytest.mark.parametrize("variant", Variant)
@pytest.mark.parametrize("hit_and_run", [True, False])
def test_games_at_random(rng: random.Random, variant: Variant, hit_and_run: bool) -> None:
    start = Position(STARTS[variant], STARTS[variant])
    positions = [start] * 10
    for _ in range(tries(100)):
        cases = [(position, (rng.randint(1, 6), rng.randint(1, 6))) for position in positions]
        positions = [rng.choice(ways) for ways in assert_the_engine_s(cases, hit_and_run)]
        positions = [start if sum(theirs[1:]) == 0 else Position(mine, theirs) for mine, theirs in positions]


def test_a_roll_with_very_many_plays() -> None:
    points = {f"p{point}": 1 for point in range(10, 25)}
    [ways] = assert_the_engine_s([(Position(row(**points), row(p1=15)), (1, 1))], True)
    assert 1000 < len(ways) < MOST_PLAYS


def test_of_no_boards_there_are_none() -> None:
    found, starts = after_states(np.empty((0, 52), np.uint8), np.empty((0, 2), np.uint8))
    assert found.shape == (0, 52)
    assert starts.tolist() == [0]
