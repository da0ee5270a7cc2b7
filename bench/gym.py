"""Positions a second of the environments: `python -m bench.gym`. Plays are drawn at random, and drawing them counts.

A position is a whole turn that was played: one step of one game. Seconds are of this process's CPU.
"""

import time
from typing import Any

import numpy as np
from tavla_gym import BackgammonAEC, BackgammonVectorEnv, any_action

from tests.support.results import record, table

TURNS = 200_000
SIDE_BY_SIDE = (64, 256, 1024, 4096)
RULES: dict[str, dict[str, Any]] = {"checkers alone": {"cube": False}, "cube, 7 points": {"length": 7}}


def vectorised(games: int, turns: int, changes: dict[str, Any]) -> float:
    """Positions a second of so many games side by side. Of chances to double one in twenty is taken, of doubles 19."""
    env, rng = BackgammonVectorEnv(games, changes=changes), np.random.default_rng(1)
    _, info = env.reset(seed=1)
    began, played = time.process_time(), 0
    while played < turns:
        plays, drawn = np.diff(info["starts"]), rng.random(games)
        played += int(np.count_nonzero(plays))
        _, _, _, _, info = env.step(np.where(plays, drawn * plays, drawn < 1 / 20).astype(np.int64))
    return played / (time.process_time() - began)


def alone(turns: int) -> float:
    """Positions a second of one table."""
    env, rng = BackgammonAEC(changes={"cube": False}), np.random.default_rng(1)
    env.reset(seed=1)
    began = time.process_time()
    for _ in range(turns):
        if not env.agents:
            env.reset()
        observation, _, over, _, info = env.last()
        assert observation is not None
        env.step(None if over else any_action(observation, info, rng))
    return turns / (time.process_time() - began)


def run() -> list[str]:
    """The figures as lines of Markdown."""
    rows = [["`BackgammonAEC`", "1", f"{alone(TURNS // 50):,.0f}"]]
    for rules, changes in RULES.items():
        speeds = {games: vectorised(games, TURNS, changes) for games in SIDE_BY_SIDE}
        rows += [[f"`BackgammonVectorEnv`, {rules}", f"{games:,}", f"{speed:,.0f}"] for games, speed in speeds.items()]
    return table("environment | games | positions a second", rows)


if __name__ == "__main__":
    record("gym", run)
