"""Matches of quick match that a player has not come to yet, and tickets of whose end the store does not know yet."""

import asyncio
from collections.abc import Iterator
from typing import NamedTuple

from tavla_server.cluster.clock import Clock
from tavla_server.features.quick_match.local_tickets import LocalTicket
from tavla_server.features.quick_match.match_queue import MatchQueue, Pairing, Ticket
from tavla_server.gateway.recipient import Recipient

BATCH = 256  # tickets in one call: some 10 ms, in which Redis does nothing else


class PendingStart(NamedTuple):
    """The start of a match that one of its players has not come to yet.

    present: the tickets of those who have, by this node; they wait again if the match is void, which it is at until_ms.
    """

    pairing: Pairing
    present: list[LocalTicket]
    until_ms: int


class PendingStarts:
    """The pending starts of this node. no_show_s: for which a player is waited for."""

    def __init__(self, clock: Clock, no_show_s: float) -> None:
        self._clock, self._no_show_s = clock, no_show_s
        self._by_match: dict[str, PendingStart] = {}

    def add(self, pairing: Pairing, present: list[LocalTicket]) -> None:
        """Wait for a player of a match from now on."""
        self._by_match[pairing.match] = PendingStart(pairing, present, self._latest_ms())

    def remove(self, match: str) -> None:
        """Wait no longer."""
        del self._by_match[match]

    def leave(self, recipient: Recipient) -> None:
        """Take out the tickets of a connection: they do not wait again."""
        for pending in self._by_match.values():
            pending.present[:] = [held for held in pending.present if held.recipient is not recipient]

    def __iter__(self) -> Iterator[PendingStart]:
        """All as of now, none of which waits for longer than usual: the clock may have been set back."""
        for match, pending in list(self._by_match.items()):
            if pending.until_ms > (latest_ms := self._latest_ms()):
                pending = self._by_match[match] = pending._replace(until_ms=latest_ms)
            yield pending

    def _latest_ms(self) -> int:
        return self._clock.now_ms() + round(1000 * self._no_show_s)


class UnsentTickets:
    """Tickets of closed connections of whose end the store does not know yet.

    withdrawn: they waited. acknowledged: their players have left their match on purpose. in_order: the queue's lock.
    """

    def __init__(self, queue: MatchQueue, in_order: asyncio.Lock) -> None:
        self._queue, self._in_order = queue, in_order
        self.withdrawn: list[Ticket] = []
        self.acknowledged: list[Ticket] = []

    async def flush(self) -> None:
        """Tell the store of all. Raises: StoreUnavailable."""
        if not self.withdrawn and not self.acknowledged:
            return
        async with self._in_order:
            for unsent, tell in ((self.withdrawn, self._queue.withdraw), (self.acknowledged, self._queue.acknowledge)):
                while tickets := unsent[:BATCH]:
                    await tell(tickets)
                    del unsent[: len(tickets)]
