"""Records: from a server's answer and from files, there and back, step by step."""

import contextlib
import json
import random
from collections.abc import Iterator, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace
from tavla_cli.records.files import BadFile, as_json, as_mat, as_sgf, parse, read, write
from tavla_cli.records.record import LAST_MS, Record, of_server, with_more
from tavla_cli.records.steps import steps, turns_of
from tavla_engine import events as e
from tavla_engine.errors import BadText
from tavla_engine.events import Ending, Event
from tavla_engine.match import new_match
from tavla_engine.rules import Rules, preset

from tests.support.games.engine import replayed
from tests.support.games.gnubg_matches import shown
from tests.support.games.records import ID, START_MS, played, recorded
from tests.support.tries import tries

RULES = [preset("tournament", {"length": 3}), preset("money", {"beavers": 2, "automatic_doubles": 1})]


def some_record(rules: Rules = RULES[0], seed: int = 1, games: int = 99) -> Record:
    return of_server(recorded(rules, played(rules, seed, games)))


@pytest.mark.parametrize("rules", RULES)
@pytest.mark.parametrize("seed", range(4))
def test_a_servers_answer_is_the_match_that_was_played(rules: Rules, seed: int) -> None:
    events = played(rules, seed, games=4)
    record = of_server(recorded(rules, events))
    assert (record.names, record.start, list(record.events)) == (("ada", "bob"), new_match(rules), events)
    assert record.times[0] == START_MS + 20_000
    assert record.over == (rules.length > 0)


@pytest.mark.parametrize("rules", RULES)
def test_what_comes_later_is_added(rules: Rules) -> None:
    whole = recorded(rules, played(rules, 2, games=3))
    early = replace(whole, seq=9, events=[event for event in whole.events if event[0] <= 9])
    late = replace(whole, events=[event for event in whole.events if event[0] > 9])
    assert with_more(of_server(early), late) == of_server(whole)


NO_RECORDS = [{"rules": {"length": 999}}, {"rules": {"colour": 3}}, {"players": 7}]


@pytest.mark.parametrize("view", NO_RECORDS)
def test_an_answer_that_is_no_match_is_refused(view: dict[str, object]) -> None:
    answer = recorded(RULES[0], played(RULES[0], 1))
    with pytest.raises(BadText, match="this is no match"):
        of_server(replace(answer, view={**answer.view, **view}))


@pytest.mark.parametrize("event", [[2, 3, "moved", 0, [[99, 98]], False], [2, 3, "rolled", "x"]])
def test_an_event_that_cannot_be_is_refused(event: list[object]) -> None:
    with pytest.raises(BadText, match="this is no match"):
        of_server(replace(recorded(RULES[0], []), events=[event]))


def test_an_event_that_does_not_follow_is_a_fault() -> None:
    assert of_server(replace(recorded(RULES[0], []), events=[[2, 3, "taken", 0]])).faults


# --- Files --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("rules", RULES)
@pytest.mark.parametrize("seed", range(4))
def test_json_keeps_everything(rules: Rules, seed: int) -> None:
    record = some_record(rules, seed, games=3)
    again = parse(as_json(record))
    assert again._replace(told=None) == record._replace(told=None)
    assert as_json(again) == as_json(record)


def test_an_export_says_how_often_no_seed_came_from_the_players() -> None:
    record = some_record()
    assert record.told is not None
    record = record._replace(told=replace(record.told, unrevealed=((0, 12), (3, 41))))
    text = as_json(record)
    assert json.loads(text)["unrevealed"] == [[0, 12], [3, 41]]
    assert parse(text).faults == ()
    assert as_json(parse(text)) == text


def test_the_dice_of_an_export_can_be_verified() -> None:
    assert parse(as_json(some_record())).faults == ()
    assert len(json.loads(as_json(some_record()))["rolls"]) == some_record().view.rolls
    unfinished = json.loads(as_json(some_record(RULES[1], games=1)))
    assert "rolls" not in unfinished, "there is nothing to verify yet"


@pytest.mark.parametrize("export", [as_mat, as_sgf])
@pytest.mark.parametrize("rules", RULES)
def test_other_formats_tell_the_same_match(export: object, rules: Rules) -> None:
    record = some_record(rules, seed=3, games=3)
    again = parse((as_mat if export is as_mat else as_sgf)(record))
    assert again.names == record.names
    assert shown(again.events) == shown(record.events)
    assert again.over


def test_a_match_that_ended_on_time_says_so() -> None:
    rules = preset("tournament", {"length": 3, "clock": "fast"})
    events = [*played(rules, 1)[:9], e.MatchEnded(1, Ending.TIME)]
    told = recorded(rules, events)
    told.events[-1][1] += 120_000  # of thought, for which there was no time
    record = of_server(told)
    assert '; [Result "ada runs out of time at ada 0, bob 0, match to 3 points: bob wins"]' in as_mat(record)
    assert f"GC[Match {ID}. ada runs out of time at ada 0, bob 0, match to 3 points\\: bob wins]" in as_sgf(record)
    assert len(parse(as_sgf(record)).events) > 5


def test_names_from_elsewhere_harm_no_file(tmp_path: Path) -> None:
    record = some_record()._replace(names=("a\x1b[31m:b", "]x\\;\n"))
    for name in ("m.mat", "m.sgf"):
        write(record, tmp_path / name)
        text = (tmp_path / name).read_text()
        assert "\x1b" not in text
        assert shown(read(tmp_path / name).events) == shown(record.events)


def test_a_file_is_read_whatever_it_is_called_and_never_written_over(tmp_path: Path) -> None:
    write(some_record(), tmp_path / "m.json")
    (tmp_path / "m.json").rename(tmp_path / "m.mat")
    assert read(tmp_path / "m.mat").id == ID
    with pytest.raises(BadFile, match="is there already"):
        write(some_record(), tmp_path / "m.mat")
    with pytest.raises(BadFile, match="should end in"):
        write(some_record(), tmp_path / "m.doc")
    with pytest.raises(BadFile, match="cannot write"):
        write(some_record(), tmp_path / "none" / "m.mat")
    with pytest.raises(BadFile, match="cannot read"):
        read(tmp_path / "none")


def test_what_a_format_cannot_tell_is_said() -> None:
    rules = preset("tournament", {"length": 1, "variant": "longgammon"})
    with pytest.raises(BadFile, match="knows no longgammon: a"):
        as_sgf(some_record(rules))


@given(
    st.text(max_size=40)
    | st.text(max_size=40).map(lambda text: "{" + text)
    | st.recursive(st.none() | st.integers() | st.text(max_size=5), lambda x: st.lists(x) | st.dictionaries(
        st.sampled_from(["match", "view", "events", "epoch", "seq", "points", "rules"]), x
    )).map(json.dumps)
)  # fmt: skip
def test_garbage_is_refused(text: str) -> None:
    with pytest.raises(BadText):
        parse(text)


def test_a_json_with_another_move_in_it_is_refused() -> None:
    whole = json.loads(as_json(some_record()))
    moved = next(event for event in whole["events"] if event[2] == "moved" and event[4])
    moved[4] = [[30, 2]]
    with pytest.raises(BadText):
        parse(json.dumps(whole))


CRAFTED: list[tuple[tuple[Any, ...], Any]] = [  # where in an export, and what was put there
    (("view", "outcome"), [None, 0, 0, "borne_off"]),
    (("view", "outcome"), [None, 0, 0, "left"]),
    (("view", "outcome"), [1, 0, 0, "what"]),
    (("view", "outcome"), None),
    (("view", "points"), [2**70] * 52),
    (("view", "players"), ["\ud800", "]\n\x1b[2J"]),
    (("match",), "\ud800\n x\n"),
    (("events", 4, 1), "2026-11-22"),
    (("events", 4, 1), [1]),
    (("events", 4, 1), True),
    (("events", 4, 1), 2**62),
    (("events", 4, 1), -(2**62)),
    (("events", 4, 1), LAST_MS),
    (("events", 0, 1), "first"),
]


def crafted(whole: Any, place: Sequence[Any], value: Any) -> str:
    """An export with something else at one place."""
    whole = inner = json.loads(json.dumps(whole))
    for step in place[:-1]:
        inner = inner[step]
    inner[place[-1]] = value
    return json.dumps(whole)


def is_told_or_refused(text: str) -> bool:
    """True if a text is a record; then every format tells it, or says why not, and it can be replayed."""
    try:
        record = parse(text)
    except BadText:
        return False
    for export in (as_mat, as_sgf, as_json):
        with contextlib.suppress(BadFile):
            export(record).encode()
    steps(record)
    return True


@pytest.mark.parametrize(("place", "value"), CRAFTED)
def test_a_crafted_json_is_refused_or_told_as_any_other(place: tuple[Any, ...], value: Any) -> None:
    whole = json.loads(as_json(some_record(preset("tournament", {"length": 1}))))
    is_told_or_refused(crafted(whole, place, value))


VALUES: list[Any] = [
    None,
    -1,
    0,
    2,
    7,
    26,
    256,
    2**63,
    2**70,
    1e300,
    0.5,
    True,
    "",
    "x",
    "\ud800",
    "over",
    "void",
    [],
    {},
    [1],
]


def test_so_is_one_with_anything_anywhere(rng: random.Random) -> None:
    whole = json.loads(as_json(some_record(preset("tournament", {"length": 1}))))
    short = {**whole, "events": whole["events"][:7]}
    places = [place for place in _places(short) if place]
    told = [is_told_or_refused(crafted(short, rng.choice(places), rng.choice(VALUES))) for _ in range(tries(3000))]
    assert 0 < sum(told) < len(told)


def _places(value: Any, place: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    yield place
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for name, inner in items:
        yield from _places(inner, (*place, name))


# --- Steps --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("rules", RULES)
@pytest.mark.parametrize("seed", range(4))
def test_each_roll_is_a_step_and_the_last_one_is_the_end(rules: Rules, seed: int) -> None:
    record = some_record(rules, seed, games=4)
    found = steps(record)
    rolls = [event for event in record.events if isinstance(event, e.Rolled | e.OpeningRolled)]
    ties = sum(isinstance(event, e.OpeningRolled) and event.die_0 == event.die_1 for event in rolls)
    assert sum(bool(step.view.dice) for step in found) >= len(rolls) - ties
    assert found[-1].match == replayed(record.start, list(record.events)) or found[-1].match.phase == "ready"
    assert all(one.time_ms <= other.time_ms for one, other in pairwise(found))
    assert turns_of(found)[1] == max(step.turn for step in found if step.match.game == 1)


def test_a_step_says_what_has_happened() -> None:
    events: list[Event] = [
        e.Readied(0),
        e.Readied(1),
        e.GameStarted(False),
        e.OpeningRolled(3, 1),
        e.Moved(0, ((8, 5), (6, 5))),
        e.Doubled(1),
        e.Taken(0),
        e.Rolled(1, 2, 6),
        e.ResignationOffered(0, 1),
        e.GameEnded(1, 2, 1, Ending.RESIGNATION),
        e.Readied(0),
    ]
    found = steps(
        of_server(recorded(preset("tournament", {"length": 2}), [*events[:10], e.MatchEnded(1, Ending.SCORE)]))
    )
    assert [step.said for step in found] == [
        ("game 1 begins: ada starts with 3-1",),
        ("ada plays 3-1: 8/5 6/5", "bob doubles to 2"),
        ("ada takes the cube at 2",),
        ("ada offers to resign a single game",),
        ("ada resigns a single game: bob wins 2 points", "bob wins the match 2 to 0"),
    ]
    assert [step.turn for step in found] == [1, 1, 2, 2, 2]
    live = steps(of_server(recorded(RULES[0], events[:5])))
    assert live[-1].said == ("ada plays 3-1: 8/5 6/5",), "what waits for a decision is a step, too"
    assert len(steps(of_server(recorded(RULES[0], events)))) == 5, "that somebody is ready is none"
    assert len(steps(of_server(recorded(RULES[0], [])))) == 1
