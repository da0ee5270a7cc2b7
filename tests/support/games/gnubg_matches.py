"""The ten matches that GNU Backgammon played, decision by decision (`.json`) and as it wrote them (`.mat`)."""

import random
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from msgspec.structs import replace
from tavla_engine import actions as a
from tavla_engine import events as e
from tavla_engine.actions import Action, Seat
from tavla_engine.apply import apply
from tavla_engine.conditions import no_double, to_act
from tavla_engine.decide import decide
from tavla_engine.dice import Dice, Roller
from tavla_engine.events import Ending, Event, GameEnded, GameStarted
from tavla_engine.gnuid import gnu_id
from tavla_engine.match import Match, Offer, Phase, new_match
from tavla_engine.plays import legal_plays
from tavla_engine.rules import Rules, preset

FOLDER = Path(__file__).parents[2] / "data" / "matches"
JSON_FILES = sorted(FOLDER.glob("match_*.json"))
MAT_FILES = sorted(FOLDER.glob("match_*.mat"))
RESIGNATIONS = {"normal": 1, "gammon": 2, "backgammon": 3}
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
            return a.Resign(seat, RESIGNATIONS[value])
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


def shown(events: Iterable[Event]) -> list[Event]:
    """Events in a `.mat` file: no readiness, settings, wishes to abort, opening ties or refused resignations."""
    kept: list[Event] = []
    for event in events:
        match event:
            case e.Readied() | e.AutoSet() | e.AbortAsked() | e.ResignationOffered() | e.ResignationRefused():
                continue
            case e.OpeningRolled(die_0, die_1) if die_0 == die_1:
                continue
            case e.Rolled(seat, die_1, die_2):
                event = e.Rolled(seat, max(die_1, die_2), min(die_1, die_2))
            case e.Moved():
                event = replace(event, auto=False)
            case e.GameEnded(ending=Ending.FORFEIT):
                event = replace(event, ending=Ending.RESIGNATION)
            case e.MatchEnded(ending=Ending.FORFEIT):
                continue
        kept.append(event)
    return kept


def orderly_action(match: Match, rng: random.Random) -> Action:
    """A choice of the player who is asked, of those that GNU Backgammon reads rightly: it takes a game that is given
    up after the roll for a forced play, and after a dropped beaver it looks for a take in the next game."""
    seat = rng.choice(to_act(match))
    match match.phase:
        case Phase.READY:
            return a.Ready(seat)
        case Phase.ROLL if rng.random() < 0.01:
            return a.Resign(seat, rng.choice((1, 2, 3)))
        case Phase.ROLL:
            return a.Double(seat) if rng.random() < 0.1 else a.Roll(seat)
        case Phase.CUBE if match.offer and _may_beaver(match, match.offer) and rng.random() < 0.3:
            return a.Beaver(seat)
        case Phase.CUBE:
            may_drop = match.offer is None or not match.offer.beavers
            return a.Drop(seat) if may_drop and rng.random() < 0.2 else a.Take(seat)
        case Phase.RESIGN:
            return a.AcceptResignation(seat)
        case _:
            assert match.dice is not None
            return a.Move(
                seat, rng.choice(list(legal_plays(match.position, match.dice, match.rules.hit_and_run).values()))
            )


def _may_beaver(match: Match, offer: Offer) -> bool:
    return offer.beavers < match.rules.beavers and 4 * match.cube.value <= match.rules.cube_limit


def orderly_match(rules: Rules, seed: int, games: int = 5) -> list[Event]:
    """So many games, or a whole match; the last game may be unfinished."""
    rng = random.Random(seed)
    match, log = new_match(rules), list[Event]()
    while match.phase is not Phase.OVER:
        if match.game == games and (match.phase is Phase.READY or (match.phase is Phase.ROLL and rng.random() < 0.05)):
            break
        events, match = decide(match, orderly_action(match, rng), lambda _: (rng.randint(1, 6), rng.randint(1, 6)))
        log += events
    return log


def positions(start: Match, events: Iterable[Event]) -> Iterator[list[str]]:
    """Game by game the IDs between the turns, before any automatic roll, as GNU Backgammon steps through them."""
    match = start
    ids: list[str] = []
    for event in events:
        match = apply(match, event)
        if isinstance(event, e.GameStarted):
            ids = []
        if isinstance(event, e.Moved | e.Doubled | e.Taken | e.Beavered):
            ids.append(gnu_id(match))
        if isinstance(event, e.GameEnded):
            if event.ending is Ending.BORNE_OFF:
                ids.pop()  # the game is over with the last play
            if event.ending is not Ending.RESIGNATION:
                ids.append(gnu_id(match))
            yield ids
            ids = []
    if ids:
        yield ids


def is_subsequence(wanted: Iterable[str], seen: Iterable[str]) -> bool:
    """True if all that is wanted was seen, in this order."""
    following = iter(seen)
    return all(any(one == other for other in following) for one in wanted)
