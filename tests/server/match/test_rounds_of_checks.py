"""Checks of who is there: a node looks after some matches at a time, and after nodes that have changed."""

import asyncio
import itertools
import random
from typing import Any

import pytest
from tavla_server.match.replication import CHECK_PARTS, Replication
from tavla_server.match.wire import NodePresence, PresenceChanged, encode, encode_presence
from tavla_server.player import Player as Guest
from tavla_server.store import keys

from tests.support.patience import wait_until
from tests.support.servers.rooms import Person, node_on
from tests.support.servers.sessions import ADA, BOB, opened
from tests.support.servers.valkey import Valkey

pytestmark = pytest.mark.slow  # most of them wait by the clock

MATCHES = 60


async def test_a_spectator_of_a_moment_is_taken_back(own_valkey: Valkey, rng: random.Random) -> None:
    """A seat changed between coming and going, and with it the others were told of the spectator."""
    async with node_on(own_valkey.url) as here, node_on(own_valkey.url) as there:
        session = await opened(here.registry, rng)
        far, eve = await there.registry.get(session.record.id), Person(Guest("eve", "eve"))
        for player, followed in ((ADA, session), (BOB, far)):
            Person(player).following.add(followed)

        await wait_until(lambda: session.seats.nodes)
        eve.following.add(far)
        Person(BOB).following.add(far)  # by a newer connection
        watching = session.attendance.spectators._elsewhere
        await wait_until(lambda: [one.total for one in watching.values()] == [1])
        far.subscribers.detach(eve.outbox)
        await wait_until(lambda: [one.total for one in watching.values()] == [0])


async def test_matches_are_checked_some_at_a_time(own_valkey: Valkey, rng: random.Random) -> None:
    """And each of them once in a round."""
    looked: list[list[bytes]] = [[]]  # by turn of the loop
    async with node_on(own_valkey.url) as here, node_on(own_valkey.url) as there:
        for _ in range(MATCHES):
            session = await opened(here.registry, rng)
            for node, player in ((here, ADA), (there, BOB)):
                Person(player).following.add(await node.registry.get(session.record.id))
        followed = here.replication._followed.values()
        await wait_until(lambda: sum(bool(session.seats.nodes) for session in followed) == MATCHES)

        def check(channel: bytes) -> None:
            if not looked[-1]:
                asyncio.get_running_loop().call_soon(looked.append, [])
            looked[-1].append(channel)
            Replication._check(here.replication, channel)

        here.replication._check = check
        checking = asyncio.create_task(here.replication.check())
        await wait_until(lambda: sum(map(len, looked)) >= MATCHES)
        checking.cancel()
    assert len(set(itertools.chain(*looked[:CHECK_PARTS]))) == MATCHES
    assert max(map(len, looked)) < MATCHES // 5


async def test_a_check_takes_nodes_over_only_when_they_have_changed(own_valkey: Valkey, rng: random.Random) -> None:
    """Even from what was heard since, back to what the last check had found."""
    async with node_on(own_valkey.url) as here, node_on(own_valkey.url) as there:
        session = await opened(here.registry, rng)
        for node, player in ((here, ADA), (there, BOB)):
            Person(player).following.add(await node.registry.get(session.record.id))
        await wait_until(lambda: session.seats.nodes)
        channel, key, replication = keys.MATCH_TAG % session.record.id.encode(), session.record.id, here.replication
        looks, answers = list[Any](), list[Any]()
        look, told = replication._look, replication._told

        def looked(channel: bytes, session: Any) -> None:
            looks.append(channel)
            look(channel, session)

        def answered(channel: bytes, nodes: Any) -> None:
            told(channel, nodes)
            answers.append(nodes)

        replication._look, replication._told = looked, answered

        async def check() -> int:
            before, count = len(answers), len(looks)
            replication._check(channel)
            await wait_until(lambda: len(answers) > before)
            if len(looks) > count:
                await wait_until(lambda: channel in replication._checked)
            return len(looks) - count

        assert await check() == 1
        assert await check() == 0
        rows = await here.redis.hgetall(keys.MATCH_NODES(key))
        gone = encode_presence(NodePresence())
        await here.redis.hset(keys.MATCH_NODES(key), there.replication.node, gone)  # without a word
        assert await check() == 1
        assert not session.seats.online(1)
        replication._heard(channel, encode(PresenceChanged(there.replication.node, NodePresence({1: 1}))))
        assert session.seats.online(1)
        assert await check() == 1
        assert not session.seats.online(1)
        await here.redis.hset(keys.MATCH_NODES(key), there.replication.node, rows[there.replication.node.encode()])
        assert await check() == 1
        assert session.seats.online(1)
        assert await check() == 0
