"""Many matches side by side in numpy, for Gymnasium: cube, Crawford, score and all presets."""

from collections.abc import Mapping
from typing import Any

import numpy as np
from gymnasium import spaces
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space
from numpy.typing import NDArray
from tavla_engine.rules import preset as rules_of

from tavla_gym.observation import WIDTH, Info, observation_space
from tavla_gym.plays import BOARD, Places
from tavla_gym.table import FACES, MOST_PLAYS
from tavla_gym.tables import CUBE, HALF, MOVE, NOBODY, Seats, Tables, Truths

Rewards = NDArray[np.float32]
Observations = NDArray[np.int8]


class BackgammonVectorEnv(VectorEnv[Observations, Places, NDArray[Any]]):
    """Matches in which one policy plays both sides: in each step the player who is to act in every match chooses.

    Observation: (num_envs, 66) of int8, as `tavla_gym.observation` has them, as the player who is to act sees it.
    Info: `choices`, (num_envs,) how many there are. `turn`, (num_envs,) the seat that is to act. `after`, (m, 52)
    boards after every play, as the opponent sees them; those of match i are after[starts[i]:starts[i + 1]], none where
    the choice is no play.
    Action: (num_envs,) one of the choices, from 0. Of a turn: which of its boards the match goes on with; where nothing
    can be played there is one. Where a double may be offered: 0 to roll, 1 to double. Where one waits: 0 to take, 1 to
    drop, 2 to beaver.
    Reward: (num_envs,) of float32, for the player who has just chosen: at the end of a match 1 or -1, at the end of a
    game of money play the points won or lost; else 0.

    What ends is terminated, and the next one begins in the same step; its last observation, the opponent's, is in
    `final_obs`.

    preset, changes: the rules, as `tavla_engine.rules.preset` takes them; {"cube": False, "length": 0} for the checkers
    alone.
    """

    metadata = {"autoreset_mode": AutoresetMode.SAME_STEP}  # noqa: RUF012

    def __init__(self, num_envs: int = 1024, preset: str = "money", changes: Mapping[str, Any] | None = None) -> None:
        self.rules = rules_of(preset, changes)
        self.num_envs = num_envs
        self.single_observation_space = observation_space()
        self.single_action_space = spaces.Discrete(MOST_PLAYS)
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.action_space = batch_space(self.single_action_space, num_envs)

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Observations, Info]:
        """New matches. seed: of all dice from now on."""
        super().reset(seed=seed)
        self.tables = Tables(self.rules, self.num_envs, self.np_random)
        return self._seen(self.tables.seat), self._told()

    def step(self, actions: Places) -> tuple[Observations, Rewards, Truths, Truths, Info]:
        """A choice in each match. Raises: ValueError for an action that its match does not have."""
        tables = self.tables
        seat, choices = tables.seat, tables.choices
        wrong = np.flatnonzero((actions < 0) | (actions >= choices))
        if len(wrong):
            raise ValueError(f"match {wrong[0]} has choices 0 to {choices[wrong[0]] - 1}, not {actions[wrong[0]]}")
        points = tables.choose(actions)
        over = tables.over
        rewards = np.where(over, np.sign(points) if self.rules.length else points, 0).astype(np.float32)
        last = self._seen(1 - seat) if over.any() else None
        tables.go_on(points != 0, over)
        info = self._told()
        if last is not None:
            last[:, -1] = 0  # nobody is to act
            info |= {"final_obs": np.full(self.num_envs, None, object), "_final_obs": over}
            for match in np.flatnonzero(over):
                info["final_obs"][match] = last[match]
        return self._seen(tables.seat), rewards, over, np.zeros(self.num_envs, np.bool_), info

    def _told(self) -> Info:
        tables = self.tables
        return {"after": tables.after, "starts": tables.starts, "turn": tables.seat, "choices": tables.choices}

    def _seen(self, seats: Seats) -> Observations:
        """The tables as these seats see them, as if they were to act."""
        tables, seen = self.tables, np.empty((self.num_envs, WIDTH), np.int8)
        seen[:, :BOARD] = tables.boards
        other = seats != tables.turn
        seen[other, :BOARD] = np.roll(tables.boards[other], HALF, axis=1)
        seen[:, BOARD : BOARD + FACES] = self._dice()
        seen[:, 58], seen[:, 59] = tables.phase, tables.cube
        seen[:, 60] = np.where(tables.owner == NOBODY, 0, np.where(tables.owner == seats, 1, -1))
        seen[:, 61], seen[:, 62] = tables.away(seats), tables.away(1 - seats)
        seen[:, 63], seen[:, 64] = tables.crawford, np.where(tables.phase == CUBE, tables.beavers, 0)
        seen[:, 65] = 1
        return seen

    def _dice(self) -> NDArray[np.uint8]:
        """Dice that are to be played, by what they show."""
        dice = self.tables.dice
        shown = (dice[:, :, None] == np.arange(1, 1 + FACES, dtype=np.uint8)).sum(axis=1, dtype=np.uint8)
        shown *= np.where(dice[:, :1] == dice[:, 1:], np.uint8(2), np.uint8(1))
        return np.asarray(shown * (self.tables.phase == MOVE)[:, None])
