"""Parts of a server inside the test: a journal, or the sessions of one node, each with connections of its own."""

import contextlib
import secrets
from collections.abc import AsyncIterator
from pathlib import Path

from tavla_server.chores import cancel_all, spawn
from tavla_server.cluster.clock import Clock
from tavla_server.cluster.feed import Feed
from tavla_server.cluster.liveness import Liveness
from tavla_server.features.archive.archive import Archive
from tavla_server.features.archive.archiver import Archiver
from tavla_server.features.counts.reveals import Reveals
from tavla_server.features.quick_match.match_queue import MatchQueue
from tavla_server.features.quick_match.voids import Voids
from tavla_server.features.ratings.ratings import Ratings
from tavla_server.features.results.effects import MatchEffects
from tavla_server.features.results.settler import Settler
from tavla_server.features.tables.tables import Tables
from tavla_server.gateway.presence import Presence
from tavla_server.match.append import APPEND_LAST
from tavla_server.match.journal import APPEND, Journal
from tavla_server.match.registry import Registry
from tavla_server.match.replication import ENTER, Replication
from tavla_server.store import scripts
from tavla_server.store.client import connection_to
from tavla_server.store.pubsub import PubSub
from tavla_server.store.router import Router
from tavla_server.store.topology import Topology, find_topology
from tavla_server.timings import DEFAULTS, Timings

from tests.support.players.seeds import SEALER
from tests.support.servers.cores import core_of
from tests.support.servers.valkey import Valkey, folder_in_memory
from tests.support.wire.proxy import Proxy


class Node(Registry):
    """The sessions of one node, and what follows from their entries."""

    archiver: Archiver
    settler: Settler

    def __init__(
        self,
        journal: Journal,
        clock: Clock,
        liveness: Liveness,
        replication: Replication,
        effects: MatchEffects,
        timings: Timings,
    ) -> None:
        super().__init__(journal, clock, liveness, replication, SEALER, timings)
        self.listen(effects)
        self.effects = effects

    async def settle(self) -> None:
        """Wait until everything that follows from past entries is done."""
        for lane in self.effects.lanes:
            await lane.settle()


@contextlib.asynccontextmanager
async def journal_on(url: str, timings: Timings = DEFAULTS) -> AsyncIterator[Journal]:
    """A journal on the store at this URL."""
    async with connection_to(url) as redis, _router(await find_topology(url), timings) as router:
        yield Journal(redis, router, "test")


@contextlib.asynccontextmanager
async def node_on(url: str) -> AsyncIterator[Node]:
    """The sessions of one node on the store at this URL."""
    async with timed_node_on(url, Clock()) as (sessions, _):
        yield sessions


@contextlib.asynccontextmanager
async def timed_node_on(
    url: str,
    clock: Clock,
    timings: Timings = DEFAULTS,
    archive: Archive | None = None,
    dies: bool = False,
    works: bool = True,
) -> AsyncIterator[tuple[Node, Liveness]]:
    """The sessions of one node, with a clock of the test's, and its liveness; the test sends the heartbeats.

    dies: at the end it waits for nothing that it has begun. works: it does what follows from entries.
    """
    node = secrets.token_hex(4)
    topology = await find_topology(url)
    async with connection_to(url) as redis, _router(topology) as router:
        pubsub = PubSub(topology)
        await pubsub.open()
        replication = Replication(pubsub, router, node)
        liveness, ratings = Liveness(redis, clock, node), Ratings(redis)
        feed = Feed(redis, topology)
        journal, presence = Journal(redis, router, node), Presence(feed, clock, node)
        core = core_of(node=node, redis=redis, clock=clock, journal=journal, feed=feed, presence=presence)
        tables = Tables(core)
        archiver = Archiver(core._replace(timings=timings), archive, 3600.0)
        voids = Voids(MatchQueue(redis, node), Reveals(redis, clock))
        effects = MatchEffects(core, ratings, tables, archiver, voids)
        sessions = Node(journal, clock, liveness, replication, effects, timings)
        sessions.archiver = archiver
        sessions.settler = Settler(core, archiver.unsettled, effects)
        lanes = [spawn(lane.run) for lane in effects.lanes if works]
        yield sessions, liveness
        if not dies:
            await sessions.settle()
        if lanes:
            await cancel_all(lanes)
        await pubsub.close()


@contextlib.asynccontextmanager
async def _router(topology: Topology, timings: Timings = DEFAULTS) -> AsyncIterator[Router]:
    router = Router(topology, [scripts.loading(name) for name in (APPEND, APPEND_LAST, ENTER)], timings.reply_s)
    await router.open()
    yield router
    await router.close()


@contextlib.asynccontextmanager
async def proxied(valkey: Valkey) -> AsyncIterator[tuple[Proxy, str]]:
    """A wire to the store that can be cut, and the URL at its end."""
    with folder_in_memory() as folder:
        path: Path = folder / "proxy.sock"
        async with Proxy.to_unix(str(valkey.path), path) as proxy:
            yield proxy, f"unix://{path}"
