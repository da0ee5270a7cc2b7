"""A double where waiting is worth exactly as much as a drop, or nearly: all say the same about it."""

import pytest
from tavla_bots.cube import Stakes, should_double
from tavla_engine.analysis import double_finding

from tests.support.browser.node import ask_modules, need_node

MONEY = Stakes(None, 1, 0, cap=64)
ROWS = [  # waiting, taken; whether one doubles, why this row is here
    (1.0, 2.0, True, "a game that is won is over at once"),
    (1.0 + 1e-9, 1.4, True, "as sums of many figures have it"),
    (1.01, 1.4, False, "too good"),
    (0.99, 1.4, True, "a drop is worth more"),
    (0.7, 0.7, False, "it is taken, and the cube is the opponent's"),
    (0.7, 0.71, True, "a double that is taken is worth more"),
]


@pytest.mark.parametrize(("waiting", "taken", "doubles", "why"), ROWS, ids=[row[-1] for row in ROWS])
def test_the_computer_the_verdict_and_the_page_double_alike(
    waiting: float, taken: float, doubles: bool, why: str
) -> None:
    need_node()
    assert should_double(lambda stakes: waiting if stakes == MONEY else taken, MONEY) is doubles
    assert double_finding(1, 1, 0, doubles, waiting, taken).best == ("double" if doubles else "no double")
    assert ask_modules("doubles", [{"waiting": waiting, "taken": taken}]) == [doubles]
