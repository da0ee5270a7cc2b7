"""The version of the store: older ones are upgraded, by one node, newer ones refused."""

import asyncio

import pytest
from structlog.testing import capture_logs
from tavla_protocol import messages as m
from tavla_protocol.codes import ErrorCode
from tavla_server.errors import StartError
from tavla_server.players.skeletons import backfill_skeletons, skeleton
from tavla_server.store import keys
from tavla_server.store.client import Client
from tavla_server.store.version import Step, bring_up_to_date

from tests.support.players.accounts import registered
from tests.support.players.plain import Player, unique
from tests.support.servers.processes import Valkey, inside


async def test_of_several_nodes_that_start_at_once_one_does_each_step(own_redis: Client) -> None:
    done: list[int] = []

    def step(number: int) -> Step:
        async def do(redis: Client) -> int:
            done.append(number)
            await redis.ping()
            return 7

        return do

    await own_redis.set(keys.ALIVE_LAST(), 1)
    steps = [step(number) for number in (1, 2, 3)]
    with capture_logs() as lines:
        await asyncio.gather(*(bring_up_to_date(own_redis, node, steps) for node in "abcde"))
    assert done == [1, 2, 3]
    assert await own_redis.get(keys.VERSION()) == b"4"
    assert [(line["version"], line["changed"]) for line in lines] == [(2, 7), (3, 7), (4, 7)]


async def test_a_step_that_failed_or_whose_node_died_is_done_again(own_redis: Client) -> None:
    async def fails(_: Client) -> int:
        raise ValueError("a fault")

    async def works(_: Client) -> int:
        return 0

    with pytest.raises(ValueError, match="a fault"):
        await bring_up_to_date(own_redis, "a", [fails])
    assert await own_redis.get(keys.VERSION()) is None
    await own_redis.set(keys.UPGRADING(), "a node that is no more", px=50)
    await bring_up_to_date(own_redis, "b", [works])
    assert await own_redis.get(keys.VERSION()) == b"2"
    assert not await own_redis.exists(keys.UPGRADING())


async def test_a_newer_store_is_refused_and_left_as_it_was(own_valkey: Valkey, own_redis: Client) -> None:
    await own_redis.set(keys.VERSION(), 99)
    with pytest.raises(StartError, match=r"the store is of version 99, and this server knows \d at most: start a"):
        async with inside(own_valkey.url):
            pass
    assert await own_redis.keys() == [keys.VERSION().encode()]


async def test_names_from_before_there_were_looks_are_nobody_elses(own_valkey: Valkey, own_redis: Client) -> None:
    """From version 1 to 2."""
    async with inside(own_valkey.url) as url, Player(url, unique("ada")) as ada, Player(url, unique("bob")) as bob:
        await registered(ada)
    assert bob.name
    assert ada.name
    looks = [keys.LOOK(skeleton(name)) for name in (ada.name, bob.name)]
    assert await own_redis.delete(keys.VERSION(), *looks) == 3
    async with inside(own_valkey.url) as url:
        for name in (ada.name, bob.name):
            stranger = Player(url)
            await stranger.connect()
            answer = await stranger.ask(m.Hello, name=f"{name}_")
            assert isinstance(answer, m.Error)
            assert answer.code == ErrorCode.NAME_TAKEN
            await stranger.close()
    kept, guest = [await own_redis.pttl(look) for look in looks]
    assert (kept, guest > 0) == (-1, True)


async def test_a_look_from_before_is_kept_as_long_as_its_name(own_redis: Client) -> None:
    await own_redis.set(keys.NAME("ada"), "1")
    await own_redis.set(keys.NAME("bob"), "2", ex=60)
    assert await backfill_skeletons(own_redis) == 2
    kept, guest = [await own_redis.pttl(keys.LOOK(skeleton(name))) for name in ("ada", "bob")]
    assert (kept, guest > 0) == (-1, True)
