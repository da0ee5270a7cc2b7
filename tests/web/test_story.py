"""Story of a match on the page: all that happened, in order, each thing once; and what the page writes down."""

import random
from collections.abc import Iterator
from typing import Any

import pytest
from tavla_cli.records.steps import view_of
from tavla_engine import events as e
from tavla_engine.decide import decide
from tavla_engine.errors import IllegalAction
from tavla_engine.events import Event
from tavla_engine.mat import export_mat
from tavla_engine.match import Phase, new_match
from tavla_engine.position import Position
from tavla_engine.positionid import position_id
from tavla_engine.rules import PRESETS, Rules, preset
from tavla_protocol.codec import pack
from tavla_protocol.view import View, fields

from tests.support.browser.node import ask_modules
from tests.support.games.agreed import dice_of
from tests.support.games.chance import action_by_chance
from tests.support.games.records import ID, SEEDS, played, recorded

LONGEST = 600  # updates of one match
LONG = 100  # updates, of which two in three cannot be left out unnoticed
CUT = 8  # updates that are missed at most before the end of a game
Told = tuple[Any, ...]

pytestmark = pytest.mark.slow


def updates(rules: Rules, rng: random.Random) -> Iterator[tuple[list[Event], View]]:
    """A match by chance, update by update: what happened, and the view after it."""
    match = new_match(rules)
    dice = dice_of(ID, view_of(match), rng.randbytes(32), SEEDS)
    yield [], view_of(match)
    for _ in range(LONGEST):
        try:
            events, match = decide(match, action_by_chance(match, rng), dice.roller(match))
        except IllegalAction:
            continue
        yield events, view_of(match)
        if match.phase is Phase.OVER:
            return


def expected(event: Event) -> Iterator[Told]:
    """Lines that should be told of an event."""
    match event:
        case e.GameStarted():
            yield ("game",)
        case e.OpeningRolled(die_0, die_1) if die_0 != die_1:
            yield "rolled", int(die_1 > die_0), max(die_0, die_1), min(die_0, die_1)
        case e.Rolled(seat, die_1, die_2):
            yield "rolled", seat, max(die_1, die_2), min(die_1, die_2)
        case e.Moved(seat, moves) if moves:
            yield from (("moved", seat, *move) for move in moves)
        case e.Moved(seat):
            yield "passed", seat
        case e.Doubled(seat):
            yield "doubled", seat
        case e.Taken(seat):
            yield "taken", seat
        case e.Beavered(seat):
            yield "beavered", seat
        case e.ResignationOffered(seat):
            yield "resigned", seat
        case e.ResignationRefused(seat):
            yield "refused", seat
        case e.GameEnded() | e.MatchEnded():
            yield ("ended",)


def told(scene: dict[str, Any]) -> Told:
    """A scene as `expected` has it."""
    what, seat = scene["what"], scene["seat"]
    if what == "rolled":
        return what, seat, *scene["dice"]
    if what == "moved":
        return what, seat, scene["last"][-1]["from"], scene["last"][-1]["to"]
    return (what,) if what in ("game", "ended") else (what, seat)


def test_all_that_happens_is_told_once_and_in_order(rng: random.Random) -> None:
    matches = [list(updates(preset(name), rng)) for name in PRESETS]
    stories = ask_modules("story", [[pack(fields(view)).hex() for _, view in match] for match in matches])
    for match, news in zip(matches, stories, strict=True):
        for (events, view), scenes in zip(match[1:], news, strict=True):
            wanted = [one for event in events for one in expected(event)]
            if wanted[-2:] == [("ended",), ("ended",)]:  # the game, and the match by it
                wanted.pop()
            assert [told(scene) for scene in scenes if scene["what"] != "asked"] == wanted
            rows = [scene["rows"] for scene in scenes if scene["rows"]]
            if rows:  # the last thing to be seen is what is
                assert rows[-1] == [list(view.row(0)), list(view.row(1))]


def test_after_a_long_cut_nothing_is_told_twice_or_out_of_order(rng: random.Random) -> None:
    matches = iter(lambda: list(updates(preset("tournament"), rng)), None)
    match = next(match for match in matches if len(match) > LONG)  # chance may give a match up at once
    kept = sorted({0, *rng.sample(range(len(match)), len(match) // 3)})
    truth = [one for number, (events, _) in enumerate(match) for event in events for one in expected(event)]
    (news,) = ask_modules("story", [[pack(fields(match[number][1])).hex() for number in kept]])
    turns = [told(scene) for scenes in news for scene in scenes if scene["what"] in ("rolled", "moved", "passed")]
    rest = iter(truth)
    assert all(any(one == other for other in rest) for one in turns), "a part of what happened, in its order"
    assert any(scene["what"] == "missed" for scenes in news for scene in scenes)


def test_a_game_that_ends_while_one_is_cut_off_is_told_once(rng: random.Random) -> None:
    for match in [list(updates(preset(name), rng)) for name in PRESETS]:
        views = [pack(fields(view)).hex() for _, view in match]
        ends = [number for number, (_, view) in enumerate(match) if view.outcome]
        cuts = [(seen, end) for end in ends for seen in range(max(0, end - CUT), end)]
        stories = ask_modules("story", [[views[seen], views[end]] for seen, end in cuts])
        for (seen, end), (scenes,) in zip(cuts, stories, strict=True):
            since = [one for events, _ in match[seen + 1 : end + 1] for event in events for one in expected(event)]
            rest = iter(since)
            turns = [told(scene) for scene in scenes if scene["what"] in ("rolled", "moved", "passed")]
            assert all(any(one == other for other in rest) for one in turns), f"{turns} of {since}"
            whats = {scene["what"] for scene in scenes}
            if not whats & {"game", "missed"}:
                assert [one for one in turns if one[0] == "moved"] == [one for one in since if one[0] == "moved"]


def test_a_match_is_saved_as_the_engine_writes_it() -> None:
    questions, answers = [], []
    more = [preset("seats", {"cube": False}), preset("seats", {"cube_cap": 1024})]
    for seed, rules in enumerate([*map(preset, PRESETS), *more]):
        events = played(rules, seed, games=4)
        record = recorded(rules, events)
        questions.append({"match": ID, "view": pack(record.view).hex(), "events": record.events})
        answers.append(export_mat(("ada", "bob"), new_match(rules), events, {"Match": ID}))
    assert ask_modules("mat", questions) == answers


def test_position_ids_are_those_of_the_engine(rng: random.Random) -> None:
    positions = [view.points for _, view in updates(preset("money"), rng)]
    boards = [Position(points[:26], points[26:]) for points in positions]
    questions = [{"mine": list(board.mine), "theirs": list(board.theirs)} for board in boards]
    assert ask_modules("positionId", questions) == [position_id(board) for board in boards]


def test_a_score_is_told_up_to_the_length_of_the_match() -> None:
    over: dict[str, Any] = {
        "phase": "over",
        "game": 2,
        "score": [4, 0],
        "rules": {"length": 3},
        "players": ["ada", "bob"],
    }
    ends = [{**over, "outcome": [0, 2, 2, "score"]}, {**over, "score": [0, 0], "outcome": [0, 0, 0, "time"]}]
    by_points, on_time = ask_modules("outcomes", [pack(view).hex() for view in ends])
    assert by_points.endswith(", 3 – 0.")
    assert "0" not in on_time, "how it was won is said, not a score that nobody played for"
