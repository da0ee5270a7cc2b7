"""Ten matches that GNU Backgammon played, decision by decision: our state before each, and the same results."""

import json
from pathlib import Path

import pytest
from tavla_engine.events import GameEnded
from tavla_engine.match import Phase, new_match

from tests.support.games.engine import replayed
from tests.support.games.gnubg_matches import JSON_FILES, play_match


@pytest.mark.parametrize("file", JSON_FILES, ids=lambda file: file.stem)
def test_a_recorded_match_comes_to_the_same_result(file: Path) -> None:
    record = json.loads(file.read_text())
    match, log = play_match(record)
    assert match.phase is Phase.OVER
    assert list(match.score) == record["final_score"]
    assert match.outcome is not None
    assert match.outcome.winner == record["winner"]
    assert sum(isinstance(event, GameEnded) for event in log) == len(record["games"])
    assert replayed(new_match(match.rules), log) == match


def test_all_ten_matches_are_there() -> None:
    assert len(JSON_FILES) == 10
