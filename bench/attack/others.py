"""Players who are not attacked: two matches at a steady rate, and how long each player waits for an answer."""

import asyncio
import math
import time

from tavla_protocol import messages as m

from tests.support.players.plain import Player, new_match

PAUSE_S = 0.025  # between two actions of a match


class Others:
    """Two matches. waits: seconds from each action to its answer, since `begin`."""

    def __init__(self, url: str) -> None:
        self._players = [Player(url, headers={"X-Forwarded-For": f"198.51.100.{at}"}) for at in range(4)]
        self.waits: list[float] = []

    async def open(self) -> None:
        """Connect, and sit down."""
        for player in self._players:
            await player.open()
        white, black = self._players[::2], self._players[1::2]
        self._matches = [await new_match(*pair) for pair in zip(white, black, strict=True)]

    async def act(self, seconds: float) -> None:
        """Act for a while."""
        self.waits = []
        pairs = zip(self._players[::2], self._players[1::2], self._matches, strict=True)
        await asyncio.gather(*(self._act(*pair, time.monotonic() + seconds) for pair in pairs))

    async def _act(self, white: Player, black: Player, match: str, until: float) -> None:
        on = False
        while time.monotonic() < until:
            on = not on
            began = time.monotonic()
            answer = await white.act(m.Auto, match, what="roll", on=on)
            assert isinstance(answer, m.Ok), answer
            await black.reach(match, answer.seq or 0)
            await white.reach(match, answer.seq or 0)
            self.waits.append(time.monotonic() - began)
            await asyncio.sleep(PAUSE_S)

    async def close(self) -> None:
        """Go."""
        for player in self._players:
            await player.close()


def percentile_ms(waits: list[float], part: float) -> float:
    """Of some waits, in milliseconds: 0.99 for the p99."""
    return 1000 * sorted(waits)[min(len(waits) - 1, math.ceil(part * len(waits)) - 1)]
