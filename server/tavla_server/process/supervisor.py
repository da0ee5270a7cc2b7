"""Several server processes on one port: the kernel deals out the connections, the store makes them one server."""

import asyncio
import contextlib
import os
import signal
import socket
import sys
from asyncio.subprocess import PIPE, Process

import msgspec
import structlog

from tavla_server.errors import StartError
from tavla_server.options import Options
from tavla_server.own_addresses import cannot_listen
from tavla_server.telemetry.metrics import RESTARTS, Snapshot
from tavla_server.telemetry.snapshots import lasting, snapshot, total

RESTART_S = 1.0  # from the start of a worker to the next one in its place: one that always fails is not a busy loop
ASK_S = 1.0  # for its metrics
LINE_BYTES = 1 << 20  # of them; some 15,000
STOP_S = 5.0  # to end, past its own time for sending clients away
SERVING = "serving"  # what a worker says on stdout when it does; else it says why it cannot

log = structlog.get_logger()


class Supervisor:
    """A supervisor starts the processes, puts a new one in the place of any that dies, and stops them.

    They do the same as servers on several machines do: none of them knows that there are others but by the store.
    A worker reads its stdin to learn of its parent's death, then it stops; a line there asks it for its metrics.
    """

    def __init__(self, options: Options) -> None:
        self._options = options
        self._processes: set[Process] = set()
        self._told: dict[Process, Snapshot] = {}  # what each has said of its metrics last
        self._ended: Snapshot = {}  # what has been counted by those that have ended
        self._answers: dict[Process, asyncio.Future[None]] = {}
        self._listening: set[asyncio.Task[None]] = set()
        self._keepers: list[asyncio.Task[None]] = []
        self._serving: set[Process] = set()
        self._reloads = 0

    async def start(self) -> None:
        """Start all of them, and keep them running.

        Raises: StartError, with the word of the first one, when that cannot serve.
        """
        first = await self._start()
        others = await asyncio.gather(*(self._start() for _ in range(self._options.workers - 1)))
        self._keepers = [asyncio.create_task(self._keep(process)) for process in (first, *others)]

    def reload(self) -> None:
        """Have all of them read their certificate again; one that is just starting, as soon as it can hear of it."""
        self._reloads += 1
        for process in self._serving:
            _reload(process)

    async def metrics(self) -> Snapshot:
        """The metrics of all of them, and of this process. One that does not answer counts as it was."""
        loop = asyncio.get_running_loop()
        for process in self._told:
            self._answers.setdefault(process, loop.create_future())
            if process.stdin is not None and not process.stdin.is_closing():
                process.stdin.write(b"metrics\n")
        if answers := list(self._answers.values()):
            await asyncio.wait(answers, timeout=ASK_S)
        return total([await snapshot(), self._ended, *self._told.values()])

    async def _listen(self, process: Process) -> None:
        """Hear what a worker says of its metrics, until it ends."""
        assert process.stdout is not None, "a pipe"
        while line := await process.stdout.readline():
            self._told[process] = msgspec.json.decode(line, type=Snapshot)
            if (answer := self._answers.pop(process, None)) is not None:
                answer.set_result(None)
        self._ended = total([self._ended, lasting(self._told.pop(process))])
        if (answer := self._answers.pop(process, None)) is not None:
            answer.set_result(None)

    async def stop(self) -> None:
        """Stop all of them, and wait until they have ended."""
        for keeper in self._keepers:
            keeper.cancel()
        for process in self._processes:
            with contextlib.suppress(ProcessLookupError):
                process.terminate()
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(self._options.drain + STOP_S):
                await self._all_ended()
        for process in self._processes:
            with contextlib.suppress(ProcessLookupError):
                process.kill()
        await self._all_ended()

    async def _all_ended(self) -> None:
        await asyncio.gather(*(process.wait() for process in self._processes))

    async def _keep(self, process: Process) -> None:
        clock = asyncio.get_running_loop().time
        while True:
            since = clock()
            code = await process.wait()
            self._processes.discard(process)
            self._serving.discard(process)
            RESTARTS.add()
            (log.error if code else log.info)("worker_ended", pid=process.pid, exit_code=code)
            while process.returncode is not None:
                await asyncio.sleep(max(0.0, since + RESTART_S - clock()))
                since = clock()
                try:
                    process = await self._start()
                except StartError as error:
                    log.error("worker_not_started", error=str(error))

    async def _start(self) -> Process:
        reloads = self._reloads
        # -P: whatever folder this is, it shadows nothing
        command = [sys.executable, "-P", "-m", "tavla_server.process.cli", "--worker"]
        process = await asyncio.create_subprocess_exec(
            *command,
            stdin=PIPE,
            stdout=PIPE,
            limit=LINE_BYTES,
            env=os.environ | _environment(self._options),
            start_new_session=True,
        )
        self._processes.add(process)
        assert process.stdout is not None, "a pipe"
        said = await process.stdout.readline()  # after half a second; or when the store is there, for which it waits
        if said.decode().strip() == SERVING:
            self._serving.add(process)
            if reloads != self._reloads:
                _reload(process)
            self._told[process] = {}
            listening = asyncio.create_task(self._listen(process))
            self._listening.add(listening)
            listening.add_done_callback(self._listening.discard)
            return process
        with contextlib.suppress(ProcessLookupError):
            process.kill()
        await process.wait()
        self._processes.discard(process)
        raise StartError(said.decode().strip() or "a worker ended at once")


def _reload(process: Process) -> None:
    with contextlib.suppress(ProcessLookupError):
        process.send_signal(signal.SIGHUP)


def _environment(options: Options) -> dict[str, str]:
    """The options of one worker: in its environment, where a password is not shown to everyone."""
    one = options._replace(workers=1, metrics_port=None)
    given = {name: value for name, value in one._asdict().items() if value is not None and name != "worker"}
    given |= {name: " ".join(value) for name, value in given.items() if isinstance(value, tuple)}
    return {f"TAVLA_{name.upper()}": str(value) for name, value in given.items()}


def shared_port(host: str, port: int) -> socket.socket:
    """A port without another listener, kept as long as this is open for the processes that share it.

    Raises: StartError.
    """
    if not hasattr(socket, "SO_REUSEPORT"):
        raise StartError("processes cannot share a port on this system: leave --workers out")
    try:
        family, *_, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)[0]
        with _bound(family, address, socket.SO_REUSEADDR) as alone:  # another server's workers must not be joined
            address = alone.getsockname()
        return _bound(family, address, socket.SO_REUSEADDR, socket.SO_REUSEPORT)
    except OSError as error:
        raise cannot_listen(host, port, error) from None


def _bound(family: int, address: tuple[object, ...], *options: int) -> socket.socket:
    bound = socket.socket(family)
    try:
        for option in options:
            bound.setsockopt(socket.SOL_SOCKET, option, 1)
        bound.bind(address)
    except OSError:
        bound.close()
        raise
    return bound
