"""Many press quick match within a second: everyone has one match, also when a server is killed meanwhile."""

import os
import random
from pathlib import Path

import pytest

from tests.support.players.swarm import check_swarm, percentile, press
from tests.support.servers.processes import NewServer
from tests.support.servers.valkey import Valkey

PRESSERS = int(os.environ.get("TAVLA_TEST_PRESSERS", "200"))  # bench/quick_match.py lets a thousand press


@pytest.mark.parametrize(
    ("servers", "killed", "odd"),
    [(1, False, 1), (3, False, 0), (3, True, 0), (3, True, 1)],
    ids=[
        "one server, an odd number",
        "three servers",
        "one of three is killed",
        "one of three of an odd number is killed",
    ],
)
async def test_all_who_press_are_paired_once_but_an_odd_one(
    servers: int,
    killed: bool,
    odd: int,
    own_valkey: Valkey,
    new_server: NewServer,
    tmp_path: Path,
    rng: random.Random,
) -> None:
    nodes = [new_server("--redis", own_valkey.url, data=tmp_path / str(number)) for number in range(servers)]
    for node in nodes:
        node.start()
    swarm = await press(nodes, PRESSERS + odd, rng, nodes[-1] if killed else None)
    check_swarm(own_valkey.url, swarm)
    waits = swarm.waits_s
    print(
        f"waited {percentile(waits, 0.5):.3f} s in the median, {percentile(waits, 0.99):.3f} s at the 99th percentile"
    )
    print(f"{len(swarm.cut_waits_s)} were cut off while they waited")
