"""Many games side by side in numpy, for Gymnasium: the checkers alone, without the cube and the score of a match."""

from collections.abc import Mapping
from typing import Any

import numpy as np
from gymnasium import spaces
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space
from numpy.typing import NDArray
from tavla_engine.rules import Opening
from tavla_engine.rules import preset as rules_of

from tavla_gym.observation import DICE, Info
from tavla_gym.plays import BOARD, Boards, Places, after_states
from tavla_gym.table import FACES, MOST_PLAYS

Rewards = NDArray[np.float32]
Truths = NDArray[np.bool_]
_THEIRS = BOARD // 2


class BackgammonVectorEnv(VectorEnv[Boards, Places, NDArray[Any]]):
    """Games in which one policy plays both sides: in each step the player on roll of every game plays a whole turn.

    Observation: (num_envs, 58) of uint8, the first columns of `tavla_gym.observation` as the player on roll sees them.
    Info: `after`, (m, 52) boards after every play, as the opponent sees them; those of game i are
    after[starts[i]:starts[i + 1]]. `turn`, (num_envs,) the seat on roll.
    Action: (num_envs,) which of its boards each game goes on with, from 0. Where nothing can be played there is one.
    Reward: (num_envs,) of float32, for the player who has just played: the points of a game that this has won, else 0.

    A game that ends is terminated, and the next one begins in the same step; its last observation is in `final_obs`.

    preset, changes: the rules, as `tavla_engine.rules.preset` takes them; of them start, opening, hit-and-run and
    whether backgammons count are played by.
    """

    metadata = {"autoreset_mode": AutoresetMode.SAME_STEP}  # noqa: RUF012

    def __init__(self, num_envs: int = 1024, preset: str = "money", changes: Mapping[str, Any] | None = None) -> None:
        self.rules = rules_of(preset, changes)
        self.num_envs = num_envs
        most = np.repeat([15, 4], [BOARD, FACES]).astype(np.uint8)
        self.single_observation_space = spaces.Box(np.zeros(DICE, np.uint8), most, dtype=np.uint8)
        self.single_action_space = spaces.Discrete(MOST_PLAYS)
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.action_space = batch_space(self.single_action_space, num_envs)
        self._start = np.frombuffer(b"".join(self.rules.start), np.uint8)

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Boards, Info]:
        """New games. seed: of all dice from now on."""
        super().reset(seed=seed)
        self._boards = np.tile(self._start, (self.num_envs, 1))
        self._turn = np.zeros(self.num_envs, np.int8)
        return self._rolled(np.ones(self.num_envs, np.bool_))

    def step(self, actions: Places) -> tuple[Boards, Rewards, Truths, Truths, Info]:
        """A turn of each game. Raises: ValueError for an action that its game does not have."""
        chosen = self._starts[:-1] + actions
        wrong = np.flatnonzero((chosen < self._starts[:-1]) | (chosen >= self._starts[1:]))
        if len(wrong):
            count = np.diff(self._starts)[wrong[0]]
            raise ValueError(f"game {wrong[0]} has plays 0 to {count - 1}, not {actions[wrong[0]]}")
        self._boards = self._after[chosen]
        self._turn = 1 - self._turn
        won = self._boards[:, _THEIRS] == self._start.sum() // 2
        rewards = np.where(won, self._points(), 0).astype(np.float32)
        last = self._boards[won]
        self._boards[won] = self._start
        observation, info = self._rolled(won)
        if len(last):
            info |= {"final_obs": np.full(self.num_envs, None, object), "_final_obs": won}
            for game, board in zip(np.flatnonzero(won), last, strict=True):
                info["final_obs"][game] = np.concatenate([board, np.zeros(FACES, np.uint8)])
        return observation, rewards, won, np.zeros(self.num_envs, np.bool_), info

    def _points(self) -> Places:
        """Points that a win would bring, from the rows of the losers."""
        most = 3 if self.rules.backgammons else 2
        kinds = 2 + self._boards[:, 19:_THEIRS].any(axis=1)
        return np.where(self._boards[:, 0] > 0, 1, np.minimum(kinds, most))

    def _rolled(self, begun: Truths) -> tuple[Boards, Info]:
        """Dice for all games. begun: the games that begin."""
        rng, count = self.np_random, self.num_envs
        dice = rng.integers(1, 1 + FACES, (count, 2), np.uint8)
        if self.rules.opening in (Opening.ROLL_OFF, Opening.WINNER):  # a die each, not the same
            other = (dice[:, 0] + rng.integers(0, FACES - 1, count, np.uint8)) % FACES + 1
            dice[:, 1] = np.where(begun, other, dice[:, 1])
            self._turn = np.where(begun, dice[:, 1] > dice[:, 0], self._turn).astype(np.int8)
        else:
            self._turn[begun] = 0
        self._after, self._starts = after_states(self._boards, dice, self.rules.hit_and_run)
        shown = (dice[:, :, None] == np.arange(1, 1 + FACES, dtype=np.uint8)).sum(axis=1, dtype=np.uint8)
        shown *= np.where(dice[:, :1] == dice[:, 1:], np.uint8(2), np.uint8(1))
        info = {"after": self._after, "starts": self._starts, "turn": self._turn.copy()}
        return np.concatenate([self._boards, shown], axis=1), info
