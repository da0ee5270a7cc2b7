"""Environments of reinforcement learning over the engine: for PettingZoo, for Gymnasium, and many games at a time."""

try:
    import gymnasium
    import pettingzoo  # noqa: F401 - to say both at once
except ModuleNotFoundError as missing:
    raise ModuleNotFoundError(f"{missing}: pip install 'tavla[gym]'", name=missing.name) from None

from tavla_gym.aec import BackgammonAEC
from tavla_gym.observation import Observation
from tavla_gym.plays import after_states
from tavla_gym.single import BackgammonEnv, Opponent, any_action
from tavla_gym.table import Choice
from tavla_gym.vector import BackgammonVectorEnv

__all__ = [
    "BackgammonAEC",
    "BackgammonEnv",
    "BackgammonVectorEnv",
    "Choice",
    "Observation",
    "Opponent",
    "after_states",
    "any_action",
]

gymnasium.register(
    "tavla/Backgammon-v0",
    entry_point="tavla_gym.single:BackgammonEnv",
    vector_entry_point="tavla_gym.vector:BackgammonVectorEnv",
)
