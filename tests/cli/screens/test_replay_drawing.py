"""The replay as text: all of it on 80 columns and 24 rows, less on a smaller screen."""

import pytest
from tavla_cli.records.record import Record, of_server
from tavla_cli.records.steps import steps
from tavla_cli.screens.replay_drawing import Replay, lines
from tavla_cli.text.look import Look
from tavla_engine.rules import preset

from tests.support.games.records import played, recorded

RULES = preset("tournament", {"length": 3})


def replay(record: Record, place: int, **more: object) -> Replay:
    return Replay(" ada - bob", steps(record), place, 0, **more)  # type: ignore[arg-type] # the rest of it


def drawn(shown: Replay, columns: int = 80, rows: int = 24) -> list[str]:
    return [line.plain for line in lines(shown, Look(ascii=True, colour=False), columns, rows)]


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(3))
def test_every_step_fits_the_screen_and_says_where_one_is(seed: int) -> None:
    record = of_server(recorded(RULES, played(RULES, seed)))
    for place, step in enumerate(steps(record)):
        screen = drawn(replay(record, place))
        assert len(screen) == 24
        assert max(map(len, screen)) <= 80
        assert f"XGID={screen[-3].partition('=')[2]}" == screen[-3].strip()
        assert screen[-2].startswith(f" game {step.match.game} of ")
        assert screen[-1].endswith("q quit")
        if step.said:
            assert any(step.said[-1].split()[0] in line for line in screen[16:20])


def test_a_match_without_a_roll_has_a_screen_too() -> None:
    assert drawn(replay(of_server(recorded(RULES, [])), 0))[-2] == " nothing has been played yet"


def test_times_are_told_where_they_are_known() -> None:
    record = of_server(recorded(RULES, played(RULES, 1)))
    assert "since the start, 0:" in drawn(replay(record, 3))[-2]
    unknown = record._replace(times=(0,) * len(record.times))
    assert "since" not in drawn(replay(unknown, 3))[-2]


def test_a_live_match_and_a_notice_are_told() -> None:
    record = of_server(recorded(RULES, played(RULES, 1)[:12]))
    assert "game 1 of 1+," in drawn(replay(record, 2, more=True))[-2]
    assert drawn(replay(record, 2, notice=" the match has gone on"))[-1] == " the match has gone on"


@pytest.mark.parametrize(("columns", "rows"), [(40, 10), (60, 24), (200, 60), (1, 1)])
def test_any_size_of_the_window_is_drawn(columns: int, rows: int) -> None:
    record = of_server(recorded(RULES, played(RULES, 1)))
    screen = drawn(replay(record, 5), columns, rows)
    assert len(screen) <= rows
    assert max(map(len, screen)) <= columns
