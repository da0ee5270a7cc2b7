"""All that stands in an embedded store at one moment, as a file; and the files of a store that begins with it."""

import asyncio
import contextlib
import os
import shutil
from collections.abc import Iterator
from pathlib import Path

from tavla_server import files
from tavla_server.errors import StartError
from tavla_server.store import append_only
from tavla_server.store.client import Client

POLL_S = 0.05
WRITTEN = "dump.rdb"  # what Valkey calls such a file
ROOM = 64_000_000  # bytes that stay free on the store's disk: with none Valkey could not go on


async def save(redis: Client, data: Path, to: Path) -> None:
    """Have the store of a folder write all that is in it to a file, while it goes on.

    Valkey forks for it: what is written meanwhile takes its memory twice. Source: valkey.io/commands/bgsave.
    Raises: StartError when it cannot; StoreUnavailable.
    """
    memory = await redis.info("memory")
    if shutil.disk_usage(data).free < int(memory["used_memory"]) + ROOM:
        raise StartError(f"the disk of {data} has no room for a copy of the store: make room")
    with alone(data):
        begun = int((await _state(redis))["rdb_saves"])
        await redis.execute_command("BGSAVE", "SCHEDULE")
        state = await _state(redis)
        while state["rdb_bgsave_in_progress"] or int(state["rdb_saves"]) == begun:
            await asyncio.sleep(POLL_S)
            state = await _state(redis)
        if state["rdb_last_bgsave_status"] != "ok":
            raise StartError(f"the store could not write a copy of itself: see valkey.log in {data}")
        shutil.move(data / WRITTEN, to)


@contextlib.contextmanager
def alone(data: Path) -> Iterator[None]:
    """The file has one name: one at a time makes it. (The folder is locked, and gets no file that root owns.)"""
    with files.folder_lock(data) as is_ours:
        if not is_ours:
            raise StartError(f"another backup of {data} is being made: wait for it")
        yield


async def _state(redis: Client) -> dict[str, int | str]:
    """The store's report on its files. rdb_saves: the number of dumps it has begun to write."""
    return await redis.info("persistence")


def lay_out(data: Path, copy: Path) -> None:
    """Make the files of a store in a folder that has none: it begins with what is in a copy, which is moved there."""
    folder = data / append_only.FOLDER
    folder.mkdir(mode=0o700)
    copy.rename(folder / "appendonly.aof.1.base.rdb")
    os.close(os.open(folder / "appendonly.aof.1.incr.aof", os.O_WRONLY | os.O_CREAT, 0o600))
    append_only.write_manifest(data)
