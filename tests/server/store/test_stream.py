"""A stream that is followed over a connection of its own."""

import asyncio

import pytest
from tavla_server.errors import StoreRefused, StoreUnavailable
from tavla_server.store import stream as module
from tavla_server.store.client import Client, connection_to
from tavla_server.store.coalescing_window import CALM
from tavla_server.store.stream import Stream, StreamEntry
from tavla_server.store.topology import find_topology

from tests.support.players.plain import unique, within
from tests.support.servers.nodes import proxied
from tests.support.servers.valkey import Valkey


async def add(redis: Client, key: str, *numbers: int) -> None:
    for number in numbers:
        await redis.xadd(key, {"a": number, "b": b"\xff"}, id=f"{number}-0")


async def test_what_is_there_is_read_in_order_and_what_comes_is_waited_for(valkey: Valkey, redis: Client) -> None:
    stream = Stream(await find_topology(valkey.url), key := unique("stream"))
    await add(redis, key, 1, 2, 3)
    assert await stream.read(1) == [StreamEntry(number, {b"a": b"%d" % number, b"b": b"\xff"}) for number in (2, 3)]
    waiting = asyncio.create_task(stream.read(3))
    await add(redis, key, 4)
    assert [entry.number for entry in await within(waiting)] == [4]
    stream.close()


async def test_in_a_rush_all_that_comes_is_read(valkey: Valkey, redis: Client) -> None:
    stream, read = Stream(await find_topology(valkey.url), key := unique("stream")), 0
    for there in (3 * int(CALM.burst), 4 * int(CALM.burst), 4 * int(CALM.burst) + 1):
        await add(redis, key, *range(read + 1, there + 1))
        entries = await within(stream.read(read))
        assert [entry.number for entry in entries] == [*range(read + 1, there + 1)]
        read = there
    stream.close()


async def test_nothing_comes_and_it_says_so(valkey: Valkey, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "BLOCK_MS", b"10")
    stream = Stream(await find_topology(valkey.url), unique("stream"))
    assert await stream.read(0) == []
    stream.close()


async def test_what_is_no_stream_is_refused(valkey: Valkey, redis: Client) -> None:
    await redis.set(key := unique("stream"), "text")
    stream = Stream(await find_topology(valkey.url), key)
    with pytest.raises(StoreRefused, match="WRONGTYPE"):
        await stream.read(0)


async def test_after_a_silence_or_an_end_the_next_read_is_on_another_connection(
    valkey: Valkey, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "TIMEOUT_S", 0.2)
    monkeypatch.setattr(module, "BLOCK_MS", b"10")
    async with proxied(valkey) as (wire, url), connection_to(valkey.url) as redis:
        stream = Stream(await find_topology(url), key := unique("stream"))
        assert await stream.read(0) == []
        await add(redis, key, 1)
        wire.stall()  # the connections that there are
        with pytest.raises(StoreUnavailable):
            await stream.read(0)
        assert [entry.number for entry in await stream.read(0)] == [1]
        assert wire.connections == 2
        stream.close()
