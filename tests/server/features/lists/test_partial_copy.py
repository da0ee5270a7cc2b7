"""A node that has not read all rows of the lobby yet asks the store for those that it needs."""

import asyncio

import pytest
from tavla_protocol.codec import pack
from tavla_protocol.messages import Person, Table
from tavla_server.cluster.clock import Clock
from tavla_server.cluster.feed import NODES, PEOPLE, TABLES, Feed, RowUpdate
from tavla_server.errors import StoreUnavailable
from tavla_server.features.tables.tables import Note, Tables
from tavla_server.gateway.presence import Presence
from tavla_server.store.client import connection_to
from tavla_server.store.stream import Stream
from tavla_server.store.topology import find_topology

from tests.support.players.plain import within
from tests.support.servers.cores import core_of
from tests.support.servers.valkey import Valkey

NOTE = Note(1, ("ada", "bob"), True, Table(name="m1", players=("ada", "bob")), away=(0, 5))


class Halfway(Feed):
    """A feed that comes to the long lists when it may."""

    async def _load_list(self, name: str, stream: Stream) -> None:
        if name == TABLES:
            await self.may_go_on.wait()
        await super()._load_list(name, stream)

    async def _load(self, stream: Stream) -> None:
        try:
            await super()._load(stream)
        except StoreUnavailable:
            self.failed.set()
            raise

    may_go_on: asyncio.Event
    failed: asyncio.Event


async def test_a_node_that_still_reads_asks_for_one_row(own_valkey: Valkey) -> None:
    topology = await find_topology(own_valkey.url)
    async with connection_to(own_valkey.url) as redis:
        rows = RowUpdate(NODES, "n", b""), RowUpdate(PEOPLE, "n:ada", pack(("ada", Person(kind="guest"))))
        await Feed(redis, topology).writer.put(*rows, RowUpdate(TABLES, "m1", pack(NOTE), version=3))
        feed = Halfway(redis, topology)
        feed.may_go_on = asyncio.Event()
        presence = Presence(feed, Clock(), "here")
        tables = Tables(core_of(redis=redis, feed=feed, clock=Clock(), presence=presence))
        await tables.played.add("bob", "m1")
        following = asyncio.create_task(feed.follow())
        await within(feed.ready.wait())

        assert not presence.is_online("ada")
        assert [await presence.is_anywhere(player) for player in ("ada", "bob")] == [True, False]
        assert tables.rows.away("m1") == (0, 0)
        assert [await tables.away_from(match) for match in ("m1", "m2")] == [(0, 5), (0, 0)]
        assert [tables.may_list(match) for match in ("m1", "m2")] == [True, True]
        assert await tables.of("bob") == [("m1", NOTE)]

        feed.may_go_on.set()
        await within(feed.live.wait())
        assert presence.is_online("ada")
        assert tables.rows.away("m1") == (0, 5)
        assert [tables.may_list(match) for match in ("m1", "m2")] == [True, False]
        following.cancel()


async def test_a_row_that_was_never_read_is_not_missing_while_the_store_is_away(own_valkey: Valkey) -> None:
    topology = await find_topology(own_valkey.url)
    async with connection_to(own_valkey.url) as redis:
        feed = Halfway(redis, topology)
        feed.may_go_on, feed.failed = asyncio.Event(), asyncio.Event()
        following = asyncio.create_task(feed.follow())
        await within(feed.ready.wait())
        own_valkey.kill()
        feed.may_go_on.set()
        await within(feed.failed.wait())
        with pytest.raises(StoreUnavailable):
            await feed.find(TABLES, "m1")
        own_valkey.start()
        await within(feed.live.wait())
        assert await feed.find(TABLES, "m1") is None
        following.cancel()


async def test_while_the_lobby_is_away_absences_are_not_known_and_matches_go_on(own_valkey: Valkey) -> None:
    topology = await find_topology(own_valkey.url)
    async with connection_to(own_valkey.url) as redis:
        feed = Feed(redis, topology)
        feed.loading = True
        tables = Tables(core_of(redis=redis, feed=feed))
        own_valkey.kill()
        assert await within(tables.away_from("m1")) == (0, 0)
