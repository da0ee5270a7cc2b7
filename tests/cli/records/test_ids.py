"""IDs of what a view shows: those of the match itself."""

import pytest
from msgspec.structs import replace
from tavla_cli.records.ids import id_lines
from tavla_cli.records.steps import view_of
from tavla_client import match_of
from tavla_engine.gnuid import gnu_id
from tavla_engine.match import Match, Phase
from tavla_engine.rules import Rules, preset
from tavla_engine.xgid import xgid

from tests.support.games.chance import states_by_chance
from tests.support.games.engine import TOURNAMENT, on_roll

RULES = [preset("tournament", {"length": 3}), preset("money"), preset("tournament", {"crawford": False})]


@pytest.mark.parametrize("rules", RULES)
@pytest.mark.parametrize("seed", range(5))
def test_a_view_has_the_ids_of_its_match(rules: Rules, seed: int) -> None:
    for match in states_by_chance(rules, seed, 400):
        if match.game and match.phase is not Phase.OPENING:
            assert id_lines(match_of(view_of(match))) == [f"GNU ID {gnu_id(match)}", xgid(match)]


def test_a_cube_that_an_id_has_no_room_for_is_said() -> None:
    match: Match = replace(on_roll(TOURNAMENT), cube=on_roll(TOURNAMENT).cube._replace(value=2**16))
    assert id_lines(match)[0].startswith("no GNU ID: a Match ID holds cubes up to")
