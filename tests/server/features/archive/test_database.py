"""What a database leaves open: nothing, whoever leaves at whatever moment, and whoever else holds its lock."""

import asyncio
import contextlib
import gc
import os
import sqlite3
import subprocess
import sys
from collections.abc import Callable, Coroutine, Generator, Iterator
from pathlib import Path
from types import coroutine
from typing import Any

import pytest
import sqlalchemy as sa
from structlog.testing import capture_logs
from tavla_server.errors import ArchiveUnavailable
from tavla_server.features.archive.database import CONNECTIONS, Database
from tavla_server.features.archive.schema import seats

from tests.support.patience import PATIENCE_S
from tests.support.servers.valkey import folder_in_memory

HOLD = """
import sqlite3, sys
held = sqlite3.connect(sys.argv[1], isolation_level=None)
held.execute("BEGIN IMMEDIATE")
print("held", flush=True)
sys.stdin.read()
"""


@pytest.fixture
def file() -> Iterator[Path]:
    """A file for an archive; until the end, what was forgotten stays open."""
    gc.disable()
    with folder_in_memory() as folder:
        yield folder / "archive.sqlite3"
    gc.enable()


@contextlib.contextmanager
def held(file: Path) -> Iterator[None]:
    """Another process has the lock of a file."""
    command = [sys.executable, "-c", HOLD, str(file)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        assert process.stdout.readline() == b"held\n"
        try:
            yield
        finally:
            process.stdin.close()


def descriptors(file: Path) -> int:
    """The number of descriptors of a file, and of those beside it, that this process has open."""
    links = []
    for number in os.listdir("/proc/self/fd"):
        with contextlib.suppress(OSError):  # that of the list itself
            links.append(os.readlink(f"/proc/self/fd/{number}"))
    return sum(link.startswith(str(file)) for link in links)


async def read(database: Database) -> None:
    async with database.reading() as transaction:
        await transaction.scalar(sa.select(sa.func.count()).select_from(seats))


async def write(database: Database) -> None:
    async with database.writing() as transaction:
        await transaction.execute(sa.delete(seats))
        await transaction.execute(sa.delete(seats))


async def cancelled_at(await_: int, times: int, work: Coroutine[Any, Any, None]) -> bool:
    """Do something that is cancelled at one of its awaits, so many times; False: it was done before it came to that."""

    @coroutine
    def driven() -> Generator[Any, Any, bool]:
        left = times
        try:
            for _ in range(await_):
                yield work.send(None)
            work.send(None)
            while left:
                left -= 1
                work.throw(asyncio.CancelledError)
        except (StopIteration, asyncio.CancelledError):
            return left < times
        finally:
            work.close()
        raise AssertionError("it goes on, though it was cancelled")

    return bool(await driven())


@pytest.mark.parametrize("is_held", [False, True], ids=["free", "held"])
@pytest.mark.parametrize("work", [read, write])
async def test_who_is_cancelled_at_any_await_leaves_nothing_open(
    file: Path, work: Callable[[Database], Coroutine[Any, Any, None]], is_held: bool
) -> None:
    database = Database(f"sqlite:///{file}")
    await read(database)
    with held(file) if is_held else contextlib.nullcontext():
        for times in (1, 2):
            for await_ in (
                [0] * 3 if is_held and work is write else range(100)
            ):  # it waits for the lock, or for its turn
                if not await cancelled_at(await_, times, work(database)):
                    assert await_ > 1, "there were some"
                    break
    async with asyncio.timeout(PATIENCE_S):
        await write(database)  # when the writers before it have ended
        while (count := descriptors(file)) > 2 * CONNECTIONS + 1:  # the file and its log each, and what they share
            await read(database)
    with contextlib.closing(sqlite3.connect(file, timeout=0, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
    await database.close()
    assert (count > 0, descriptors(file)) == (True, 0)


async def test_tables_that_take_long_to_be_made_are_made_once(file: Path) -> None:
    """Another process holds the lock for longer than anybody waits for an answer."""
    database = Database(f"sqlite:///{file}", answer_s=0.01)
    with capture_logs() as lines:
        with held(file), pytest.raises(ArchiveUnavailable, match="its tables are being made"):
            await read(database)
        async with asyncio.timeout(PATIENCE_S):
            while True:
                with contextlib.suppress(ArchiveUnavailable):
                    await read(database)
                    break
    assert [line["event"] for line in lines] == ["archive_created"]
    await database.close()
