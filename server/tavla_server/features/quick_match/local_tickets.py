"""Tickets of connections to this node: those that wait, whose opponent has not come, that are to be withdrawn."""

import asyncio
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from tavla_server.cluster.clock import Clock
from tavla_server.features.quick_match.match_queue import MatchQueue, Pairing, Ticket
from tavla_server.gateway.recipient import Recipient


class LocalTicket(NamedTuple):
    """A ticket of a connection to this node. request: the id of the `seek` that it answers."""

    recipient: Recipient
    ticket: Ticket
    request: int


class LocalTickets:
    """The tickets that wait, by their ids and by connection."""

    def __init__(self) -> None:
        self._by_id: dict[str, LocalTicket] = {}
        self._ids: dict[Recipient, dict[str, None]] = {}  # of each one's tickets, in order: many wait on a node

    def __len__(self) -> int:
        return len(self._by_id)

    def __iter__(self) -> Iterator[LocalTicket]:
        """The tickets as of now: they may change meanwhile."""
        return iter(list(self._by_id.values()))

    def get(self, id_: str) -> LocalTicket | None:
        """The ticket of this id."""
        return self._by_id.get(id_)

    def of(self, recipient: Recipient) -> list[LocalTicket]:
        """A connection's tickets."""
        return [self._by_id[id_] for id_ in self._ids.get(recipient, ())]

    def add(self, held: LocalTicket) -> None:
        """Add a ticket, or hand one on to another connection of its player."""
        if (known := self._by_id.get(held.ticket.id)) is not None:
            self.remove([known])
        self._by_id[held.ticket.id] = held
        self._ids.setdefault(held.recipient, {})[held.ticket.id] = None

    def remove(self, ours: Iterable[LocalTicket]) -> None:
        """Take out those of some tickets that are there."""
        for held in ours:
            if self._by_id.pop(held.ticket.id, None) is not None:
                ids = self._ids[held.recipient]
                del ids[held.ticket.id]
                if not ids:
                    del self._ids[held.recipient]


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
