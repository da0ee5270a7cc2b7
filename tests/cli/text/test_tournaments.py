"""Words for tournaments."""

from typing import Any

import msgspec
import pytest
from tavla_cli.text.tournaments import call_text, round_text, rows_in_order, standing_rows, state_text
from tavla_protocol import messages as m

NOW_S = 10_000
STATES = [  # starts, ends, what else, what is said
    (60, 3660, {}, "begins in 1 min"),
    (-60, 3540, {"playing": 3}, "59 min left, 3 matches"),
    (-60, 61, {"playing": 1, "halted": True}, "2 min left, 1 match, halted"),
    (-60, 3540, {"players": 0}, "under way"),
    (-3600, -1, {"playing": 1}, "the last 1 match"),
    (-3600, -1, {"over": True}, "over"),
]


@pytest.mark.parametrize(("starts", "ends", "fields", "said"), STATES)
def test_a_tournament_says_how_far_it_is(starts: int, ends: int, fields: dict[str, Any], said: str) -> None:
    row = m.Tournament(name="friday", by="ada", starts=NOW_S + starts, ends=NOW_S + ends, **{"players": 2, **fields})
    assert state_text(row, NOW_S) == said


CALLS = [
    (
        m.Called(tournament="t", name="cup", what="come", left=58, round=2, rounds=3),
        "cup: round 2 of 3 begins without you in 58 s: tavla tournament join t",
    ),
    (
        m.Called(tournament="t", name="cup", what="come", left=9, round=1),
        "cup: round 1 begins without you in 9 s: tavla tournament join t",
    ),
    (
        m.Called(tournament="t", name="cup", what="won", round=2, opponent="b\x1bob"),
        "cup: you have won round 2: b?ob did not come",
    ),
    (
        m.Called(tournament="t", name="cup", what="lost", round=2, opponent="bob"),
        "cup: you did not come to round 2: bob has won",
    ),
    (
        m.Called(tournament="t", name="cup", what="bye", round=2, rounds=3),
        "cup: you have a bye in round 2, which counts as a win",
    ),
    (m.Called(tournament="t", name="cup", what="came"), ""),
    (m.Called(tournament="t", name="cup", what="of a later version"), ""),
]


@pytest.mark.parametrize(("called", "said"), CALLS)
def test_a_call_says_what_to_type(called: m.Called, said: str) -> None:
    assert call_text(called, "tavla tournament join t") == said


def test_a_round_says_until_when_and_who_wins_then() -> None:
    row = m.Tournament(name="cup", by="ada", starts=0, ends=NOW_S + 61, format="swiss")
    assert round_text(row, NOW_S) == ""
    said = "round 2 is over in 2 min: a match in play is won then by who has used less time in it"
    assert round_text(msgspec.structs.replace(row, round=2), NOW_S) == said


def test_standings_begin_with_the_most_points_and_then_the_better_performance() -> None:
    rows = {
        "ada": m.Standing(points=4, matches=2, wins=2, streak=2, performance=1800, waiting=True),
        "bob": m.Standing(points=4, matches=3, wins=2, performance=1850, match="m1"),
        "eve": m.Standing(),
    }
    assert standing_rows(rows_in_order(rows)) == [
        ("1", "bob", "4", "2 of 3", "1850", "plays"),
        ("2", "ada", "4*", "2 of 2", "1800", "waits"),
        ("3", "eve", "0", "0 of 0", "", ""),
    ]
