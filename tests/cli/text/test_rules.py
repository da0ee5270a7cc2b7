"""Rules of a table, in words."""

from typing import Any

import pytest
from msgspec.structs import replace
from tavla_cli.text.rules import forfeit_price, rules_text
from tavla_engine.rules import preset
from tavla_protocol.view import View

from tests.support.wire.match_views import TO_MOVE

RULES = [  # preset, what differs from it, what is told
    ("tournament", {}, "match to 7 points"),
    ("tournament", {"length": 1, "cube": False, "crawford": False}, "match to 1 point, no cube"),
    ("tournament", {"crawford": False, "cube_cap": 8}, "match to 7 points, cube to 8, no Crawford game"),
    ("tournament", {"clock": "fast", "rated": True}, "match to 7 points, clock 8 s + 20 s a point, rated"),
    ("tournament", {"forfeit_multiplier": 2}, "match to 7 points, a forfeit costs 2 cubes"),
    ("tournament", {"resignations": False, "hints": True}, "match to 7 points, hints, no resignations"),
    ("money", {"variant": "nackgammon"}, "money play, nackgammon, Jacoby rule, beavers"),
    ("money", {"beavers": 2, "clock": "fast"}, "money play, clock 8 s + 60 s a game, Jacoby rule, beavers (2)"),
    ("club", {}, "money play, cube to 64"),
    ("mpgn", {}, "money play, cube to 128, automatic doubles (2), hints, no resignations, a forfeit costs 2 cubes"),
    (
        "seats",
        {"forfeit_multiplier": 1},
        "money play, cube to 64, where the taker keeps it, white starts, and may double first, a forfeit costs 1 cube",
    ),
    ("club", {"opening": "seat_0"}, "money play, cube to 64, white starts"),
    ("tavla", {}, "match to 5 points, no cube, nothing counts three, no hit-and-run, the winner starts"),
]


@pytest.mark.parametrize(("name", "changes", "told"), RULES)
def test_what_is_played_is_told_as_far_as_it_is_not_usual(name: str, changes: dict[str, Any], told: str) -> None:
    assert rules_text(preset(name, changes)._asdict()) == told


@pytest.mark.parametrize(
    ("view", "price"),
    [
        (TO_MOVE, "you lose the match"),
        (replace(TO_MOVE, rules={"forfeit_multiplier": 2}, cube=4), "you lose this game at 2 times the cube, 8 points"),
    ],
)
def test_a_forfeit_names_its_price(view: View, price: str) -> None:
    assert forfeit_price(view) == price
