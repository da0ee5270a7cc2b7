"""Position ID and Match ID of live matches: as GNU Backgammon writes them."""

import base64
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tavla_engine import events as e
from tavla_engine.actions import Beaver
from tavla_engine.apply import apply
from tavla_engine.conditions import to_act
from tavla_engine.decide import decide
from tavla_engine.errors import BadText
from tavla_engine.events import Event
from tavla_engine.gnuid import gnu_id, match_id
from tavla_engine.match import Cube, Match, Phase, new_match
from tavla_engine.position import Position
from tavla_engine.positionid import parse_position_id, position_id
from tavla_engine.rules import STARTS, Variant, preset

from tests.support.games.engine import doubled, on_roll
from tests.support.games.gnu_ids import RECORDS, match_of
from tests.support.games.gnubg_matches import JSON_FILES, PHASES, RESIGNATIONS, play_match

START = "4HPwATDgc/ABMA"


def test_we_write_gnu_backgammons_ids() -> None:
    assert len(RECORDS) == 300
    for record in RECORDS:
        match = match_of(record)
        assert (match.phase, to_act(match)) == (PHASES[record["state"]["decision"]], (record["state"]["turn"],)), record
        assert parse_position_id(record["position_id"]) == match.position
        assert position_id(match.position) == record["position_id"]
        assert match_id(match) == record["match_id"]
        assert gnu_id(match) == record["gnubg_id"]


def snapshots(log: list[Event], length: int) -> Iterator[list[Match]]:
    """Game by game the match after each event, the last one after the game's end."""
    match = new_match(preset("tournament", {"length": length}))
    states: list[Match] = []
    for event in log:
        match = apply(match, event)
        states.append(match)
        if isinstance(event, e.GameEnded):
            yield states
            states = []


@pytest.mark.parametrize("file", JSON_FILES, ids=lambda file: file.stem)
def test_the_ids_before_each_recorded_decision_are_ours(file: Path) -> None:
    record = json.loads(file.read_text())
    _, log = play_match(record)
    for game, states in zip(record["games"], snapshots(log, record["length"]), strict=True):
        at = 0
        for decision in game["decisions"]:
            wanted = f"{decision['position_id']}:{decision['match_id']}"
            at = next((i for i in range(at, len(states)) if gnu_id(asked(states[i], decision)) == wanted), -1)
            assert at >= 0, decision
        assert gnu_id(states[-1]) == f"{game['end_position_id']}:{game['end_match_id']}"


def asked(match: Match, decision: dict[str, Any]) -> Match:
    """The state that a decision is recorded in. GNU Backgammon lets a player resign before a roll that our match
    makes by itself, so the resignation is put to the state before the roll."""
    if decision["kind"] == "answer_resignation" and match.phase is Phase.ROLL:
        return apply(match, e.ResignationOffered(1 - decision["player"], RESIGNATIONS[decision["offered"]]))
    return match


def test_the_standard_start_has_its_well_known_id() -> None:
    start = STARTS[Variant.STANDARD]
    assert position_id(Position(start, start)) == START
    assert parse_position_id(START) == Position(start, start)


def test_a_raccoon_has_the_id_that_gnu_backgammon_gives_it() -> None:
    match = doubled(preset("money", {"beavers": 2}))
    for _ in range(2):
        _, match = decide(match, Beaver(to_act(match)[0]), lambda _: (3, 1))
    assert match_id(match) == "EhkAAAAAAAAA"


def test_a_cube_or_score_without_room_is_refused() -> None:
    for match in (on_roll(cube=Cube(2**16)), on_roll(score=(2**15, 0))):
        with pytest.raises(ValueError, match="holds cubes up to 32768 and scores up to 32767"):
            match_id(match)
    assert match_id(on_roll(cube=Cube(2**15), score=(2**15 - 1, 0)))


BAD = [
    ("", "14 characters"),
    ("4HPwATDgc/ABM", "14 characters, this one has 13"),
    ("4HPwATDgc/AB-A", "only letters, digits, + and /"),
    ("4HPwATDgc/ABMB", "the last character"),
    ("//////////////", "the last character"),
    ("////////////Pw", "more than 15"),
    ("AAAAAAAAAAAAgA", "goes on after the last checker"),
    ("AQAAAAAAAgAAAA", "both players have checkers on one point"),
]


@pytest.mark.parametrize(("text", "reason"), BAD)
def test_what_is_no_position_id_is_refused(text: str, reason: str) -> None:
    with pytest.raises(BadText) as caught:
        parse_position_id(text)
    assert reason in str(caught.value)


@given(st.text() | st.binary(min_size=10, max_size=10).map(lambda data: base64.b64encode(data).decode()[:14]))
def test_any_text_is_a_position_or_refused(text: str) -> None:
    try:
        position = parse_position_id(text)
    except BadText:
        return
    assert sum(position.mine) == sum(position.theirs) == 15
    assert position_id(position) == text.strip()
