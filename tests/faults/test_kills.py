"""kill -9 of servers, again and again: nothing that was acknowledged or shown is lost, and play goes on."""

import asyncio
import random
from pathlib import Path

from tests.faults.club import Club
from tests.faults.trouble import kill_often, kill_with_store
from tests.support.servers.processes import NewServer, ServerProcess, assert_no_fault
from tests.support.servers.valkey import Valkey
from tests.support.tries import MANY

NODES, TABLES = 4, 2
KILLS = 8 if MANY else 4  # of nodes
KILLS_WITH_STORE = 4 if MANY else 2  # of a server alone, with its embedded store or without


async def test_no_kill_of_a_node_loses_anything(
    new_server: NewServer, tmp_path: Path, valkey: Valkey, rng: random.Random
) -> None:
    nodes = [new_server("--redis", valkey.url, data=tmp_path / str(number)) for number in range(NODES)]
    await asyncio.gather(*(asyncio.to_thread(node.start) for node in nodes))
    async with Club([node.url for node in nodes], valkey.url, rng, TABLES) as club:
        await kill_often(club, nodes, KILLS, rng)
        assert await club.finish() == []
        assert club.refusals == {}
    for node in nodes:
        assert_no_fault(node)


async def test_no_kill_of_a_server_and_its_store_loses_anything(own_server: ServerProcess, rng: random.Random) -> None:
    async with Club([own_server.url], own_server.store_url, rng, TABLES) as club:
        for number in range(KILLS_WITH_STORE):
            await kill_with_store(club, own_server, number % 2 == 0, rng)
        assert await club.finish() == []
        assert club.refusals == {}
    assert_no_fault(own_server)
