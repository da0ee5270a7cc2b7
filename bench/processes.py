"""Processes under measurement: started, asked for their port, and read for CPU and memory (Linux: /proc)."""

import contextlib
import os
import subprocess
import sys
import tempfile
import urllib.request
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

_TICKS_PER_S = os.sysconf("SC_CLK_TCK")
_PAGE = os.sysconf("SC_PAGE_SIZE")


@dataclass(frozen=True)
class Measured:
    """A server process. store: the process id of its Valkey, if it has one."""

    url: str
    pid: int
    store: int | None = None

    def cpu_s(self) -> float:
        """CPU seconds used so far, user and system, without the store's."""
        return cpu_s(self.pid)

    def store_cpu_s(self) -> float:
        """CPU seconds of the store."""
        return cpu_s(self.store) if self.store else 0.0

    def rss(self) -> int:
        """Resident memory in bytes."""
        return int(Path(f"/proc/{self.pid}/statm").read_text().split()[1]) * _PAGE


def cpu_s(pid: int) -> float:
    """CPU seconds that a process has used, user and system."""
    # Field 2 is the name in brackets, which may contain anything; utime and stime are fields 14 and 15.
    stat = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(stat[11]) + int(stat[12])) / _TICKS_PER_S


def _children(pid: int) -> list[int]:
    return [int(child) for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]


@contextlib.contextmanager
def tavla_server(*options: str) -> Iterator[Measured]:
    """A real server on its embedded store, in a folder of its own."""
    command = [sys.executable, "-c", "from tavla_server.cli import main; main()", "--host", "127.0.0.1"]
    with tempfile.TemporaryDirectory() as data, contextlib.ExitStack() as stack:
        port = str(free_port())
        process = stack.enter_context(_process([*command, "--port", port, "--data", data, *options]))
        _wait_until_healthy(f"http://127.0.0.1:{port}/healthz", process)
        store = next(iter(_children(process.pid)), None)
        yield Measured(f"ws://127.0.0.1:{port}", process.pid, store)


@contextlib.contextmanager
def yardstick(name: str) -> Iterator[Measured]:
    """Run a server to compare with: `bare`, `fast` or `colyseus`."""
    with _process([sys.executable, "-m", f"bench.{name}", "0"], stdout=subprocess.PIPE) as process:
        assert process.stdout is not None, "piped"
        port = int(process.stdout.readline())
        yield Measured(f"ws://127.0.0.1:{port}", process.pid)


@contextlib.contextmanager
def _process(command: list[str], stdout: int | None = None) -> Iterator[subprocess.Popen[bytes]]:
    process = subprocess.Popen(command, stdout=stdout, stderr=subprocess.DEVNULL, preexec_fn=lambda: pin(0))
    try:
        yield process
    finally:
        process.terminate()
        process.wait()


def pin(number: int) -> None:
    """Keep this process on one processor, the servers on another than their clients and the store; not on macOS."""
    if hasattr(os, "sched_setaffinity") and len(os.sched_getaffinity(0)) > 1:
        os.sched_setaffinity(0, {sorted(os.sched_getaffinity(0))[number]})


def free_port() -> int:
    """A port that is free at the moment."""
    import socket

    with socket.create_server(("127.0.0.1", 0)) as listener:
        port: int = listener.getsockname()[1]
        return port


def _wait_until_healthy(url: str, process: subprocess.Popen[bytes]) -> None:
    while process.poll() is None:
        with contextlib.suppress(OSError), urllib.request.urlopen(url, timeout=1):
            return
    raise RuntimeError("the server ended at once: run tavla-server by hand to see why")
