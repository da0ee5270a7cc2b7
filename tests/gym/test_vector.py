"""Many games side by side: dice, points and next games, against the rules of the engine."""

from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.vector import AutoresetMode
from tavla_engine.questions import loss_kind
from tavla_engine.rules import STARTS, Variant
from tavla_gym import BackgammonVectorEnv


def any_plays(info: dict[str, Any], rng: np.random.Generator) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
    counts = np.diff(info["starts"])
    return np.asarray(rng.random(len(counts)) * counts, np.int64)


@pytest.mark.parametrize("preset", ["money", "tavla"])  # with backgammons and hit-and-run, and without
def test_a_game_ends_as_the_rules_say(preset: str) -> None:
    env, rng = BackgammonVectorEnv(32, preset), np.random.default_rng(1)
    observation, info = env.reset(seed=1)
    ends = 0
    for _ in range(250):
        assert observation in env.observation_space
        actions = any_plays(info, rng)
        after, turn = info["after"][info["starts"][:-1] + actions], info["turn"]
        observation, rewards, over, truncated, info = env.step(actions)
        for game, board in enumerate(after):
            mine, theirs = bytes(board[:26]), bytes(board[26:])
            kind = loss_kind(mine) if theirs[0] == 15 else 0
            assert rewards[game] == (kind if env.rules.backgammons else min(kind, 2))
            assert over[game] == (kind > 0)
            assert (observation[game, :52] == (env._start if kind else board)).all()
            if kind:
                assert (info["final_obs"][game][:52] == board).all()
            else:
                assert info["turn"][game] == 1 - turn[game]
        assert not truncated.any()
        ends += int(over.sum())
    assert ends > 5


def test_dice_are_fair_and_an_opening_is_no_double() -> None:
    env = BackgammonVectorEnv(4000)
    observation, info = env.reset(seed=1)
    dice = observation[:, 52:]
    assert (dice.sum(axis=1) == 2).all()  # two dice, never four
    assert dice.sum(axis=0).min() > 1200  # 1333 on average
    assert 1800 < info["turn"].sum() < 2200
    observation, *_ = env.step(np.zeros(4000, np.int64))
    assert 550 < (observation[:, 52:].sum(axis=1) == 4).sum() < 790  # doubles: 667 on average
    observation, info = BackgammonVectorEnv(4000, "seats").reset(seed=1)
    assert not info["turn"].any()
    assert (observation[:, 52:].sum(axis=1) == 4).any()


def test_it_is_made_by_name_and_repeats_itself() -> None:
    envs = [gymnasium.make_vec("tavla/Backgammon-v0", num_envs=8, preset="tavla") for _ in range(2)]
    seen: list[Any] = []
    for env in envs:
        assert env.metadata["autoreset_mode"] is AutoresetMode.SAME_STEP
        rng = np.random.default_rng(3)
        observation, info = env.reset(seed=3)
        total = np.zeros(8)
        for _ in range(120):
            observation, rewards, *_, info = env.step(any_plays(info, rng))
            total += rewards
        seen.append((observation.tobytes(), info["after"].tobytes(), total.tolist()))
        env.close()
    assert seen[0] == seen[1]
    assert sum(seen[0][2]) > 0


def test_another_start_is_played_to_its_own_end() -> None:
    env, rng = BackgammonVectorEnv(64, changes={"variant": "hypergammon"}), np.random.default_rng(1)
    observation, info = env.reset(seed=1)
    assert bytes(observation[0, :26]) == STARTS[Variant.HYPERGAMMON]
    ends = 0
    for _ in range(60):
        _, rewards, over, _, info = env.step(any_plays(info, rng))
        ends += int(over.sum())
        assert (rewards[over] > 0).all()
    assert ends > 20


def test_an_action_that_a_game_does_not_have_is_refused() -> None:
    env = BackgammonVectorEnv(4)
    _, info = env.reset(seed=1)
    for wrong in (-1, int(info["starts"][3] - info["starts"][2])):
        actions = np.array([0, 0, wrong, 0])
        with pytest.raises(ValueError, match=rf"game 2 has plays 0 to \d+, not {wrong}$"):
            env.step(actions)
