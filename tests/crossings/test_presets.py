"""Every game that can be created, crossed with each level of the computer, hint, judge, review, environment, option of
the page and file format: each cell works, or is off with its reason.

The rows are made from the presets and the starts themselves: one that is added has all its cells at once.
"""

import functools
import itertools
import json
import math
import random
import threading
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from msgspec.structs import replace
from tavla_bots import BOTS
from tavla_bots.analysis import analyse
from tavla_bots.gnubg import Gnubg
from tavla_bots.house import House
from tavla_bots.house_judge import HouseJudge
from tavla_bots.judging import CannotAnalyse, judge_match
from tavla_cli.bots.computer import LEVELS, suitable
from tavla_cli.records.files import BadFile, as_json, as_mat, as_sgf, parse
from tavla_cli.records.record import of_server
from tavla_cli.records.steps import view_of
from tavla_client import fits
from tavla_engine import actions as a
from tavla_engine import events as e
from tavla_engine.actions import Action
from tavla_engine.analysis import Analysis
from tavla_engine.apply import apply
from tavla_engine.conditions import no_double, to_act
from tavla_engine.decide import decide
from tavla_engine.events import Event
from tavla_engine.match import Cube, Match, Phase, Resignation, new_match
from tavla_engine.midgame import game_in_progress
from tavla_engine.plays import legal_plays
from tavla_engine.position import row
from tavla_engine.rules import PRESETS, Rules, Variant, preset
from tavla_engine.xgid import parse_xgid, xgid
from tavla_gym import BackgammonEnv, BackgammonVectorEnv
from tavla_protocol.messages import Person

from tests.support.browser.node import ask_modules
from tests.support.games.agreed import dice_of
from tests.support.games.bots import turn_of
from tests.support.games.records import ID, SEEDS, played, recorded, told
from tests.support.tries import MANY

pytestmark = pytest.mark.slow  # most of them wait by the clock

GAMES = {
    f"{name} {variant}": preset(name, {"variant": variant}) for name, variant in itertools.product(PRESETS, Variant)
}
GAMES["tournament standard, no Crawford rule"] = preset("tournament", {"crawford": False})  # 2-away: nothing to win
POINTS = 5  # of the matches without a cube whose every score is a row
SCORES = [(ours, theirs) for ours in range(POINTS) for theirs in range(POINTS)]
TURNS = 2 if MANY else 1  # that are judged at each score
TOLERANCE = 1e-4  # between the page's equities and ours
MADE_UP = ("hints", "rated", "delay_s", "reserve_s")  # options that no position or other program's file tells

games = pytest.mark.parametrize("rules", GAMES.values(), ids=GAMES)


def shorter(rules: Rules) -> Rules:
    """The same to POINTS points, or for money."""
    return rules._replace(length=min(rules.length, POINTS))


def scores_of(rules: Rules) -> list[tuple[int, int]]:
    """Scores to look at: all of a match without a cube, else those at which something changes."""
    if not rules.length:
        return [(0, 0)]
    if not rules.cube and rules.variant is Variant.STANDARD:
        return SCORES
    last = rules.length - 1
    return [(0, 0), (last - 1, last - 1), (last, last - 1), (last, last)]


# --- Levels of the computer ---------------------------------------------------------------------------------------


def asked(rules: Rules, score: tuple[int, int]) -> list[Match]:
    """The first turn of a game at a score, before the roll: of the Crawford game, and of one after it."""
    near = rules.length > 0 and max(score) == rules.length - 1
    crawfords = [True, False] if rules.crawford and near else [False]
    return [game_in_progress(rules, rules.start, 0, score, Cube(), crawford, None) for crawford in crawfords]


def check_hooks(bot: House, before: Match) -> None:
    """Ask each hook about a turn, and look at its answers."""
    turn = turn_of(replace(before, phase=Phase.MOVE, dice=(3, 1)))
    assert bot.choose_play(turn) in turn.plays
    ranked = House().ranking(turn)
    assert {play for play, _ in ranked} == set(turn.plays)
    assert all(math.isfinite(equity) for _, equity in ranked)
    assert ranked[0][1] > ranked[-1][1], "some play is better than another"
    if no_double(before, 0) is None:
        assert bot.offer_double(turn_of(before)) in (False, True)
        assert bot.take_double(turn_of(before, seat=1)) in (False, True)
    assert bot.offer_resign(turn_of(before)) == 0, "nothing is lost yet"
    most = 3 if before.rules.backgammons else 2
    assert bot.accept_resign(turn_of(replace(before, resignation=Resignation(1, most, Phase.ROLL)))), "all there is"


@pytest.fixture(scope="module")
def bots() -> Iterator[dict[str, House]]:
    """Bots by level, as they are asked for: a process of Sage's ends with the last one of them."""
    made = dict[str, House]()
    yield made
    made.clear()


@pytest.mark.parametrize("level", LEVELS)
@games
def test_each_level_plays_each_game_at_each_score_or_says_that_it_does_not(
    rules: Rules, level: str, bots: dict[str, House]
) -> None:
    """In the gate at one score in seven, in turn; Sage in the Crawford game and the one after it: each takes long."""
    bot, wanted = BOTS[level], rules._asdict()
    assert issubclass(bot, House)
    person = Person(kind="bot", level=level, places=1, rules={option: [*of] for option, of in bot.plays.items()})
    is_known = fits(bot.plays, wanted)
    assert suitable({"it": person}, wanted) == ["it"] * is_known
    if level != "sage":
        assert is_known or rules.variant not in bot.plays["variant"], "it refuses a start that it has not learned"
    rules = shorter(rules)
    scores = scores_of(rules) if is_known else []
    if not MANY:
        number = LEVELS.index(level)
        scores = scores[-2:][:1] if level == "sage" else scores[number % (len(scores) or 1) :: len(LEVELS)]
    for score in scores:
        if level not in bots:
            bots[level] = bot(random.Random(level))
        for before in asked(rules, score):
            check_hooks(bots[level], before)


# --- Judges, the review, and hints --------------------------------------------------------------------------------


def played_from(rules: Rules, score: tuple[int, int]) -> list[Event]:
    """A match up to a score, by games that are resigned at once, and some turns of the game there."""
    rng, match, log = random.Random(str(score)), new_match(rules), list[Event]()
    dice = dice_of(ID, view_of(match), bytes(32), SEEDS)

    def act(action: Action) -> None:
        nonlocal match
        events, match = decide(match, action, dice.roller(match))
        log.extend(events)

    while match.phase is Phase.READY:
        for seat in (0, 1):
            act(a.Ready(seat))
        if match.score != score:
            winner = int(match.score[0] == score[0])
            act(a.Resign(1 - winner, min(2, score[winner] - match.score[winner])))
            act(a.AcceptResignation(winner))
    before = len(log)
    while sum(isinstance(event, e.Moved) for event in log[before:]) < TURNS:
        seat = to_act(match)[0]
        plays = legal_plays(match.position, match.dice, rules.hit_and_run) if match.dice else {}
        act(a.Move(seat, rng.choice([*plays.values()])) if plays else a.Roll(seat))
    return log


def is_judged(rules: Rules) -> bool:
    """True if somebody here can judge such a match; else it is said which start nobody knows."""
    with pytest.raises(CannotAnalyse) as why:
        analyse(new_match(rules), [], lambda *_: None, threading.Event())
    assert str(why.value) in ("no game was begun", f"nobody here can judge {rules.variant}")
    return str(why.value) == "no game was begun"


Row = tuple[Rules, tuple[int, int]]


def few_games() -> list[str]:
    """Names of all games; in the gate of each preset and each start."""
    return [name for name in GAMES if MANY or name.startswith("tournament ") or name.endswith(" standard")]


@functools.cache
def rows() -> list[Row]:
    """These games at their scores, of two that mirror each other the first; in the gate at one of them, in turn."""
    found = list[Row]()
    for number, some in enumerate(shorter(GAMES[name]) for name in few_games()):
        scores = [score for score in scores_of(some) if score[0] >= score[1]]
        found += [(some, score) for score in (scores if MANY else [scores[number % len(scores)]])]
    return found


def question(rules: Rules, events: list[Event]) -> dict[str, Any]:
    """A match as the page's review is given it."""
    record = [told(event, seq) for seq, event in enumerate(events, 1)]
    return {"rules": recorded(rules, events).view["rules"], "events": record, "analysis": None}


def same(page: list[dict[str, Any]], house: Analysis) -> None:
    """The page's review of a match has the decisions of our analysis, as costly, and no number is lost."""
    found = [one for one in page if one["what"] != "play" or one["moves"]]
    assert len(found) == len(house.findings) >= TURNS
    for one, other in zip(found, house.findings, strict=True):
        assert math.isfinite(other.loss)
        assert other.loss >= -1e-6
        assert one["loss"] == pytest.approx(other.loss, abs=TOLERANCE)
    assert all(map(math.isfinite, house.luck))


@pytest.mark.long
def test_each_game_is_judged_at_each_score_by_the_house_and_by_the_page_alike() -> None:
    known = [(rules, played_from(rules, score)) for rules, score in rows() if is_judged(rules)]
    assert {rules.variant for rules, _ in known} >= {Variant.STANDARD, Variant.NACKGAMMON}
    reviews = ask_modules("reviewed", [question(*one) for one in known])
    for (rules, events), page in zip(known, reviews, strict=True):
        same(page, judge_match(HouseJudge(), new_match(rules), events, lambda *_: None, threading.Event()))


@pytest.mark.slow
def test_the_card_of_a_result_has_figures_where_there_is_a_judge_and_a_reason_where_there_is_none() -> None:
    """Of each game: both players' luck and PR, or that its start is unknown. In the gate of each start."""
    names = [name for name in GAMES if MANY or name.startswith("tournament ")]
    asked_ = [(GAMES[name], question(GAMES[name], played_from(shorter(GAMES[name]), (0, 0)))) for name in names]
    for (rules, _), answers in zip(asked_, ask_modules("figures", [one for _, one in asked_]), strict=True):
        figures = [float(cell.replace("−", "-")) for row in answers[-1]["rows"] for cell in row[1:] if cell != "–"]
        assert bool(figures) == is_judged(rules), answers[-1]["note"]
        assert all(map(math.isfinite, figures))
        assert answers[-1]["note"]


@pytest.mark.slow
def test_a_hint_ranks_the_plays_of_each_game_at_each_score_or_says_why_there_is_none() -> None:
    views = []
    for rules, score in rows():
        few = row(p13=1, p6=1, p3=1, off=sum(rules.start.mine) - 3)  # so that there are few plays to look at
        view = {"phase": "move", "turn": 0, "dice": [3, 1], "points": [*few, *few], "score": score}
        views.append({"view": {"rules": json.loads(json.dumps(rules._asdict())), **view}, "seat": 0, "language": "en"})
    for (rules, _), hint in zip(rows(), ask_modules("hint", views), strict=True):
        worth = [float(row[1].replace("−", "-")) for row in hint["rows"]]
        assert bool(worth) == is_judged(rules), hint["note"]
        assert all(map(math.isfinite, worth))
        assert worth == sorted(worth, reverse=True)
        assert hint["note"]


def test_gnubg_judges_and_plays_what_it_knows() -> None:
    known = {name for name, rules in GAMES.items() if fits(Gnubg.plays, rules._asdict())}
    with_cube = {name for name, preset in PRESETS.items() if preset.rules.cube}
    names = {f"{name} {variant}" for name in with_cube for variant in ("standard", "nackgammon")}
    assert known == {name for name in GAMES if name.partition(",")[0] in names}


# --- The environment, files, and the page's form ------------------------------------------------------------------


@pytest.mark.parametrize("actions", ["turns", "moves"])
@games
def test_an_environment_plays_each_game(rules: Rules, actions: Any) -> None:
    env = BackgammonEnv("tournament", rules._asdict(), actions=actions, seat=0)
    _, info = env.reset(seed=1)
    rng, over = np.random.default_rng(1), False
    for _ in range(30):
        if over:
            break
        seen, reward, over, _, info = env.step(int(rng.choice(np.flatnonzero(info["action_mask"]))))
        assert seen in env.observation_space
        assert math.isfinite(reward)


@games
def test_environments_side_by_side_play_each_game(rules: Rules) -> None:
    env = BackgammonVectorEnv(8, "tournament", rules._asdict())
    seen, info = env.reset(seed=1)
    rng = np.random.default_rng(1)
    for _ in range(60 if MANY else 20):
        seen, reward, _, _, info = env.step(np.asarray(rng.integers(info["choices"])))
        assert seen in env.observation_space
        assert np.isfinite(reward).all()


def told_rules(rules: Rules) -> Rules:
    """The rules without what only a server knows."""
    return rules._replace(**{name: getattr(Rules(), name) for name in MADE_UP})


@games
def test_files_tell_each_game_or_say_that_they_cannot(rules: Rules) -> None:
    events = played(rules, 4, games=2)
    record = of_server(recorded(rules, events))
    last = functools.reduce(apply, events, new_match(rules))
    turns = [(event.seat, event.moves) for event in events if isinstance(event, e.Moved)]
    for write in (as_mat, as_sgf, as_json):
        if write is as_sgf and rules.variant is Variant.LONGGAMMON:
            with pytest.raises(BadFile, match=r"SGF knows no longgammon: a \.mat or \.json file can tell it"):
                write(record)
            continue
        again = parse(write(record))
        assert again.start.rules == (rules if write is as_json else told_rules(rules))
        assert [(event.seat, event.moves) for event in again.events if isinstance(event, e.Moved)] == turns
        end = functools.reduce(apply, again.events, again.start)
        assert (end.score, end.board, end.cube) == (last.score, last.board, last.cube)


@games
def test_xgids_tell_the_board_the_dice_and_the_score_of_each_game(rules: Rules) -> None:
    match, at = new_match(rules), list[Match]()
    for event in played(rules, 4, games=2):
        match = apply(match, event)
        at += [match] if match.phase is Phase.MOVE else []
    for one in at:
        again = parse_xgid(xgid(one), rules.variant)
        assert (again.board, again.dice, again.score) == (one.board, one.dice, one.score)
        assert (again.cube.value, again.cube.owner) == (one.cube.value, one.cube.owner)
        assert (again.rules.length, again.rules.variant) == (rules.length, rules.variant)


def test_the_page_offers_each_game_with_the_rules_that_it_has() -> None:
    (form,) = ask_modules("form", ["en"])
    assert form["presets"].keys() == PRESETS.keys()
    assert form["variants"].keys() == set(Variant)
    for asked_, whole in zip(form["asked"], form["whole"], strict=True):
        name = asked_.pop("preset")
        rules = PRESETS[name].rules
        assert preset(name, asked_) == rules, "what is sent as it stands there is the preset"
        options = {option: value for option, value in whole.items() if option in Rules._fields}
        assert options == {option: getattr(rules, option) for option in options}, "by which programs choose"
        assert options.keys() >= {option for bot in BOTS.values() for option in bot.plays}
