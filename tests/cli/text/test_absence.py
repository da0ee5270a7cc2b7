"""Sentences about absence: the player that is away, what that means, and what happened meanwhile."""

from typing import Any

import pytest
from msgspec.structs import replace
from tavla_cli.text.absence import leaving_text, own_end_text, paused_text
from tavla_protocol import messages as m
from tavla_protocol.view import View

VIEW = View(players=("ada", "bob"), rules={"length": 3}, phase="move")
LEAVING = [  # view, seconds that one may be away, sentence
    (replace(VIEW, phase="open", players=("ada", None)), 60, "nobody has sat down: the table is closed"),
    (
        replace(VIEW, clock=(1, 1, 1)),
        60,
        "your clock runs when it is your turn; after 60 s away bob may claim the match then",
    ),
    (VIEW, 259_200, "the match waits for you; after 3 days away bob may claim it when it is your turn"),
]


@pytest.mark.parametrize(("view", "absence_s", "sentence"), LEAVING)
def test_who_leaves_is_told_what_that_means(view: View, absence_s: int, sentence: str) -> None:
    assert leaving_text(view, 0, absence_s) == sentence


ENDED = [  # outcome, sentence
    ((1, 0, 0, "abandoned"), "you stayed away at ada 1, bob 2, match to 3 points: bob wins"),
    ((1, 0, 0, "time"), "you run out of time at ada 1, bob 2, match to 3 points: bob wins"),
    ((0, 0, 0, "forfeit"), "bob forfeits the match at ada 1, bob 2, match to 3 points: you win"),
    ((None, 0, 0, "aborted"), "both wanted to abort the match, at ada 1, bob 2, match to 3 points: nobody wins it"),
]


@pytest.mark.parametrize(("outcome", "how"), ENDED)
def test_who_comes_back_is_told_how_it_ended(outcome: tuple[int | None, int, int, str], how: str) -> None:
    view = replace(VIEW, phase="over", score=(1, 2), outcome=outcome)
    assert own_end_text(view, "ada") == f"while you were away, against bob: {how}"


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"outcome": (1, 0, 0, "time")}, "while you were away, against bob: you run out of time"),
        ({"unrevealed": (1,)}, "while you were away, against bob: the match is void"),
        ({}, ""),
    ],
)
def test_one_in_the_lobby_is_told_of_each_end_but_of_a_table_that_was_closed(change: dict[str, Any], said: str) -> None:
    told = own_end_text(replace(VIEW, phase="over", score=(1, 2), **change), "ada")
    assert told.startswith(said)
    assert bool(told) == bool(said)
    assert own_end_text(replace(VIEW, phase="over", **change), "eve") == ""


def test_a_paused_match_says_who_is_away_for_how_long() -> None:
    table = m.Table(name="t", players=("ada", "bob"))
    assert paused_text(table, 1000) == ""
    assert paused_text(replace(table, away=(940, 0)), 1000) == "ada away 60 s"
    assert paused_text(replace(table, away=(1000 - 7200, 400)), 1000) == "ada away 120 min, bob away 10 min"
