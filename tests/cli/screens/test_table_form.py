"""The form for a new match: what keys make of it, and what it asks of the server."""

from collections.abc import Callable
from functools import reduce
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tavla_cli.screens.table_form import LABELS, TableForm, Wish, after_typing, lines, move, new_form, turn
from tavla_cli.text.rules import engine_rules
from tavla_engine.rules import PRESETS, BadRules

LEVELS = ("beginner", "expert")
Step = Callable[[TableForm], TableForm]


def filled(**values: str) -> TableForm:
    """A form in which these are chosen, by the keys that do."""
    form = new_form(("bob", "zoe"), LEVELS, account=True)
    for field, value in values.items():
        while form.chosen != field:
            form = move(form, 1 if list(LABELS).index(field) > list(LABELS).index(form.chosen) else -1)
        if field in ("name", "length"):
            form = reduce(lambda form, _: after_typing(form, ""), range(30), form)
            form = reduce(after_typing, value, form)
        while form.values[field] != value:
            form = turn(form, 1)
    return form


T = {"preset": "tournament", "clock": "none", "length": 3}
WISHES: list[tuple[dict[str, str], Wish]] = [  # what was filled in, what is asked
    ({}, Wish("table", T, "either")),
    ({"name": "sofa", "length": "5"}, Wish("table", {**T, "length": 5}, "either", "sofa")),
    ({"length": "13", "cube": "off", "side": "black"}, Wish("table", {**T, "length": 13, "cube": False}, "black")),
    ({"clock": "fast", "private": "on"}, Wish("table", {**T, "clock": "fast"}, "either", private=True)),
    ({"rated": "on"}, Wish("table", {**T, "clock": "normal", "rated": True}, "either")),
    ({"preset": "money"}, Wish("table", {"preset": "money", "clock": "none"}, "either")),
    ({"preset": "mpgn", "hints": "off"}, Wish("table", {"preset": "mpgn", "clock": "none", "hints": False}, "either")),
    ({"against": "the computer"}, Wish("computer", {**T, "hints": True}, "either")),
    (
        {"against": "the computer: expert", "hints": "off"},
        Wish("computer", {**T, "hints": False}, "either", level="expert"),
    ),
    ({"against": "zoe", "length": "3"}, Wish("challenge", {**T, "length": 3}, "either", "zoe")),
]


@pytest.mark.parametrize(("values", "wish"), WISHES)
def test_a_form_asks_for_what_was_filled_in(values: dict[str, str], wish: Wish) -> None:
    form = filled(**values)
    assert form.fault == ""
    assert form.wish == wish


def test_against_somebody_in_particular_there_is_no_table_to_be_named() -> None:
    assert not {"name", "private"} & set(filled(against="bob").fields)
    assert "rated" not in new_form().fields, "which needs an account"


def test_who_is_chosen_in_the_lobby_is_challenged() -> None:
    assert new_form(("bob",), against="bob").wish.name == "bob"
    assert new_form((), against="gone").wish.what == "table"


def test_what_cannot_be_played_is_said_and_a_table_may_have_any_name() -> None:
    assert filled(name="x").fault == ""
    assert filled(preset="money", length="99").fault != ""


def test_the_form_shows_each_field_the_preset_and_what_will_be_played() -> None:
    shown = [text for _, text in lines(filled(name="sofa", length="5"), 60, ascii_only=True)]
    assert "   table         sofa" in shown
    assert " > points      < 5 >" in shown
    assert any(PRESETS["tournament"].text.startswith(line.strip()) for line in shown if line.strip())
    assert shown[-1] == " match to 5 points"


STEPS: list[Step] = [
    lambda form: move(form, 1),
    lambda form: move(form, -1),
    lambda form: turn(form, 1),
    lambda form: turn(form, -1),
    lambda form: after_typing(form, ""),
    *(lambda form, letter=letter: after_typing(form, letter) for letter in ("7", "0", "a", "é", "\ufffd", " ")),
]


@given(st.lists(st.sampled_from(STEPS), max_size=60))
def test_whatever_is_pressed_the_form_is_one(steps: list[Any]) -> None:
    form = reduce(lambda form, step: step(form), steps, new_form(("bob",), LEVELS, account=True))
    assert form.chosen in form.fields
    assert all(text.isprintable() for _, text in lines(form, 40, ascii_only=True))
    try:
        engine_rules(form.rules)
    except BadRules:
        assert form.fault
