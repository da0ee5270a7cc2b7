"""The ten given records, and matches of chance, as .mat files."""

import json
from pathlib import Path

import pytest
from msgspec.structs import replace
from tavla_engine import events as e
from tavla_engine.events import Ending, Event
from tavla_engine.mat import export_mat, import_mat

from tests.support.games.engine import replayed
from tests.support.games.gnubg_matches import JSON_FILES, MAT_FILES, play_match, shown


def unordered(text: str) -> list[list[str]]:
    """The lines of a record with the steps of each play in order: the same play can be written in several."""
    return [sorted(line.replace("*", "").split()) for line in text.strip().splitlines()]


def hit_counts(text: str) -> list[int]:
    return [line.count("*") for line in text.strip().splitlines()]


@pytest.mark.parametrize("file", MAT_FILES, ids=lambda file: file.stem)
def test_a_given_record_is_read_and_written_again(file: Path) -> None:
    text = file.read_text()
    record = import_mat(text)
    again = export_mat(record.names, record.start, record.events, record.tags)
    assert unordered(again) == unordered(text)
    assert hit_counts(again) == hit_counts(text)
    assert import_mat(again) == record
    assert replayed(record.start, record.events) == record.match


@pytest.mark.parametrize(
    ("mat", "json_file"), list(zip(MAT_FILES, JSON_FILES, strict=True)), ids=lambda file: file.stem
)
def test_a_given_record_tells_the_same_as_the_decisions(mat: Path, json_file: Path) -> None:
    decisions = json.loads(json_file.read_text())
    match, log = play_match(decisions)
    record = import_mat(mat.read_text())
    assert record.names == tuple(decisions["players"])
    assert shown(record.events) == shown(without_unused_rolls(log))
    assert replace(record.match, rolls=0, opened=0, outcome=None) == replace(match, rolls=0, opened=0, outcome=None)
    assert record.match.outcome == match.outcome


def without_unused_rolls(log: list[Event]) -> list[Event]:
    """Without the rolls that our match made by itself for a player who then gave up."""
    given_up = {
        index - 2
        for index, event in enumerate(log)
        if isinstance(event, e.GameEnded)
        and event.ending is Ending.RESIGNATION
        and isinstance(log[index - 2], e.Rolled)
    }
    return [event for index, event in enumerate(log) if index not in given_up]


def test_all_ten_records_are_there() -> None:
    assert len(MAT_FILES) == 10


def test_the_rest_of_a_match_is_a_record_too() -> None:
    whole = import_mat(MAT_FILES[0].read_text())
    for number in (2, 3, 4):
        first = [index for index, event in enumerate(whole.events) if isinstance(event, e.GameStarted)][number - 1]
        before, rest = whole.events[:first], whole.events[first:]
        text = export_mat(whole.names, replayed(whole.start, before), rest)
        record = import_mat(text)
        assert f" Game {number}\n" in text
        assert shown(record.events) == shown(rest)
        assert record.match.score == whole.match.score


def test_a_part_of_a_match_is_a_record_too() -> None:
    whole = import_mat(MAT_FILES[0].read_text())
    for count in range(3, len(whole.events), 17):
        part = whole.events[:count]
        record = import_mat(export_mat(whole.names, whole.start, part))
        assert shown(record.events)[: len(shown(part))] == shown(part), "only a pass may follow by itself"
        assert record.match.board == replayed(whole.start, part).board
