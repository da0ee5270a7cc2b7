"""Nurseries of our programs: processes of their own, forked from one that has imported all that they import.

To import takes most of the CPU of a start, and tests start some hundred servers and terminal clients. Where starting is
itself in question they are started by their console script: `ServerProcess(command=script("tavla-server"))`; and
wherever a variable that Python or the system reads at a start is another one than here, or coverage is traced.
"""

import contextlib
import ctypes
import fcntl
import gc
import importlib
import io
import json
import os
import pkgutil
import queue
import select
import signal
import socket
import subprocess
import sys
import termios
import threading
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import IO, NamedTuple, TextIO

ROOT = Path(__file__).parents[3]
PR_SET_PDEATHSIG = 1  # Linux, prctl(2)
MESSAGE_BYTES = 1 << 20  # of a command line and an environment
BIRTH_S = 180.0  # for a process to be forked: the first one waits for all that is imported
AT_START = ("PYTHON", "LD_", "LC_", "LANG", "TZ", "COVERAGE")  # variables that a program reads when it begins


class Start(NamedTuple):
    """Modules of a program: the one of its console script, and those that it imports then."""

    module: str
    imported: tuple[str, ...]


SERVER, CLIENT = "tavla-server", "tavla"
STARTS = {
    SERVER: Start(
        "tavla_server.process.start",
        ("tavla_server.process.cli", "tavla_server.process.serving", "tavla_server.app", "aiosqlite"),
    ),
    CLIENT: Start("tavla_cli.start", ("tavla_cli.main", "tavla_cli.commands.*")),
}


class ForkedProcess:
    """A process of a nursery, as far as tests use `subprocess.Popen`. stderr: what it writes there, if it is a pipe."""

    def __init__(self, pid: int) -> None:
        self.pid = pid
        self.stderr: IO[str] | None = None
        self.returncode: int | None = None
        self._ended = threading.Event()

    def poll(self) -> int | None:
        """Its exit code; None while it runs."""
        return self.returncode

    def wait(self, timeout: float | None = None) -> int:
        """Wait until it ends; its exit code. Raises: subprocess.TimeoutExpired."""
        if not self._ended.wait(timeout):
            raise subprocess.TimeoutExpired(f"process {self.pid}", timeout or 0.0)
        assert self.returncode is not None, "it has ended"
        return self.returncode

    def send_signal(self, number: int) -> None:
        """Send it a signal, if it still runs."""
        if self.returncode is None:
            with contextlib.suppress(ProcessLookupError):
                os.kill(self.pid, number)

    def kill(self) -> None:
        """kill -9, if it still runs."""
        self.send_signal(signal.SIGKILL)

    def terminate(self) -> None:
        """Ask it to end, if it still runs."""
        self.send_signal(signal.SIGTERM)

    def end(self, code: int) -> None:
        """Note that it has ended."""
        self.returncode = code
        self._ended.set()


class Nursery:
    """A nursery beside the tests, from the first process on. It ends with them, and what it has forked ends with it."""

    def __init__(self, program: str, env: Mapping[str, str]) -> None:
        """program: one of `STARTS`. env: the environment in which it begins."""
        self._program, self._env = program, {**env}
        self._socket, self._other = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self._process: subprocess.Popen[bytes] | None = None
        self._lock = threading.Lock()
        self._born: queue.SimpleQueue[ForkedProcess] = queue.SimpleQueue()

    @property
    def pid(self) -> int:
        """Its own process; 0 before there is one."""
        return self._process.pid if self._process else 0

    def can_fork(self, env: Mapping[str, str]) -> bool:
        """True if a program with this environment begins as the nursery did."""
        names = {name for name in (*env, *self._env) if name.startswith(AT_START)}
        return "COVERAGE_PROCESS_CONFIG" not in names and all(env.get(name) == self._env.get(name) for name in names)

    def fork(
        self,
        arguments: Sequence[str],
        env: Mapping[str, str],
        files: tuple[int, int, int],
        folder: Path | None = None,
        own_terminal: bool = False,
        module: str = "",
    ) -> ForkedProcess:
        """A new process that runs the program.

        files: its standard input, output and error. own_terminal: that input is the terminal of a session of its own.
        module: whose `main` is called, instead of the program's.
        """
        asked = {
            "arguments": [*arguments],
            "env": {**env},
            "folder": str(folder or Path.cwd()),
            "own_terminal": own_terminal,
            "module": module or STARTS[self._program].module,
        }
        with self._lock:
            if self._process is None:
                self._open()
            socket.send_fds(self._socket, [json.dumps(asked).encode()], files)
            return self._born.get(timeout=BIRTH_S)

    def _open(self) -> None:
        file = self._other.fileno()
        command = [sys.executable, "-m", __name__, self._program, str(file)]
        self._process = subprocess.Popen(command, pass_fds=[file], cwd=ROOT, env=self._env, stdin=subprocess.DEVNULL)
        self._other.close()
        threading.Thread(target=self._listen, daemon=True).start()

    def close(self) -> None:
        """End it."""
        if self._process:
            self._socket.shutdown(socket.SHUT_RDWR)
            self._process.wait()

    def _listen(self) -> None:
        """Hear of processes that have begun, and of those that have ended."""
        running: dict[int, ForkedProcess] = {}
        while told := self._socket.recv(MESSAGE_BYTES):
            pid, code = json.loads(told)
            if code is None:
                running[pid] = ForkedProcess(pid)
                self._born.put(running[pid])
            else:
                running.pop(pid).end(code)


NURSERIES: dict[str, Nursery] = {}  # by program, while tests run: conftest.py


def nurse(program: str, link: socket.socket) -> str:
    """Fork a process for each that is asked for, and tell how they end. In each of them its module; "" at the end."""
    running: dict[int, int] = {}  # processes by the files that tell of their ends
    while True:
        ready, _, _ = select.select([link.fileno(), *running], [], [])
        for file in ready:
            if file != link.fileno():
                pid = running.pop(file)
                os.close(file)
                link.send(json.dumps([pid, os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])]).encode())
                continue
            asked, files, _, _ = socket.recv_fds(link, MESSAGE_BYTES, 3)
            if not asked:
                return ""
            if (pid := os.fork()) == 0:
                link.close()
                for other in running:
                    os.close(other)
                return begin(program, files, **json.loads(asked))
            for given in files:
                os.close(given)
            running[os.pidfd_open(pid)] = pid
            link.send(json.dumps([pid, None]).encode())


def end_with_parent() -> None:
    """Have the system end this process when its parent ends."""
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)


def begin(
    program: str,
    files: list[int],
    arguments: list[str],
    env: dict[str, str],
    folder: str,
    own_terminal: bool,
    module: str,
) -> str:
    """Be a process of its own, which ends with the nursery; the module that it runs."""
    end_with_parent()
    for number, file in enumerate(files):
        os.dup2(file, number)
        os.close(file)
    if own_terminal:
        os.setsid()
        fcntl.ioctl(0, termios.TIOCSCTTY, 0)
    sys.stdin, sys.stdout, sys.stderr = (reopened(stream) for stream in (sys.stdin, sys.stdout, sys.stderr))
    os.chdir(folder)
    os.environ.clear()
    os.environ.update(env)
    sys.argv = [program, *arguments]
    return module


def reopened(stream: TextIO) -> TextIO:
    """One of the three standard streams as Python opens it at a start: its file is another one now."""
    binary = open(stream.fileno(), "rb" if stream is sys.stdin else "wb", closefd=False)  # noqa: SIM115
    by_lines = stream is sys.stderr or stream.isatty()
    return io.TextIOWrapper(binary, stream.encoding, stream.errors, newline="\n", line_buffering=by_lines)


def import_all(names: Sequence[str]) -> None:
    """Import modules. `package.*`: those of a package, too."""
    for name in names:
        package = importlib.import_module(name.removesuffix(".*"))
        if name.endswith(".*"):
            for module in pkgutil.iter_modules(package.__path__, f"{package.__name__}."):
                importlib.import_module(module.name)


if __name__ == "__main__":
    start = STARTS[sys.argv[1]]
    import_all(start.imported)
    gc.collect()
    gc.freeze()
    if module := nurse(sys.argv[1], socket.socket(fileno=int(sys.argv[2]))):
        importlib.import_module(module).main()
