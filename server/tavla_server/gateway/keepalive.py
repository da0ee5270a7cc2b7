"""Pings: every client is asked at its own time whether it is there, so that one that died silently is known soon."""

import asyncio
from itertools import cycle

from tavla_server.delivery.socket import Socket

TURNS = 101  # in a round: of ten thousand clients a hundred are pinged together. A prime: addresses are multiples of 16


class Keepalive:
    """Whom to ping, by their turn in a round of `ping_s`."""

    def __init__(self, ping_s: float) -> None:
        self._turns: list[set[Socket]] = [set() for _ in range(TURNS)]
        self._pause_s = ping_s / TURNS

    def add(self, socket: Socket) -> None:
        """Ping it from now on, for the first time within one round."""
        self._turns[hash(socket) % TURNS].add(socket)

    def discard(self, socket: Socket) -> None:
        """Ping it no longer."""
        self._turns[hash(socket) % TURNS].discard(socket)

    async def run(self) -> None:
        """Ping all, and close those who have not answered since their last turn. Runs until it is cancelled."""
        clock = asyncio.get_running_loop().time
        due = clock()
        for turn in cycle(self._turns):
            for socket in list(turn):
                socket.keep_alive()
            due = max(due + self._pause_s, clock())  # after a delay no turn comes sooner: clients need time to answer
            await asyncio.sleep(due - clock())
