"""The verdict of the page on a match that is over, by its record, its seeds and what was shown of it."""

import copy
import random
import re
from collections.abc import Callable
from typing import Any

import pytest
from msgspec.structs import replace
from tavla_engine.referee import judge
from tavla_protocol import messages as m
from tavla_protocol.claims import claim_of
from tavla_protocol.codec import pack

from tests.support.browser.node import ask_modules
from tests.support.browser.verdicts import COMMITMENTS, MATCHES, OTHER, match_of, moved_at, packed, verdict
from tests.support.games.agreed import terms
from tests.support.games.forks import FORKS
from tests.support.games.orders import ORDERS, flagged
from tests.support.games.records import ID, SEEDS
from tests.support.tries import tries

pytestmark = pytest.mark.slow


def test_an_honest_match_is_sound_by_its_record() -> None:
    questions = []
    for name, seed in MATCHES:
        views, events = match_of(name, seed)
        questions.append(
            {
                "match": ID,
                "view": packed(views[-1]),
                "events": pack(events).hex(),
                "views": [packed(view) for view in views],
            }
        )
    for (name, seed), said in zip(MATCHES, ask_modules("verdict", questions), strict=True):
        views, events = match_of(name, seed)
        over = views[-1].phase == "over"
        words = f"All {views[-1].rolls} rolls follow" if over else "The dice can be checked when"
        assert said["text"].startswith(words), (name, seed, said)
        assert said["sound"] is (True if over else None)
        assert said["events"] == len(events)


Forge = Callable[[list[list[Any]]], None]


def found(events: list[list[Any]], what: str, after: int = 0) -> int:
    """The place of the first event of a kind, from a place on."""
    return next(index for index in range(after, len(events)) if events[index][2] == what)


def phantom(events: list[list[Any]]) -> None:
    """A number that is disliked is rolled, and rolled again."""
    at = found(events, "rolled")
    events.insert(at, list(events[at]))


def loser_starts(events: list[list[Any]]) -> None:
    at = found(events, "moved")
    events[at][3] = 1 - events[at][3]


def unplayed(events: list[list[Any]]) -> None:
    del events[found(events, "moved")]


def illegally(events: list[list[Any]]) -> None:
    events[found(events, "moved")][4] = [[24, 12]]


def sixes(events: list[list[Any]]) -> None:
    events[found(events, "rolled")][4:6] = [6, 6]


def cut(events: list[list[Any]]) -> None:
    del events[found(events, "match_ended") :]


def twice_the_points(events: list[list[Any]]) -> None:
    events[found(events, "game_ended")][4] *= 2


def other_winner(events: list[list[Any]]) -> None:
    at = found(events, "game_ended")
    events[at][3] = 1 - events[at][3]


def taken_unasked(events: list[list[Any]]) -> None:
    at = found(events, "rolled")
    events.insert(at, [*events[at][:2], "taken", 0])


def absurd(events: list[list[Any]]) -> None:
    events[found(events, "moved")][3:] = [7, "x"]


def goes_on(events: list[list[Any]]) -> None:
    seq = events[-1][0]
    events += [[seq, 0, "game_started", False], [seq, 0, "opening_rolled", 6, 1]]


FORGED: list[tuple[Forge, str]] = [
    (phantom, "cannot follow"),
    (loser_starts, "is not by the player whose turn it is"),
    (unplayed, "cannot follow"),
    (illegally, "do not allow the play"),
    (sixes, "does not follow from the seeds"),
    (cut, "as the end"),
    (twice_the_points, "The result after roll"),
    (other_winner, "The result after roll"),
    (taken_unasked, "The cube was offered or taken"),
    (absurd, "is not by the player whose turn it is"),
    (goes_on, "game_started stands behind the end of the match"),
]


def asked_about(record: m.Recorded) -> dict[str, Any]:
    return {"match": ID, "view": pack(record.view).hex(), "events": pack(record.events).hex()}


def test_a_match_that_was_put_back_is_judged_as_by_all_others() -> None:
    said = ask_modules("verdict", [asked_about(record) for record, _ in FORKS.values()])
    for (name, (_, words)), one in zip(FORKS.items(), said, strict=True):
        assert one["sound"] is not bool(words), (name, one)


def test_the_order_of_a_record_is_judged_in_the_words_of_all_others() -> None:
    said = ask_modules("verdict", [asked_about(record) for record, _ in ORDERS.values()])
    for (name, (_, words)), one in zip(ORDERS.items(), said, strict=True):
        assert one["sound"] is not bool(words), (name, one)
        assert not words or re.search(words, one["text"]), (name, one)


def test_a_flag_falls_where_the_library_says_so_to_the_millisecond() -> None:
    records = [flagged(random.Random(number)) for number in range(tries(200))]
    due = [not judge(claim_of(record)).faults for record in records]
    assert {*due} == {True, False}
    said = ask_modules("verdict", [asked_about(record) for record in records])
    assert [one["sound"] for one in said] == due


@pytest.mark.parametrize(("forge", "words"), FORGED)
def test_a_record_that_is_no_match_is_said_to_be_none(forge: Forge, words: str) -> None:
    views, events = match_of("portes", 2)
    forged = copy.deepcopy(events)
    forge(forged)
    said = verdict(views, forged)
    assert said["sound"] is False
    assert words in said["text"]
    assert said["events"] <= len(events)


def test_every_event_that_is_left_out_is_missed(rng: random.Random) -> None:
    """A record without one of its rolls, plays, doubles, ends: each by itself."""
    views, events = match_of("tournament", 0)
    asked = [
        index
        for index, event in enumerate(events)
        if event[2] not in ("created", "agreed", "revealed", "readied", "auto_set", "abort_asked")
    ]
    some = rng.sample(asked, min(40, len(asked)))
    questions = [
        {"match": ID, "view": packed(views[-1]), "events": pack(events[:index] + events[index + 1 :]).hex()}
        for index in some
    ]
    for index, said in zip(some, ask_modules("verdict", questions), strict=True):
        pair = [event[2] for event in events[index - 1 : index + 2]]
        assert said["sound"] is False or "resignation" in f"{pair}", events[index]


def test_a_record_that_tells_otherwise_than_was_shown_is_not_sound() -> None:
    """Sound in itself, and another match than the one that was seen."""
    views, events = match_of("portes", 2)
    at = moved_at(views)
    *others, (seat, *rest) = views[at].last
    seen = [*views[:at], replace(views[at], last=(*others, (seat, *reversed(rest)))), *views[at + 1 :]]
    assert "otherwise than it was shown" in verdict(views, events, [seen[at]])["text"]
    beyond = replace(views[at], rolls=views[-1].rolls + 1)
    assert verdict(views, events, [beyond])["sound"] is False


ENDS: list[tuple[dict[str, Any], bool | None, str]] = [
    ({}, True, "All "),
    ({"seed": ""}, False, "does not show its seed"),
    ({"seed": OTHER}, False, "not the one it committed to"),
    ({"rolls": 3}, False, "3 rolls were made"),
    ({"score": (9, 9)}, False, "does not lead to"),
    ({"cube": 2}, False, "does not lead to"),
    ({"commitments": ("", ""), "seeds": ("", "")}, False, "A commitment to a seed for the dice is missing"),
    (
        {"commitments": (COMMITMENTS[0], ""), "seeds": (SEEDS[0], "")},
        False,
        "A commitment to a seed for the dice is missing",
    ),
    ({"rules": {"later": True}}, None, "does not know"),
    ({"rules": {"variant": "later"}}, None, "does not know"),
    ({"rules": {"opening": "later"}}, None, "does not know"),
]


@pytest.mark.parametrize(("changes", "sound", "words"), ENDS)
def test_the_end_is_judged_with_and_without_seeds(changes: dict[str, Any], sound: bool | None, words: str) -> None:
    views, events = match_of("portes", 2, changes.get("seeds", SEEDS))
    rules = {**views[-1].rules, **changes.get("rules", {})}
    last = replace(views[-1], **{**changes, "rules": rules})
    events = [[*event[:3], terms(ID, last)] if event[2] == "agreed" else event for event in events]
    said = verdict([last], events, [last])
    assert said["sound"] is sound
    assert words in said["text"]


def test_events_of_a_later_version_are_not_judged() -> None:
    views, events = match_of("portes", 2)
    last = views[-1]
    later_events = [*events, [9, 0, "sung", 1]]
    assert verdict([last], later_events)["sound"] is None
