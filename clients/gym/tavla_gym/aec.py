"""The environment for PettingZoo: two agents, one after the other."""

from collections.abc import Mapping
from typing import Any

import numpy as np
from gymnasium import spaces
from gymnasium.utils import seeding
from pettingzoo import AECEnv
from tavla_engine.rules import preset as rules_of
from tavla_engine.xgid import xgid

from tavla_gym.observation import Info, Observation, inform, observation_space, observe
from tavla_gym.table import SIZES, Actions, Number, Table


class BackgammonAEC(AECEnv[str, Observation, Number | None]):
    """An environment of the AEC interface: a match between two agents, `player_0` (white) and `player_1`; of money
    play, one game.

    Observations and actions are those of `tavla_gym.observation`. At the end the reward is 1 or -1 for a match, the
    points won or lost in money play; before it, 0. An action outside the mask forfeits. What needs no choice is not
    asked: a roll when the cube cannot be offered, a turn in which nothing can be played, the start of the next game.

    preset, changes: the rules, as `tavla_engine.rules.preset` takes them. actions: whole `turns`, or single `moves`.
    """

    metadata = {"name": "tavla_backgammon_v0", "render_modes": ["ansi"], "is_parallelizable": False}  # noqa: RUF012

    def __init__(
        self,
        preset: str = "money",
        changes: Mapping[str, Any] | None = None,
        actions: Actions = "turns",
        render_mode: str | None = None,
    ) -> None:
        self.table = Table(rules_of(preset, changes), actions)
        self.render_mode = render_mode
        self.possible_agents = ["player_0", "player_1"]
        self._observations = {agent: observation_space() for agent in self.possible_agents}
        self._actions = {agent: spaces.Discrete(SIZES[actions]) for agent in self.possible_agents}
        self._rng = seeding.np_random()[0]

    def observation_space(self, agent: str) -> "spaces.Box[np.int8]":
        """The space of an agent's observations."""
        return self._observations[agent]

    def action_space(self, agent: str) -> "spaces.Discrete[np.int64]":
        """The space of an agent's actions."""
        return self._actions[agent]

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """A new match. seed: of its dice, and of those of the matches after it."""
        if seed is not None:
            self._rng = seeding.np_random(seed)[0]
        self.agents = list(self.possible_agents)
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.table.begin(self._rng)
        self._show()

    def observe(self, agent: str) -> Observation:
        """The table as an agent sees it, also while the other one is to act."""
        return observe(self.table, self.possible_agents.index(agent))

    def step(self, action: Number | None) -> None:
        """The action of the agent that is to act; None for one whose match is over."""
        agent = self.agent_selection
        if self.terminations[agent]:
            self._was_dead_step(action)
            return
        assert action is not None, "an agent whose match goes on acts"
        self._cumulative_rewards[agent] = 0.0
        self.table.choose(int(action))
        if self.table.over:
            self.rewards = {name: self.table.points(seat) for seat, name in enumerate(self.possible_agents)}
            self.terminations = dict.fromkeys(self.agents, True)
        self._show()
        self._accumulate_rewards()

    def render(self) -> str:
        """The XGID of the match, which every backgammon program reads."""
        return xgid(self.table.match)

    def close(self) -> None:
        """Nothing is held."""

    def _show(self) -> None:
        """The agent on turn, and its observation."""
        self.infos: dict[str, Info] = {agent: {} for agent in self.agents}
        if self.table.over:
            self.infos = {agent: inform(self.table) for agent in self.agents}
        else:
            self.agent_selection = self.possible_agents[self.table.seat]
            self.infos[self.agent_selection] = inform(self.table)
