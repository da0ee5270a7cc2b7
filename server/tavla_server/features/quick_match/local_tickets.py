"""Tickets of connections to this node."""

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from tavla_server.features.quick_match.match_queue import Ticket
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
