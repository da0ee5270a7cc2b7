"""The bot that leaves everything to chance; what others are measured against."""

import random

from tavla_client import Bot, Play, Turn


class Random(Bot):
    """A random player: plays any legal play, never doubles, and takes every double.

    rng: for games that can be had again.
    """

    def __init__(self, rng: random.Random | None = None) -> None:
        self.rng = rng or random.Random()

    async def choose_play(self, turn: Turn) -> Play:
        """Any of them, each as likely as the others."""
        return self.rng.choice(turn.plays)
