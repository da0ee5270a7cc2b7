"""The forms of `--redis`, and who is found by them."""

import asyncio
import contextlib

import pytest
from redis.exceptions import RedisError
from tavla_server.errors import StoreRefused, StoreUnavailable
from tavla_server.store.client import Client
from tavla_server.store.topology import Topology, find_topology

from tests.support.patience import PATIENCE_S
from tests.support.players.plain import unique
from tests.support.stores.cluster import Cluster
from tests.support.stores.redises import SERVICE, Instance, SentinelSet, replicated, until

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
        await find_topology(url)


async def test_a_single_server_has_all_keys() -> None:
    masters = await find_topology("redis://:secret@127.0.0.1:6379/2")
    assert masters.of(b"a") == masters.of(b"b") == "redis://:secret@127.0.0.1:6379/2"


@pytest.mark.slow
async def test_sentinels_name_the_master_and_its_login_and_database_are_ours() -> None:
    with replicated(SentinelSet) as store:
        masters = await find_topology(store.url.replace("//", "//ada:p%40ss@").replace("/0", "/3"))
        assert masters.by_slot == [f"redis://ada:p%40ss@127.0.0.1:{store.serving().port}/3"]
        with pytest.raises(StoreRefused, match="No such master"):
            await find_topology(store.url.replace("mymaster", "another"))


@pytest.mark.long
async def test_a_sentinel_that_was_frozen_does_not_bring_the_old_master_back() -> None:
    with replicated(SentinelSet) as store:
        old, late = store.serving(), store.sentinels[0]
        masters = await find_topology(store.url)
        changes: list[str] = []
        masters.changed.append(lambda: changes.append(masters.by_slot[0]))
        old.freeze()
        late.freeze()
        async with asyncio.timeout(PATIENCE_S):
            while not changes:
                await masters.look()
            late.thaw()
            old.thaw()
            while _named(late) == old.port or not _replicates(old):
                await masters.look()
        assert changes == [f"{store.serving().url}/0"]


@pytest.mark.long
async def test_sentinels_that_are_behind_are_believed_when_all_of_them_are() -> None:
    with replicated(SentinelSet) as store:
        old = store.kill_master()
        until(lambda: {_named(sentinel) for sentinel in store.sentinels} != {old.port}, "a new master")
        new = store.serving()
        sentinel, *others = store.sentinels
        until(lambda: _named(sentinel) == new.port, "a Sentinel that knows it")
        for other in others:
            other.kill()
        behind = store.add_sentinel(old)
        masters = await find_topology(store.url_by([behind, sentinel]))
        assert masters.by_slot == [f"{new.url}/0"]
        sentinel.freeze()
        with pytest.raises(StoreUnavailable):
            await masters.look()
        sentinel.thaw()
        sentinel.ask("SENTINEL", "REMOVE", SERVICE)
        sentinel.ask("SENTINEL", "MONITOR", SERVICE, "127.0.0.1", str(old.port), "2")
        await masters.look()
        assert masters.by_slot == [f"{old.url}/0"]


@pytest.mark.long
async def test_a_node_that_is_behind_its_cluster_is_not_believed() -> None:
    with replicated(Cluster) as store:
        masters = await find_topology(f"{store.url},127.0.0.1:{store.instances[-1].port}")
        behind, old = store.instances[-1], store.instances[0]  # a replica, and a master that is not its own
        behind.kill()
        old.kill()
        until(lambda: old not in store.masters(), "a new master")
        async with asyncio.timeout(PATIENCE_S):
            while old.url in _urls(masters):
                await masters.look()
        store.start_alone(behind)
        assert old.url in _urls(await find_topology(f"redis+cluster://127.0.0.1:{behind.port}"))
        for _ in range(30):  # each asks one of six
            await masters.look()
            assert old.url not in _urls(masters)


@pytest.mark.slow
async def test_in_a_cluster_every_command_goes_to_the_master_of_its_key() -> None:
    with replicated(Cluster) as store:
        masters = await find_topology(store.url)
        assert len(set(masters.by_slot)) == 3
        redis = Client(masters)
        await redis.router.open()
        looking = asyncio.create_task(masters.run())
        script = redis.script("take_quota")  # it writes to its key
        keys = [unique("key") for _ in range(50)]
        await asyncio.gather(*(redis.set(key, key) for key in keys[:25]))
        await asyncio.gather(*(script(keys=[key], args=[10, 60]) for key in keys[25:]))
        for key in keys:
            assert store.serving(key).ask("GET", key) == (key.encode() if key in keys[:25] else b"1")
        assert await redis.ping()

        # A slot that moves to another master is followed.
        key = keys[0]
        with store.moving(key) as after:
            asked = asyncio.ensure_future(redis.get(key))  # it is told to ask elsewhere, until the slot has moved
            await asyncio.sleep(0)
        async with asyncio.timeout(PATIENCE_S):
            assert await asked == key.encode()
            await redis.set(key, "later")
        assert after.ask("GET", key) == b"later"
        looking.cancel()
        await redis.aclose()


def _named(sentinel: Instance) -> int:
    """The port of the master that a Sentinel names."""
    return int(sentinel.ask("SENTINEL", "GET-MASTER-ADDR-BY-NAME", SERVICE)[1])


def _replicates(instance: Instance) -> bool:
    """True if one is a replica; it hangs up on everyone when it becomes one."""
    with contextlib.suppress(RedisError):
        return bool(instance.replication()["role"] == "slave")
    return False


def _urls(masters: Topology) -> set[str]:
    return {url.removesuffix("/0") for url in masters.by_slot}
