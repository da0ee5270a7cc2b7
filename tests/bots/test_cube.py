"""Cube decisions and match equities, against figures that are known."""

import pytest
from tavla_bots.cube import Prices, Stakes, should_double, should_take, take_point
from tavla_bots.evaluator import Outlook
from tavla_bots.match_equity import match_winning_chance

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


EQUITIES = [  # needed, needed, crawford done, chance of the first; Kazaross and Woolsey agree within two points
    (5, 5, False, 0.50),
    (2, 3, False, 0.60),
    (4, 7, False, 0.70),
    (3, 7, False, 0.76),
    (7, 9, False, 0.61),
    (1, 2, False, 0.69),
    (1, 3, False, 0.75),
    (1, 4, False, 0.82),
    (1, 5, False, 0.845),
    (1, 2, True, 0.51),
    (1, 3, True, 0.69),
]


@pytest.mark.parametrize(("ours", "theirs", "done", "chance"), EQUITIES)
def test_match_equities_are_near_to_the_tables(ours: int, theirs: int, done: bool, chance: float) -> None:
    assert match_winning_chance(ours, theirs, done) == pytest.approx(chance, abs=0.025)


def test_match_equities_are_in_order_everywhere() -> None:
    for ours in range(1, 65):
        for theirs in range(1, 65):
            for done in (False, True):
                here = match_winning_chance(ours, theirs, done)
                assert 0 <= here <= 1
                assert here + match_winning_chance(theirs, ours, done) == pytest.approx(1)
                assert here <= match_winning_chance(ours - 1, theirs, done) + 1e-9
