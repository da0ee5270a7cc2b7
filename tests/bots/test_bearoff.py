"""The bear-off database, against the rules and against figures that are known."""

import random

import numpy as np
import pytest
from tavla_bots.bearoff import COUNT, chances_of_rolls, index_of, off_in_one, race
from tavla_engine.plays import legal_plays
from tavla_engine.position import Position, row

ROLLS = [((high, low), (1 if high == low else 2) / 36) for high in range(1, 7) for low in range(1, high + 1)]
EMPTY = row(off=15)


def array(*positions: bytes) -> np.ndarray[tuple[int, ...], np.dtype[np.uint8]]:
    return np.array([list(position) for position in positions], np.uint8)


def mean(position: bytes) -> float:
    """The average number of rolls."""
    chances = chances_of_rolls()[index_of(array(position))][0]
    return float(chances @ np.arange(len(chances)))


KNOWN = [  # position, rolls of 36 that bear off everything at once, why this row is here
    (row(p1=1, off=14), 36, "any roll"),
    (row(p6=1, off=14), 27, "all but 2-1, 3-1, 4-1, 3-2 and 1-1"),
    (row(p5=1, p2=1, off=13), 19, "the classic: not 6-1, but every 5 or 6 with 2 or more, and some doubles"),
    (row(p1=2, off=13), 36, "two checkers on the lowest point"),
    (row(p1=3, off=12), 6, "doubles alone"),
    (row(p3=2, off=13), 17, "both at once"),
]


@pytest.mark.parametrize(("position", "rolls", "why"), KNOWN, ids=[why for *_, why in KNOWN])
def test_known_chances_to_be_off_with_one_roll(position: bytes, rolls: int, why: str) -> None:
    assert float(off_in_one(array(position))[0]) * 36 == pytest.approx(rolls, abs=1e-3)


def test_every_position_has_a_number_of_its_own_and_an_end() -> None:
    chances = chances_of_rolls()
    assert chances.shape[0] == COUNT
    assert np.allclose(chances.sum(axis=1), 1, atol=1e-4)
    assert index_of(array(EMPTY))[0] == 0


def test_the_average_follows_from_the_rules(rng: random.Random) -> None:
    """The average is one roll more than after the best play, by the engine's legal plays."""
    for _ in range(30):
        counts = [0] * 26
        for _ in range(rng.randint(1, 15)):
            counts[rng.randint(1, 6)] += 1
        counts[0] = 15 - sum(counts)
        position = Position(bytes(counts), EMPTY)
        expected = 1 + sum(
            weight * min(mean(after.mine) for after in legal_plays(position, dice)) for dice, weight in ROLLS
        )
        assert mean(position.mine) == pytest.approx(expected, abs=1e-4), counts


def test_a_race_is_won_by_the_one_who_is_off_first() -> None:
    one, six, slow = row(p1=1, off=14), row(p6=1, off=14), row(p6=15)
    assert race(array(six), array(one))[0] == pytest.approx(27 / 36)
    assert race(array(one), array(slow))[0] == pytest.approx(1)
    assert race(array(slow), array(one))[0] == pytest.approx(0)
    assert race(array(six), array(six))[0] == pytest.approx(27 / 36 + 9 / 36 * 9 / 36)
