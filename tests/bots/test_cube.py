"""Cube decisions and match equities, against figures that are known."""

from functools import partial

import numpy as np
import pytest
from tavla_bots.cube import (
    EVEN,
    Prices,
    Stakes,
    holding,
    match_winning_chance,
    should_double,
    should_take,
    take_point,
    weights,
)
from tavla_bots.evaluator import VALUES, Outlook, other_side_rows
from tavla_bots.lookahead import CHANCES, ROLLS, after_rolls, cube_ahead
from tavla_engine.position import Position
from tavla_engine.positionid import parse_position_id
from tavla_engine.rules import STARTS, Variant

from tests.support.tries import MANY

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
    (race(1.0), MONEY, True, False, "a game that is won is over at once"),
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
    assert should_double(partial(holding, outlook), stakes) is double
    if stakes.holder >= 0 and not stakes.dead:
        assert should_take(partial(holding, outlook), stakes) is take


EARLY = [  # GNU position id, away, by how much Sage at three plies says that doubling is too early
    ("4HPwAFiYT+SRAA", (2, 3), 0.29),
    ("rF7BAQawtzEHAA", (2, 5), 0.25),
    ("2K6JAQyYtzEHAA", (2, 6), 0.22),
    ("nG4zBATvbwAAIA", (4, 2), 0.157),
    ("uN2GASC2bQsYAA", (2, 2), 0.17),  # it is too good
]


@pytest.mark.parametrize(("position", "away", "loss"), EARLY)
def test_who_is_two_away_waits_with_a_double_that_kills_the_own_cube_alone(
    position: str, away: tuple[int, int], loss: float
) -> None:
    stakes = match(*away)
    value = cube_ahead(Position(*parse_position_id(position)), stakes, hit_and_run=True)
    assert not should_double(value, stakes), f"it costs {loss}"
    doubled = min(value(stakes.after_double()), stakes.worth(1))
    assert stakes.equity(value(stakes)) - stakes.equity(doubled) == pytest.approx(loss, abs=0.07)


def test_a_live_cube_in_money_play_is_taken_with_a_fifth() -> None:
    assert take_point(race(0.5), MONEY) == pytest.approx(0.2, abs=0.001)


def test_prices_contain_the_gammons() -> None:
    assert Prices.of(Outlook(0.5, 0.25, 0, 0, 0), MONEY) == (1.5, -1.0)
    assert Prices.of(Outlook(0.5, 0.25, 0, 0, 0), MONEY._replace(jacoby=True)) == (1.0, -1.0)


def tavla(ours: int, theirs: int) -> Stakes:
    """Without the cube, and nothing counts three."""
    return Stakes((ours, theirs), 1, 0, cap=1, crawford_done=True, backgammons=False)


GAMMONS = [  # stakes, and what win, gammon, backgammon, lost gammon and lost backgammon count
    (match(1, 1), (2, 0, 0, 0, 0), "double match point"),
    (match(2, 1), (1, 1, 0, 0, 0), "gammon-go"),
    (match(1, 2), (1, 0, 0, -1, 0), "gammon-save"),
    (MONEY._replace(jacoby=True), (2, 0, 0, 0, 0), "the Jacoby rule"),
    (MONEY, (2, 1, 1, -1, -1), "money"),
    (MONEY._replace(backgammons=False), (2, 1, 0, -1, 0), "money, and a backgammon is a gammon"),
    (match(2, 2, crawford_done=True), (0, 1, 0, -1, 0), "a cube and no Crawford rule: a point changes nothing"),
    (tavla(2, 2), (0.724, 0.638, 0, -0.638, 0), "without a cube a point leads to .36, a gammon to 1"),
    (tavla(3, 2), (0.631, 0.362, 0, -0.369, 0), "without a cube, one point behind"),
    (tavla(5, 5), (0.454, 0.235, 0, -0.235, 0), "without a cube, to five points"),
    (tavla(5, 5)._replace(backgammons=True), (0.448, 0.233, 0.225, -0.233, -0.225), "and a backgammon counts three"),
    (tavla(2, 2)._replace(variant="hypergammon"), (0.42, 0.79, 0, -0.79, 0), "of more gammons, a point is worth less"),
    (tavla(1, 3), (0.638, 0, 0, -0.362, 0), "without a cube the match point"),
]


@pytest.mark.parametrize(("stakes", "counts", "why"), GAMMONS, ids=[row[-1] for row in GAMMONS])
def test_plays_count_gammons_by_the_score(stakes: Stakes, counts: tuple[float, ...], why: str) -> None:
    assert weights(stakes) == pytest.approx(counts, abs=0.0005)


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
        assert found == pytest.approx(row, abs=0.7)
    assert [match_winning_chance(1, theirs, True) for theirs in (2, 3)] == pytest.approx([0.5, 0.677], abs=0.005)


@pytest.mark.parametrize("variant", Variant)
def test_a_game_begins_with_what_the_network_sees_in_it(variant: Variant) -> None:
    chances, start = CHANCES * [high != low for high, low in ROLLS], STARTS[variant]
    after = np.average(
        after_rolls([Position(start, start)], VALUES.tolist(), hit_and_run=True)[0], axis=0, weights=chances
    )
    assert (after + other_side_rows(after[None])[0]) / 2 == pytest.approx(EVEN[variant], abs=0.001)


def test_a_long_match_can_be_asked_for_first() -> None:
    match_winning_chance.cache_clear()
    assert 0.45 < match_winning_chance(64, 63, False) < 0.5


LONGEST = 65 if MANY else 30
KINDS = [(10**9, True), (10**9, False), (4, True), (1, True), (1, False)]  # caps of the cube, and backgammons


@pytest.mark.slow
@pytest.mark.parametrize(("cap", "backgammons"), KINDS)
def test_match_equities_are_in_order_everywhere(cap: int, backgammons: bool) -> None:
    for ours in range(1, LONGEST):
        for theirs in range(1, LONGEST):
            for done in (False, True):
                here = match_winning_chance(ours, theirs, done, cap, backgammons)
                assert 0 <= here <= 1
                assert here + match_winning_chance(theirs, ours, done, cap, backgammons) == pytest.approx(1)
                assert here <= match_winning_chance(ours - 1, theirs, done, cap, backgammons) + 1e-9


def test_without_a_cube_the_crawford_rule_changes_nothing() -> None:
    for ours in range(1, 10):
        for theirs in range(1, 10):
            found = {round(match_winning_chance(ours, theirs, done, cap=1), 12) for done in (False, True)}
            assert len(found) == 1


GAMMON = EVEN[Variant.STANDARD].gammon
SINGLE = 0.5 - GAMMON


def test_without_a_cube_a_chance_is_that_of_the_games_that_lead_there() -> None:
    """By hand: of a match in which a gammon counts two and nothing more, the sum over the ends of one game."""

    def chance(ours: int, theirs: int) -> float:
        if ours <= 0 or theirs <= 0:
            return float(ours <= 0)
        won = SINGLE * chance(ours - 1, theirs) + GAMMON * chance(ours - 2, theirs)
        return won + SINGLE * chance(ours, theirs - 1) + GAMMON * chance(ours, theirs - 2)

    for ours in range(1, 8):
        for theirs in range(1, 8):
            assert match_winning_chance(ours, theirs, True, 1, False) == pytest.approx(chance(ours, theirs))
