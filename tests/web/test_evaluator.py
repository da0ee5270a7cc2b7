"""The page's evaluator, compared with the house bot's: the same network, the same rules of thumb, the same cube."""

import gzip
import json
import random
import threading
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tavla_bots.evaluator import VALUES, bearing_off, evaluate_rows
from tavla_bots.features import contact, rows
from tavla_bots.house_judge import HouseJudge
from tavla_bots.judging import judge_match
from tavla_bots.lookahead import evaluate_ahead
from tavla_engine.analysis import Analysis as Judged
from tavla_engine.match import new_match
from tavla_engine.position import OFF, Position
from tavla_engine.rules import Rules, preset

from tests.support.browser.node import ask_modules
from tests.support.games.records import played, recorded, told
from tests.support.tries import MANY, first_of, tries

PLAYS = Path(__file__).parents[1] / "data" / "legal_plays.jsonl.gz"
POSITIONS = tries(10_000)
ENDS = 10  # of games, the rarest kind
TOLERANCE = 1e-4

pytestmark = pytest.mark.slow


def positions(rng: random.Random) -> list[Position]:
    """The positions after legal plays, as the opponent sees them."""
    with gzip.open(PLAYS, "rt") as file:
        results = [end for line in file for end in json.loads(line)["results"]]
    ends = [end for end in results if end[0][OFF] == 15]
    chosen = [*rng.sample(results, POSITIONS), *rng.sample(ends, ENDS)]
    return [Position(bytes(mine), bytes(theirs)).other_side() for mine, theirs, _ in chosen]


def test_it_judges_positions_as_the_house_bot_does(rng: random.Random) -> None:
    asked = positions(rng)
    found = np.array(ask_modules("outlook", [[[*mine], [*theirs]] for mine, theirs in asked]))
    assert np.abs(found - evaluate_rows(asked)).max() < TOLERANCE
    mine, theirs = rows(asked)
    kinds = contact(mine, theirs), ~contact(mine, theirs), bearing_off(mine, theirs), theirs[:, 0] == 15
    assert [bool(kind.any()) for kind in kinds] == [True] * 4, "of each kind there are some"


START = [0, 0, 0, 0, 0, 0, 5, 0, 3, 0, 0, 0, 0, 5, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2, 0]
MONEY = {
    "away": None,
    "cube": 1,
    "holder": 0,
    "cap": 2**32,
    "crawfordDone": True,
    "jacoby": False,
    "backgammons": True,
    "variant": "standard",
}


def question(dice: list[int], **more: Any) -> dict[str, Any]:
    """The first turn of a game for money."""
    return {"position": {"mine": START, "theirs": START}, "dice": dice, "stakes": MONEY, "opening": True} | more


# Source: bkgm.com/openings.html, the replies that nobody disputes.
OPENINGS = [([3, 1], [[8, 5], [6, 5]]), ([4, 2], [[8, 4], [6, 4]]), ([6, 1], [[13, 7], [8, 7]])]


@pytest.mark.parametrize(("dice", "best"), OPENINGS)
def test_the_undisputed_openings_are_its_best_plays(dice: list[int], best: list[list[int]]) -> None:
    (plays,) = ask_modules("plays_ranked", [question(dice)])
    assert sorted(plays[0]["moves"]) == sorted(best)
    assert [play["equity"] for play in plays] == sorted((play["equity"] for play in plays), reverse=True)
    win, gammon, backgammon, lost_gammon, lost_backgammon = plays[0]["outlook"]
    money = 2 * win - 1 + gammon + backgammon - lost_gammon - lost_backgammon
    assert plays[0]["equity"] == pytest.approx(money)


def test_one_roll_ahead_it_judges_as_the_best_level_of_the_computer_does(rng: random.Random) -> None:
    asked = positions(rng)[:30]
    found = np.array(ask_modules("outlook_ahead", [{"mine": [*mine], "theirs": [*theirs]} for mine, theirs in asked]))
    ahead = evaluate_ahead(asked, VALUES.tolist(), hit_and_run=True)
    assert np.abs((found - ahead) @ VALUES).max() < TOLERANCE


def test_the_chances_of_a_play_are_those_of_its_player(rng: random.Random) -> None:
    """At the last point of a match nothing else is worth anything."""
    last = MONEY | {"away": [1, 1], "cube": 1}
    asked = [
        question([3, 1], position={"mine": [*mine], "theirs": [*theirs]}, stakes=last, opening=False)
        for mine, theirs in positions(rng)[:20]
    ]
    for best, *_ in ask_modules("plays_judged", asked):
        assert best["equity"] == pytest.approx(2 * best["outlook"][0] - 1, abs=1e-6)


RACE = [0, 3, 3, 3, 3, 3, *[0] * 20, 1, 0, 0, 0, 0, 7, 7, *[0] * 19]  # 45 pips against 77
HINTS: list[
    tuple[dict[str, Any], int, list[str]]
] = [  # what is to be decided, by which seat, what there is, the best first
    ({"phase": "move", "turn": 1, "dice": [3, 1], "points": START * 2}, 1, ["8/5 6/5"]),
    ({"phase": "roll", "turn": 0, "points": START * 2}, 0, ["No double", "Double, take"]),
    ({"phase": "roll", "turn": 0, "points": RACE}, 0, ["Double, drop", "No double"]),
    ({"phase": "cube", "turn": 0, "offer": 0, "points": RACE}, 1, ["Drop", "Take"]),
    ({"phase": "cube", "turn": 1, "offer": 1, "points": START * 2}, 0, ["Take", "Drop"]),
]


@pytest.mark.parametrize(("view", "seat", "best"), HINTS)
def test_a_hint_ranks_what_one_may_do(view: dict[str, Any], seat: int, best: list[str]) -> None:
    rules = {"variant": "standard", "length": 5, "cube": True, "crawford": True, "jacoby": False, "cube_cap": 0}
    asked = {"view": {"rules": rules} | view, "seat": seat, "language": "en"}
    (hint,) = ask_modules("hint", [asked])
    assert [row[0] for row in hint["rows"]][: len(best)] == best
    assert {len(row) for row in hint["rows"]} == {len(hint["head"])}
    assert len(hint["rows"]) == (5 if view["phase"] == "move" else 2)
    worth = [float(row[1].replace("−", "-")) for row in hint["rows"]]
    assert worth == sorted(worth, reverse=True)
    assert hint["said"].startswith(f"{best[0]} {hint['rows'][0][1]}")


def test_the_luck_of_all_rolls_together_is_none() -> None:
    rolls = [[high, low] for high in range(1, 7) for low in range(1, high + 1)]
    luck = ask_modules("luck", [question(roll, opening=False) for roll in rolls])
    weighed = [one * (1 if high == low else 2) for one, (high, low) in zip(luck, rolls, strict=True)]
    assert sum(weighed) == pytest.approx(0, abs=1e-6)
    assert max(luck) > 0.1
    assert min(luck) < -0.02


# Source: bkgm.com/articles/Janowski/cubeformulas.pdf: without gammons 25 % to take a dead cube, 20 % a live one, and of
# the doubler's window from 50 % to 75 % with a dead one. With two points to go for both, either doubles at once, and
# a drop leaves as much as one who needs one point has against one who needs two.
WINDOWS: list[tuple[dict[str, Any], tuple[float, float], tuple[float, float]]] = [
    ({}, (0.69, 0.72), (0.78, 0.79)),
    ({"cap": 2}, (0.5, 0.51), (0.749, 0.751)),
    ({"away": [2, 2], "crawfordDone": False}, (0.499, 0.501), (0.677, 0.678)),
]


@pytest.mark.parametrize(("stakes", "opens", "cash"), WINDOWS)
def test_the_window_of_a_double_is_where_the_formula_has_it(
    stakes: dict[str, Any], opens: tuple[float, float], cash: tuple[float, float]
) -> None:
    asked = {"outlook": [0.6, 0, 0, 0, 0], "stakes": MONEY | stakes}
    ((window, _),) = ask_modules("cube_window", [asked])
    assert opens[0] <= window["opens"] <= opens[1]
    assert cash[0] <= window["cash"] <= cash[1]


CUBE = {("double", True): "double", ("double", False): "no double", ("take", True): "take", ("take", False): "drop"}
GAMES = [  # rules, and the seed of a short game; tests/crossings/test_presets.py has a turn of each game
    (preset("money", {"beavers": 2}), 39),  # a take, and a drop
    (preset("club", {"variant": "hypergammon"}), 207),  # two takes
    (preset("tournament", {"length": 5}), 108),  # two takes, and a drop
    (preset("portes"), 3),
]


@pytest.mark.parametrize(("rules", "seed"), first_of(GAMES, 2))
def test_a_match_is_reviewed_in_the_page_as_the_house_analyses_it(rules: Rules, seed: int) -> None:
    """The same decisions, as costly, of plays and the cube, for money and at a score."""
    events = played(rules, seed, games=1)
    record = [told(event, seq) for seq, event in enumerate(events, 1)]
    house = judge_match(HouseJudge(), new_match(rules), events, lambda *_: None, threading.Event())
    tallies = [house.all(seat) for seat in (0, 1)]
    analysis = {"by": house.by, "lost": [one.loss for one in tallies], "decisions": [one.decisions for one in tallies]}
    match = {"rules": recorded(rules, events).view["rules"], "events": record, "analysis": analysis}
    findings = [(*one[:3], *one[4:7], "?!") for one in house.findings if one.loss]
    begun = match | {"events": record[:10], "findings": [[*findings[0][:5], 0.5]]}
    page, cut = ask_modules("reviewed", [match | {"findings": findings}, begun])
    if MANY or rules.variant != "standard":  # they cost as much again, and hypergammon least
        judged_as(house, *ask_modules("figures", [{**match, "analysis": None}, match | {"analysis": told_of(house)}]))
    asked = [one for one in page if one["what"] != "play" or one["moves"]]
    assert len(asked) == len(house.findings) > 12
    for one, found in zip(asked, house.findings, strict=True):
        done = one["words"] if one["what"] == "play" else CUBE[one["what"], one["done"]]
        place = (one["at"]["game"], one["turn"], one["seat"], done, one["counts"])
        assert place == (found.game, found.turn, found.seat, found.done, found.counts)
        assert one["loss"] == pytest.approx(found.loss, abs=TOLERANCE)
        assert (one["found"] is not None) == (found.loss > 0), "each finding stands at its decision"
        if one["found"]:
            assert (one["found"]["loss"], one["found"]["best"]) == (found.loss, found.best)
            assert one["found"]["mark"] == "doubtful", "the judge's own"
            answer, best = one["found"]["answer"], one["best"]
            assert (answer["key"], answer["done"]) == (best["key"], best["done"])
    assert {one["rest"] for one in page} == {0}, "what is in no list was right"
    assert {one["rest"] for one in cut} == {None}, "unless what has cost less than a mistake was left out for room"


def told_of(house: Judged) -> dict[str, Any]:
    """The figures as a record has them."""
    tallies = [house.all(seat) for seat in (0, 1)]
    return {"by": house.by, "ratings": [one.rating for one in tallies], "luck": house.luck}


def judged_as(house: Judged, here: list[dict[str, Any]], there: list[dict[str, Any]]) -> None:
    """What the card of a result has: judged by the page, with how far it is, and by the server."""
    assert [one["note"].split()[0] for one in here[:-1]] == ["Judging:"] * (len(here) - 1)
    assert len(here) > 2
    assert len(there) == 1
    assert house.by in there[0]["note"]
    for shown in (here[-1], there[0]):
        assert [name for name, *_ in shown["rows"]] == ["bob", "ada"], "one's own figures come last"
        for (_, *figures), seat in zip(shown["rows"], (1, 0), strict=True):
            rating, luck = (float(one.replace("−", "-")) for one in figures)
            assert rating == pytest.approx(house.all(seat).rating, abs=0.05 + 500 * TOLERANCE)
            assert luck == pytest.approx(house.luck[seat], abs=0.0006 + 100 * TOLERANCE)
