"""Games of the computer against itself, as the benchmarks of its strength and of its cube have them."""

import pytest
from tavla_bots.house import House
from tavla_engine.match import Phase
from tavla_engine.rules import Rules

from bench.cube import positions
from bench.strength import events_of, gains


@pytest.mark.slow
def test_without_its_luck_a_game_between_equals_is_nearly_even() -> None:
    rules = Rules(length=0, cube=False, crawford=False)
    games = [gains(rules, events_of((House(), House()), rules, f"even:{number}")) for number in range(4)]
    assert all(abs(points) >= 1 and abs(fair) < 0.5 for points, fair in games), games


@pytest.mark.slow
def test_a_game_gives_the_same_positions_before_a_roll_each_time() -> None:
    found = positions(0)
    assert len(found) == 5
    assert {match.phase for match in found} == {Phase.ROLL}
    assert found == positions.__wrapped__(0)
