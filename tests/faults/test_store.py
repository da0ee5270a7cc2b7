"""The store is killed, or loses what was not on disk: nothing that was shown is lost while a node remembers it."""

import random
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.faults.club import Club
from tests.faults.trouble import kill_store, lose_power
from tests.support.servers.processes import ServerProcess, Valkey, assert_no_fault, folder_in_memory

TABLES = 3
AWAY_S = 9.0  # the players' clocks have 8 s

NewServer = Callable[..., ServerProcess]


@pytest.fixture
def everysec() -> Iterator[Valkey]:
    """A store that may lose its last second."""
    with folder_in_memory() as folder:
        valkey = Valkey(folder, fsync="everysec")
        valkey.start()
        yield valkey
        valkey.kill()


def two_nodes(new_server: NewServer, folder: Path, valkey: Valkey) -> list[ServerProcess]:
    nodes = [new_server("--redis", valkey.url, data=folder / str(number)) for number in range(2)]
    for node in nodes:
        node.start()
    return nodes


async def test_a_store_that_is_killed_has_lost_nothing_and_costs_nobody_time(
    own_valkey: Valkey, new_server: NewServer, tmp_path: Path, rng: random.Random
) -> None:
    nodes = two_nodes(new_server, tmp_path, own_valkey)
    async with Club([node.url for node in nodes], own_valkey.url, rng, TABLES) as club:
        for away_s in (0.0, AWAY_S):
            await kill_store(club, own_valkey, away_s, rng)
        assert await club.finish() == []
        assert club.refusals == {}
    for node in nodes:
        assert_no_fault(node)


async def test_what_a_store_forgets_comes_back_from_the_nodes(
    everysec: Valkey, new_server: NewServer, tmp_path: Path, rng: random.Random
) -> None:
    nodes = two_nodes(new_server, tmp_path, everysec)
    async with Club([node.url for node in nodes], everysec.url, rng, TABLES) as club:
        await lose_power(club, everysec)
        assert await club.finish() == []
        assert club.refusals == {}
    for node in nodes:
        assert_no_fault(node)


async def test_if_no_node_remembers_either_one_second_is_lost_and_no_more(
    everysec: Valkey, new_server: NewServer, tmp_path: Path, rng: random.Random
) -> None:
    nodes = two_nodes(new_server, tmp_path, everysec)
    async with Club([node.url for node in nodes], everysec.url, rng, TABLES) as club:
        await lose_power(club, everysec, nodes)
        assert await club.finish() == []
        assert club.lost > 0
    for node in nodes:
        assert_no_fault(node)
