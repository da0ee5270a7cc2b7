"""kill -9 of servers and of their store during an arena: each result counts once, and nobody is forgotten."""

import asyncio
from collections.abc import Callable
from pathlib import Path

from tests.support.players.arenas import Arena
from tests.support.servers.processes import ServerProcess, assert_no_fault
from tests.support.servers.valkey import Valkey

PLAYERS = 5


async def test_an_arena_goes_on_while_a_node_is_killed_and_counts_each_match_once(
    new_server: Callable[..., ServerProcess], tmp_path: Path, own_valkey: Valkey
) -> None:
    nodes = [new_server("--redis", own_valkey.url, data=tmp_path / str(number)) for number in range(2)]
    await asyncio.gather(*(asyncio.to_thread(node.start) for node in nodes))
    async with Arena([node.url for node in nodes], own_valkey.url, PLAYERS) as arena:
        await arena.goes_on(2)
        await asyncio.to_thread(nodes[0].kill)
        await asyncio.to_thread(nodes[0].start)
        await arena.goes_on(2)
        await asyncio.to_thread(own_valkey.kill)
        await asyncio.to_thread(own_valkey.start)
        await arena.goes_on(2)
        assert await arena.finish() == []
    for node in nodes:
        assert_no_fault(node)
