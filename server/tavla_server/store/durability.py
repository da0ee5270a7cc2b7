"""Durability of a store: a Redis that we did not start may be set up as a cache."""

import asyncio

from tavla_server.errors import StoreRefused
from tavla_server.store.connection import Reply, pack_command
from tavla_server.store.pipeline import LOST, Command, Pipeline
from tavla_server.store.router import Router

NO_FILE = "it has no append-only file, so a restart loses all or the last minutes: set appendonly yes"
NO_SYNC = "it leaves it to the system when writes are on disk, so a crash loses up to 30 s: set appendfsync always"
EVICTS = "it deletes matches and accounts when its memory is full (%s): set maxmemory-policy noeviction"


async def doubts(router: Router) -> list[str]:
    """The reasons why masters of a store may lose acknowledged writes, each once, with a remedy.

    A master that is away, or does not tell, raises none.
    """
    found = await asyncio.gather(*map(_doubts, router.masters.values()))
    return sorted({doubt for some in found for doubt in some})


async def _doubts(master: Pipeline) -> list[str]:
    info = _fields(await _asked(master, b"INFO", b"persistence") + await _asked(master, b"INFO", b"memory"))
    sync = await _asked(master, b"CONFIG", b"GET", b"appendfsync")  # a hosted store may forbid it
    found = []
    if info.get("aof_enabled") == "0":
        found.append(NO_FILE)
    elif b"no" in sync.split():
        found.append(NO_SYNC)
    if (policy := info.get("maxmemory_policy", "noeviction")) != "noeviction":
        found.append(EVICTS % policy)
    return found


async def _asked(master: Pipeline, *words: bytes) -> bytes:
    """The reply of a master as text; empty when it is away, or refuses."""
    if not master.connected:
        return b""
    answer: asyncio.Future[Reply] = asyncio.get_running_loop().create_future()
    master.put(Command(pack_command(*words), answer.set_result, again=False))
    reply = await answer
    if reply is LOST or isinstance(reply, StoreRefused):
        return b""
    return reply if isinstance(reply, bytes) else b" ".join(reply)


def _fields(info: bytes) -> dict[str, str]:
    lines = (line.partition(":") for line in info.decode().splitlines())
    return {name: value.strip() for name, separator, value in lines if separator}
