"""Results of a server that is killed, or stopped, right after them: rated and archived, each once."""

import asyncio
import random
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.faults.results import kept, pairs_at, restarted
from tests.support.servers.processes import ServerProcess, assert_no_fault
from tests.support.servers.valkey import Valkey
from tests.support.tries import MANY

PAIRS, NODES = 2, 2
EACH, KILLS = (6, 3) if MANY else (4, 2)


@pytest.mark.parametrize("how", ["kill -9", "SIGTERM"])
async def test_results_of_players_with_all_their_tables_are_kept(
    new_server: Callable[..., ServerProcess], how: str
) -> None:
    """Each opens one more table at once: the lobby has room for no other."""
    server = new_server("--behind-proxy")
    await asyncio.to_thread(server.start)
    found = await restarted(server, 1, how)
    assert found.faults == []
    assert found.over == found.rated == found.archived == 32
    assert_no_fault(server)


async def test_no_result_is_lost_or_doubled_by_kills(
    new_server: Callable[..., ServerProcess], own_valkey: Valkey, tmp_path: Path, rng: random.Random
) -> None:
    archive = f"sqlite:///{tmp_path}/archive.sqlite3"
    options = ("--behind-proxy", "--redis", own_valkey.url, "--archive", archive)
    nodes = [new_server(*options, data=tmp_path / str(number)) for number in range(NODES)]
    await asyncio.gather(*(asyncio.to_thread(node.start) for node in nodes))
    async with pairs_at(PAIRS, *(node.url for node in nodes)) as pairs:
        playing = asyncio.gather(*(pair.end_many(EACH) for pair in pairs))
        for number in range(KILLS):
            await asyncio.sleep(rng.uniform(0.1, 0.5))
            node = rng.choice(nodes)
            await asyncio.to_thread(node.stop if number % 2 else node.kill)
            await asyncio.to_thread(node.start)
        await playing
        found = await kept(pairs, nodes[0].url, archive)
    assert found.faults == []
    assert found.over == found.rated == found.archived == PAIRS * EACH
