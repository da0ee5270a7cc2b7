"""Sharded channels, heard wherever they are. What nodes make of them is in match/test_replication.py."""

import asyncio
from collections.abc import AsyncIterator

import pytest
from structlog.testing import capture_logs
from tavla_server.store import pubsub as module
from tavla_server.store.client import Client, connection_to
from tavla_server.store.coalescing_window import CALM
from tavla_server.store.pubsub import ChannelListener, PubSub
from tavla_server.store.topology import find_topology

from tests.support.patience import wait_until
from tests.support.players.plain import unique, within
from tests.support.servers.valkey import Valkey


class Ear:
    """Messages to a listener, in order; None = that it is subscribed."""

    def __init__(self) -> None:
        self.told: asyncio.Queue[bytes | None] = asyncio.Queue()
        self.listener = ChannelListener(
            lambda _: self.told.put_nowait(None), lambda _, message: self.told.put_nowait(message)
        )

    async def next(self) -> bytes | None:
        return await within(self.told.get())


@pytest.fixture
async def pubsub(valkey: Valkey) -> AsyncIterator[PubSub]:
    pubsub = PubSub(await find_topology(valkey.url))
    await pubsub.open()
    yield pubsub
    await pubsub.close()


async def publish(redis: Client, channel: bytes, message: bytes) -> None:
    await redis.execute_command("SPUBLISH", channel, message)


async def test_a_listener_is_told_of_its_channel_and_of_no_other(pubsub: PubSub, redis: Client) -> None:
    one, two = (unique("channel").encode() for _ in range(2))
    ears = {one: Ear(), two: Ear()}
    for channel, ear in ears.items():
        pubsub.subscribe(channel, ear.listener)
        assert await ear.next() is None
    await publish(redis, one, b"\xff one")
    await publish(redis, two, b"two")
    assert [await ear.next() for ear in ears.values()] == [b"\xff one", b"two"]
    pubsub.unsubscribe(one)
    await publish(redis, one, b"unheard")
    await publish(redis, two, b"last")
    assert await ears[two].next() == b"last"
    assert ears[one].told.empty()


async def test_in_a_rush_all_channels_are_heard(pubsub: PubSub, redis: Client) -> None:
    ears = {unique("channel").encode(): Ear() for _ in range(3 * int(CALM.burst))}
    for number, (channel, ear) in enumerate(ears.items()):
        pubsub.subscribe(channel, ear.listener)
        if number % CALM.burst == 0:
            assert await ear.next() is None
            await publish(redis, channel, channel)
            assert await ear.next() == channel
    for number, (channel, ear) in enumerate(ears.items()):
        if number % CALM.burst:
            assert await ear.next() is None
            await publish(redis, channel, channel)
            assert await ear.next() == channel


async def test_a_store_that_comes_back_is_listened_to_again(
    own_valkey: Valkey, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "RECONNECT_S", 0.01)
    pubsub, ear, channel = PubSub(await find_topology(own_valkey.url)), Ear(), unique("channel").encode()
    await pubsub.open()
    pubsub.subscribe(channel, ear.listener)
    assert await ear.next() is None
    own_valkey.kill()
    later = Ear()
    pubsub.subscribe(other := unique("channel").encode(), later.listener)  # while nobody is there
    await asyncio.to_thread(own_valkey.start)
    assert await ear.next() is None, "it is told, so that it can read what it has missed"
    assert await later.next() is None
    async with connection_to(own_valkey.url) as redis:
        await publish(redis, channel, b"again")
        await publish(redis, other, b"at last")
    assert (await ear.next(), await later.next()) == (b"again", b"at last")
    await pubsub.close()


async def test_a_subscription_that_is_refused_is_tried_until_it_is_allowed(
    own_valkey: Valkey, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "RECONNECT_S", 0.01)
    pubsub, ear = PubSub(await find_topology(own_valkey.url)), Ear()
    await pubsub.open()
    async with connection_to(own_valkey.url) as redis:
        await redis.execute_command("ACL SETUSER", "default", "resetchannels")
        with capture_logs() as lines:
            pubsub.subscribe(channel := unique("channel").encode(), ear.listener)
            await wait_until(lambda: "subscribe_refused" in [line["event"] for line in lines])
        await redis.execute_command("ACL SETUSER", "default", "allchannels")
        assert await ear.next() is None
        await publish(redis, channel, b"at last")
        assert await ear.next() == b"at last"
    await pubsub.close()
