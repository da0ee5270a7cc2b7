"""Rules that two players may agree on: presets, changes to them, and combinations that cannot stand."""

from collections import namedtuple
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tavla_engine.match import new_match
from tavla_engine.rules import (
    CLOCKS,
    MAX_CUBE_CAP,
    MONEY_POINTS,
    PRESETS,
    STARTS,
    BadRules,
    Opening,
    Rules,
    Variant,
    compact,
    preset,
    valid_rules,
)


@pytest.mark.parametrize("name", PRESETS)
def test_every_preset_can_be_played_and_says_what_it_is(name: str) -> None:
    assert valid_rules(PRESETS[name].rules) == preset(name) == preset(name, {})
    assert PRESETS[name].text.endswith(".")
    assert PRESETS[name].source


def test_an_option_that_is_added_is_told_where_it_matters_and_nowhere_else() -> None:
    make: Any = namedtuple  # of names that mypy need not look at
    grown = make("grown", [*Rules._fields, "double_sixes"], defaults=(*Rules(), False))
    told = Rules._fields.index("hit_and_run")
    assert compact(grown()) == compact(Rules()) == tuple(Rules())[:told], "journals of before keep their bytes"
    for later in (grown(double_sixes=True), grown(hit_and_run=False, double_sixes=True)):
        assert compact(later) == tuple(later)
    assert compact(Rules(hit_and_run=False)) == tuple(Rules(hit_and_run=False))[: told + 1]


def test_what_nobody_changes_is_a_match_of_seven_points() -> None:
    assert Rules()._asdict() == {
        "variant": "standard",
        "length": 7,
        "cube": True,
        "cube_cap": 0,
        "crawford": True,
        "jacoby": False,
        "beavers": 0,
        "automatic_doubles": 0,
        "opening": "roll_off",
        "forfeit_multiplier": 0,
        "resignations": True,
        "hints": False,
        "delay_s": 0,
        "reserve_s": 0,
        "rated": False,
        "backgammons": True,
        "cap_kept": False,
        "hit_and_run": True,
    }


def test_presets_are_what_people_know_them_for() -> None:
    tournament, money, club, mpgn, seats = (preset(n) for n in ("tournament", "money", "club", "mpgn", "seats"))
    assert (tournament.crawford, tournament.cube_cap, tournament.jacoby, tournament.forfeit_multiplier) == (
        True,
        0,
        False,
        0,
    )
    assert (money.length, money.jacoby, money.beavers, money.cube_cap) == (0, True, 1, 0)
    assert (club.cube, club.cube_cap, club.crawford, club.jacoby) == (True, 64, False, False)
    assert (mpgn.automatic_doubles, mpgn.cube_cap, mpgn.forfeit_multiplier, mpgn.hints) == (2, 128, 2, True)
    assert (mpgn.resignations, mpgn.opening) == (False, Opening.ROLL_OFF)
    assert (seats.opening, seats.cube_cap, seats.cap_kept) == (Opening.SEAT_0_CUBE, 64, True)
    tavla, portes = preset("tavla"), preset("portes")
    assert (tavla.cube, tavla.backgammons, tavla.opening, tavla.length) == (False, False, Opening.WINNER, 5)
    assert not tavla.hit_and_run
    assert portes == tavla._replace(length=7, hit_and_run=True)


CHANGES: list[tuple[str, dict[str, Any], dict[str, Any]]] = [  # preset, changes -> what it comes to
    ("tournament", {"length": 64}, {"length": 64, "crawford": True}),
    ("tournament", {"length": 1}, {"length": 1}),
    ("tournament", {"length": 0}, {"crawford": False, "forfeit_multiplier": 3}),
    ("tournament", {"length": 0, "forfeit_multiplier": 2}, {"forfeit_multiplier": 2}),
    ("money", {"length": 5}, {"jacoby": False, "beavers": 0}),
    ("money", {"length": 5, "crawford": True}, {"crawford": True}),
    ("money", {"cube": False}, {"jacoby": False, "beavers": 0}),
    ("money", {"beavers": 12}, {"beavers": 12, "jacoby": True}),
    ("club", {"cube": False}, {"cube": False}),
    ("club", {"cube_cap": 2}, {"cube_cap": 2}),
    ("club", {"cube_cap": 2**20}, {"cube_cap": 2**20}),
    ("club", {"automatic_doubles": 6}, {"automatic_doubles": 6, "cube_cap": 64}),
    ("club", {"automatic_doubles": 12, "cube_cap": 0}, {"automatic_doubles": 12}),
    ("mpgn", {"cube": False}, {"automatic_doubles": 0}),
    ("mpgn", {"length": 3}, {"length": 3, "forfeit_multiplier": 2, "resignations": False}),
    ("seats", {"variant": "hypergammon"}, {"variant": Variant.HYPERGAMMON}),
    ("seats", {"opening": "roll_off", "automatic_doubles": 1}, {"opening": Opening.ROLL_OFF}),
    ("seats", {"cube_cap": 0}, {"cube_cap": 0, "cap_kept": False}),
    ("tournament", {"rated": True}, {"rated": True, "delay_s": 12, "reserve_s": 120}),
    ("money", {"rated": True, "clock": "none"}, {"rated": True, "delay_s": 0, "reserve_s": 0}),
    ("tournament", {"rated": True, "reserve_s": 5}, {"delay_s": 0, "reserve_s": 5}),
    ("tournament", {"rated": False}, {"delay_s": 0, "reserve_s": 0}),
]


@pytest.mark.parametrize(("name", "changes", "result"), CHANGES)
def test_presets_may_be_given_with_changes(name: str, changes: dict[str, Any], result: dict[str, Any]) -> None:
    rules = preset(name, changes)
    assert {field: getattr(rules, field) for field in result} == result
    assert type(rules.variant) is Variant
    assert type(rules.opening) is Opening


IMPOSSIBLE: list[tuple[str, dict[str, Any], str]] = [  # preset, changes -> what the sentence says
    ("chess", {}, "there is no preset 'chess': choose one of tournament, money, club, mpgn, seats, tavla, portes"),
    ("club", {"lenght": 5}, "there is no option 'lenght'"),
    ("club", {"clock": "sundial"}, "there is no clock 'sundial': choose one of none, fast, normal, slow"),
    ("club", {"length": -1}, "a match has 1 to 64 points, or 0"),
    ("club", {"length": 65}, "a match has 1 to 64 points, or 0"),
    ("club", {"length": 10**30}, "a match has 1 to 64 points, or 0"),
    ("club", {"length": "7"}, "length is a whole number, not '7'"),
    ("club", {"length": 7.0}, "length is a whole number, not 7.0"),
    ("club", {"length": True}, "length is a whole number, not True"),
    ("club", {"length": None}, "length is a whole number, not None"),
    ("club", {"cube": 1}, "cube is true or false, not 1"),
    ("club", {"cube": "x" * 10**6}, "cube is true or false, not 'xxx"),
    ("club", {"cube": []}, "cube is true or false, not []"),
    ("club", {"variant": "chess"}, "variant is one of standard, nackgammon, hypergammon, longgammon, not 'chess'"),
    ("club", {"variant": {}}, "variant is one of"),
    ("club", {"opening": "seat_1"}, "opening is one of roll_off, seat_0, seat_0_cube, winner, not"),
    ("club", {"cube_cap": 1}, "power of two"),
    ("club", {"cube_cap": 96}, "power of two"),
    ("club", {"cube_cap": -2}, "power of two"),
    ("club", {"cube_cap": 2 * MAX_CUBE_CAP}, "power of two"),
    ("club", {"automatic_doubles": 13, "cube_cap": 0}, "automatic doubles are 0 to 12"),
    ("club", {"automatic_doubles": 10**30}, "automatic doubles are 0 to 12"),
    ("club", {"automatic_doubles": -1}, "automatic doubles are 0 to 12"),
    ("club", {"automatic_doubles": 7}, "would pass the cube's cap: allow fewer, or raise the cap"),
    ("seats", {"automatic_doubles": 1}, "use the roll_off opening"),
    ("money", {"beavers": 13}, "beavers are 0 to 12"),
    ("money", {"forfeit_multiplier": 0}, "in money play a forfeit needs a price"),
    ("money", {"forfeit_multiplier": 13}, "the forfeit multiplier is 0"),
    ("money", {"crawford": True}, "the Crawford rule belongs to matches"),
    ("tournament", {"jacoby": True}, "the Jacoby rule belongs to money play"),
    ("tournament", {"beavers": 1}, "beavers belong to money play"),
    ("money", {"length": 5, "jacoby": True}, "the Jacoby rule belongs to money play"),
    ("money", {"cube": False, "jacoby": True}, "the Jacoby rule needs the cube"),
    ("money", {"cube": False, "beavers": 1}, "beavers need the cube"),
    ("club", {"cube": False, "automatic_doubles": 1}, "automatic doubles need the cube"),
    ("tournament", {"cap_kept": True}, "a cube can stay with its taker at a cap alone"),
]


@pytest.mark.parametrize(("name", "changes", "text"), IMPOSSIBLE)
def test_what_cannot_stand_together_is_refused_with_a_sentence(name: str, changes: dict[str, Any], text: str) -> None:
    with pytest.raises(BadRules) as caught:
        preset(name, changes)
    assert text in str(caught.value)
    assert len(str(caught.value)) < 300


BOUNDS: list[tuple[str, str, int, int, dict[str, Any], str]] = [  # preset, option, least, most, what goes with it
    ("club", "length", 0, 64, {}, "a match has 1 to 64 points, or 0 for money play"),
    ("money", "beavers", 0, 12, {}, "beavers are 0 to 12 redoubles after one double"),
    ("club", "automatic_doubles", 0, 12, {"cube_cap": 0}, "automatic doubles are 0 to 12 a game"),
    ("tournament", "forfeit_multiplier", 0, 12, {}, "the forfeit multiplier is 0 (the match) to 12"),
    ("tournament", "delay_s", 0, 60, {"reserve_s": 1}, "the clock's delay is 0 to 60 seconds a turn"),
    ("tournament", "reserve_s", 0, 600, {}, "the clock's reserve is 0 to 600 seconds a point"),
    ("tournament", "reserve_s", 1, 600, {"delay_s": 1}, ""),
    ("money", "forfeit_multiplier", 1, 12, {}, ""),
]


@pytest.mark.parametrize(("name", "option", "least", "most", "others", "text"), BOUNDS)
def test_a_number_may_be_the_least_and_the_most_but_nothing_beyond(
    name: str, option: str, least: int, most: int, others: dict[str, Any], text: str
) -> None:
    for value in (least, most):
        assert getattr(preset(name, {**others, option: value}), option) == value
    for value in (least - 1, most + 1):
        with pytest.raises(BadRules) as caught:
            preset(name, {**others, option: value})
        assert text in str(caught.value)


CLOCK_TIMES = [("none", 0, 0), ("fast", 8, 20), ("normal", 12, 120), ("slow", 15, 180)]


def test_every_clock_has_its_times_in_seconds() -> None:
    for name, delay_s, reserve_s in CLOCK_TIMES:
        rules = preset("tournament", {"clock": name})
        assert (rules.delay_s, rules.reserve_s) == (delay_s, reserve_s)
    assert [name for name, *_ in CLOCK_TIMES] == list(CLOCKS)
    assert MONEY_POINTS == 3


def test_a_quick_match_has_a_clock_unless_it_is_declined() -> None:
    for changes, times in (({}, (12, 120)), ({"clock": "none"}, (0, 0)), ({"reserve_s": 7}, (0, 7))):
        rules = preset("tournament", changes, quick=True)
        assert (rules.delay_s, rules.reserve_s) == times


def test_a_clock_needs_a_reserve() -> None:
    for delay_s in (1, 12):
        with pytest.raises(BadRules, match=r"^a clock needs a reserve: give one, or choose a clock by name$"):
            preset("tournament", {"delay_s": delay_s, "reserve_s": 0})
    assert preset("tournament", {"delay_s": 0, "reserve_s": 1}).clocked
    assert not preset("tournament", {"delay_s": 0, "reserve_s": 0}).clocked


def test_rules_read_back_from_plain_values_are_the_same() -> None:
    for variant in Variant:
        rules = preset("seats", {"variant": variant})
        values: list[Any] = [str(value) if isinstance(value, str) else value for value in rules]
        plain = Rules(*values)
        assert type(plain.variant) is str
        back = valid_rules(plain)
        assert back == rules
        assert (type(back.variant), type(back.opening)) == (Variant, Opening)


anything: st.SearchStrategy[object] = st.sampled_from([None, "", "7", 7.0, b"", (), [7], {}]) | st.integers()
sensible = st.booleans() | st.integers(0, 12) | st.sampled_from([*Variant, *Opening, 16, 64])


@given(st.sampled_from(sorted(PRESETS)), st.dictionaries(st.sampled_from(Rules._fields), anything | sensible))
def test_any_changes_give_rules_that_can_be_played_or_a_sentence(name: str, changes: dict[str, Any]) -> None:
    try:
        rules = preset(name, changes)
    except BadRules:
        return
    assert valid_rules(rules) == rules
    assert new_match(rules).board == (rules.start.mine, rules.start.theirs)
    assert {field: getattr(rules, field) for field in changes} == changes


def test_both_sides_start_alike_with_all_their_checkers() -> None:
    assert {variant: sum(start) for variant, start in STARTS.items()} == {
        Variant.STANDARD: 15,
        Variant.NACKGAMMON: 15,
        Variant.HYPERGAMMON: 3,
        Variant.LONGGAMMON: 15,
    }
    for variant in Variant:
        assert Rules(variant=variant).start == Rules(variant=variant).start.other_side()
