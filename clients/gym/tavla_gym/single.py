"""The environment for Gymnasium: one player, against an opponent that is a function."""

from collections.abc import Callable, Mapping
from typing import Any

import gymnasium
import numpy as np
from gymnasium import spaces
from tavla_engine.actions import Seat
from tavla_engine.rules import preset as rules_of
from tavla_engine.xgid import xgid

from tavla_gym.observation import Info, Observation, inform, observation_space, observe
from tavla_gym.table import SIZES, Actions, Number, Table

Opponent = Callable[[Observation, Info, np.random.Generator], Number]


def any_action(_: Observation, info: Info, rng: np.random.Generator) -> int:
    """An opponent that does whatever it may."""
    return int(rng.choice(np.flatnonzero(info["action_mask"])))


class BackgammonEnv(gymnasium.Env[Observation, Number]):
    """A match against an opponent; of money play, one game. All is as in `BackgammonAEC`, seen by one of the two.

    opponent: chooses an action by what it sees, as the player does; its random numbers are the environment's.
    seat: 0 (white) or 1; None = drawn for each match. `reset(options={"seat": 1})` does the same for one match.
    """

    metadata = {"render_modes": ["ansi"], "render_fps": 1}  # noqa: RUF012

    def __init__(
        self,
        preset: str = "money",
        changes: Mapping[str, Any] | None = None,
        actions: Actions = "turns",
        opponent: Opponent = any_action,
        seat: Seat | None = None,
        render_mode: str | None = None,
    ) -> None:
        self.table = Table(rules_of(preset, changes), actions)
        self.opponent, self.render_mode, self._seat = opponent, render_mode, seat
        self.observation_space = observation_space()
        self.action_space = spaces.Discrete(SIZES[actions])

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Observation, Info]:
        """A new match, up to the player's first choice."""
        super().reset(seed=seed)
        seat = (options or {}).get("seat", self._seat)
        self.seat: Seat = int(self.np_random.integers(2)) if seat is None else seat
        self.table.begin(self.np_random)
        self._answer()
        return observe(self.table, self.seat), inform(self.table)

    def step(self, action: Number) -> tuple[Observation, float, bool, bool, Info]:
        """The player's action, and the opponent's up to the player's next choice."""
        self.table.choose(int(action))
        self._answer()
        over = self.table.over
        reward = self.table.points(self.seat) if over else 0.0
        return observe(self.table, self.seat), reward, over, False, inform(self.table)

    def render(self) -> str:
        """The XGID of the match, which every backgammon program reads."""
        return xgid(self.table.match)

    def _answer(self) -> None:
        table = self.table
        while not table.over and table.seat != self.seat:
            action = self.opponent(observe(table, table.seat), inform(table), self.np_random)
            if action not in table.options:
                raise ValueError(f"the opponent chose action {action}: its mask allows {sorted(table.options)}")
            table.choose(int(action))
