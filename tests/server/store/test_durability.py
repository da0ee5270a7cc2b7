"""A Redis that may lose what it has answered is named in the log, and refused on demand."""

import json

import pytest
from tavla_server.store.client import Client
from tavla_server.store.durability import NO_FILE, doubts
from tavla_server.store.router import Router
from tavla_server.store.topology import find_topology

from tests.support.servers.lifetimes import fails_to_start
from tests.support.servers.processes import NewServer
from tests.support.servers.valkey import Valkey

# a setting, its value, what is said of it
DOUBTFUL = [
    ("appendonly", "no", "it has no append-only file, so a restart loses all or the last minutes: set appendonly yes"),
    (
        "appendfsync",
        "no",
        "it leaves it to the system when writes are on disk, so a crash loses up to 30 s: set appendfsync always",
    ),
    (
        "maxmemory-policy",
        "allkeys-lru",
        "it deletes matches and accounts when its memory is full (allkeys-lru): set maxmemory-policy noeviction",
    ),
]


@pytest.mark.parametrize(("name", "value", "why", "workers"), [*((*row, "1") for row in DOUBTFUL), (*DOUBTFUL[0], "2")])
def test_a_store_that_may_forget(
    own_valkey: Valkey, new_server: NewServer, name: str, value: str, why: str, workers: str
) -> None:
    own_valkey.configure(name, value)
    server = new_server("--redis", own_valkey.tcp_url, "--workers", workers)
    server.start()
    said = [json.loads(line) for line in server.lines if "store_not_durable" in line]
    assert [(line["level"], line["why"]) for line in said] == [("warning", [why])]
    strict = new_server("--redis", own_valkey.tcp_url, "--workers", workers, "--require-durable")
    shown = f"127.0.0.1:{own_valkey.port}"
    assert fails_to_start(strict) == f"tavla-server: Redis at redis://{shown} may lose what it has stored: {why}"


def test_a_store_that_keeps_what_it_has(own_valkey: Valkey, new_server: NewServer) -> None:
    for settings in ({}, {"appendfsync": "everysec"}):
        for name, value in settings.items():
            own_valkey.configure(name, value)
        server = new_server("--redis", own_valkey.tcp_url, "--require-durable")
        server.start()
        assert not [line for line in server.lines if "store_not_durable" in line]


async def test_a_master_that_is_away_or_does_not_tell_raises_no_doubt(own_valkey: Valkey, own_redis: Client) -> None:
    own_valkey.configure("appendonly", "no")
    router = Router(await find_topology(own_valkey.url), [])
    assert await doubts(router) == [], "it is away: not connected yet"
    await router.open()
    try:
        assert await doubts(router) == [NO_FILE]
        await own_redis.execute_command("ACL", "SETUSER", "default", "-info", "-config")
        assert await doubts(router) == []
    finally:
        await router.close()
