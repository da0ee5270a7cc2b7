"""What a node sets right by itself, when the store has forgotten it or another process has died."""

import asyncio
from collections.abc import Awaitable, Callable

import msgpack
import msgspec
from tavla_server.lobby.feed import NODES, TABLES, Change, Feed
from tavla_server.lobby.tables import Note
from tavla_server.store import keys
from tavla_server.store.client import Client, connected, text
from tavla_server.store.topology import find_topology
from tavla_server.timings import Timings

from tests.support.patience import PATIENCE_S
from tests.support.servers import Valkey, inside

BRISK = Timings(sweep_s=0.05)


async def until(holds: Callable[[], Awaitable[object]]) -> None:
    async with asyncio.timeout(PATIENCE_S):
        while not await holds():
            pass


async def rows(redis: Client, name: str) -> list[str]:
    return [text(key) for key in await redis.hkeys(keys.LOBBY_ROWS(name))]


async def test_a_node_that_was_taken_for_dead_makes_itself_known_again(own_valkey: Valkey) -> None:
    async with connected(own_valkey.url) as redis, inside(own_valkey.url, BRISK):
        (node,) = await rows(redis, NODES)
        feed = Feed(redis, await find_topology(own_valkey.url))
        await feed.put(Change(NODES, node, None))
        await until(lambda: redis.hexists(keys.LOBBY_ROWS(NODES), node))


async def test_a_match_that_was_entered_long_ago_and_never_opened_is_taken_out(own_valkey: Valkey) -> None:
    match, note = "stillborn", Note(since=0, players=("ada",))
    async with connected(own_valkey.url) as redis, inside(own_valkey.url, BRISK):
        await redis.sadd(keys.PLAYER_PLAYED("ada"), match)
        row = msgpack.packb(msgspec.to_builtins(note))
        await Feed(redis, await find_topology(own_valkey.url)).put(Change(TABLES, match, row))

        async def gone() -> bool:
            return not await redis.exists(keys.PLAYER_PLAYED("ada"))

        await until(gone)
        assert await rows(redis, TABLES) == []
