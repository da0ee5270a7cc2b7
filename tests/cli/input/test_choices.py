"""Answers to a position, as they are typed."""

import re

import pytest
from tavla_cli.input.choices import choice_of
from tavla_cli.input.parsing import BadCommand
from tavla_engine.xgid import parse_xgid

START = "XGID=-b----E-C---eE---c-e----B-:0:0:1:{}:0:0:0:5:10"
CHOICES = [  # dice of an XGID, what is typed, what that is
    ("62", "24/18 13/11", "24/18 13/11"),
    ("62", "m 13-11 24-18", "24/18 13/11"),
    ("62", "quit", ""),
    ("00", "roll", "no double"),
    ("00", "No  double", "no double"),
    ("00", "d", "double"),
    ("D", "take", "take"),
    ("D", "pass", "drop"),
]
NONE = [
    ("62", "8/5 6/5", "8/5 is not a 6, a 2 or both"),
    ("62", "take", "type a play, such as 8/5 6/5, or quit"),
    ("00", "8/5", "type roll or double, or quit"),
    ("00", "take", "type roll or double, or quit"),
    ("D", "beaver", "type take or drop, or quit"),
    ("D", "8/", "8/"),
]


@pytest.mark.parametrize(("dice", "line", "choice"), CHOICES)
def test_a_choice_is_read(dice: str, line: str, choice: str) -> None:
    assert choice_of(line, parse_xgid(START.format(dice))) == choice


@pytest.mark.parametrize(("dice", "line", "sentence"), NONE)
def test_what_is_none_is_told(dice: str, line: str, sentence: str) -> None:
    with pytest.raises(BadCommand, match=re.escape(sentence)):
        choice_of(line, parse_xgid(START.format(dice)))
