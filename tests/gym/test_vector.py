"""Many matches side by side, against the engine's with the same dice and choices."""

from contextlib import suppress
from typing import Any, NamedTuple

import gymnasium
import numpy as np
import pytest
from gymnasium.vector import AutoresetMode
from tavla_engine.dice import Dice
from tavla_engine.position import Position
from tavla_engine.rules import Rules, Variant
from tavla_gym import BackgammonVectorEnv, Choice, Observation
from tavla_gym.observation import observe
from tavla_gym.plays import Boards
from tavla_gym.table import Table
from tavla_gym.tables import BEAVER, CUBE, MOVE

from tests.support.tries import MANY

STEPS = 300 if MANY else 120


class Engines(Table):
    """A match of the engine with the dice of another one."""

    def __init__(self, rules: Rules, rolls: list[Dice]) -> None:
        super().__init__(rules, "turns")
        self.rolls = iter(rolls)
        self.begin(np.random.default_rng())

    def _roll(self, _: int) -> Dice:
        return next(self.rolls)


class Step(NamedTuple):
    """A choice of a match. turn: the seat that chose. last: the observation at the end, if it was the last one."""

    seen: Observation
    turn: int
    plays: Boards
    action: int
    reward: float
    last: Observation | None

    @property
    def passed(self) -> bool:
        """True if nothing could be played: the engine does not ask."""
        return len(self.plays) == 1 and (np.roll(self.plays[0], 26) == self.seen[:52]).all()


def rolls_of(env: BackgammonVectorEnv, match: int, begun: bool) -> list[Dice]:
    """Dice of a match since its last choice, seat 0's first; ties of the opening as the cube tells of them."""
    tables = env.tables
    if tables.phase[match] != MOVE:
        return []
    low, high = sorted(tables.dice[match].tolist())
    return [(1, 1)] * (begun * int(tables.cube[match])) + [(low, high) if tables.turn[match] else (high, low)]


def some_choices(
    seen: Observation, info: dict[str, Any], rng: np.random.Generator
) -> np.ndarray[Any, np.dtype[np.int64]]:
    """Choices of each match: any play, a double in six, all beavers, a drop in four."""
    drawn = rng.random(len(seen))
    answers = np.where(info["choices"] > 2, BEAVER, drawn < 1 / 4)
    doubles = drawn < 1 / 6
    return np.choose(seen[:, 58], [doubles, answers, drawn * info["choices"]]).astype(np.int64)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("preset", "changes"),
    [
        ("money", {}),
        ("money", {"variant": "hypergammon", "beavers": 2, "cube_cap": 4}),
        ("mpgn", {"variant": "hypergammon"}),
        ("seats", {"variant": "hypergammon", "cube_cap": 4}),
        ("seats", {"opening": "seat_0", "variant": "hypergammon"}),
        ("tournament", {"length": 5, "variant": "hypergammon"}),
        ("tournament", {"length": 1, "variant": "hypergammon"}),
        ("tournament", {"length": 4, "variant": "hypergammon", "automatic_doubles": 3}),
        ("tavla", {"length": 2}),
        ("portes", {"length": 3, "cube": True, "crawford": True, "variant": "hypergammon"}),
    ],
)
def test_it_plays_as_the_engine_does(preset: str, changes: dict[str, Any]) -> None:
    env, rng = BackgammonVectorEnv(6, preset, changes), np.random.default_rng(1)
    seen, info = env.reset(seed=1)
    steps: list[list[Step]] = [[] for _ in range(env.num_envs)]
    rolls = [rolls_of(env, match, True) for match in range(env.num_envs)]
    for _ in range(STEPS):
        assert seen in env.observation_space
        actions, score, starts = some_choices(seen, info, rng), env.tables.score.copy(), info["starts"]
        after, rewards, over, truncated, told = env.step(actions)
        assert not truncated.any()
        begun = over | (env.tables.score != score).any(axis=1)
        for match, made in enumerate(steps):
            plays, last = (
                info["after"][starts[match] : starts[match + 1]],
                told["final_obs"][match] if over[match] else None,
            )
            made.append(Step(seen[match], info["turn"][match], plays, actions[match], rewards[match], last))
            rolls[match] += rolls_of(env, match, begun[match])
        seen, info = after, told
    ends = sum(replayed(env.rules, *both) for both in zip(steps, rolls, strict=True))
    assert ends > (1 if env.rules.variant is Variant.STANDARD else STEPS // 15)


def replayed(rules: Rules, steps: list[Step], rolls: list[Dice]) -> int:
    """The matches that end, all compared with the engine's."""
    engine, ends = Engines(rules, rolls), 0
    with suppress(StopIteration):  # no more dice
        for step in steps:
            if step.passed:
                continue
            seat = engine.seat
            assert step.turn == seat
            assert step.seen.tolist() == observe(engine, seat).tolist()
            engine.choose(number_of(step, engine))
            assert engine.over == (step.last is not None)
            if step.last is not None:
                assert step.last.tolist() == observe(engine, 1 - seat).tolist()
                assert step.reward == engine.points(seat)
                ends += 1
                engine.begin(np.random.default_rng())
            else:
                assert not step.reward
    assert not list(engine.rolls)
    return ends


def number_of(step: Step, engine: Table) -> int:
    """The engine's number of a choice."""
    if step.seen[58] == CUBE:
        return (Choice.TAKE, Choice.DROP, Choice.BEAVER)[step.action]
    if step.seen[58] != MOVE:
        return (Choice.ROLL, Choice.DOUBLE)[step.action]
    board = bytes(step.plays[step.action])
    assert len(step.plays) == len(engine.ends)
    return Choice.PLAY + engine.ends.index(Position(board[26:], board[:26]))


def test_dice_are_fair_and_an_opening_is_no_double() -> None:
    env = BackgammonVectorEnv(4000, changes={"cube": False})
    observation, info = env.reset(seed=1)
    dice = observation[:, 52:58]
    assert (dice.sum(axis=1) == 2).all()  # two dice, never four
    assert dice.sum(axis=0).min() > 1200  # 1333 on average
    assert 1800 < info["turn"].sum() < 2200
    observation, *_ = env.step(np.zeros(4000, np.int64))
    assert 550 < (observation[:, 52:58].sum(axis=1) == 4).sum() < 790  # doubles: 667 on average
    observation, info = BackgammonVectorEnv(4000, "seats", {"cube": False}).reset(seed=1)
    assert not info["turn"].any()
    assert (observation[:, 52:58].sum(axis=1) == 4).any()


def test_it_is_made_by_name_and_repeats_itself() -> None:
    envs = [
        gymnasium.make_vec("tavla/Backgammon-v0", num_envs=8, preset="tavla", changes={"length": 1}) for _ in range(2)
    ]
    seen: list[Any] = []
    for env in envs:
        assert env.metadata["autoreset_mode"] is AutoresetMode.SAME_STEP
        rng = np.random.default_rng(3)
        observation, info = env.reset(seed=3)
        total = np.zeros(8)
        for _ in range(120):
            observation, rewards, *_, info = env.step(some_choices(observation, info, rng))
            total += rewards
        seen.append((observation.tobytes(), info["after"].tobytes(), total.tolist()))
        env.close()
    assert seen[0] == seen[1]
    assert any(seen[0][2])


def test_an_action_that_a_game_does_not_have_is_refused() -> None:
    env = BackgammonVectorEnv(4)
    _, info = env.reset(seed=1)
    for wrong in (-1, int(info["choices"][2])):
        actions = np.array([0, 0, wrong, 0])
        with pytest.raises(ValueError, match=rf"match 2 has choices 0 to \d+, not {wrong}$"):
            env.step(actions)
