"""Actions that the cube still allows."""

import pytest
from msgspec.structs import replace
from tavla_cli.text.cube import lives, may_beaver
from tavla_protocol.view import View

FIVE = View(phase="roll", rules={"length": 5, "cube": True, "cube_cap": 0})
LIVES = [  # view, whether anybody may still turn the cube
    (FIVE, True),
    (replace(FIVE, rules={"length": 1}), False),
    (replace(FIVE, rules={"length": 0}), True),
    (replace(FIVE, rules={"cube": False}), False),
    (replace(FIVE, crawford=True), False),
    (replace(FIVE, score=(3, 0), cube=2, owner=0), False),
    (replace(FIVE, score=(3, 0), cube=2, owner=1), True),
    (replace(FIVE, score=(4, 4)), False),
    (replace(FIVE, rules={"length": 0, "cube_cap": 4}, cube=4, owner=1), False),
]
MONEY = View(phase="cube", offer=0, turn=0, rules={"length": 0, "beavers": 1, "cube_cap": 0})
BEAVERS = [  # view, whether who takes may turn it once more
    (MONEY, True),
    (replace(MONEY, offer=1, cube=2), False),
    (replace(MONEY, offer=1, cube=2, rules={"beavers": 2}), True),
    (replace(MONEY, rules={"beavers": 0}), False),
    (replace(MONEY, rules={"beavers": 1, "cube_cap": 2}), False),
    (replace(MONEY, offer=None), False),
]


@pytest.mark.parametrize(("view", "alive"), LIVES)
def test_a_cube_that_nobody_may_turn_is_dead(view: View, alive: bool) -> None:
    assert lives(view) == alive


@pytest.mark.parametrize(("view", "may"), BEAVERS)
def test_a_beaver_is_offered_where_it_may_be_answered(view: View, may: bool) -> None:
    assert may_beaver(view) == may
