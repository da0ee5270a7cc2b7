"""The rooms of a server below its connections, put together as `wiring.py` does, several nodes in this process."""

import asyncio
import contextlib
import secrets
from collections.abc import AsyncIterator
from types import SimpleNamespace
from typing import Any

from tavla_protocol import messages as m
from tavla_server.cluster.clock import Clock
from tavla_server.cluster.feed import Feed
from tavla_server.cluster.liveness import Liveness
from tavla_server.delivery.outbox import Outbox
from tavla_server.delivery.ping import Ping
from tavla_server.features.archive.archiver import Archiver
from tavla_server.features.counts.reveals import Reveals
from tavla_server.features.lists.listings import Listings
from tavla_server.features.quick_match.match_queue import MatchQueue
from tavla_server.features.quick_match.matchmaker import Matchmaker
from tavla_server.features.quick_match.seekers import Seekers
from tavla_server.features.quick_match.voids import Voids
from tavla_server.features.ratings.ratings import Ratings
from tavla_server.features.results.effects import MatchEffects
from tavla_server.features.tables.table_lists import add_table_lists
from tavla_server.features.tables.tables import Tables
from tavla_server.gateway.presence import Presence
from tavla_server.match.append import APPEND_LAST
from tavla_server.match.journal import APPEND, Journal
from tavla_server.match.registry import Registry
from tavla_server.match.replication import ENTER, Replication
from tavla_server.match.session import Session
from tavla_server.player import Player
from tavla_server.record.sealing import Sealer
from tavla_server.store import scripts
from tavla_server.store.client import connection_to
from tavla_server.store.pubsub import PubSub
from tavla_server.store.router import Router
from tavla_server.store.topology import find_topology
from tavla_server.timings import DEFAULTS

from tests.support.patience import PATIENCE_S
from tests.support.servers.cores import core_of

SEALER = Sealer([bytes(32)])  # all nodes have the same key


class Sink:
    """A socket, and its transport, that takes all. taken: bytes; writes: how many."""

    is_open, flows, paused, ping, backlog_bytes = True, True, False, Ping(), 0

    def __init__(self) -> None:
        self.transport = self.protocol = self
        self.taken = self.writes = 0

    def write(self, data: bytes) -> None:
        self.taken += len(data)
        self.writes += 1

    def get_write_buffer_size(self) -> int:
        return 0


class Followed:
    """The matches that a client follows, as the lobby sees them (`Following`)."""

    def __init__(self, outbox: Outbox) -> None:
        self._outbox, self._sessions = outbox, dict[str, Session]()
        self.of = self._sessions.get

    def add(self, session: Session) -> None:
        self._sessions[session.record.id] = session
        session.subscribers.attach(self._outbox, None)


class Person:
    """A client's connection, as the lobby sees it (`Recipient`). matched: to which match."""

    closed, available, token, address = False, None, "", ""

    def __init__(self, player: Player) -> None:
        self.player, self.sink = player, Sink()
        self.outbox = Outbox(self.sink, 10.0)  # type: ignore[arg-type]
        self.outbox.player = player
        self.matched = asyncio.Event()
        self.following = Followed(self.outbox)

    def send(self, message: m.Message) -> None:
        if isinstance(message, m.Matched):
            self.matched.set()

    def log_out(self) -> None:
        raise AssertionError("nobody is logged out here")


class Node(SimpleNamespace):
    """Parts of a node: clock, core, feed, tables, presence, listings, liveness, replication, journal, ratings,
    registry, matchmaker, redis, router, name.
    """


@contextlib.asynccontextmanager
async def node_on(url: str) -> AsyncIterator[Any]:
    """A node on the store at this URL, with what runs there by itself, but what is done every few seconds."""
    async with contextlib.AsyncExitStack() as stack:
        topology, name, clock = await find_topology(url), secrets.token_hex(4), Clock()
        redis = await stack.enter_async_context(connection_to(url))
        router, pubsub = (
            Router(topology, [scripts.loading(name) for name in (APPEND, APPEND_LAST, ENTER)]),
            PubSub(topology),
        )
        stack.push_async_callback(router.close)
        await router.open()
        stack.push_async_callback(pubsub.close)
        await pubsub.open()
        feed, journal, ratings = Feed(redis, topology), Journal(redis, router, name), Ratings(redis)
        presence = Presence(feed, clock, name)
        liveness, replication = Liveness(redis, clock, name), Replication(pubsub, router, name)
        core = core_of(node=name, redis=redis, clock=clock, journal=journal, feed=feed, presence=presence)
        tables, archiver = Tables(core), Archiver(core, None, 0.0)
        queue = MatchQueue(redis, name)
        voids = Voids(queue, Reveals(redis, clock))
        effects = MatchEffects(core, ratings, tables, archiver, voids)
        registry = Registry(journal, clock, liveness, replication, SEALER, DEFAULTS)
        registry.listen(effects)
        core = core._replace(registry=registry)
        matchmaker = Matchmaker(core, queue, tables, Seekers(core), voids)
        listings = Listings(core)
        add_table_lists(listings)
        chores = feed.follow, presence.run, matchmaker.run, *(lane.run for lane in effects.lanes)
        tasks = [asyncio.create_task(chore()) for chore in chores]
        await feed.live.wait()
        try:
            yield Node(
                name=name,
                core=core,
                redis=redis,
                router=router,
                clock=clock,
                feed=feed,
                journal=journal,
                ratings=ratings,
                tables=tables,
                presence=presence,
                liveness=liveness,
                replication=replication,
                effects=effects,
                registry=registry,
                matchmaker=matchmaker,
                listings=listings,
            )
            for lane in effects.lanes:
                await lane.settle()
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.wait(tasks)


async def until_over(session: Session) -> None:
    """The match ends, without anybody asking for anything."""
    async with asyncio.timeout(PATIENCE_S):
        while not session.record.over:  # noqa: ASYNC110 - a match without subscribers tells none
            await asyncio.sleep(0)
