"""The forms of `--redis`, and who is found by them."""

import asyncio

import pytest
from redis.exceptions import ConnectionError as RedisConnectionError
from tavla_server.grouped import GroupedRedis
from tavla_server.masters import find_masters

from tests.players import TIMEOUT_S, unique
from tests.redises import Cluster, SentinelSet, replicated

NONE = [
    "redis+sentinel://127.0.0.1:26379",  # no service
    "redis+sentinel://127.0.0.1:26379/mymaster/zero",
    "redis+sentinel:///mymaster",
    "redis+cluster://127.0.0.1:7000/1",  # a cluster has no databases
    "redis+cluster://127.0.0.1:port",
    "redis+nothing://127.0.0.1",
]


@pytest.mark.parametrize("url", NONE)
async def test_an_address_that_is_none(url: str) -> None:
    with pytest.raises(ValueError, match=r"."):
        await find_masters(url)


async def test_a_single_server_has_all_keys() -> None:
    masters = await find_masters("redis://:secret@127.0.0.1:6379/2")
    assert masters.of(b"a") == masters.of(b"b") == "redis://:secret@127.0.0.1:6379/2"


async def test_sentinels_name_the_master_and_its_login_and_database_are_ours() -> None:
    with replicated(SentinelSet) as store:
        masters = await find_masters(store.url.replace("//", "//ada:p%40ss@").replace("/0", "/3"))
        assert masters.by_slot == [f"redis://ada:p%40ss@127.0.0.1:{store.serving().port}/3"]
        with pytest.raises(RedisConnectionError):
            await find_masters(store.url.replace("mymaster", "another"))


async def test_in_a_cluster_every_command_goes_to_the_master_of_its_key() -> None:
    with replicated(Cluster) as store:
        masters = await find_masters(store.url)
        assert len(set(masters.by_slot)) == 3
        redis = GroupedRedis(masters)
        await redis.open()
        looking = asyncio.create_task(masters.run())
        script = redis.register_script("return redis.call('SET', KEYS[1], ARGV[1])")
        keys = [unique("key") for _ in range(50)]
        await asyncio.gather(*(redis.set(key, key) for key in keys[:25]))
        await asyncio.gather(*(script(keys=[key], args=[key]) for key in keys[25:]))
        for key in keys:
            assert store.serving(key).ask("GET", key) == key.encode()
        assert await redis.ping()

        # A slot that moves to another master is followed.
        key = keys[0]
        with store.moving(key) as after:
            asked = asyncio.ensure_future(redis.get(key))  # it is told to ask elsewhere, until the slot has moved
            await asyncio.sleep(0)
        async with asyncio.timeout(TIMEOUT_S):
            assert await asked == key.encode()
            await redis.set(key, "later")
        assert after.ask("GET", key) == b"later"
        looking.cancel()
        await redis.aclose()
