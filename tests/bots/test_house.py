"""The house bot at the board: plays that everyone agrees on, its levels, the cost of a turn, a match on a server."""

import asyncio
import random
from typing import cast

import pytest
from msgspec.structs import replace
from tavla_bots import BOTS
from tavla_bots.features import Floats
from tavla_bots.house import Beginner, House, WorldClass
from tavla_bots.network import Network
from tavla_bots.random_bot import Random
from tavla_cli.bots.local_match import deal, score
from tavla_client import Client, Failures, Pilot
from tavla_engine.dice import Dice
from tavla_engine.match import Cube, Phase, Resignation
from tavla_engine.position import Position, row

from tests.support.games.bots import MONEY, RACE, START, state, turn_of, wandering
from tests.support.patience import PATIENCE_S
from tests.support.players.plain import unique
from tests.support.servers.processes import ServerProcess

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
    ranked = level().ranked(turn)
    assert ranked[0][0] == level().choose_play(turn)
    assert {play for play, _ in ranked} == set(turn.plays)
    equities = [equity for _, equity in ranked]
    assert equities == sorted(equities, reverse=True)
    assert 0 < equities[0] < 0.4, "a good opening roll"
    won = turn_of(state(Position(row(p1=1, off=14), row(p1=10, p6=5)), (2, 1)))
    assert level().ranked(won)[0][1] == pytest.approx(2), "a gammon"


def test_it_bears_off_when_it_can() -> None:
    last = Position(row(p2=1, p1=1, off=13), row(p1=1, off=14))
    assert House().choose_play(turn_of(state(last, (2, 1)))).after.off == 15


def test_it_resigns_and_accepts_what_is_certain() -> None:
    bot = House()
    hopeless = Position(row(p6=9, off=6), row(p1=1, off=14))
    assert bot.offer_resign(turn_of(state(hopeless.swapped()), seat=1)) == 1
    assert bot.offer_resign(turn_of(state(START))) == 0
    offered = turn_of(replace(state(hopeless.swapped()), resignation=Resignation(1, 1, Phase.ROLL)))
    assert bot.accept_resign(offered)


@pytest.mark.parametrize("level", [House, WorldClass])
def test_it_doubles_and_takes_by_the_race(level: type[House]) -> None:
    bot = level()
    assert bot.offer_double(turn_of(state(RACE)))
    assert not bot.offer_double(turn_of(state(START)))
    assert not bot.offer_double(turn_of(state(RACE, cube=Cube(2, 1))))
    assert bot.take_double(turn_of(state(START), seat=1))


def test_a_play_and_a_double_pass_the_network_once_each(rng: random.Random, monkeypatch: pytest.MonkeyPatch) -> None:
    passes = list[int]()
    plain = Network.__call__

    def counted(network: Network, inputs: Floats) -> Floats:
        passes.append(len(inputs))
        return plain(network, inputs)

    monkeypatch.setattr(Network, "__call__", counted)
    for _ in range(20):
        turn = turn_of(state(wandering(rng, rng.randint(5, 60)), (rng.randint(1, 6), rng.randint(1, 6))))
        House().choose_play(turn)
        House().offer_double(turn)
        assert passes == [len(turn.plays), 1]
        passes.clear()


@pytest.mark.slow
async def test_each_level_beats_the_one_below_it() -> None:
    # Dice and slips are given: of twelve deals by chance the better one loses two in a hundred times.
    for better, worse, deals in ((House, Beginner, 12), (Beginner, Random, 6)):
        bots = better(random.Random(1)), worse(random.Random(2))
        points = [await deal(*bots, MONEY._replace(cube=False), f"deal {i}", Failures()) for i in range(deals)]
        assert score(points, 2 * deals).mean > 0, (better.level, worse)


@pytest.mark.parametrize("level", ["beginner", "expert"])
async def test_a_match_through_a_server(server: ServerProcess, level: str) -> None:
    async with (
        asyncio.timeout(PATIENCE_S),
        Client(server.url, name=unique("h"), bot=True) as house,
        Client(server.url, name=unique("r"), bot=True) as other,
    ):
        match = await house.create(unique("t"), {"length": 5})
        joined = await other.join(match.id)
        ours, theirs = await asyncio.gather(Pilot(BOTS[level](), match).play(), Pilot(BOTS["random"](), joined).play())
    assert ours.won is not theirs.won


def test_the_weaker_a_level_the_more_it_slips_and_the_dearer_the_less(rng: random.Random) -> None:
    turn = turn_of(state(START, (3, 1)))
    losses = {play: -equity for play, equity in House().ranked(turn)}
    best = min(losses.values())
    mean = []
    for name in ("expert", "strong", "club", "casual", "beginner"):
        bot = cast(type[House], BOTS[name])(rng)
        mean.append(sum(losses[bot.choose_play(turn)] - best for _ in range(300)) / 300)
    assert mean == sorted(mean)
    assert mean[0] == 0
    assert 0.01 < mean[-1] < sum(losses.values()) / len(losses) - best, "less than one of any plays"
