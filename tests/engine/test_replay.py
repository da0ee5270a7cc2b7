"""Ten matches that GNU Backgammon played, decision by decision: our state before each, and the same results."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tavla_engine import actions as a
from tavla_engine.actions import Action, Seat
from tavla_engine.decide import decide
from tavla_engine.dice import Dice, Roller
from tavla_engine.events import Ending, Event, GameEnded, GameStarted
from tavla_engine.match import Match, Phase, new_match, no_double, to_act
from tavla_engine.rules import preset

from tests.support.engine import replayed

FILES = sorted((Path(__file__).parent.parent / "data" / "matches").glob("match_*.json"))
VALUES = {"normal": 1, "gammon": 2, "backgammon": 3}
ENDINGS = {"borne off": Ending.BORNE_OFF, "drop": Ending.DROP, "resignation": Ending.RESIGNATION}
PHASES = {
    "before_roll": Phase.ROLL,
    "play": Phase.MOVE,
    "answer_double": Phase.CUBE,
    "answer_resignation": Phase.RESIGN,
}
UNUSED: Dice = (2, 1)  # rolled for a player who then resigns and never plays it


def recorded_dice(game: dict[str, Any]) -> Iterator[Dice]:
    """The dice of a game in order; the opening pair by seat, the higher one for the player who starts."""
    plays = [decision for decision in game["decisions"] if decision["kind"] == "play"]
    high, low = max(plays[0]["dice"]), min(plays[0]["dice"])
    yield (high, low) if plays[0]["player"] == 0 else (low, high)
    for play in plays[1:]:
        first, second = play["dice"]
        yield first, second
    while True:
        yield UNUSED


def action_of(decision: dict[str, Any]) -> Action | None:
    """The action that a record stands for; None for what happens by itself."""
    seat: Seat = decision["player"]
    match decision["kind"], decision["action"].split():
        case "before_roll", ["roll"]:
            return a.Roll(seat) if decision["may_double"] else None
        case "before_roll", ["double"]:
            return a.Double(seat)
        case "before_roll", ["resign", value]:
            return a.Resign(seat, VALUES[value])
        case "play", ["move"]:
            return a.Move(seat, tuple((source, target) for source, target in decision["checker_moves"]))
        case "play", ["no_legal_play"]:
            return None
        case "answer_double", ["take"]:
            return a.Take(seat)
        case "answer_double", ["drop"]:
            return a.Drop(seat)
        case "answer_resignation", ["accept"]:
            return a.AcceptResignation(seat)
        case "answer_resignation", ["reject"]:
            return a.RefuseResignation(seat)
    raise AssertionError(f"unknown decision: {decision}")


def check_cube(match: Match, decision: dict[str, Any], game: dict[str, Any]) -> None:
    """Cube and score are the recorded ones, and so is the right to double."""
    assert (match.cube.value, match.cube.owner) == (decision["cube_value"], decision["cube_owner"])
    assert match.crawford == game["crawford_game"]
    assert list(match.score) == game["score_before"]
    if decision["kind"] == "before_roll":
        assert (no_double(match, decision["player"]) is None) == decision["may_double"]


def check_turn(match: Match, decision: dict[str, Any]) -> None:
    """The match waits for the recorded player and decision. A resignation may come at any time."""
    if decision["action"].startswith("resign"):
        return
    assert to_act(match) == (decision["player"],)
    assert match.phase is PHASES[decision["kind"]]
    if match.phase is Phase.MOVE:
        assert match.dice == (max(decision["dice"]), min(decision["dice"]))


def play_match(record: dict[str, Any]) -> tuple[Match, list[Event]]:
    """The match played through `decide`, and all its events."""
    match, log = new_match(preset("tournament", {"length": record["length"]})), list[Event]()

    def act(action: Action, roll: Roller) -> list[Event]:
        nonlocal match
        events, match = decide(match, action, roll)
        log.extend(events)
        return events

    for game in record["games"]:
        dice = recorded_dice(game)

        def roll(_: int, dice: Iterator[Dice] = dice) -> Dice:
            return next(dice)

        act(a.Ready(0), roll)
        events = act(a.Ready(1), roll)
        assert GameStarted(game["crawford_game"]) in events
        for decision in game["decisions"]:
            check_cube(match, decision, game)
            if (action := action_of(decision)) is not None:  # else the match has gone on by itself
                check_turn(match, decision)
                events = act(action, roll)
        ended = [event for event in events if isinstance(event, GameEnded)]
        assert [(end.winner, end.points, end.ending) for end in ended] == [
            (game["winner"], game["points"], ENDINGS[game["ended_by"]])
        ]
        assert ended[0].points == ended[0].kind * game["final_cube"]
        assert list(match.score) == game["score_after"]
    return match, log


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
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
    assert len(FILES) == 10
