"""The theme of a decision, by its position; the decisions of a match stand in tests of the archive's."""

import pytest
from tavla_engine.decisions import Theme, kind_of, theme
from tavla_engine.xgid import parse_xgid

THEMES: list[tuple[str, str, str, Theme]] = [  # position, dice and cube of an XGID; what was done; the best; theme
    ("-b----E-C---eE---c-e----B-:0:0:1:31", "8/5 6/5", "24/20", "opening"),
    ("-b----E-C---eE---c-e----B-:0:0:1:00", "no double", "double", "cube"),
    ("-b----E-C---eE---c-e----B-:0:0:-1:D", "take", "drop", "cube"),
    ("-b----DaC---eE---c-d--A-B-:0:0:1:61", "8/7* 13/7", "13/7* 8/7", "opening"),
    ("-CCCCBA------------dcccb--:0:0:1:21", "6/4 2/1", "6/3", "bear-off"),
    ("aCCCCBA------------ccccb--:0:0:1:21", "6/4 2/1", "6/3", "bear-off"),
    ("-CCCCB-A-----------dcccb--:0:0:1:21", "7/5 2/1", "7/4", "race"),
    ("a--BBBBB---b-C--b-Bdc-ba--:0:0:1:31", "13/10 13/12", "18/15 18/17", "prime"),
    ("-bbbbbC-B---cBb---B-B--BB-:0:0:1:31", "13/10 8/7", "18/15 18/17", "prime"),
    ("---BBBBB--a-cC----Bdc-bb--:0:0:1:31", "13/10* 7/6", "18/15 18/17", "hit"),
    ("---BB-C-BA-b-C-ba-Bdb-bb--:0:0:1:31", "13/10 13/12", "18/17 9/6", "middle game"),
    ("--B-BbD-C--c-B---c-eBb----:0:0:1:31", "13/10 13/12", "13/12 6/3", "middle game"),
]


@pytest.mark.parametrize(("position", "done", "best", "expected"), THEMES)
def test_a_decision_has_a_theme(position: str, done: str, best: str, expected: Theme) -> None:
    assert theme(parse_xgid(f"XGID={position}:0:0:0:7:10"), done, best) == expected


def test_what_is_decided_is_the_cube_or_a_play() -> None:
    assert [kind_of(done) for done in ("no double", "drop", "8/5 6/5", "")] == ["no double", "drop", "play", "play"]
