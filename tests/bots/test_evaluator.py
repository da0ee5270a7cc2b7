"""The house bot's judgement: what must hold for any weights, and what these weights should know."""

import random

import numpy as np
import pytest
from tavla_bots.evaluator import evaluate, evaluate_rows
from tavla_bots.features import WIDTH, features, rows
from tavla_engine.position import Position, row

from tests.support.games.bots import RACE, START, counted_passes, wandering

JUDGEMENTS = [  # position, player on roll wins from, to, why this row is here
    (START, 0.48, 0.57, "whoever starts is a little ahead"),
    (RACE, 0.70, 0.95, "a race that is ahead"),
    (Position(row(p1=1, off=14), row(p1=1, off=14)), 1.0, 1.0, "this roll ends the game"),
    (Position(row(p24=2, p13=5, p8=3, p6=5), row(bar=2, p24=1, p13=4, p8=3, p6=5)), 0.58, 0.95, "two on the bar"),
    (
        Position(row(bar=1, p13=4, p8=4, p6=6), row(p6=2, p5=2, p4=2, p3=2, p2=2, p1=2, p13=3)),
        0.0,
        0.3,
        "on the bar against a closed board",
    ),
]


@pytest.mark.parametrize(("position", "least", "most", "why"), JUDGEMENTS, ids=[why for *_, why in JUDGEMENTS])
def test_it_knows_who_is_ahead(position: Position, least: float, most: float, why: str) -> None:
    assert least <= evaluate([position])[0].win <= most + 1e-6


def test_what_is_certain_is_no_more_than_certain() -> None:
    outlook = evaluate([Position(row(p1=2, off=13), row(p1=15))])[0]
    assert outlook.gammon <= outlook.win <= 1


@pytest.mark.slow
def test_probabilities_are_in_order(rng: random.Random) -> None:
    for outlook in evaluate([wandering(rng, rng.randint(0, 120)) for _ in range(200)]):
        win, gammon, backgammon, lost_gammon, lost_backgammon = outlook
        assert 0 <= backgammon <= gammon <= win <= 1
        assert 0 <= lost_backgammon <= lost_gammon <= 1 - win + 1e-6
        assert -3 <= outlook.equity <= 3


def test_a_game_that_is_over_is_known_exactly() -> None:
    lost, gammon, backgammon = (
        Position(mine, row(off=15)) for mine in (row(p3=1, off=14), row(p3=15), row(p20=1, p3=14))
    )
    assert [outlook.equity for outlook in evaluate([lost, gammon, backgammon])] == [-1, -2, -3]


def test_many_positions_are_judged_as_one_by_one(rng: random.Random) -> None:
    positions = [wandering(rng, rng.randint(0, 80)) for _ in range(50)]
    together = evaluate_rows(positions)
    alone = np.concatenate([evaluate_rows([position]) for position in positions])
    assert np.allclose(together, alone, atol=1e-4)


def test_a_hundred_plays_pass_the_network_once(rng: random.Random, monkeypatch: pytest.MonkeyPatch) -> None:
    passes = counted_passes(monkeypatch)
    evaluate_rows([wandering(rng, 30) for _ in range(100)])
    assert passes == [100]


def test_features_are_as_many_as_they_say_and_finite(rng: random.Random) -> None:
    found = features(*rows([wandering(rng, rng.randint(0, 120)) for _ in range(100)]))
    assert found.shape == (100, WIDTH)
    assert np.isfinite(found).all()
