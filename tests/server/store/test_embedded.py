"""The embedded store, when its Valkey does not do what it is told."""

import asyncio
import contextlib
import fcntl
import os
import signal
from collections.abc import AsyncIterator, Callable, Iterator
from pathlib import Path

import pytest
from redis.exceptions import RedisError
from structlog.testing import capture_logs
from tavla_server.errors import StoreError
from tavla_server.store import embedded as module
from tavla_server.store.embedded import EmbeddedStore

from tests.support.patience import PATIENCE_S
from tests.support.servers import alive, kill, redis_at, short_folder


@pytest.fixture
def data() -> Iterator[Path]:
    """A data folder, empty."""
    with short_folder() as folder:
        yield folder


@contextlib.asynccontextmanager
async def started(data: Path) -> AsyncIterator[EmbeddedStore]:
    store = EmbeddedStore(data)
    try:
        await store.start()
        yield store
    finally:
        await store.stop()


def pid_of(store: EmbeddedStore) -> int:
    """Its Valkey's; 0 while it does not answer."""
    with contextlib.suppress(RedisError, OSError), contextlib.closing(redis_at(store.url)) as redis:
        return int(redis.info("server")["process_id"])
    return 0


async def until(holds: Callable[[], object]) -> None:
    async with asyncio.timeout(PATIENCE_S):
        while not holds():  # noqa: ASYNC110 - a process tells nobody how it is
            await asyncio.sleep(0.01)


async def test_a_valkey_that_does_not_end_is_killed(data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "STOP_TIMEOUT_S", 0.1)
    async with started(data) as store:
        pid = pid_of(store)
        os.kill(pid, signal.SIGSTOP)
    assert not alive(pid)


async def test_a_valkey_that_cannot_be_started_again_is_tried_until_it_can(
    data: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "RESTART_S", 0.01)
    async with started(data) as store:
        manifest = data / "appendonlydir" / "appendonly.aof.manifest"
        whole, pid = manifest.read_bytes(), pid_of(store)
        manifest.write_text("not ours")
        with capture_logs() as lines:
            kill(pid)
            await until(lambda: any(line["event"] == "store_restart_failed" for line in lines))
        assert (lines[0]["event"], lines[0]["exit_code"]) == ("store_died", -signal.SIGKILL)
        manifest.write_bytes(whole)
        await until(lambda: pid_of(store))


async def test_a_valkey_that_says_nothing_is_given_up(data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    mute = data / "valkey-server"
    mute.write_text("#!/bin/sh\nexec sleep 600\n")
    mute.chmod(0o700)
    monkeypatch.setattr(module, "get_binary_path", lambda: mute)
    monkeypatch.setattr(module, "START_TIMEOUT_S", 0.1)
    with pytest.raises(StoreError, match=r"does not answer: see .*valkey\.log"):
        async with started(data):
            pass


async def test_a_folder_whose_valkey_does_not_end_is_not_used(data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with (data / "valkey.lock").open("wb") as lock, monkeypatch.context() as patch:
        fcntl.flock(lock, fcntl.LOCK_EX)  # as a Valkey of an earlier server has it
        patch.setattr(module, "START_TIMEOUT_S", 0.1)
        with pytest.raises(StoreError, match="does not stop: end its valkey-server"):
            async with started(data):
                pass
    async with started(data) as store:
        assert pid_of(store)
