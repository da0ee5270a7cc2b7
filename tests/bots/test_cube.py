"""Cube decisions and match equities, against figures that are known."""

import numpy as np
import pytest
from tavla_bots.cube import EVEN, Prices, Stakes, match_winning_chance, should_double, should_take, take_point, weights
from tavla_bots.evaluator import VALUES, Outlook, flipped
from tavla_bots.lookahead import CHANCES, ROLLS, after_rolls

from tests.support.games.bots import START

NO_CAP = 2**32
MONEY = Stakes(None, 1, 0, NO_CAP)


def race(win: float) -> Outlook:
    """A position without gammons."""
    return Outlook(win, 0, 0, 0, 0)


def match(ours: int, theirs: int, cube: int = 1, holder: int = 0, crawford_done: bool = False) -> Stakes:
    return Stakes((ours, theirs), cube, holder, NO_CAP, crawford_done)


DECISIONS = [  # outlook, stakes, double, take, why this row is here
    (race(0.60), MONEY, False, True, "too early"),
    (race(0.74), MONEY, True, True, "a double and a take in money play"),
    (race(0.85), MONEY, True, False, "a drop in money play"),
    (race(0.90), MONEY._replace(holder=-1), False, False, "the cube is the opponent's"),
    (race(0.71), MONEY._replace(holder=1, cube=2), False, True, "who owns the cube waits a little longer"),
    (Outlook(0.85, 0.7, 0, 0, 0), MONEY, False, False, "too good: the gammon is worth more"),
    (Outlook(0.85, 0.7, 0, 0, 0), MONEY._replace(jacoby=True), True, False, "not so with the Jacoby rule"),
    (race(0.90), MONEY._replace(cap=1), False, False, "the cube is at its cap"),
    (race(0.90), match(1, 3), False, False, "one point wins the match"),
    (
        Outlook(0.4, 0.1, 0, 0.1, 0),
        match(4, 1, crawford_done=True),
        True,
        True,
        "after the Crawford game there is nothing to lose",
    ),
    (race(0.55), match(2, 2), True, True, "two away from either side: the cube is dead once it is turned"),
    (race(0.76), match(2, 2), True, False, "and a take needs 30 of 100"),
]


@pytest.mark.parametrize(("outlook", "stakes", "double", "take", "why"), DECISIONS, ids=[row[-1] for row in DECISIONS])
def test_known_decisions(outlook: Outlook, stakes: Stakes, double: bool, take: bool, why: str) -> None:
    assert should_double(outlook, stakes) is double
    if stakes.holder >= 0 and not stakes.dead:
        assert should_take(outlook, stakes) is take


def test_a_live_cube_in_money_play_is_taken_with_a_fifth() -> None:
    assert take_point(race(0.5), MONEY) == pytest.approx(0.2, abs=0.001)


def test_prices_contain_the_gammons() -> None:
    assert Prices.of(Outlook(0.5, 0.25, 0, 0, 0), MONEY) == (1.5, -1.0)
    assert Prices.of(Outlook(0.5, 0.25, 0, 0, 0), MONEY._replace(jacoby=True)) == (1.0, -1.0)


GAMMONS = [  # stakes, and what win, gammon, backgammon, lost gammon and lost backgammon count
    (match(1, 1), (2, 0, 0, 0, 0), "double match point"),
    (match(2, 1), (1, 1, 0, 0, 0), "gammon-go"),
    (match(1, 2), (1, 0, 0, -1, 0), "gammon-save"),
    (MONEY._replace(jacoby=True), (2, 0, 0, 0, 0), "the Jacoby rule"),
    (MONEY, (2, 1, 1, -1, -1), "money"),
]


@pytest.mark.parametrize(("stakes", "counts", "why"), GAMMONS, ids=[row[-1] for row in GAMMONS])
def test_plays_count_gammons_by_the_score(stakes: Stakes, counts: tuple[float, ...], why: str) -> None:
    assert weights(stakes) == pytest.approx(counts)


# Source: the Rockwell-Kazaross table (bgonline.org): percent for one who needs so many points, against one who needs
# one more, two more, ...; in the first row the next game is the Crawford game.
EQUITIES = {
    1: (68, 75, 81, 84, 89, 91, 93, 94, 96, 97),
    2: (60, 67, 74, 80, 84, 88, 90, 92, 94),
    3: (57, 65, 71, 76, 80, 84, 87, 89),
    4: (58, 64, 70, 75, 79, 82, 85),
    5: (57, 63, 68, 73, 77, 80),
    6: (56, 62, 67, 71, 75),
    7: (55, 61, 66, 70),
    8: (55, 60, 65),
    9: (55, 60),
}


def test_match_equities_are_near_to_the_tables() -> None:
    for ours, row in EQUITIES.items():
        found = [100 * match_winning_chance(ours, theirs, False) for theirs in range(ours + 1, ours + 1 + len(row))]
        assert found == pytest.approx(row, abs=1.5)
    assert [match_winning_chance(1, theirs, True) for theirs in (2, 3)] == pytest.approx([0.5, 0.687], abs=0.002)


def test_a_game_begins_with_what_the_network_sees_in_it() -> None:
    chances = CHANCES * [high != low for high, low in ROLLS]
    after = np.average(after_rolls([START], VALUES.tolist(), hit_and_run=True)[0], axis=0, weights=chances)
    assert (after + flipped(after[None])[0]) / 2 == pytest.approx(EVEN, abs=0.001)


def test_a_long_match_can_be_asked_for_first() -> None:
    match_winning_chance.cache_clear()
    assert 0.45 < match_winning_chance(64, 63, False) < 0.5


def test_match_equities_are_in_order_everywhere() -> None:
    for ours in range(1, 65):
        for theirs in range(1, 65):
            for done in (False, True):
                here = match_winning_chance(ours, theirs, done)
                assert 0 <= here <= 1
                assert here + match_winning_chance(theirs, ours, done) == pytest.approx(1)
                assert here <= match_winning_chance(ours - 1, theirs, done) + 1e-9
