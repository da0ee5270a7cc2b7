"""Keepalive: every client is written to at its own time, so that one that died silently is known soon."""

import asyncio
from itertools import chain, cycle
from typing import Generic, Protocol, TypeVar

TURNS = 199  # in a round: of ten thousand clients fifty have theirs together. A prime: addresses are multiples of 16


class Pingable(Protocol):
    """A pingable connection, as keepalive sees it."""

    def keep_alive(self) -> None: ...


K = TypeVar("K", bound=Pingable)


class Keepalive(Generic[K]):
    """Keepalive of the connections, by their turns in a round of `ping_s`."""

    def __init__(self, ping_s: float) -> None:
        self._turns: list[set[K]] = [set() for _ in range(TURNS)]
        self._pause_s = ping_s / TURNS

    def add(self, connection: K) -> None:
        """Keep it alive from now on, for the first time within one round."""
        self._turns[hash(connection) % TURNS].add(connection)

    def discard(self, connection: K) -> None:
        """Keep it alive no longer."""
        self._turns[hash(connection) % TURNS].discard(connection)

    def part(self, number: int, parts: int) -> list[K]:
        """Connections of one of so many parts of all; a connection stays in its part."""
        return list(chain.from_iterable(self._turns[number::parts]))

    async def run(self) -> None:
        """Keep all alive, and close those who have not answered since their last turn. Runs until it is cancelled.

        No `Sweep`: clients are kept alive while the store is away, too.
        """
        clock = asyncio.get_running_loop().time
        due = clock()
        for turn in cycle(self._turns):
            self._keep(list(turn))
            due = max(due + self._pause_s, clock())  # after a delay no turn comes sooner: clients need time to answer
            await asyncio.sleep(due - clock())

    def _keep(self, connections: list[K]) -> None:
        """Keep some alive; in a function of its own, or the last of them would not be freed before the next turn."""
        for connection in connections:
            connection.keep_alive()
