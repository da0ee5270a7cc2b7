"""Streaks of right answers, and the days on which mistakes come back; in the page they are the same."""

import json
from pathlib import Path

import msgspec
import pytest
from tavla_cli.records.streak import FILE, KEPT, Streak, count, read_streak

from tests.support.browser.node import ask_modules


def test_the_first_answer_counts_and_is_remembered(tmp_path: Path) -> None:
    assert count("a", is_right=True, folder=tmp_path) == Streak(1, ("a",))
    assert count("b", is_right=True, folder=tmp_path) == Streak(2, ("b", "a"))
    assert count("b", is_right=False, folder=tmp_path) == Streak(2, ("b", "a"))
    assert count("c", is_right=False, folder=tmp_path).right == 0
    assert read_streak(tmp_path) == Streak(0, ("c", "b", "a"))
    (tmp_path / FILE).write_text("{")
    assert read_streak(tmp_path) == Streak()
    (tmp_path / FILE).write_text('{"right": 2, "done": ["a"]}')
    assert read_streak(tmp_path) == Streak(2, ("a",)), "kept before mistakes came back"


def test_so_many_are_remembered() -> None:
    streak = Streak()
    for number in range(KEPT + 5):
        streak = streak.after(str(number), is_right=True, today=0)
    assert (streak.right, len(streak.done), streak.done[0]) == (KEPT + 5, KEPT, str(KEPT + 4))


ANSWERS = [  # key, right, today, whether it comes back; then the place in DAYS and the day on which it is due
    ("a", False, 100, True, (0, 101)),
    ("a", True, 100, True, (0, 101)),  # is not asked yet
    ("a", True, 101, True, (1, 104)),
    ("a", True, 110, True, (2, 120)),  # some days late
    ("a", False, 120, True, (0, 121)),  # from the beginning
    ("a", True, 121, True, (1, 124)),
    ("b", True, 121, True, (0, 122)),  # right at once: it comes back all the same
    ("c", False, 121, False, None),  # a classic
    ("a", True, 124, True, (2, 134)),
    ("a", True, 134, True, (3, 164)),
    ("a", True, 164, True, None),  # is learned
    ("a", False, 900, True, None),
]


def test_a_mistake_comes_back_later_and_later_until_it_is_right() -> None:
    streak = Streak()
    for key, is_right, today, comes_back, when in ANSWERS:
        streak = streak.after(key, is_right, today, comes_back)
        assert streak.again.get(key) == when, (key, today)
    assert streak == Streak(0, ("c", "b", "a"), {"b": (0, 122)}), "only first answers count"
    assert streak.asks("b", 122)
    assert not streak.asks("b", 121)
    assert (streak.due(121), streak.due(122)) == ([], ["b"])


@pytest.mark.slow
def test_the_page_counts_as_the_terminal_does() -> None:
    streak = Streak()
    for key, is_right, today, comes_back, _ in ANSWERS:
        streak = streak.after(key, is_right, today, comes_back)
    (told,) = ask_modules("streaks", [[answer[:4] for answer in ANSWERS]])
    assert told == json.loads(msgspec.json.encode(streak))
