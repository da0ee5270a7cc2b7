"""Networks that are slow, lose what was said, break or fall silent: between clients and nodes, and behind the nodes."""

import random

from tests.faults.club import Club
from tests.faults.trouble import disturb_often
from tests.faults.wires import wired_nodes
from tests.support.servers.processes import assert_no_fault
from tests.support.servers.valkey import Valkey

NODES, TABLES = 2, 3
FAULTS = 4


async def test_no_fault_of_a_network_loses_anything(valkey: Valkey, rng: random.Random) -> None:
    async with wired_nodes(valkey, NODES) as wired:
        async with Club([one.url for one in wired], valkey.url, rng, TABLES) as club:
            await disturb_often(club, wired, FAULTS, rng)
            assert await club.finish() == []
        for one in wired:
            assert_no_fault(one.node)
