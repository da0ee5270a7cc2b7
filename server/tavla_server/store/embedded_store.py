"""The embedded store: a private Valkey on a Unix socket, for a server that was given no Redis."""

import asyncio
import contextlib
import ctypes
import hashlib
import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import IO, NamedTuple

import redis as sync_redis
import structlog
from redis.backoff import NoBackoff
from redis.exceptions import RedisError
from redis.retry import Retry

from tavla_server import files
from tavla_server.errors import StoreError
from tavla_server.store import append_only
from tavla_server.store.mark import Mark
from tavla_server.store.program import valkey_server

ANSWER_TIMEOUT_S = 5.0
POLL_S = 0.01
RESTART_MOST_S = 30.0  # before the store is started once more that has died again and again
STEADY_S = 10.0  # one that has lived so long did not die at once
PR_SET_PDEATHSIG = 1  # Linux, prctl(2)
PROGRAM = valkey_server()
SOCKET_PATH_MAX = 100  # bytes; the system's limit is 104 to 108

log = structlog.get_logger()
_libc = ctypes.CDLL(None) if sys.platform == "linux" else None


class StoreTerms(NamedTuple):
    """The terms of a Valkey.

    start_s: without an answer; while it says that it loads its file there is no limit. progress_s: between two lines of
    the log about how far it has loaded. stop_s: to end. restart_s: before it is started once more, when it could not
    be, or has died again at once; then twice that. mark_s: between two notes of how far it was, to be compared with
    what it has at the next start. log_bytes: of valkey.log, before it is rotated.
    """

    start_s: float = 30.0
    progress_s: float = 5.0
    stop_s: float = 3.0
    restart_s: float = 1.0
    mark_s: float = 10.0
    log_bytes: int = 1_000_000


DEFAULT_TERMS = StoreTerms()


class EmbeddedStore:
    """An embedded store: starts, watches and stops the private Valkey of one data folder.

    Every write is on disk before it is answered (`appendfsync always`). A Valkey that a killed server has left behind
    is stopped first: the folder has one server at a time, held by a lock that ends with the process.
    """

    def __init__(self, data: Path, terms: StoreTerms = DEFAULT_TERMS) -> None:
        self._terms = terms
        self._data = data.absolute()
        self._socket = _socket_path(self._data)
        self._process: subprocess.Popen[bytes] | None = None
        self._lock: IO[bytes] | None = None
        self._tasks: list[asyncio.Task[None]] = []
        self._log, self._log_from = self._data / "valkey.log", 0  # where this Valkey's part of it begins
        self._mark: Mark | None = None

    @property
    def url(self) -> str:
        """The URL of the store, as redis-py reads it."""
        return f"unix://{self._socket}"

    async def start(self, meanwhile: Callable[[], object] | None = None) -> None:
        """Start Valkey and keep it running. meanwhile: called while it starts; may take some tenths of a second.

        Raises: StoreError.
        """
        await self._claim()
        if append_only.has_lost_its_manifest(self._data):
            raise StoreError(f"the manifest of the store in {self._data} is missing or damaged: {_advice(self._data)}")
        await self._launch(meanwhile)
        self._mark = Mark(self._data / "store.json", _client(self._socket))
        await asyncio.to_thread(self._mark.compare)
        self._tasks = [asyncio.create_task(self._keep()), asyncio.create_task(self._mark.keep(self._terms.mark_s))]

    async def repair(self) -> append_only.Cut | None:
        """Make a damaged file readable, before `start`; None when there was nothing to do. Raises: StoreError."""
        await self._claim()
        try:
            return await asyncio.to_thread(append_only.repair, self._data)
        except OSError as error:
            raise StoreError(f"cannot repair the store in {self._data}: {error.strerror}") from None

    async def _claim(self) -> None:
        """Have the data folder for ourselves, until `stop`."""
        if self._lock is not None:
            return
        try:
            files.make_folder(self._data)
            self._lock = files.open_private(self._data / "lock", "ab")
            if not files.try_lock(self._lock.fileno()):
                raise StoreError(await asyncio.to_thread(self._why_taken))
            await asyncio.to_thread(_shut_down, self._socket)
            with files.open_private(self._data / "valkey.lock", "ab") as lock:
                await self._wait_for(lock)  # until it has ended it makes and removes files
            _keep_private(self._data)
        except OSError as error:
            raise StoreError(f"cannot write to the data folder {self._data}: {error.strerror}") from None

    async def stop(self) -> None:
        """Stop Valkey; everything is on disk."""
        for task in self._tasks:
            task.cancel()
        if self._process:
            if self._mark is not None:
                await asyncio.to_thread(self._mark.write)
                self._mark.close()
            self._process.terminate()
            try:
                await asyncio.to_thread(self._process.wait, self._terms.stop_s)
            except subprocess.TimeoutExpired:
                self._process.kill()
                await asyncio.to_thread(self._process.wait)
        if self._lock:
            await asyncio.to_thread(files.leave_to_owner, self._data)
            self._lock.close()

    # --- the process ---

    async def _keep(self) -> None:
        assert self._process is not None, "started"
        clock = asyncio.get_running_loop().time
        since, pause_s = clock() - STEADY_S, 0.0  # the first one's death is no second one
        while True:
            code = await asyncio.to_thread(self._process.wait)
            pause_s = (
                0.0 if clock() - since >= STEADY_S else min(max(self._terms.restart_s, 2 * pause_s), RESTART_MOST_S)
            )
            facts = {"disk_full": True} if self._disk_is_full() else {}
            log.error("store_died", exit_code=code, last_words=self._last_words(), pause_s=pause_s, **facts)
            await asyncio.sleep(pause_s)
            since = clock()
            try:
                await self._launch()
            except StoreError as error:
                log.error("store_restart_failed", error=str(error))

    async def _launch(self, meanwhile: Callable[[], object] | None = None) -> None:
        if self._disk_is_full():
            raise StoreError(f"the disk of {self._data} is full: make room")
        try:
            before = append_only.size(self._data)
            await self._spawn()
        except OSError as error:
            raise StoreError(f"cannot start the store in {self._data}: {error.strerror}") from None
        if meanwhile is not None:
            meanwhile()
        await self._until_it_answers()
        if (cut := before - append_only.size(self._data)) > 0:
            log.warning("store_tail_cut", bytes=cut, what="a write was not whole: it was never answered, or is lost")

    async def _spawn(self) -> None:
        if self._log.exists() and self._log.stat().st_size > self._terms.log_bytes:
            self._log.replace(self._log.with_suffix(".log.1"))
        with (
            files.open_private(self._data / "valkey.lock", "ab") as lock,
            files.open_private(self._log, "ab") as output,
        ):
            await self._wait_for(lock)
            self._log_from = output.tell()
            self._process = subprocess.Popen(  # noqa: ASYNC220 - forking takes a few ms, and nothing else runs yet
                _command(self._data, self._socket),
                stdout=output,
                stderr=output,
                cwd=self._data,
                # So that Ctrl-C in our terminal does not reach it before us. And where both have one processor, Linux
                # lets it interrupt us at each command only within a session: groups would be small, and dear.
                start_new_session=True,
                umask=0o077,
                pass_fds=[lock.fileno()],  # so that the lock is held until it has ended, even if we end first
                preexec_fn=_end_with_parent,
            )

    async def _until_it_answers(self) -> None:
        assert self._process is not None, "spawned"
        clock = asyncio.get_running_loop().time
        heard = told = clock()
        while (state := await asyncio.to_thread(_state, self._socket)) is None or state["loading"]:
            if self._process.poll() is not None:
                raise StoreError(self.cause_of_end())
            if state is not None:
                heard = clock()
                if heard - told >= self._terms.progress_s:
                    told, percent = heard, state.get("loading_loaded_perc")
                    log.info("store_loading", percent=percent, left_s=state.get("loading_eta_seconds"))
            elif clock() - heard > self._terms.start_s:
                raise StoreError(f"the embedded store does not answer: see {self._log}")
            await asyncio.sleep(POLL_S)

    async def _wait_for(self, lock: IO[bytes]) -> None:
        """Two Valkeys would write over each other's files: wait until the one before has ended."""
        deadline = asyncio.get_running_loop().time() + self._terms.start_s
        while not files.try_lock(lock.fileno()):
            if asyncio.get_running_loop().time() > deadline:
                raise StoreError(f"an earlier server's store in {self._data} does not stop: end its valkey-server")
            await asyncio.sleep(POLL_S)

    # --- what is wrong with it ---

    def _why_taken(self) -> str:
        """The reason why the folder is not ours, with a remedy. Of commands, those come here that find no store."""
        taken = f"another server uses the data folder {self._data}"
        if _state(self._socket) is not None:
            return f"{taken}: stop it, or give --data"
        if self._disk_is_full():
            return f"{taken}, and its store is down, because the disk is full: make room"
        return f"{taken}, and its store does not answer: try again, or see {self._log}"

    def cause_of_end(self) -> str:
        """The cause in the last lines of its log, with a remedy."""
        words = self._last_words()
        if self._disk_is_full() or "No space left" in words:
            return f"the disk of {self._data} is full: make room"
        if "Bad file format" in words or "Unexpected end of file" in words:
            return f"a file of the store in {self._data} is damaged: {_advice(self._data)}"
        return f"the embedded store ended at once: {words}: see {self._log}"

    def _last_words(self) -> str:
        """The last line of valkey.log, if this Valkey has written one, without its number and time."""
        with contextlib.suppress(OSError), self._log.open("rb") as file:
            file.seek(max(self._log_from, file.seek(0, os.SEEK_END) - 1000))
            lines = file.read().decode(errors="replace").split("\n")
            return next((line.partition(" # ")[2] or line for line in reversed(lines) if line.strip()), "")
        return ""

    def _disk_is_full(self) -> bool:
        return files.why_not_writable(self._data) == "full"


def _keep_private(folder: Path) -> None:
    """Leave a folder to its owner alone, with all that is in it: it may come from a copy."""
    for path in (folder, *folder.rglob("*")):
        if not path.is_symlink():
            path.chmod(path.stat().st_mode & 0o700)


def _shut_down(socket: str) -> None:
    """Ask a Valkey that a killed server has left behind to end, if there is one."""
    with contextlib.closing(_client(socket)) as client, contextlib.suppress(RedisError, OSError):
        client.shutdown(nosave=True)


def _state(socket: str) -> dict[str, object] | None:
    """Valkey's report on its files; None without a reply."""
    with contextlib.suppress(RedisError, OSError), contextlib.closing(_client(socket)) as client:
        return dict(client.info("persistence"))
    return None


def _end_with_parent() -> None:
    """In the new process: the system is to end it when the server has died. (On others the next server does.)"""
    if _libc is not None:
        _libc.prctl(PR_SET_PDEATHSIG, signal.SIGTERM)


def _client(socket: str) -> sync_redis.Redis:
    # By itself redis-py tries again for seconds: each start would take as long.
    return sync_redis.Redis.from_url(f"unix://{socket}", retry=Retry(NoBackoff(), 0), socket_timeout=ANSWER_TIMEOUT_S)


def _socket_path(data: Path) -> str:
    path = str(data / "valkey.sock")
    if len(path.encode()) <= SOCKET_PATH_MAX:
        return path
    digest = hashlib.sha256(path.encode()).hexdigest()[:16]
    return f"{tempfile.gettempdir()}/tavla-{os.getuid()}-{digest}.sock"


def _command(data: Path, socket: str) -> list[str]:
    """The command line of Valkey."""
    options = {
        "port": "0",
        "unixsocket": socket,
        "unixsocketperm": "700",
        "dir": str(data),
        "appendonly": "yes",
        "appendfsync": "always",
        "save": "",
        "loglevel": "notice",
        "set-proc-title": "no",  # it would write over its environment in /proc, which tells whose store this is
    }
    return [str(PROGRAM), *(part for name, value in options.items() for part in (f"--{name}", value))]


def _advice(data: Path) -> str:
    return f"run tavla-server repair --data {data}"
