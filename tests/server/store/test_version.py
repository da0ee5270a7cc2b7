"""The version of the store: a new store gets one, a newer one is refused."""

import pytest
from tavla_server.errors import StartError
from tavla_server.store import keys
from tavla_server.store.client import Client
from tavla_server.store.version import VERSION

from tests.support.servers.processes import inside
from tests.support.servers.valkey import Valkey


async def test_a_new_store_gets_the_version_of_its_server_and_keeps_it(own_valkey: Valkey, own_redis: Client) -> None:
    for _ in range(2):
        async with inside(own_valkey.url):
            assert await own_redis.get(keys.VERSION()) == str(VERSION).encode()


async def test_a_newer_store_is_refused_and_left_as_it_was(own_valkey: Valkey, own_redis: Client) -> None:
    await own_redis.set(keys.VERSION(), 99)
    with pytest.raises(StartError, match=r"the store is of version 99, and this server knows \d at most: start a"):
        async with inside(own_valkey.url):
            pass
    assert await own_redis.keys() == [keys.VERSION().encode()]
