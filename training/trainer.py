"""Training under way: stages, what is kept of the games, and the checkpoint."""

import json
import os
import time
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from tavla_bots.evaluator import OUTPUTS, VALUES
from tavla_bots.features import WIDTH, Floats
from tavla_bots.network import Network
from tavla_engine.rules import Variant

from training.learner import Learner
from training.native import BOARD, board_features
from training.self_play import Lessons, Tables

BATCH = 512
_WIN_ALONE = np.array([2, 0, 0, 0, 0], np.float32)


class Stage(NamedTuple):
    """A part of the training.

    values: of each output to the players. rates: of learning, at the beginning and at the end. turns: of each game
    between two times of learning. reuse: how often a position is learned. trace: at the beginning; it falls to nothing.
    exact: targets are averages over all rolls. memory: how many of the latest positions are learned from.
    """

    name: str
    games: int
    values: Floats
    rates: tuple[float, float]
    turns: int
    reuse: int
    trace: float = 0.0
    exact: bool = False
    memory: int = 0


def stages(match_point: int, money: int, exact: int) -> list[Stage]:
    """The stages, with so many games each: for wins alone, for points, and with exact targets."""
    return [
        Stage("match point", match_point, _WIN_ALONE, (1e-3, 4e-4), turns=32, reuse=3, trace=0.7),
        Stage("money", money, VALUES, (5e-4, 1e-4), turns=32, reuse=3, trace=0.9),
        Stage("exact", exact, VALUES, (2e-4, 2e-5), turns=2, reuse=8, exact=True, memory=400_000),
    ]


class Trainer:
    """A learner with its games. games: of each stage that have been played. minutes: of training."""

    def __init__(self, hidden: list[int], seed: int, tables: int, variant: Variant = Variant.STANDARD) -> None:
        self.rng = np.random.default_rng(seed)
        self.learner = Learner(Network.new([WIDTH, *hidden, OUTPUTS], self.rng))
        self.tables = Tables.new(tables, variant)
        self.memory = Lessons(np.zeros((0, BOARD), np.uint8), np.zeros((0, OUTPUTS), np.float32), 0)
        self.games: dict[str, int] = {}
        self.minutes = 0.0

    def is_left(self, stage: Stage) -> bool:
        """True if the stage has games to be played."""
        return self.games.get(stage.name, 0) < stage.games

    def step(self, stage: Stage) -> float:
        """Play some turns, and learn from them; returns the mean square error of the judgements."""
        begun = time.monotonic()
        done = self.games.get(stage.name, 0)
        rate = stage.rates[0] * (stage.rates[1] / stage.rates[0]) ** (done / stage.games)
        lessons = self._lessons(stage, done / stage.games)
        self.games[stage.name] = done + lessons.games
        drawn = stage.reuse * len(lessons.boards)
        if stage.memory:
            lessons = self.memory = self.memory.followed_by(lessons, stage.memory)
        errors = [
            self.learner.learn(board_features(lessons.boards[batch]), lessons.targets[batch], rate)
            for batch in self._batches(len(lessons.boards), drawn)
        ]
        self.minutes += (time.monotonic() - begun) / 60
        return float(np.mean(errors))

    def _lessons(self, stage: Stage, part: float) -> Lessons:
        network = self.learner.average
        if stage.exact:
            return self.tables.weigh(network, stage.values, self.rng, stage.turns)
        return self.tables.play(network, stage.values, self.rng, stage.turns, stage.trace * (1 - part))

    def _batches(self, count: int, drawn: int) -> list[NDArray[np.int64]]:
        orders = [self.rng.permutation(count) for _ in range(-(-drawn // count))]
        order = np.concatenate(orders)[:drawn]
        return [order[start : start + BATCH] for start in range(0, drawn, BATCH)]

    def save(self, file: Path) -> None:
        """Write a checkpoint, in the place of an earlier one when it is whole."""
        facts = {"rng": self.rng.bit_generator.state, "games": self.games, "minutes": self.minutes}
        told = np.array(json.dumps(facts | {"steps": self.learner.steps}))
        arrays: dict[str, Any] = {"boards": self.tables.boards, "memory": self.memory.boards}
        arrays |= {"targets": self.memory.targets, "facts": told, **self.learner.arrays()}
        with file.with_suffix(".new").open("wb") as new:
            np.savez(new, **arrays)
        os.replace(new.name, file)

    def restore(self, file: Path) -> None:
        """Go on from a checkpoint."""
        with np.load(file) as arrays:
            facts = json.loads(str(arrays["facts"]))
            self.learner.restore(dict(arrays), facts["steps"])
            self.tables = Tables(arrays["boards"], self.tables.start)
            self.memory = Lessons(arrays["memory"], arrays["targets"], 0)
        self.rng.bit_generator.state = facts["rng"]
        self.games, self.minutes = facts["games"], facts["minutes"]
