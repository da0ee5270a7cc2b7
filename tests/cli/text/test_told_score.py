"""Scores as they are told."""

import pytest
from tavla_cli.text.phrases import told_score

ROWS: list[tuple[tuple[int, int], dict[str, object], tuple[int, int]]] = [
    ((4, 0), {"length": 3}, (3, 0)),
    ((2, 9), {}, (2, 7)),  # a table's rules are told by what differs from those of a tournament
    ((2, 1), {"length": 3}, (2, 1)),
    ((24, 3), {"length": 0}, (24, 3)),
]


@pytest.mark.parametrize(("score", "rules", "told"), ROWS)
def test_a_match_is_won_with_its_length(
    score: tuple[int, int], rules: dict[str, object], told: tuple[int, int]
) -> None:
    assert told_score(score, rules) == told
