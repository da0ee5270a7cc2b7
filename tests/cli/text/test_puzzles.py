"""What is said of an answer to a position."""

from typing import Any

import pytest
from tavla_cli.text.puzzles import verdict
from tavla_engine.xgid import parse_xgid
from tavla_protocol.messages import Finding

START = "XGID=-b----E-C---eE---c-e----B-:0:0:1:{}:0:0:0:5:10"
PLAYED = "13/5", "24/18 13/11", 0.091
TAKEN = "take", "drop", 0.3
VERDICTS = [  # dice, what was done, best and its cost; the answer, what the house bot thinks that costs; lines
    ("62", PLAYED, "24/18 13/11", 0.0, ["right: 24/18 13/11 is best (x)", "in the match: ? 13/5 costs 0.091"]),
    ("62", PLAYED, "13/5", 0.5, ["? 13/5 costs 0.091, as in the match: 24/18 13/11 is best (x)"]),
    ("62", PLAYED, "13/11 13/7", None, ["24/18 13/11 is best (x)", "in the match: ? 13/5 costs 0.091"]),
    (
        "62",
        ("13/11/5", "13/11 24/18", 0.03),
        "24/16",
        0.1,
        [
            "13/11 24/18 is best (x)",
            "? 24/16 costs 0.100, as the house bot sees it",
            "in the match: 13/11/5 costs 0.030",
        ],
    ),
    (
        "62",
        ("13/11 11/5", "13/11 24/18", 0.03),
        "13/5",
        0.1,
        ["13/5 costs 0.030, as in the match: 13/11 24/18 is best (x)"],
    ),
    ("62", (*PLAYED, "??"), "13/5", 0.5, ["?? 13/5 costs 0.091, as in the match: 24/18 13/11 is best (x)"]),
    ("62", (*PLAYED, ""), "24/18 13/11", 0.0, ["right: 24/18 13/11 is best (x)", "in the match: 13/5 costs 0.091"]),
    ("D", TAKEN, "take", None, ["?? take costs 0.300, as in the match: drop is best (x)"]),
    ("D", TAKEN, "drop", None, ["right: drop is best (x)", "in the match: ?? take costs 0.300"]),
]


@pytest.mark.parametrize(("dice", "played", "choice", "loss", "lines"), VERDICTS)
def test_it_is_said_what_a_choice_was_worth(
    dice: str, played: tuple[Any, ...], choice: str, loss: float | None, lines: list[str]
) -> None:
    at = parse_xgid(START.format(dice))
    assert list(verdict(at, choice, Finding(1, 1, 0, *played), "x", loss)) == lines
