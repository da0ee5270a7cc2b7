"""Two nodes act on one match at the same instant: never do both win, and what can stand side by side does."""

import random
from collections.abc import Callable
from pathlib import Path

from tests.faults.race import race
from tests.support.servers.processes import ServerProcess, assert_no_fault
from tests.support.servers.valkey import Valkey

ROUNDS = 100


async def test_of_two_nodes_at_one_instant_one_wins(
    new_server: Callable[..., ServerProcess], tmp_path: Path, valkey: Valkey, rng: random.Random
) -> None:
    nodes = [new_server("--redis", valkey.url, data=tmp_path / str(number)) for number in range(2)]
    for node in nodes:
        node.start()
    raced = await race([node.url for node in nodes], valkey.url, ROUNDS, rng)
    assert raced.faults == []
    for node in nodes:
        assert_no_fault(node)
