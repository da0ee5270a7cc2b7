"""Hard plays and the time they took: what a judge tells of them, and what is made of it."""

import threading

import pytest
from tavla_bots.analysis import HOUSE, SAGE, analyse
from tavla_bots.thinking_time import MOST_MS, ThinkingTime, thinking_times
from tavla_engine import events as e
from tavla_engine.analysis import Analysis, Finding
from tavla_engine.mat import import_mat

from tests.support.games.gnubg_matches import MAT_FILES
from tests.support.games.sage_program import need_sage

DICE = (3, 1)
EVENTS = [  # with their times in ms
    (e.GameStarted(False), 0),
    (e.OpeningRolled(3, 1), 1_000),
    (e.Moved(0, ((8, 5), (6, 5))), 4_000),
    (e.Rolled(1, 3, 1), 4_000),
    (e.Moved(1, ((8, 5), (6, 5))), 4_000 + 3 * MOST_MS),
    (e.Rolled(0, 3, 1), 500_000),
    (e.Moved(0, ((8, 5), (6, 5))), 502_000),
    (e.GameStarted(False), 600_000),
    (e.OpeningRolled(1, 3), 601_000),
    (e.Moved(1, ((8, 5), (6, 5))), 600_000),  # by the clock of another machine
]


def play(game: int, turn: int, seat: int, loss: float, hard: bool | None, counts: bool = True) -> Finding:
    return Finding(game, turn, seat, DICE, "8/5 6/5", "8/5 6/5", loss, counts, None, hard)


def test_time_is_from_the_roll_to_the_play_and_a_minute_at_most() -> None:
    found = [
        play(1, 1, 0, 0.0, True),
        play(1, 2, 1, 0.1, True),
        play(1, 3, 0, 0.2, False),
        play(2, 1, 1, 0.0, True),
        Finding(1, 3, 0, None, "no double", "no double", 0.0, True),
    ]
    events, times = zip(*EVENTS, strict=True)
    assert thinking_times(Analysis("x", tuple(found), (0.0, 0.0)), events, times) == (
        ThinkingTime(hard=1, right=1, hard_ms=3_000, others=1, others_ms=2_000),
        ThinkingTime(hard=2, right=1, hard_ms=MOST_MS),
    )


def test_what_was_no_choice_or_not_told_does_not_count() -> None:
    found = play(1, 1, 0, 0.0, True, counts=False), play(1, 2, 1, 0.1, None)
    events, times = zip(*EVENTS, strict=True)
    assert thinking_times(Analysis("x", found, (0.0, 0.0)), events, times) == (ThinkingTime(), ThinkingTime())


@pytest.mark.slow
def test_both_judges_find_some_plays_hard_and_most_not() -> None:
    need_sage()
    record = import_mat(MAT_FILES[0].read_text())
    for judge in (HOUSE, SAGE):
        found = analyse(record.start, record.events[:22], lambda *_: None, threading.Event(), judge=judge)
        plays = [one for one in found.findings if one.dice]
        hard = [one for one in plays if one.hard]
        assert 0 < len(hard) < len(plays) / 2, judge
        assert all(one.hard is None for one in found.findings if not one.dice), judge
