"""The store is killed, or loses what was not on disk: nothing that was shown is lost while a node remembers it."""

import random
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from tests.faults.club import Club
from tests.faults.trouble import kill_store, lose_power
from tests.support.servers.lifetimes import own_store, started
from tests.support.servers.processes import ServerProcess, assert_no_fault
from tests.support.servers.valkey import Valkey

TABLES = 3
AWAY_S = 9.0  # the players' clocks have 8 s


@pytest.fixture
def everysec() -> Iterator[Valkey]:
    """A store that may lose its last second."""
    with own_store("everysec") as valkey:
        yield valkey


@asynccontextmanager
async def club_on(valkey: Valkey, folder: Path, rng: random.Random) -> AsyncIterator[tuple[Club, list[ServerProcess]]]:
    """A club on two nodes, which have no fault in the end, and neither has what was seen there."""
    with started(*(ServerProcess(folder / name, "--redis", valkey.url) for name in ("a", "b"))) as nodes:
        async with Club([node.url for node in nodes], valkey.url, rng, TABLES) as club:
            yield club, [*nodes]
            assert await club.finish() == []
        for node in nodes:
            assert_no_fault(node)


async def test_a_store_that_is_killed_has_lost_nothing_and_costs_nobody_time(
    own_valkey: Valkey, tmp_path: Path, rng: random.Random
) -> None:
    async with club_on(own_valkey, tmp_path, rng) as (club, _):
        for away_s in (0.0, AWAY_S):
            await kill_store(club, own_valkey, away_s, rng)
    assert club.refusals == {}


async def test_what_a_store_forgets_comes_back_from_the_nodes(
    everysec: Valkey, tmp_path: Path, rng: random.Random
) -> None:
    async with club_on(everysec, tmp_path, rng) as (club, _):
        await lose_power(club, everysec)
    assert club.refusals == {}


async def test_if_no_node_remembers_either_one_second_is_lost_and_no_more(
    everysec: Valkey, tmp_path: Path, rng: random.Random
) -> None:
    async with club_on(everysec, tmp_path, rng) as (club, nodes):
        await lose_power(club, everysec, nodes)
    assert club.lost > 0
