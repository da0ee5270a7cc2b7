"""The house bot at the board: plays that everyone agrees on, its levels, the cost of a turn, a match on a server."""

import random
from typing import cast

import pytest
from msgspec.structs import replace
from tavla_bots import BOTS
from tavla_bots.house import Beginner, House, WorldClass
from tavla_bots.random_bot import Random
from tavla_cli.bots.local_match import deal, score
from tavla_client import Failures, Play, Turn, call_hook
from tavla_engine.dice import Dice
from tavla_engine.match import Cube, Phase, Resignation
from tavla_engine.position import Position, row

from tests.support.games.bots import MONEY, RACE, START, counted_passes, state, turn_of, wandering
from tests.support.players.clients import match_of_bots
from tests.support.players.hooks import HookFailures
from tests.support.servers.processes import ServerProcess

OUT = row(p24=1, p20=1, p13=4, p11=1, p9=1, p8=2, p6=4, p4=1)  # all over the board, with blots
PLAYS = [  # position, dice, the point that must be held with two afterwards, why this row is here
    (START, (3, 1), 5, "the five point"),
    (START, (4, 2), 4, "the four point"),
    (START, (6, 1), 7, "the bar point"),
    (START, (5, 3), 3, "the three point"),
]


@pytest.mark.parametrize("level", [House, WorldClass])
@pytest.mark.parametrize(("position", "dice", "point", "why"), PLAYS, ids=[why for *_, why in PLAYS])
def test_openings_that_make_a_point(level: type[House], position: Position, dice: Dice, point: int, why: str) -> None:
    assert level().choose_play(turn_of(state(position, dice))).after.mine[point] >= 2


@pytest.mark.parametrize("level", [House, WorldClass])
def test_its_choice_stands_first_and_equities_are_points(level: type[House]) -> None:
    turn = turn_of(state(START, (3, 1)))
    ranked = level().ranking(turn)
    assert ranked[0][0] == level().choose_play(turn)
    assert {play for play, _ in ranked} == set(turn.plays)
    equities = [equity for _, equity in ranked]
    assert equities == sorted(equities, reverse=True)
    assert 0 < equities[0] < 0.4, "a good opening roll"
    won = turn_of(state(Position(row(p1=1, off=14), row(p1=10, p6=5)), (2, 1)))
    assert level().ranking(won)[0][1] == pytest.approx(2), "a gammon"


@pytest.mark.slow
def test_it_bears_off_when_it_can() -> None:
    last = Position(row(p2=1, p1=1, off=13), row(p1=1, off=14))
    assert House().choose_play(turn_of(state(last, (2, 1)))).after.off == 15


def test_it_resigns_and_accepts_what_is_certain() -> None:
    bot = House()
    hopeless = Position(row(p6=9, off=6), row(p1=1, off=14))
    assert bot.offer_resign(turn_of(state(hopeless.other_side()), seat=1)) == 1
    assert bot.offer_resign(turn_of(state(START))) == 0
    offered = turn_of(replace(state(hopeless.other_side()), resignation=Resignation(1, 1, Phase.ROLL)))
    assert bot.accept_resign(offered)


@pytest.mark.parametrize("level", [House, WorldClass])
def test_it_doubles_and_takes_by_the_race(level: type[House]) -> None:
    bot = level()
    assert bot.offer_double(turn_of(state(RACE)))
    assert not bot.offer_double(turn_of(state(START)))
    assert not bot.offer_double(turn_of(state(RACE, cube=Cube(2, 1))))
    assert bot.take_double(turn_of(state(START), seat=1))


def test_a_play_and_a_double_pass_the_network_once_each(rng: random.Random, monkeypatch: pytest.MonkeyPatch) -> None:
    passes = counted_passes(monkeypatch)
    for _ in range(20):
        turn = turn_of(state(wandering(rng, rng.randint(5, 60)), (rng.randint(1, 6), rng.randint(1, 6))))
        House().choose_play(turn)
        House().offer_double(turn)
        assert passes == [len(turn.plays), 1]
        passes.clear()


@pytest.mark.long
async def test_each_level_beats_the_one_below_it() -> None:
    # Dice and slips are given: of twelve deals by chance the better one loses two in a hundred times.
    for better, worse, deals in ((House, Beginner, 12), (Beginner, Random, 6)):
        bots = better(random.Random(1)), worse(random.Random(2))
        points = [await deal(*bots, MONEY._replace(cube=False), f"deal {i}", Failures()) for i in range(deals)]
        assert score(points, 2 * deals).mean > 0, (better.level, worse)


@pytest.mark.parametrize("level", ["beginner", "expert"])
async def test_a_match_through_a_server(server: ServerProcess, level: str) -> None:
    ours, theirs = await match_of_bots(server.url, BOTS[level](), BOTS["random"](), {"length": 5})
    assert ours.won is not theirs.won


class EvenChance(random.Random):
    """Chances that are spread evenly: what is chosen by them is chosen as often as its odds say."""

    def __init__(self, count: int) -> None:
        super().__init__()
        self.chances = [(number + 0.5) / count for number in range(count)]

    def random(self) -> float:
        return self.chances.pop()


@pytest.mark.slow
def test_the_weaker_a_level_the_more_it_slips_and_the_dearer_the_less() -> None:
    turn = turn_of(state(Position(START.mine, OUT), (3, 1)))
    losses = {play: -equity for play, equity in House().ranking(turn)}
    best = min(losses.values())
    mean = []
    for name in ("expert", "strong", "club", "casual", "beginner"):
        bot = cast(type[House], BOTS[name])(EvenChance(100))
        mean.append(sum(losses[bot.choose_play(turn)] - best for _ in range(100)) / 100)
    assert mean == sorted(mean)
    assert mean[0] == 0
    assert 0.01 < mean[-1] < sum(losses.values()) / len(losses) - best, "less than one of any plays"


async def test_a_test_in_which_a_hook_of_the_house_fails_does_not_end_well(
    house_hooks: HookFailures, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(_house: House, _turn: Turn) -> Play:
        raise ZeroDivisionError

    monkeypatch.setattr(House, "choose_play", broken)
    turn, failures = turn_of(state(START, (3, 1))), Failures()
    assert await call_hook(Beginner(), "choose_play", turn, failures) in turn.plays, "it plays on all the same"
    assert sum(failures.counts.values()) == 1
    assert "Beginner.choose_play failed: ZeroDivisionError" in house_hooks.lines.pop()
