"""A player that learns from nothing, by playing against itself: `python learn.py [STEPS]`, then games against chance.
Its judgement is a weighted sum of what stands on the points; temporal differences, TD(0.9), find the weights."""

import sys
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray
from tavla_gym import BackgammonVectorEnv

Numbers = NDArray[np.float32]
Info = dict[str, NDArray[np.int64]]
GAMES, RATE, TRACE, ALONE = 256, 0.3, 0.9, {"cube": False}


def features(boards: NDArray[np.generic]) -> Numbers:
    counts = boards[:, :52].astype(np.float32)
    return np.concatenate([counts == 1, counts > 1, np.maximum(counts - 2, 0) / 2, counts[:, :1] * 0 + 1], axis=1)


def chances(weights: Numbers, seen: Numbers) -> Numbers:
    return np.asarray(1 / (1 + np.exp(-seen @ weights)))  # to win, of the player on roll


def best(weights: Numbers, info: Info) -> NDArray[np.int64]:
    theirs, starts = features(info["after"]) @ weights, info["starts"]
    return np.array([theirs[begin:end].argmin() for begin, end in pairwise(starts)])


def learn(steps: int, seed: int = 1) -> Numbers:
    env, weights = BackgammonVectorEnv(GAMES, changes=ALONE), np.zeros(157, np.float32)
    (boards, info), trace = env.reset(seed=seed), np.zeros((GAMES, 157), np.float32)
    for _ in range(steps):
        seen = features(boards)
        boards, _, won, _, info = env.step(best(weights, info))
        target = np.where(won, 1, 1 - chances(weights, features(boards)))
        trace = seen - TRACE * trace  # where our chances rise, theirs fall
        weights += RATE / GAMES * (target - chances(weights, seen)) @ trace
        trace[won] = 0
    return weights


def won_against_chance(weights: Numbers, seed: int = 2) -> float:
    env, rng, ours = BackgammonVectorEnv(GAMES, changes=ALONE), np.random.default_rng(seed), list[bool]()
    _, info = env.reset(seed=seed)
    while len(ours) < 2 * GAMES:
        chance, turn = (rng.random(GAMES) * np.diff(info["starts"])).astype(np.int64), info["turn"] == 0
        _, _, won, _, info = env.step(np.where(turn, best(weights, info), chance))
        ours += turn[won].tolist()
    return sum(ours) / len(ours)


if __name__ == "__main__":
    print(f"{won_against_chance(learn(int(sys.argv[1]) if sys.argv[1:] else 1000)):.1%} of the games won")
