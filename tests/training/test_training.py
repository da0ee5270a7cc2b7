"""Training: its twins in C against the engine and the features, its targets by hand, and a run that is killed."""

import gzip
import json
import os
import random
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from tavla_bots.evaluator import OUTPUTS, VALUES, other_side_rows, probabilities, shipped_network
from tavla_bots.features import WIDTH, Counts, features, rows
from tavla_bots.lookahead import evaluate_ahead
from tavla_bots.network import Network
from tavla_engine.dice import Dice
from tavla_engine.plays import check_play, legal_plays
from tavla_engine.position import Position, row
from tavla_engine.rules import Variant

from tests.support.games.bots import RACE, wandering
from tests.support.games.bots import START as BEGUN
from tests.support.tries import MANY, tries
from training.__main__ import main
from training.duel import duel
from training.learner import Learner
from training.native import after_states, board_features, least, outputs, random_play
from training.self_play import START, Tables, evaluate_boards, new_dice

pytestmark = pytest.mark.slow

pytestmark = pytest.mark.skipif(
    shutil.which("cc") is None and os.environ.get("CI") != "true", reason="a C compiler is not installed"
)

DATA = Path(__file__).parent.parent / "data"
TINY = ["--hidden", "16,8", "--tables", "8", "--match-point", "20", "--money", "8", "--exact", "2"]
TINY += ["--minutes", "0", "--deals", "2"]


def boards_of(positions: Sequence[Position]) -> Counts:
    return np.frombuffer(b"".join(mine + theirs for mine, theirs in positions), np.uint8).reshape(-1, 52)


def assert_plays_are_the_engine_s(cases: Sequence[tuple[Position, Dice]]) -> None:
    found, starts = after_states(
        boards_of([position for position, _ in cases]), np.array([d for _, d in cases], np.uint8)
    )
    for number, (position, dice) in enumerate(cases):
        here = [bytes(board) for board in found[starts[number] : starts[number + 1]]]
        expected = {theirs + mine for mine, theirs in legal_plays(position, dice)}
        assert len(here) == len(expected)
        assert set(here) == expected


@pytest.mark.slow
def test_tiny_numbers_are_no_zeros_beside_it() -> None:
    after_states(START.reshape(1, 52), np.array([[3, 1]], np.uint8))
    assert sys.float_info.min / 2 > 0


@pytest.mark.slow
def test_its_plays_are_the_engine_s_in_the_cases_of_three_programs() -> None:
    with gzip.open(DATA / "legal_plays.jsonl.gz", "rt") as lines:
        cases = [json.loads(line) for line in lines]
    assert len(cases) == 3000
    cases = cases[:: 1 if MANY else 8]
    positions = [Position(bytes(case["mine"]), bytes(case["theirs"])) for case in cases]
    assert_plays_are_the_engine_s([(one, tuple(case["dice"])) for one, case in zip(positions, cases, strict=True)])


@pytest.mark.slow
def test_its_plays_and_features_are_the_same_at_random(rng: random.Random) -> None:
    positions = [wandering(rng, rng.randint(0, 100)) for _ in range(tries(1000))]
    assert_plays_are_the_engine_s([(one, (rng.randint(1, 6), rng.randint(1, 6))) for one in positions])
    assert np.allclose(board_features(boards_of(positions)), features(*rows(positions)), atol=1e-5)


@pytest.mark.slow
@pytest.mark.parametrize("hidden", [[80], [48, 24], [64, 32, 16]])
def test_its_judgement_is_the_network_s(rng: random.Random, hidden: list[int]) -> None:
    network = Network.new([WIDTH, *hidden, OUTPUTS], np.random.default_rng(1))
    boards = boards_of([wandering(rng, rng.randint(0, 100)) for _ in range(100)])
    assert np.allclose(outputs(network, boards), network(board_features(boards)), atol=1e-5)
    assert np.allclose(
        evaluate_boards(network, boards), probabilities(network, boards[:, :26], boards[:, 26:]), atol=1e-5
    )


def test_a_roll_with_more_plays_than_usual_is_made_room_for() -> None:
    many = Position(row(p24=1, p22=1, p20=1, p18=1, p16=1, p14=1, p12=1, p10=1, p9=1, p8=6), row(p1=15))
    cases = [(many, (1, 1))] * 200
    found, starts = after_states(boards_of([many] * 200), np.ones((200, 2), np.uint8))
    assert starts[1] > 300
    assert len(found) == 200 * starts[1]
    assert_plays_are_the_engine_s(cases[:2])


@pytest.mark.slow
def test_a_play_at_random_is_any_of_the_engine_s_plays(rng: random.Random) -> None:
    position, dice = Position(row(p24=1, p6=2, off=12), row(p20=2, off=13)), (2, 1)
    drawn = {random_play(position.mine + position.theirs, dice, rng) for _ in range(500)}
    assert {check_play(position, dice, play) for play in drawn} == set(legal_plays(position, dice))
    for _ in range(tries(1000)):
        position, dice = wandering(rng, rng.randint(0, 100)), (rng.randint(1, 6), rng.randint(1, 6))
        assert check_play(position, dice, random_play(position.mine + position.theirs, dice, rng))


def test_the_least_of_each_part_is_found() -> None:
    values = np.array([3, 1, 2, 5, 4, 0], np.float32)
    assert list(least(values, np.array([0, 3, 5, 6]))) == [1, 4, 5]


def test_no_game_begins_with_a_double() -> None:
    dice = new_dice(np.random.default_rng(1), np.tile(START, (2000, 1)))
    assert dice.min() == 1
    assert dice.max() == 6
    assert (dice[:, 0] != dice[:, 1]).all()
    counts = np.bincount(dice[:, 0] * 6 + dice[:, 1])
    assert (counts[counts > 0] > 30).all()  # 67 on average


def test_a_judgement_is_seen_from_the_other_side() -> None:
    seen = other_side_rows(np.array([[0.2, 0.1, 0, 0.4, 0.1]], np.float32))
    assert np.allclose(seen, [[0.8, 0.4, 0.1, 0.1, 0]])


def test_a_target_is_what_came_next_and_after_it() -> None:
    """With a trace of 0 the judgement of the next position; with 1 that of the last one, or the game's end."""
    network, end = shipped_network(), Position(row(p1=1, off=14), row(p1=2, off=13))
    tables = [Tables(np.concatenate([boards_of([end, RACE]), np.tile(START, (6, 1))])) for _ in range(2)]
    near = tables[0].play(network, VALUES, np.random.default_rng(1), 3, trace=0)
    far = tables[1].play(network, VALUES, np.random.default_rng(1), 3, trace=1)
    following = evaluate_boards(network, near.boards[8:])
    assert np.allclose(near.targets[2:16][:6], other_side_rows(following[2:8]), atol=1e-5)
    assert np.allclose(far.targets[2:8], far.targets[18:24], atol=1e-5)
    assert near.targets[0][0] == far.targets[0][0] == 1  # the last checker is borne off
    assert (near.boards[8] == START).all()
    assert near.games >= 2


def test_an_exact_target_is_the_average_over_all_rolls() -> None:
    network, position = shipped_network(), Position(row(p24=1, p13=4, p8=4, p6=6), row(p24=2, p13=5, p8=3, p6=5))
    lessons = Tables(boards_of([position])).weigh(network, VALUES, np.random.default_rng(1), 1)
    wanted = np.zeros(OUTPUTS)
    for first in range(1, 7):
        for second in range(1, 7):
            after = evaluate_boards(
                network, boards_of([one.other_side() for one in legal_plays(position, (first, second))])
            )
            wanted += other_side_rows(after)[(after @ VALUES).argmin()] / 36
    assert np.allclose(lessons.targets[0], wanted, atol=1e-5)
    assert np.allclose(evaluate_ahead([position], VALUES.tolist(), True)[0], wanted, atol=1e-5)


def test_what_an_exact_lesson_goes_on_with_is_a_play_of_one_roll(rng: random.Random) -> None:
    positions = [wandering(rng, 20) for _ in range(50)]
    tables = Tables(boards_of(positions))
    tables.weigh(shipped_network(), VALUES, np.random.default_rng(1), 1)
    for position, after in zip(positions, tables.boards, strict=True):
        reached = {
            theirs + mine for a in range(1, 7) for b in range(1, 7) for mine, theirs in legal_plays(position, (a, b))
        }
        assert bytes(after) in reached or bytes(after) == bytes(START)


def test_learning_brings_judgements_nearer_to_what_came_of_them() -> None:
    learner = Learner(Network.new([WIDTH, 32, 16, OUTPUTS], np.random.default_rng(1)))
    inputs = features(*rows([BEGUN, RACE]))
    wanted = np.array([[0.5, 0.2, 0, 0.2, 0], [0.9, 0, 0, 0, 0]], np.float32)
    errors = [learner.learn(inputs, wanted, 3e-3) for _ in range(300)]
    assert errors[-1] < errors[0] / 100
    assert np.allclose(learner.network(inputs), wanted, atol=0.05)


def test_a_network_against_itself_with_the_same_dice_is_even() -> None:
    assert duel(shipped_network(), shipped_network(), 20, seed=1) == (0, 0)


def test_hypergammon_has_learned_what_the_other_network_does_not_know() -> None:
    hyper = Variant.HYPERGAMMON
    assert duel(shipped_network(hyper), shipped_network(), 100, seed=1, variant=hyper).points > 0.5


def test_a_network_that_knows_something_wins_against_one_that_does_not() -> None:
    score = duel(shipped_network(), Network.new([WIDTH, 16, OUTPUTS], np.random.default_rng(1)), 50, seed=1)
    assert score.points > 1 > score.plus_minus > 0


@pytest.mark.slow
def test_a_training_that_is_killed_goes_on_where_it_was(tmp_path: Path) -> None:
    whole, cut = tmp_path / "whole", tmp_path / "cut"
    main([*TINY, str(whole)])
    command = [sys.executable, "-m", "training", *TINY, str(cut)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None, "piped"
        lines = [process.stdout.readline() for _ in range(2)]
        process.kill()
    assert json.loads(lines[1])["stage"] == "match point"
    main([*TINY, str(cut)])
    assert (cut / "network.bin").read_bytes() == (whole / "network.bin").read_bytes()
    told = [json.loads(line) for line in (cut / "log.jsonl").read_text().splitlines()]
    assert {line["stage"] for line in told} == {"match point", "money", "exact"}
    assert told[-1]["games"] >= 30
