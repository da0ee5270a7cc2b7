"""A node stops, and goes on later with what it knew: that does no harm."""

import asyncio
import random
from collections.abc import Callable
from pathlib import Path

from tests.faults.club import Club
from tests.faults.trouble import freeze_one
from tests.support.servers.processes import ServerProcess, assert_no_fault
from tests.support.servers.valkey import Valkey

NODES, TABLES = 3, 3
FROZEN_S = 5.0  # by then the others hold it for dead; `make faults` takes 15


async def test_a_node_that_was_frozen_does_no_harm(
    new_server: Callable[..., ServerProcess], tmp_path: Path, valkey: Valkey, rng: random.Random
) -> None:
    nodes = [new_server("--redis", valkey.url, data=tmp_path / str(number)) for number in range(NODES)]
    await asyncio.gather(*(asyncio.to_thread(node.start) for node in nodes))
    async with Club([node.url for node in nodes], valkey.url, rng, TABLES) as club:
        await freeze_one(club, nodes, FROZEN_S, rng)
        assert await club.finish() == []
    for node in nodes:
        assert_no_fault(node)
