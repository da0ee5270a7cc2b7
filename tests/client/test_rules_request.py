"""Rules that are asked for, compared with those that a server of this version makes of the request."""

from itertools import product
from typing import Any

import pytest
from tavla_client.rules_request import asked_rules, rules_fault
from tavla_engine.rules import PRESETS, BadRules, Rules, preset
from tavla_server.record.projection import rules_fields

CHANGES: list[dict[str, Any]] = [
    {},
    {"length": 1},
    {"length": 0},
    {"cube": False},
    {"clock": "fast"},
    {"rated": True},
    {"hints": True},
    {"variant": "hypergammon", "delay_s": 3, "reserve_s": 30},
]


def offers() -> list[tuple[dict[str, Any], bool, dict[str, Any]]]:
    """Requests, whether each is for a quick match, and the rules that a server makes of it."""
    found = []
    for name, changes, quick in product(PRESETS, CHANGES, (False, True)):
        try:
            rules = preset(name, changes, quick)
        except BadRules:
            continue
        found.append(({"preset": name, **changes}, quick, rules_fields(rules)))
    return found


def test_nothing_is_wrong_with_what_a_server_makes_of_a_request() -> None:
    assert len(offers()) > 80
    assert {rules_fault(asked_rules(wanted, quick), offered) for wanted, quick, offered in offers()} == {""}


def test_each_option_that_is_another_one_is_told() -> None:
    """Also one that only the preset has named."""
    for wanted, quick, offered in offers():
        asked = asked_rules(wanted, quick)
        for name in asked.keys() & offered.keys():
            value = offered[name]
            other = not value if isinstance(value, bool) else value + 1 if isinstance(value, int) else f"{value}x"
            fault = rules_fault(asked, {**offered, name: other})
            assert f"you asked for {name} " in fault


def test_who_seeks_may_be_seated_at_a_table_with_hints() -> None:
    offered = {**rules_fields(preset("tournament", {}, quick=True)), "hints": True}
    assert rules_fault(asked_rules({}, quick=True), offered) == ""
    assert "hints" in rules_fault(asked_rules({}), offered)


@pytest.mark.parametrize("wanted", [{"preset": "acey"}, {"acey": True, "length": 3}])
def test_what_this_version_does_not_know_is_for_the_server_to_say(wanted: dict[str, Any]) -> None:
    asked = asked_rules({**wanted, "length": 3})
    usual = rules_fields(Rules(length=3))
    assert rules_fault(asked, usual) == ""
    assert "length 3, and the server offers length 5" in rules_fault(asked, {**usual, "length": 5})
    assert "update it" in rules_fault(asked, {**usual, "acey": True})
