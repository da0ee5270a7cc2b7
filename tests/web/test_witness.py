"""Verdict of the page on a match while it is played and at its end: nothing on an honest one, and all that is wrong."""

import copy
import random
from collections.abc import Callable, Iterator
from functools import cache
from itertools import pairwise
from typing import Any

import pytest
from msgspec import to_builtins
from msgspec.structs import replace
from tavla_cli.records.steps import view_of
from tavla_engine.decide import decide
from tavla_engine.dice import Roller, commitment, committed_dice
from tavla_engine.errors import IllegalAction
from tavla_engine.events import Event
from tavla_engine.match import Phase, new_match
from tavla_engine.rules import PRESETS, preset
from tavla_protocol.codec import pack
from tavla_protocol.view import View, fields

from tests.support.browser.node import ask_modules, need_node
from tests.support.games.chance import action_by_chance
from tests.support.games.records import ID, SEEDS, told

SECRET = bytes(range(32))
SERVER = commitment(SECRET)
COMMITMENTS = (commitment(bytes.fromhex(SEEDS[0])), commitment(bytes.fromhex(SEEDS[1])))
OTHER = "00" * 32
ROLL = committed_dice(SECRET, ID, SEEDS)
LONGEST = 500  # actions of a match by chance


@pytest.fixture(autouse=True)
def node() -> str:
    return need_node()


@cache
def match_of(name: str, seed: int, roll: Roller = ROLL) -> tuple[list[View], list[list[Any]]]:
    """A match by chance from its start on: its views, one for each entry of the journal, and its record."""
    rules = preset(name)
    rng, rules = random.Random(seed), rules._replace(length=min(2, rules.length))
    match = new_match(rules)
    views, events = [shown(view_of(match))], list[Event]()
    for _ in range(LONGEST):
        if match.phase is Phase.OVER:
            break
        try:
            happened, match = decide(match, action_by_chance(match, rng), roll)
        except IllegalAction:
            continue
        events += happened
        views.append(shown(view_of(match)))
    record: list[list[Any]] = [[1, 0, "created"], [1, 0, "revealed", 0, SEEDS[0]], [1, 0, "revealed", 1, SEEDS[1]]]
    return views, record + [told(event, seq) for seq, event in enumerate(events, 2)]


def shown(view: View) -> View:
    """A view with names, and with what was committed to and revealed."""
    seed = SECRET.hex() if view.phase == "over" else ""
    known = {"commitment": SERVER, "commitments": COMMITMENTS, "seeds": SEEDS, "seed": seed}
    return replace(view, players=("ada", "bob"), **known)


def packed(view: View) -> str:
    return pack(fields(view)).hex()


def verdict(views: list[View], events: list[list[Any]], witnessed: list[View] | None = None) -> dict[str, Any]:
    """The final verdict on a match. witnessed: the views that were seen of it; all, if None."""
    seen = [packed(view) for view in (views if witnessed is None else witnessed)]
    question = {"match": ID, "view": packed(views[-1]), "events": pack(events).hex(), "views": seen}
    (answer,) = ask_modules("verdict", [question])
    found: dict[str, Any] = answer
    return found


# --- an honest match ---

MATCHES = [(name, seed) for name in PRESETS for seed in range(2)]


def test_nothing_is_wrong_with_an_honest_match_while_it_is_played() -> None:
    """In every preset: resignations, forfeits, cubes, automatic steps; and with views that were missed."""
    questions, rng = [], random.Random(5)
    for name, seed in MATCHES:
        views: list[str | None] = [packed(view) for view in match_of(name, seed)[0]]
        missed = [None if rng.random() < 0.3 else view for view in views]
        questions += [{"views": views}, {"views": missed}]
    for (name, seed), faults in zip(
        [one for one in MATCHES for _ in "12"], ask_modules("witness", questions), strict=True
    ):
        assert faults == [], (name, seed)


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


# --- what a server may try while a match is played ---


def moved_at(views: list[View]) -> int:
    """The place of the first view that shows a turn with moves, not the first one, and the dice of the next."""
    return next(
        at
        for at, (before, view) in enumerate(pairwise(views), 1)
        if view.rolls == before.rolls + 1 > 2 and view.last != before.last and view.last[-1][3:] and view.dice
    )


Change = Callable[[list[View], int], None]


def later(**changes: Any) -> Change:
    """From a place on all views say something else."""

    def change(views: list[View], at: int) -> None:
        views[at:] = [replace(view, **changes) for view in views[at:]]

    return change


def other_dice(views: list[View], at: int) -> None:
    """Another pair is shown for a number first, and the right one later."""
    views.insert(at, replace(views[at], dice=(6, 6) if views[at].dice != (6, 6) else (5, 5)))


def skipped(views: list[View], at: int) -> None:
    views[at:] = [replace(view, rolls=view.rolls + 2) for view in views[at:]]


def fewer(views: list[View], at: int) -> None:
    views.append(replace(views[-1], rolls=views[-1].rolls - 1))


def illegal(views: list[View], at: int) -> None:
    seat, *_ = views[at].last[-1]
    turn = (seat, 6, 5, 24, 13) if views[at].last[-1][1:3] != (6, 5) else (seat, 4, 2, 24, 13)
    views[at] = replace(views[at], last=(*views[at].last[:-1], turn))
    views[at - 1] = replace(views[at - 1], dice=turn[1:3])


def moved_checker(views: list[View], at: int) -> None:
    points = bytearray(views[at].points)
    point = next(point for point in range(24, 0, -1) if points[point])
    points[point] -= 1
    points[point - 1] += 1
    views[at] = replace(views[at], points=bytes(points))


def other_side(views: list[View], at: int) -> None:
    views[at] = replace(views[at], turn=1 - views[at].turn)


def doubled(views: list[View], at: int) -> None:
    views[at:] = [replace(view, cube=2 * view.cube, owner=0) for view in views[at:]]


def scored(views: list[View], at: int) -> None:
    """The points of a game go to its loser."""
    ended = next(i for i in range(at, len(views)) if views[i].outcome)
    winner, *rest = views[ended].outcome or (0,)
    white, black = views[ended].score
    views[ended] = replace(views[ended], outcome=(1 - (winner or 0), *rest), score=(black, white))


def no_play(views: list[View], at: int) -> None:
    """The opponent is shown as one who could not move."""
    *others, last = views[at].last
    views[at] = replace(views[at], last=(*others, last[:3]), points=views[at - 1].points)


TRIED: list[tuple[Change, str]] = [
    (other_dice, "was shown before with other dice"),
    (skipped, "numbers of the dice were skipped"),
    (fewer, "rolls were counted before"),
    (illegal, "do not allow the play"),
    (no_play, "do not allow the play"),
    (moved_checker, "do not stand where the plays lead"),
    (doubled, "The cube was offered or taken"),
    (scored, "The result after roll"),
    (other_side, "by the player whose turn it is"),
    (later(commitment=OTHER), "A commitment has changed"),
    (later(commitments=(COMMITMENTS[0], OTHER)), "A commitment has changed"),
    (later(commitments=("", "")), "A commitment has changed"),
    (later(commitment=""), "committed to no seed"),
    (later(seeds=(SEEDS[0], "00" * 16)), "The seed shown as that of bob"),
    (later(commitments=(COMMITMENTS[0], "")), "A commitment has changed"),
    (later(seeds=(SEEDS[0], "")), "Dice were rolled before the seed of bob"),
]


@pytest.mark.parametrize(("change", "words"), TRIED)
def test_what_cannot_follow_from_what_was_shown_is_said_at_once(change: Change, words: str) -> None:
    views = list(match_of("portes", 1)[0])
    change(views, moved_at(views))
    (faults,) = ask_modules("witness", [{"views": [packed(view) for view in views]}])
    assert any(words in fault for fault in faults), faults


BAD_SEEDS = ["zz" * 16, "a1", "A1" * 16, "a1" * 40, "x", "\x00" * 32]


def test_a_seed_that_is_none_is_a_fault() -> None:
    views, events = match_of("portes", 1)
    bad = [[packed(replace(view, seeds=(SEEDS[0], seed))) for view in views[:5]] for seed in BAD_SEEDS]
    fault = "The seed shown as that of bob is not the one committed to, or it has changed."
    assert ask_modules("witness", [{"views": some} for some in bad]) == [[fault] for _ in BAD_SEEDS]
    lasts = [packed(replace(views[-1], seed=seed)) for seed in BAD_SEEDS]
    told_ = pack(events).hex()
    for said in ask_modules("verdict", [{"match": ID, "view": last, "events": told_} for last in lasts]):
        assert "not the one it committed to" in said["text"]


OWN = {"seat": 0, "sent": COMMITMENTS[0], "server": "", "other": ""}
REVEALED = {**OWN, "server": SERVER, "other": COMMITMENTS[1]}
PROMISES: list[tuple[dict[str, Any], dict[str, Any], str]] = [  # ours, what is shown in place of it, what is said
    (OWN, {}, ""),
    (REVEALED, {}, ""),
    (OWN, {"commitments": (OTHER, COMMITMENTS[1]), "seeds": ("", SEEDS[1])}, "the commitment that this page sent"),
    (OWN, {"commitments": ("", "")}, "the commitment that this page sent"),
    (OWN, {"commitments": (COMMITMENTS[0], "")}, "The seed shown as that of bob"),
    (REVEALED, {"commitment": OTHER}, "A commitment has changed"),
    (REVEALED, {"commitments": (COMMITMENTS[0], OTHER), "seeds": (SEEDS[0], "")}, "A commitment has changed"),
]


@pytest.mark.parametrize(("own", "changes", "words"), PROMISES)
def test_what_was_sent_is_compared_with_the_first_view(
    own: dict[str, Any], changes: dict[str, Any], words: str
) -> None:
    view = replace(match_of("portes", 1)[0][0], phase="reveal", **changes)
    (faults,) = ask_modules("witness", [{"views": [packed(view)], "own": [[0, own]]}])
    assert len(faults) == bool(words)
    assert words in "".join(faults)


def test_what_a_store_has_lost_may_be_played_otherwise_but_with_the_same_dice() -> None:
    views = match_of("portes", 1)[0]
    at = moved_at(views)
    back: list[str] = [packed(view) for view in views[:at]]
    (faults,) = ask_modules("witness", [{"views": [*map(packed, views[: at + 4]), "forget", *back]}])
    assert faults == []
    other = replace(views[at], dice=(6, 6) if views[at].dice != (6, 6) else (5, 5))
    (faults,) = ask_modules("witness", [{"views": [*map(packed, views[: at + 4]), "forget", *back, packed(other)]}])
    assert len(faults) == 1


# --- what a record may tell ---

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
    events += [[9, 0, "game_started", False], [9, 0, "opening_rolled", 6, 1]]


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
    (goes_on, "cannot follow"),
]


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
        if event[2] not in ("created", "revealed", "readied", "auto_set", "abort_asked")
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
    ({"commitments": ("", ""), "seeds": SEEDS}, None, "the server alone has chosen the dice"),
    ({"commitments": (COMMITMENTS[0], "")}, False, "The seed shown as that of bob"),
    ({"rules": {"later": True}}, None, "does not know"),
    ({"rules": {"variant": "later"}}, None, "does not know"),
    ({"rules": {"opening": "later"}}, None, "does not know"),
]


@pytest.mark.parametrize(("changes", "sound", "words"), ENDS)
def test_the_end_is_judged_with_and_without_seeds(changes: dict[str, Any], sound: bool | None, words: str) -> None:
    views, events = match_of("portes", 2)
    rules = {**views[-1].rules, **changes.get("rules", {})}
    last = replace(views[-1], **{**changes, "rules": rules})
    said = verdict([last], events, [last])
    assert said["sound"] is sound
    assert words in said["text"]


def test_who_adds_no_seed_is_named_and_events_of_a_later_version_are_not_judged() -> None:
    roll = committed_dice(SECRET, ID, (SEEDS[0], ""))
    views, events = match_of("portes", 2, roll)
    last = replace(views[-1], commitments=(COMMITMENTS[0], ""), seeds=(SEEDS[0], ""))
    assert verdict([last], events)["text"].endswith("(bob added no seed).")
    later_events = [*events, [9, 0, "sung", 1]]
    assert verdict([last], later_events)["sound"] is None


# --- what cannot be in a view ---

ABSURD: list[tuple[str, Any]] = [
    ("dice", [7, 9]),
    ("dice", [1]),
    ("dice", "66"),
    ("points", b"\xff" * 52),
    ("points", [1, 2]),
    ("last", [[0, 1, 2, 99, 3]]),
    ("last", [[3, 1, 2]]),
    ("last", 5),
    ("rolls", -1),
    ("rolls", 1.5),
    ("turn", 9),
    ("turn", None),
    ("players", ["ada"]),
    ("players", [{"x": 1}, None]),
    ("cube", 0),
    ("score", [1]),
    ("outcome", [5, 1, 1, "x"]),
    ("outcome", []),
    ("resignation", [2, 1]),
    ("seeds", [1, 2]),
    ("seed", 5),
    ("commitments", None),
    ("unrevealed", [0, 1, 2]),
    ("clock", ["a", 1, 2]),
    ("rules", None),
    ("phase", {}),
    ("name", "x" * 5000),
    ("seeds", ["", None]),
]


def test_what_cannot_be_is_noticed_before_it_is_shown() -> None:
    honest: Iterator[View] = (view for name, seed in MATCHES for view in match_of(name, seed)[0][::7])
    assert set(ask_modules("unreadable", [packed(view) for view in honest])) == {""}
    plain = to_builtins(fields(match_of("portes", 1)[0][5]), builtin_types=(bytes,))
    views = [pack({**plain, field: value}).hex() for field, value in ABSURD]
    assert ask_modules("unreadable", views) == [field for field, _ in ABSURD]


# --- what is kept of what was sent ---


def test_a_seed_is_revealed_for_one_match_and_the_commitments_that_were_seen() -> None:
    steps = [
        ["bind", "committed", "sofa"],
        ["sentFor", "sofa"],
        ["sentFor", "divan"],
        ["reveal", "sofa", SERVER, "committed", OTHER],
        ["reveal", "sofa", SERVER, "committed", OTHER],
        ["reveal", "sofa", SERVER, "committed", SERVER],
        ["reveal", "sofa", OTHER, "committed", OTHER],
        ["reveal", "divan", SERVER, "committed", OTHER],
        ["reveal", "divan", "", "other", OTHER],
        ["reveal", "divan", SERVER, "other", ""],
        ["prove", {"match": "sofa", "n": 1}],
        ["prove", {"match": "sofa", "n": 2}],
        ["proofs"],
    ]
    (said,) = ask_modules("pledges", [steps])
    assert said[:3] == [None, "committed", ""]
    assert said[3:10] == [True, True, False, False, False, False, True]
    assert said[-1] == [{"match": "sofa", "n": 2}]
