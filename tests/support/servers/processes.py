"""Real servers and real stores for the tests: each a process of its own."""

import contextlib
import gzip
import json
import os
import random
import secrets
import signal
import socket
import subprocess
import sys
import threading
import time
import urllib.error
import urllib.request
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

from redis import Redis
from redis.backoff import NoBackoff
from redis.exceptions import RedisError
from redis.retry import Retry
from tavla_server.app import running
from tavla_server.gateway.tls import Certificate
from tavla_server.limits import DEFAULT_LIMITS, Limits
from tavla_server.options import Options
from tavla_server.store.embedded_store import EmbeddedStore
from tavla_server.timings import DEFAULTS, Timings

from tests.support.patience import PATIENCE_S
from tests.support.servers.nursery import NURSERIES, SERVER, ForkedProcess, end_with_parent

SEED_KEY = Path(__file__).parents[2] / "data" / "seed.key"
# All that this run of tests starts inherits it, its other processes (pytest-xdist), too: /proc tells ours by it.
RUN = os.environ.setdefault("TAVLA_TEST_RUN", secrets.token_hex(8))


def script(name: str) -> list[str]:
    """The command that starts one of our console scripts, installed or not."""
    installed = Path(sys.executable).with_name(name)
    if installed.exists():
        return [str(installed)]
    module = {"tavla-server": "tavla_server.process.cli", "tavla": "tavla_cli.main"}[name]
    return [sys.executable, "-c", f"from {module} import main; main()"]


_given: set[int] = set()


def free_port() -> int:
    """A free port, below those that outgoing connections take: it stays free over a restart.

    (A client that tries again and again to reach a closed port in that range ends up connected to itself.) Until it is
    used nobody else is given it: neither here nor, where several processes share the tests, in another one.
    """
    processes = int(os.environ.get("PYTEST_XDIST_WORKER_COUNT", "1"))
    number = int(os.environ.get("PYTEST_XDIST_WORKER", "gw0").removeprefix("gw"))
    ours = range(12_000 + number, 32_000, processes)
    for port in random.SystemRandom().sample([port for port in ours if port not in _given], 100):
        with socket.socket() as probe, contextlib.suppress(OSError):
            probe.bind(("127.0.0.1", port))
            _given.add(port)
            return port
    raise AssertionError("no port is free")


def ends_with_us() -> Callable[[], None] | None:
    """Setup in a program that is to end when these tests are killed, and can clean up no more.

    The system goes by the thread that has started it: those of other threads are ended by the tests alone.
    """
    is_main = threading.current_thread() is threading.main_thread()
    return end_with_parent if is_main and sys.platform == "linux" else None


def kill(pid: int) -> None:
    """kill -9, if it still runs."""
    with contextlib.suppress(ProcessLookupError):
        os.kill(pid, signal.SIGKILL)


def alive(pid: int) -> bool:
    """True if a process runs; one that has ended and waits for its parent does not."""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    with contextlib.suppress(OSError):
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    return True


def children(pid: int, name: str = "") -> list[int]:
    """Processes that were started by another one, and have this in their command."""
    found = []
    with contextlib.suppress(OSError):  # it has just ended
        for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split():
            with contextlib.suppress(OSError):
                found += [int(child)] if name in Path(f"/proc/{child}/cmdline").read_text() else []
    return found


def page(url: str, path: str, headers: dict[str, str] | None = None) -> tuple[int, str]:
    """The answer of a server at ws://... to plain HTTP: the status and the text."""
    request = urllib.request.Request(url.replace("ws://", "http://") + path, headers=headers or {})
    try:
        with urllib.request.urlopen(request, timeout=PATIENCE_S) as answer:
            body = answer.read()
            packed = answer.headers["Content-Encoding"] == "gzip"
            return answer.status, (gzip.decompress(body) if packed else body).decode()
    except urllib.error.HTTPError as error:
        with error:
            return error.code, error.read().decode()


def ready_in_time(url: str, path: str = "/readyz") -> tuple[int, str]:
    """The answer of a server that is not late, as it may be on a busy machine."""
    deadline = time.monotonic() + PATIENCE_S
    while (answer := page(url, path))[1].startswith("overloaded"):
        assert time.monotonic() < deadline, answer
    return answer


def redis_at(url: str, timeout_s: float = PATIENCE_S) -> Redis:
    """A connection that tries once."""
    return Redis.from_url(url, retry=Retry(NoBackoff(), 0), socket_timeout=timeout_s)


class ServerProcess:
    """`tavla-server` on a port of its own. lines: what it wrote to stderr, from all its lives.

    command: what to start instead of the console script. `[sys.executable, "-m", ...]` is forked, too.
    """

    def __init__(
        self,
        data: Path,
        *options: str,
        env: dict[str, str] | None = None,
        port: int | None = None,
        command: list[str] | None = None,
    ) -> None:
        self.data = data
        self.command = command or script("tavla-server")
        as_module = self.command[:2] == [sys.executable, "-m"]
        self._may_fork, self._module = command is None or as_module, self.command[2:] if as_module else [""]
        self.port = free_port() if port is None else port
        self.url = f"ws://127.0.0.1:{self.port}"
        self.options = ["--host", "127.0.0.1", "--port", str(self.port), "--data", str(data), *options]
        self.env = {"TAVLA_SEED_KEY": str(SEED_KEY), **os.environ, **(env or {})}
        self.lines: list[str] = []
        self._process: subprocess.Popen[str] | ForkedProcess | None = None
        self._reader: threading.Thread | None = None
        self._news = threading.Condition()
        self._store_pid = 0

    @property
    def process(self) -> "subprocess.Popen[str] | ForkedProcess":
        assert self._process is not None, "started"
        return self._process

    @property
    def pid(self) -> int:
        return self.process.pid

    @property
    def store_url(self) -> str:
        """The embedded store's."""
        return EmbeddedStore(self.data).url

    @property
    def store_pid(self) -> int:
        """The embedded store's process; 0 if there is none."""
        with contextlib.suppress(RedisError, OSError), contextlib.closing(redis_at(self.store_url)) as redis:
            self._store_pid = redis.info("server")["process_id"]
        return self._store_pid

    def spawn(self) -> None:
        """Start the process without waiting for it."""
        nursery = NURSERIES.get(SERVER)
        if self._may_fork and nursery and nursery.can_fork(self.env):
            ours, theirs = os.pipe()
            module, *arguments = self._module
            self._process = nursery.fork([*arguments, *self.options], self.env, (0, 1, theirs), module=module)
            os.close(theirs)
            self._process.stderr = open(ours, encoding="utf-8", errors="replace")  # noqa: SIM115 - `_ended` closes it
        else:
            command, own = [*self.command, *self.options], ends_with_us()
            self._process = subprocess.Popen(command, env=self.env, stderr=subprocess.PIPE, text=True, preexec_fn=own)
        self._reader = threading.Thread(target=self._read, args=(self._process,), daemon=True)
        self._reader.start()

    def start(self) -> None:
        """Start and wait until it serves."""
        before = len(self.lines)
        self.spawn()
        self.wait_for_event("serving", PATIENCE_S, before)

    def kill(self, store: bool = False) -> None:
        """kill -9; the embedded store, too, if asked for, at the same moment."""
        store_pid = self.store_pid if store else 0
        self.process.kill()
        if store_pid:
            kill(store_pid)
        self._ended()

    def stand_still(self, stopped_s: float) -> None:
        """Nothing of its process runs for so long."""
        self.process.send_signal(signal.SIGSTOP)
        time.sleep(stopped_s)
        self.process.send_signal(signal.SIGCONT)

    def stop(self, number: int = signal.SIGTERM) -> int:
        """Ask it to stop and wait; the exit code."""
        self.process.send_signal(number)
        return self.wait()

    def wait(self, timeout_s: float = PATIENCE_S) -> int:
        """Wait until the process ends; its exit code."""
        code = self.process.wait(timeout_s)
        self._ended()
        return code

    def restart(self) -> None:
        """Start again on the same port and data, after a kill."""
        self.start()

    def clean_up(self) -> None:
        """Leave no process behind."""
        if self._process is None:
            return
        if self._process.poll() is None:
            self.stop()
        self._store_pid = 0  # one that was known may have ended long ago, and its number be another process's
        if store_pid := self.store_pid:
            kill(store_pid)

    def wait_for_event(self, event: str, timeout_s: float = PATIENCE_S, after: int = 0) -> dict[str, Any]:
        """The first log line of a kind after the first `after` lines."""
        found = self.wait_for_line(lambda line: f'"event": "{event}"' in line, timeout_s, after)
        fields: dict[str, Any] = json.loads(found)
        return fields

    def wait_for_line(self, wanted: Callable[[str], bool], timeout_s: float = PATIENCE_S, after: int = 0) -> str:
        """The first line of stderr that is wanted, after the first `after` lines."""
        with self._news:
            found = self._news.wait_for(
                lambda: next(filter(wanted, self.lines[after:]), None) or self.process.poll() is not None, timeout_s
            )
        assert isinstance(found, str), f"not seen on stderr: {self.lines[after:]}"
        return found

    def _read(self, process: "subprocess.Popen[str] | ForkedProcess") -> None:
        assert process.stderr is not None, "a pipe"
        for line in process.stderr:
            with self._news:
                self.lines.append(line)
                self._news.notify_all()
        process.wait()
        with self._news:
            self._news.notify_all()

    def _ended(self) -> None:
        """The rest of what it wrote has been read, and nothing of it is left open."""
        self.process.wait(PATIENCE_S)
        assert self._reader is not None, "started"
        self._reader.join(PATIENCE_S)
        assert self.process.stderr is not None, "a pipe"
        self.process.stderr.close()


@contextlib.asynccontextmanager
async def inside(
    redis_url: str,
    timings: Timings = DEFAULTS,
    limits: Limits = DEFAULT_LIMITS,
    behind_proxy: bool = False,
    certificate: Certificate | None = None,
    **others: Any,
) -> AsyncIterator[str]:
    """A server inside this process; its URL. others: more of the options."""
    options = Options(host="127.0.0.1", port=0, redis=redis_url, seed_key=SEED_KEY, behind_proxy=behind_proxy, **others)
    async with running(options, timings, limits, certificate) as port:
        yield f"{'ws' if certificate is None else 'wss'}://127.0.0.1:{port}"


def assert_no_fault(server: ServerProcess, after: int = 0) -> None:
    """A server's log has no traceback and no error after so many lines; else both are shown, with all that is no line
    of the log."""
    lines = server.lines[after:]
    faults = [line for line in lines if "Traceback" in line or '"level": "error"' in line]
    assert not faults, "".join(line for line in lines if line in faults or not line.startswith("{"))


NewServer = Callable[..., ServerProcess]
