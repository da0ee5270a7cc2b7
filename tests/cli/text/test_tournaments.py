"""Words for tournaments."""

from typing import Any

import pytest
from tavla_cli.text.tournaments import ranked, standing_rows, state_text
from tavla_protocol import messages as m

NOW_S = 10_000
STATES = [  # starts, ends, what else, what is said
    (60, 3660, {}, "begins in 1 min"),
    (-60, 3540, {"playing": 3}, "59 min left, 3 matches"),
    (-60, 61, {"playing": 1, "halted": True}, "2 min left, 1 match, halted"),
    (-3600, -1, {"playing": 1}, "the last 1 match"),
    (-3600, -1, {"over": True}, "over"),
]


@pytest.mark.parametrize(("starts", "ends", "fields", "said"), STATES)
def test_a_tournament_says_how_far_it_is(starts: int, ends: int, fields: dict[str, Any], said: str) -> None:
    row = m.Tournament(name="friday", by="ada", starts=NOW_S + starts, ends=NOW_S + ends, **fields)
    assert state_text(row, NOW_S) == said


def test_standings_begin_with_the_most_points_and_then_the_better_performance() -> None:
    rows = {
        "ada": m.Standing(points=4, matches=2, wins=2, streak=2, performance=1800, waiting=True),
        "bob": m.Standing(points=4, matches=3, wins=2, performance=1850, match="m1"),
        "eve": m.Standing(),
    }
    assert standing_rows(ranked(rows)) == [
        ("1", "bob", "4", "2 of 3", "1850", "plays"),
        ("2", "ada", "4*", "2 of 2", "1800", "waits"),
        ("3", "eve", "0", "0 of 0", "", ""),
    ]
