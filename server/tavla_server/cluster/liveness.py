"""Heartbeats: live nodes, and outages of ours, in which no clock runs.

An outage is a time without a heartbeat of any node, or without all of the store. The clock may be set: what it is put
forward by is an outage, too. What began in a time that was taken back began when the clock was set.
"""

import asyncio
import contextlib
import time
from collections.abc import Callable
from functools import partial

import structlog

from tavla_server.cluster.clock import Clock
from tavla_server.cluster.lag import Lag
from tavla_server.errors import StoreRefused, StoreUnavailable
from tavla_server.store import keys
from tavla_server.store.client import Client, text
from tavla_server.timings import DEFAULTS, Timings

LOOK_S = 0.5  # for the store to say at once who is alive
SILENT_MS = 20_000  # a node that says nothing: its clients know by then, and go to another one
GAPS_KEPT = 50
GONE_TOLD_S = 90 * 24 * 3600  # clients keep for so long what they have promised for a match
KEPT_MS = 24 * 3600 * 1000  # an outage is remembered so long after its end

KEYS = [keys.ALIVE_LAST(), keys.ALIVE_OUTAGES(), keys.ALIVE_NODES()]

log = structlog.get_logger()


async def evict_all_nodes(redis: Client) -> None:
    """No node lives: the store has been stopped with all of them. The first heartbeat ends an outage.

    Raises: StoreUnavailable.
    """
    await redis.delete(keys.ALIVE_NODES())


async def note_gone(redis: Client) -> None:
    """Note that the store was brought back, as at its last heartbeat: what came between that and the next one is
    gone. A time that is told still, of an earlier restore, stays in it. Raises: StoreUnavailable.
    """
    if (last := await redis.get(keys.ALIVE_LAST())) is not None:
        earlier = await redis.get(keys.ALIVE_GONE())
        starts = [int(last), *map(int, (earlier or b"").split()[:1])]
        await redis.set(keys.ALIVE_GONE(), str(min(starts)), ex=GONE_TOLD_S)


class Liveness:
    """The liveness of nodes and the store.

    Outages that concern clocks which run now are known as all nodes together, and as this one, have seen them.

    living: the nodes whose last heartbeat is younger than `dead_ms`.
    refused: why the store did not take this node's last one, in its own words; empty when it did, or was away.
    gone: start and end, in ms since 1970, of a time whose matches are gone, since a backup was brought back; None = of
    none.
    """

    def __init__(
        self, redis: Client, clock: Clock, node: str, timings: Timings = DEFAULTS, lag: Lag | None = None
    ) -> None:
        self.node = node
        self._lag = lag or Lag(clock)
        self._beats: dict[str, int] = {}  # each other node's last heartbeat, in ms since 1970
        self._gaps: dict[str, list[tuple[int, int]]] = {}  # when a node gave none: start, end
        self.living: set[str] = set()
        self.refused = ""
        self.gone: tuple[int, int] | None = None
        self._redis, self._clock, self._timings = redis, clock, timings
        self._beat, self._time = redis.script("heartbeat"), redis.script("store_time")
        self._closed = False
        self._known: list[tuple[int, int]] = []  # start, end, in ms since 1970
        self._seen: list[tuple[int, int]] = []  # likewise: when this node did not reach all of the store
        self._lost: int | None = None  # since when it does not
        self._last_ok = clock.now_ms()
        self._steady_ms: int | None = None  # since when this node has seen the clock go on, and not back

    async def heartbeat(self) -> None:
        """Send this node's heartbeat, and learn of outages and of the nodes that live. Raises: StoreUnavailable."""
        await self._clock.follow(partial(self._time, keys=KEYS[:1]))
        now = self._clock.now_ms()
        timings = self._timings
        times_ms = now, timings.gap_ms, KEPT_MS, timings.dead_ms, timings.return_ms
        try:
            outages, nodes = await self._beat(keys=KEYS, args=[*times_ms, self.node])
        except StoreUnavailable as error:
            self.refused = str(error) if isinstance(error, StoreRefused) else ""
            raise
        self.refused = ""
        if self._steady_ms is None:
            await self._read_gone(now)
        self._known = [(int(start), int(end)) for start, end in (row.split() for row in outages)]
        self.living = {text(node) for node in nodes[::2]}
        if self._steady_ms is None or now < self._last_ok - timings.gap_ms:
            self._set_back(now)
        self._note_beats({text(node): int(ms) for node, ms in zip(nodes[::2], nodes[1::2], strict=True)})
        self._last_ok = now

    async def _read_gone(self, now_ms: int) -> None:
        """Learn of which time matches are gone; the first node on a store that was brought back ends it."""
        if (times := await self._redis.get(keys.ALIVE_GONE())) is None:
            return
        start, *end = map(int, times.split())
        if not end:
            await self._redis.set(keys.ALIVE_GONE(), f"{start} {now_ms}", ex=GONE_TOLD_S)
        self.gone = start, end[0] if end else now_ms

    def loss_reason(self) -> str:
        """The reason why a match may not be there, as the end of a sentence; "" = nothing is gone."""
        if self.gone is None:
            return ""
        start, end = (time.strftime("%Y-%m-%d %H:%M", time.gmtime(ms / 1000)) for ms in self.gone)
        return f": the server was brought back from a backup, and matches from {start} to {end} UTC are gone"

    def _set_back(self, now_ms: int) -> None:
        """True at the first heartbeat, or at the first since the clock was set back."""
        if self._steady_ms is not None:
            log.warning("clock_set_back", by_s=round((self._last_ok - now_ms) / 1000))
        self._steady_ms = now_ms
        self._seen = [(start, min(end, now_ms)) for start, end in self._seen if start < now_ms]
        self._beats, self._gaps = {}, {}

    def _note_beats(self, beats: dict[str, int]) -> None:
        """Each living node's last heartbeat: which of them have stood still is seen from that."""
        for node, ms in beats.items():
            before = self._beats.get(node, ms)
            if node != self.node and ms - before > self._timings.dead_ms:
                self._gaps[node] = [*self._gaps.get(node, []), (before, ms)][-GAPS_KEPT:]
        oldest = self._clock.now_ms() - KEPT_MS
        self._beats = {node: ms for node, ms in (self._beats | beats).items() if ms > oldest}
        self._gaps = {node: gaps for node, gaps in self._gaps.items() if node in self._beats}

    def _standstills(self, node: str, now_ms: int) -> list[tuple[int, int]]:
        """Times at which a node heard none of its clients, as far as this one knows."""
        if node == self.node:
            return [stall for stall in self._lag.stalls if stall[1] <= now_ms]
        gaps, beat = self._gaps.get(node, []), self._beats.get(node, now_ms)
        return [*gaps, (beat, min(now_ms, beat + SILENT_MS))] if now_ms - beat > self._timings.dead_ms else gaps

    async def run(self, beaten: Callable[[], None]) -> None:
        """Send heartbeats, and tell of each that has worked. Runs until it is cancelled.

        No `Sweep`: these find out when an outage has ended.
        """
        while not self._closed:
            await asyncio.sleep(self._timings.heartbeat_s)
            try:
                await self.heartbeat()
                beaten()
            except StoreUnavailable as error:
                log.warning("node_heartbeat_failed", error=str(error))

    async def look_for_others(self) -> bool:
        """True if other nodes are alive at this moment, or were a second ago if the store does not answer."""
        with contextlib.suppress(StoreUnavailable, TimeoutError):
            async with asyncio.timeout(LOOK_S):
                await self.heartbeat()
        return bool(self.living - {self.node})

    async def close(self) -> None:
        """Send no more heartbeats, and be evicted at once. Raises: StoreUnavailable."""
        self._closed = True
        await self._redis.zrem(keys.ALIVE_NODES(), self.node)

    def note_outage(self, since_ms: int | None = None) -> None:
        """A part of the store cannot be reached from here: some matches cannot go on, and no clock runs.

        since_ms: since when, by this clock; None = now.
        """
        if self._lost is None:
            self._lost = self._clock.now_ms() if since_ms is None else since_ms

    def back(self) -> None:
        """Note that the whole store can be reached again."""
        if self._lost is not None:
            now = self._clock.now_ms()
            self._seen = [(start, end) for start, end in self._seen if end > now - KEPT_MS]
            self._seen.append((self._lost, now))
            self._lost = None

    def credit_ms(self, since_ms: int, now_ms: int, node: str = "") -> int:
        """The outage in ms between `since_ms` and `now_ms`; one that has not ended counts too.

        node: where the player is whose time it is: what that node stood still counts as well. "" = nowhere.
        Negative when `since_ms` is far to come: the clock was set back, and the time since then counts.
        """
        if since_ms - now_ms > self._timings.gap_ms:
            noticed = self._last_ok - now_ms <= self._timings.gap_ms
            began_ms = self._steady_ms if noticed and self._steady_ms is not None else now_ms
            return began_ms - since_ms + self.credit_ms(began_ms, now_ms, node)
        outages = [*self._known, *self._seen, *self._standstills(node, now_ms)]
        if now_ms - self._last_ok > self._timings.gap_ms:
            outages.append((self._last_ok, now_ms))
        if self._lost is not None:
            outages.append((self._lost, now_ms))
        credit, counted = 0, since_ms
        for start, end in sorted(outages):  # they may overlap
            credit += max(0, min(end, now_ms) - max(start, counted))
            counted = max(counted, end)
        return credit
