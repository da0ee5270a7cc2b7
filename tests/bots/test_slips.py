"""Slips of the levels below the best: where people slip, and how often."""

import random
from typing import cast

import pytest
from tavla_bots import BOTS
from tavla_bots.house import House
from tavla_bots.slips import difficulty
from tavla_cli.bots.computer import LEVELS
from tavla_engine.position import Position, row

from tests.support.games.bots import START, state, turn_of

SLIPPING = LEVELS[:4]
HARD = Position(row(p24=1, p20=1, p13=4, p10=1, p8=3, p6=4, p4=1), row(p24=2, p18=1, p13=4, p8=3, p6=4, p5=1))
ON_THE_WAY = Position(row(p9=2, p6=5, p5=4, p4=4), row(p6=5, p5=5, p4=5))
HOME = Position(row(p6=4, p5=4, p4=4, off=3), row(p6=5, p5=5, p4=5))
UNDER_ATTACK = Position(row(p6=4, p5=4, p4=4, off=3), row(p25=1, p6=5, p5=5, p4=4))
IN_ORDER = [  # positions, the plainest play first; why the row is here
    (HOME, "a plain bear-off"),
    (START, "the first play of a game"),
    (ON_THE_WAY, "a race"),
    (UNDER_ATTACK, "a bear-off with one of theirs on the bar"),
    (HARD, "blots of both sides"),
]
ROLLS = [(high, low) for high in range(2, 7) for low in range(1, high)]


def bot(level: str, seed: int) -> House:
    return cast(type[House], BOTS[level])(random.Random(seed))


def test_plays_by_how_hard_they_are() -> None:
    found = [difficulty(position, START.mine) for position, _ in IN_ORDER]
    assert found[0] == 0 < found[1]
    assert found == sorted(found)


@pytest.mark.parametrize("level", SLIPPING)
def test_no_level_slips_in_a_plain_bear_off(level: str, rng: random.Random) -> None:
    for number in range(30):
        points = rng.choices(range(7), k=15)
        mine = bytes(points.count(point) for point in range(26))
        turn = turn_of(state(Position(mine, HOME.theirs), rng.choice(ROLLS)))
        assert bot(level, number).choose_play(turn) == House().choose_play(turn)


@pytest.mark.parametrize("level", SLIPPING)
def test_the_first_play_of_a_game_is_nearly_known(level: str) -> None:
    """3-1 among them: no level plays 24/23 24/21, which costs 0.2 of a point."""
    losses = []
    for roll in ROLLS:
        turn = turn_of(state(START, roll))
        ranked = House().ranking(turn)
        equities = {play.after: equity for play, equity in ranked}
        losses += [ranked[0][1] - equities[bot(level, seed).choose_play(turn).after] for seed in range(20)]
    assert max(losses) < 0.15
    assert 500 * sum(losses) / len(losses) < 10, "PR"
