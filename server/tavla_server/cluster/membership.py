"""The nodes: each is known before it could leave anything undone, and a dead one's rows are taken out."""

from collections.abc import Awaitable, Callable, Set

import structlog

from tavla_server.cluster.feed import NODES, Feed, RowUpdate
from tavla_server.cluster.liveness import Liveness
from tavla_server.store.lock import Lock

RECONCILE_S = 60  # if the node that reconciles dies as well, another one begins anew after it

log = structlog.get_logger()

Evict = Callable[[Set[str]], Awaitable[None]]
Reconcile = Callable[[], Awaitable[None]]


class Membership:
    """The membership of this node among the others, and what follows from the death of one."""

    def __init__(
        self, node: str, feed: Feed, liveness: Liveness, reconciling: Lock, peopled: Callable[[], Set[str]]
    ) -> None:
        """reconciling: held by the node that sets right what dead ones have left. peopled: the nodes with people."""
        self._node, self._feed, self._liveness = node, feed, liveness
        self._reconciling, self._peopled = reconciling, peopled
        self._evict: list[Evict] = []
        self._reconcile: list[Reconcile] = []
        self._missing: set[str] = set()  # nodes without a heartbeat at the last look

    def on_dead(self, evict: Evict) -> None:
        """Call this on every node with the nodes found dead: it takes out their rows. Raises: StoreUnavailable."""
        self._evict.append(evict)

    def on_left(self, reconcile: Reconcile) -> None:
        """Call this on one node after a death, to set right what was left undone. Raises: StoreUnavailable."""
        self._reconcile.append(reconcile)

    async def open(self) -> None:
        """Be known before there is anything that this node could leave undone. Raises: StoreUnavailable."""
        await self._feed.writer.put(RowUpdate(NODES, self._node, b""))

    async def close(self) -> None:
        """Note that this node has done all that follows from its entries: there is nothing to reconcile after it.

        Raises: StoreUnavailable.
        """
        await self._feed.writer.put(RowUpdate(NODES, self._node, None))

    def forget(self) -> None:
        """No node is missing as yet: during an outage membership is unknown."""
        self._missing.clear()

    async def sweep(self) -> None:
        """Evict nodes that were missing twice: after an outage each of them needs a moment for its heartbeat."""
        if self._node not in self._feed.rows(NODES):  # taken for dead once, or the store has forgotten
            await self.open()
        known = self._feed.rows(NODES).keys() | self._peopled()
        before, self._missing = self._missing, known - self._liveness.living - {self._node}
        dead = self._missing & before
        if dead:
            for evict in self._evict:
                await evict(dead)
        if dead & self._feed.rows(NODES).keys() and await self._reconciling.try_lock():
            log.warning("nodes_evicted", nodes=sorted(dead))
            for reconcile in self._reconcile:
                await reconcile()
            await self._feed.writer.put(*(RowUpdate(NODES, node, None) for node in dead))
            await self._reconciling.unlock()
