"""Position ID and Match ID: GNU Backgammon's own on one side, live matches on the other."""

import base64
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace
from tavla_engine import events as e
from tavla_engine.actions import Beaver, Seat, Take
from tavla_engine.apply import apply
from tavla_engine.conditions import to_act
from tavla_engine.decide import decide
from tavla_engine.errors import BadText
from tavla_engine.events import Event
from tavla_engine.gnuid import gnu_id, match_id, parse_gnu_id, parse_match_id
from tavla_engine.match import Cube, Match, Phase, new_match
from tavla_engine.position import Position
from tavla_engine.positionid import base64_of, number_of, parse_position_id, position_id
from tavla_engine.rules import STARTS, Rules, Variant, preset

from tests.support.games.chance import states_by_chance
from tests.support.games.engine import MONEY, TOURNAMENT, doubled, on_roll, resigned, to_move
from tests.support.games.gnu_ids import RECORDS, told
from tests.support.games.gnubg_matches import JSON_FILES, PHASES, RESIGNATIONS, play_match

START = "4HPwATDgc/ABMA"


@pytest.mark.parametrize("record", RECORDS, ids=lambda record: record["gnubg_id"])
def test_gnu_backgammons_ids_are_read_and_written(record: dict[str, Any]) -> None:
    state = record["state"]
    match = parse_gnu_id(record["gnubg_id"])
    assert match.position == Position(bytes(record["mine"]), bytes(record["theirs"]))
    assert (match.turn, match.score) == (state["on_roll"], tuple(state["score"]))
    assert (match.cube.value, match.cube.owner) == (state["cube_value"], state["cube_owner"])
    assert (match.rules.length, match.rules.jacoby) == (state["match_length"], state["jacoby"])
    assert match.crawford == state["crawford"]
    assert list(match.dice or ()) == (state["dice"] or [])
    assert match.phase is PHASES[state["decision"]]
    assert to_act(match) == (state["turn"],)
    assert position_id(match.position) == record["position_id"]
    assert match_id(match) == record["match_id"]
    assert gnu_id(match) == record["gnubg_id"]


def test_all_three_hundred_are_there() -> None:
    assert len(RECORDS) == 300


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


@pytest.mark.parametrize("variant", Variant)
@pytest.mark.parametrize("rules", [preset("tournament", {"length": 3}), preset("money", {"beavers": 3})])
def test_a_live_match_comes_back_from_its_id(rules: Rules, variant: Variant) -> None:
    for match in states_by_chance(rules._replace(variant=variant), seed=len(variant), count=300):
        again = parse_gnu_id(gnu_id(match), variant)
        assert told(again) == told(match)
        assert gnu_id(again) == gnu_id(match)


def test_the_standard_start_has_its_well_known_id() -> None:
    start = STARTS[Variant.STANDARD]
    assert position_id(Position(start, start)) == START
    assert parse_position_id(START) == Position(start, start)


def test_a_match_id_alone_gives_a_match_at_its_start() -> None:
    match = parse_match_id("cAkmA1AAkAAE")
    assert match.position.mine == STARTS[Variant.STANDARD]
    assert (match.rules.length, match.score, match.dice, match.turn) == (25, (5, 18), (4, 1), 1)


def test_a_match_that_was_read_goes_on_by_the_rules() -> None:
    match = parse_gnu_id(gnu_id(doubled()))
    _, taken = decide(match, Take(1), lambda _: (3, 1))
    assert (taken.cube, taken.dice) == (Cube(2, 1, turned=True), (3, 1))


@pytest.mark.parametrize(("seat", "raccoon"), [(0, "EhkAAAAAAAAA"), (1, None)])
def test_beavers_and_raccoons_are_told_apart_from_doubles(seat: Seat, raccoon: str | None) -> None:
    match = doubled(preset("money", {"beavers": 2}), seat)
    for beavers in range(3):
        again = parse_gnu_id(gnu_id(match))
        assert again.offer == match.offer
        assert again.cube.value == match.cube.value
        if beavers < 2:
            _, match = decide(match, Beaver(to_act(match)[0]), lambda _: (3, 1))
    if raccoon is not None:  # GNU Backgammon's own after a double, a beaver and a raccoon
        assert match_id(match) == raccoon


@pytest.mark.parametrize(
    ("score", "crawford", "done"),
    [((2, 6), True, True), ((2, 6), False, True), ((2, 5), False, False), ((6, 6), False, True)],
)
def test_after_the_crawford_game_there_is_no_second_one(score: tuple[int, int], crawford: bool, done: bool) -> None:
    match = on_roll(preset("tournament"), score=score, crawford=crawford)
    assert parse_gnu_id(gnu_id(match)).crawford_done == done


def test_a_cube_or_score_without_room_is_refused() -> None:
    for match in (on_roll(cube=Cube(2**16)), on_roll(score=(2**15, 0))):
        with pytest.raises(ValueError, match="holds cubes up to 32768 and scores up to 32767"):
            match_id(match)
    assert match_id(on_roll(cube=Cube(2**15), score=(2**15 - 1, 0)))


BAD: list[tuple[Callable[[str], object], str, str]] = [
    (parse_position_id, "", "14 characters"),
    (parse_position_id, "4HPwATDgc/ABM", "14 characters, this one has 13"),
    (parse_position_id, "4HPwATDgc/AB-A", "only letters, digits, + and /"),
    (parse_position_id, "4HPwATDgc/ABMB", "the last character"),
    (parse_position_id, "//////////////", "the last character"),
    (parse_position_id, "////////////Pw", "more than 15"),
    (parse_position_id, "AAAAAAAAAAAAgA", "goes on after the last checker"),
    (parse_position_id, "AQAAAAAAAgAAAA", "both players have checkers on one point"),
    (parse_match_id, "cAkmA1AAkAA", "12 characters"),
    (parse_match_id, "////////////", "after the last field"),
    (parse_gnu_id, "4HPwATDgc/ABMA", "a colon between them"),
    (parse_gnu_id, "4HPwATDgc/ABMA:", "12 characters"),
]


@pytest.mark.parametrize(("parse", "text", "reason"), BAD)
def test_what_is_no_id_is_refused(parse: Callable[[str], object], text: str, reason: str) -> None:
    with pytest.raises(BadText) as caught:
        parse(text)
    assert reason in str(caught.value)


IMPOSSIBLE: list[tuple[Match, str]] = [
    (on_roll(preset("tournament")._replace(length=65)), "64 points at most"),
    (on_roll(cube=Cube(2, 2)), "owner is 0, 1 or 3"),
    (to_move((7, 1)), "dice show 1 to 6"),
    (to_move((3, 0)), "dice show 1 to 6"),
    (on_roll(preset("tournament"), crawford=True), "no Crawford game at this score"),
    (on_roll(preset("tournament"), score=(7, 0)), "although the match is over"),
    (on_roll(preset("tournament")._replace(jacoby=True)), "belongs to money play"),
    (replace(doubled(), dice=(3, 1)), "before the roll"),
    (doubled(preset("tournament"), score=(6, 0), crawford=True), "nobody doubles in the Crawford game"),
    (replace(doubled(), phase=Phase.READY), "no game is played"),
]


@pytest.mark.parametrize(("match", "reason"), IMPOSSIBLE)
def test_a_state_that_cannot_be_is_refused(match: Match, reason: str) -> None:
    with pytest.raises(BadText, match=reason):
        parse_gnu_id(gnu_id(match))


def test_the_first_bit_after_the_last_field_is_refused() -> None:
    number = number_of(match_id(new_match(TOURNAMENT)), 9, "Match ID")
    with pytest.raises(BadText, match="after the last field"):
        parse_match_id(base64_of(number | 1 << 67, 9))


@pytest.mark.parametrize("rules", [TOURNAMENT, MONEY])
def test_a_match_that_has_not_begun_comes_back_whole(rules: Rules) -> None:
    assert parse_match_id(match_id(new_match(rules))) == new_match(rules)


def test_a_resignation_on_either_turn_waits_for_the_other_player() -> None:
    for seat in (0, 1):
        match = replace(resigned(2, seat=seat), turn=0)
        assert told(parse_gnu_id(gnu_id(match))) == told(match)


@given(st.text() | st.binary(min_size=10, max_size=10).map(lambda data: base64.b64encode(data).decode()[:14]))
def test_any_text_is_a_position_or_refused(text: str) -> None:
    try:
        position = parse_position_id(text)
    except BadText:
        return
    assert sum(position.mine) == sum(position.theirs) == 15
    assert position_id(position) == text.strip()


@given(st.text() | st.binary(min_size=9, max_size=9).map(lambda data: base64.b64encode(data).decode()))
def test_any_text_is_a_match_or_refused(text: str) -> None:
    for parse in (parse_match_id, lambda text: parse_gnu_id(START + ":" + text)):
        try:
            match = parse(text)
        except BadText:
            continue
        assert told(parse_match_id(match_id(match))) == told(match)


@given(st.integers(0, 2**67 - 1))
def test_any_fields_are_a_match_or_refused(number: int) -> None:
    text = base64.b64encode(number.to_bytes(9, "little")).decode()
    test_any_text_is_a_match_or_refused.hypothesis.inner_test(text)  # type: ignore[attr-defined]
