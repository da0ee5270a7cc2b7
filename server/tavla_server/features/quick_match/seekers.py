"""The lobby's list of those who wait for a quick match, as far as they have waited for a moment."""

from collections.abc import Container, Iterable

import msgspec
from tavla_protocol.codec import pack
from tavla_protocol.messages import Seeker

from tavla_server.cluster.feed import SEEKERS, RowUpdate
from tavla_server.features.quick_match.match_queue import Ticket
from tavla_server.gateway.core import Core
from tavla_server.record.projection import changed_options

SHOWN_MS = 1000  # a seeker paired sooner is not worth a row on every node
AT_ONCE = 100  # changes in one command: the store does nothing else meanwhile, for half a millisecond

# A row: the node at which someone waits, what the lobby shows, and to whom it does not: ids.
unpack = msgspec.msgpack.Decoder(tuple[str, Seeker, tuple[str, ...]]).decode


class Seekers:
    """The seekers: the rows of this node's tickets, by the tickets' ids."""

    def __init__(self, core: Core) -> None:
        self._feed, self._clock, self._node = core.feed, core.clock, core.node
        self._shown: dict[str, tuple[str, ...]] = {}  # by id of a ticket: from whom its row is hidden
        core.feed.listen(SEEKERS, self._row_changed)

    async def show(self, tickets: Iterable[Ticket]) -> None:
        """Show these tickets, and no others of this node any more. Raises: StoreUnavailable."""
        latest = self._clock.now_ms() - SHOWN_MS
        waiting = {ticket.id: ticket for ticket in tickets if ticket.since_ms <= latest}
        changes = [RowUpdate(SEEKERS, id_, None) for id_ in self._shown.keys() - waiting.keys()]
        changes += [
            RowUpdate(SEEKERS, id_, self._row(ticket))
            for id_, ticket in waiting.items()
            if self._shown.get(id_) != ticket.ignores
        ]
        await self._put(changes)

    async def evict_dead_nodes(self, dead: Container[str]) -> None:
        """Take out those who waited on dead nodes. Raises: StoreUnavailable."""
        rows = self._feed.rows(SEEKERS).items()
        await self._put([RowUpdate(SEEKERS, id_, None) for id_, row in rows if unpack(row)[0] in dead])

    async def _put(self, changes: list[RowUpdate]) -> None:
        for start in range(0, len(changes), AT_ONCE):
            await self._feed.writer.put(*changes[start : start + AT_ONCE])

    def _row(self, ticket: Ticket) -> bytes:
        player = ticket.player
        seeker = Seeker(
            name=player.name,
            kind=player.kind,
            rating=None if player.rating is None else round(player.rating),
            rules=changed_options(ticket.rules),
            since=ticket.since_ms // 1000,
        )
        return pack((self._node, seeker, ticket.ignores))

    def _row_changed(self, id_: str, before: bytes | None, after: bytes | None) -> None:
        if after is None:
            self._shown.pop(id_, None)
        elif (found := unpack(after))[0] == self._node:
            self._shown[id_] = found[2]
