"""The nodes: each is known before it could leave anything undone, and a dead one's rows are taken out."""

import structlog

from tavla_server.cluster.feed import NODES, Feed, RowUpdate
from tavla_server.cluster.liveness import Liveness
from tavla_server.lobby.presence import Presence
from tavla_server.lobby.reconciler import Reconciler
from tavla_server.lobby.seekers import Seekers
from tavla_server.store.lock import Lock

RECONCILE_S = 60  # if the node that reconciles dies as well, another one begins anew after it

log = structlog.get_logger()


class Membership:
    """This node among the others. reconciling: one node sets right what dead ones have left."""

    def __init__(
        self,
        node: str,
        feed: Feed,
        liveness: Liveness,
        presence: Presence,
        seekers: Seekers,
        reconciler: Reconciler,
        reconciling: Lock,
    ) -> None:
        self._node, self._feed, self._liveness = node, feed, liveness
        self._presence, self._seekers = presence, seekers
        self._reconciler, self._reconciling = reconciler, reconciling
        self._missing: set[str] = set()  # nodes without a heartbeat at the last look

    async def open(self) -> None:
        """Be known before there is anything that this node could leave undone. Raises: StoreUnavailable."""
        await self._feed.put(RowUpdate(NODES, self._node, b""))

    async def close(self) -> None:
        """This node has done all that follows from its entries: there is nothing to reconcile after it.

        Raises: StoreUnavailable.
        """
        await self._feed.put(RowUpdate(NODES, self._node, None))

    def forget(self) -> None:
        """No node is missing as yet: during an outage membership is unknown."""
        self._missing.clear()

    async def sweep(self) -> None:
        """Evict nodes that were missing twice: after an outage each of them needs a moment for its heartbeat."""
        if self._node not in self._feed.rows(NODES):  # taken for dead once, or the store has forgotten
            await self.open()
        known = self._feed.rows(NODES).keys() | self._presence.nodes
        before, self._missing = self._missing, known - self._liveness.living - {self._node}
        dead = self._missing & before
        if dead:
            await self._presence.evict_dead_nodes(dead)
            await self._seekers.evict_dead_nodes(dead)
        if dead & self._feed.rows(NODES).keys() and await self._reconciling.try_lock():
            log.warning("nodes_evicted", nodes=sorted(dead))
            await self._reconciler.reconcile()
            await self._feed.put(*(RowUpdate(NODES, node, None) for node in dead))
            await self._reconciling.unlock()
