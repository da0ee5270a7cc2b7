"""Servers and stores that live for as long as a test needs them, and leave no process behind."""

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TypeVar

from tests.support.servers.nursery import NURSERIES
from tests.support.servers.processes import RUN, ServerProcess, alive
from tests.support.servers.valkey import Valkey, folder_in_memory, short_folder

S = TypeVar("S", bound=ServerProcess)


@contextmanager
def started(*servers: S) -> Iterator[tuple[S, ...]]:
    """Start servers at once, and wait until they serve."""
    try:
        for server in servers:
            server.spawn()
        for server in servers:
            server.wait_for_event("serving")
        yield servers
    finally:
        for server in servers:
            server.clean_up()


@contextmanager
def own_store(fsync: str = "always", on_disk: bool = False) -> Iterator[Valkey]:
    """A started store. fsync: when it writes. on_disk: not to memory, where it waits for nothing."""
    with short_folder() if on_disk else folder_in_memory() as folder:
        valkey = Valkey(folder, fsync)
        valkey.start()
        try:
            yield valkey
        finally:
            valkey.kill()


def fails_to_start(server: ServerProcess) -> str:
    """The error of a server that does not start: one line."""
    server.spawn()
    code = server.wait()
    said = [line for line in server.lines if line.startswith("tavla-server: ")]
    assert code == 1, server.lines
    assert len(said) == 1, server.lines
    assert server.lines[-1] == said[0], "the last word"
    assert not [line for line in server.lines if "Traceback" in line]
    return said[0].strip()


def left_behind() -> dict[int, str]:
    """Stores and servers that this run of tests has started and not ended: process and command line.

    They are ours, or nobody's, since their parent has died. (Those of other processes of the same run are theirs.)
    """
    mark = f"TAVLA_TEST_RUN={RUN}".encode()
    nurseries = {nursery.pid for nursery in NURSERIES.values()}
    found = {}
    for folder in Path("/proc").glob("[0-9]*"):
        with suppress(OSError, IndexError, ValueError):
            command = (folder / "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace").strip()
            parent = int((folder / "stat").read_text().rpartition(")")[2].split()[1])
            orphan = parent == 1 and mark in (folder / "environ").read_bytes().split(b"\0")
            ours = int(folder.name) not in nurseries and (parent in (os.getpid(), *nurseries) or orphan)
            if ours and ("valkey-server" in command or "tavla-server" in command) and alive(int(folder.name)):
                found[int(folder.name)] = command
    return found
