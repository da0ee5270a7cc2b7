"""A master is killed, and its replica takes over: nothing is lost, and play goes on by itself."""

import random
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.faults.club import Club
from tests.faults.trouble import fail_over
from tests.support.servers.processes import ServerProcess, assert_no_fault
from tests.support.stores.cluster import Cluster
from tests.support.stores.redises import Replicated, SentinelSet, replicated
from tests.support.tries import first_of

TABLES = 3
FAILURES = [(SentinelSet, "frozen"), (Cluster, "killed"), (SentinelSet, "killed"), (Cluster, "frozen")]


@pytest.mark.parametrize(("kind", "how"), first_of(FAILURES, 2))
async def test_no_failover_loses_anything(
    kind: type[Replicated], how: str, new_server: Callable[..., ServerProcess], tmp_path: Path, rng: random.Random
) -> None:
    with replicated(kind) as store:
        nodes = [new_server("--redis", store.url, data=tmp_path / str(number)) for number in range(2)]
        for node in nodes:
            node.start()
        async with Club([node.url for node in nodes], store, rng, TABLES) as club:
            waits_s = await fail_over(club, store, how == "frozen", rng)
            print(f"{kind.__name__}: play went on after {waits_s}")
            assert await club.finish() == []
            assert club.refusals == {}
        for node in nodes:
            assert_no_fault(node)
