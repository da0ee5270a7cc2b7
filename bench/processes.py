"""Processes under measurement: servers and stores, read for CPU and memory (Linux: /proc)."""

import contextlib
import json
import os
import resource
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tests.support.servers.lifetimes import own_store, started
from tests.support.servers.processes import ServerProcess, script
from tests.support.servers.valkey import Valkey, short_folder

_TICKS_PER_S = os.sysconf("SC_CLK_TCK")
_PAGE = os.sysconf("SC_PAGE_SIZE")
FIRST, LAST = 0, -1  # processors: of a server that is measured alone, and of its clients


def cpu_s(pid: int) -> float:
    """CPU seconds that a process has used, user and system."""
    # Field 2 is the name in brackets, which may contain anything; utime and stime are fields 14 and 15.
    stat = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(stat[11]) + int(stat[12])) / _TICKS_PER_S


def resident(pid: int) -> int:
    """Resident memory of a process in bytes."""
    return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * _PAGE


def pin(processor: int | None) -> None:
    """Keep this process on one processor, the server on another than its clients; None = on any. Not on macOS."""
    if processor is not None and hasattr(os, "sched_setaffinity") and len(os.sched_getaffinity(0)) > 1:
        os.sched_setaffinity(0, {sorted(os.sched_getaffinity(0))[processor]})


def use_all_descriptors(wanted: int = 0) -> int:
    """Let this process, and those that it starts, have as many descriptors as the system allows; how many."""
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    with contextlib.suppress(OSError, ValueError):  # only root may have more than the hard limit
        resource.setrlimit(resource.RLIMIT_NOFILE, (max(hard, wanted), max(hard, wanted)))
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    return hard


class LoneServer(ServerProcess):
    """A server with an embedded store, both on the first processor."""

    def __init__(self, data: Path, *options: str) -> None:
        # In a session of its own, as a service is: in ours Linux would give server and clients one share of the
        # processor together, and the store now and then none for seconds.
        super().__init__(data, *options, command=["setsid", *script("tavla-server")])

    def spawn(self) -> None:
        """Start the process; in a thread that stays there, as its children do."""
        before = os.sched_getaffinity(0)
        pin(FIRST)
        super().spawn()
        os.sched_setaffinity(0, before)

    def logged(self, event: str, after: int = 0) -> list[dict[str, Any]]:
        """The log's lines of a kind after the first `after` lines of all."""
        told = [json.loads(line) for line in self.lines[after:] if line.startswith("{")]
        return [line for line in told if line["event"] == event]


@contextlib.contextmanager
def lone_server(*options: str) -> Iterator[LoneServer]:
    """A server on its embedded store, in a folder of its own."""
    with short_folder() as folder, started(LoneServer(folder / "data", *options)) as (server,):
        yield server


@contextlib.contextmanager
def store() -> Iterator[Valkey]:
    """A Valkey of the bench's own, each write on disk before it is answered."""
    with own_store(on_disk=True) as valkey:
        valkey.configure("auto-aof-rewrite-percentage", "0")  # its file only grows, and nothing else takes its CPU
        yield valkey


@contextlib.contextmanager
def servers(valkey: Valkey, count: int, *options: str) -> Iterator[list[ServerProcess]]:
    """So many servers on one store."""
    with short_folder() as folder:
        numbers = map(str, range(count))
        with started(*(ServerProcess(folder / one, "--redis", valkey.url, *options) for one in numbers)) as all_:
            yield [*all_]


@contextlib.contextmanager
def yardstick() -> Iterator[tuple[str, int]]:
    """Address and process of `bench.yardstick`, the server to compare with, on the first processor."""
    command = [sys.executable, "-m", "bench.yardstick", "0"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, preexec_fn=lambda: pin(FIRST)) as process:
        try:
            assert process.stdout is not None, "piped"
            yield f"ws://127.0.0.1:{int(process.stdout.readline())}", process.pid
        finally:
            process.terminate()
