"""A nursery of servers: processes of their own, forked from one that has imported all that a server imports.

To import takes most of the CPU of a start, and tests start some hundred servers. Where starting is itself in question
they are started by their console script: `ServerProcess(command=script("tavla-server"))`; and wherever a variable that
Python or the system reads at a start is another one than here, or coverage is traced.
"""

import contextlib
import ctypes
import gc
import importlib
import json
import os
import queue
import select
import signal
import socket
import subprocess
import sys
import threading
from pathlib import Path
from typing import IO

ROOT = Path(__file__).parents[3]
PROGRAM = "tavla-server"
PR_SET_PDEATHSIG = 1  # Linux, prctl(2)
MESSAGE_BYTES = 1 << 20  # of a command line and an environment
BIRTH_S = 60.0  # for a process to be forked: the first one waits for all that is imported
AT_START = ("PYTHON", "LD_", "LC_", "LANG", "COVERAGE")  # variables that a program reads when it begins
IMPORTED = ("tavla_server.process.cli", "tavla_server.process.serving", "tavla_server.app", "aiosqlite")


class ForkedProcess:
    """A process of the nursery, as far as tests use `subprocess.Popen`. stderr: what it writes there."""

    def __init__(self, pid: int, stderr: IO[str]) -> None:
        self.pid, self.stderr = pid, stderr
        self.returncode: int | None = None
        self._ended = threading.Event()

    def poll(self) -> int | None:
        """Its exit code; None while it runs."""
        return self.returncode

    def wait(self, timeout: float | None = None) -> int:
        """Wait until it ends; its exit code. Raises: subprocess.TimeoutExpired."""
        if not self._ended.wait(timeout):
            raise subprocess.TimeoutExpired(PROGRAM, timeout or 0.0)
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

    def end(self, code: int) -> None:
        """Note that it has ended."""
        self.returncode = code
        self._ended.set()


class Nursery:
    """A nursery beside the tests, from the first process on. It ends with them, and what it has forked ends with it."""

    def __init__(self) -> None:
        self._socket, self._other = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self._program: subprocess.Popen[bytes] | None = None
        self._lock = threading.Lock()
        self._born: queue.SimpleQueue[ForkedProcess] = queue.SimpleQueue()
        self._stderr: IO[str] | None = None  # of the one that is asked for

    @property
    def pid(self) -> int:
        """Its own process; 0 before there is one."""
        return self._program.pid if self._program else 0

    @staticmethod
    def can_fork(env: dict[str, str]) -> bool:
        """True if a program with this environment begins as the nursery did."""
        names = {name for name in (*env, *os.environ) if name.startswith(AT_START)}
        return "COVERAGE_PROCESS_CONFIG" not in names and all(env.get(name) == os.environ.get(name) for name in names)

    def fork(self, arguments: list[str], env: dict[str, str]) -> ForkedProcess:
        """A new process that runs `tavla-server` with these arguments."""
        ours, theirs = os.pipe()
        asked = json.dumps({"arguments": arguments, "env": env, "folder": str(Path.cwd())}).encode()
        with self._lock:
            if self._program is None:
                self._open()
            self._stderr = open(ours, encoding="utf-8", errors="replace")  # noqa: SIM115 - whoever asked for it closes it
            socket.send_fds(self._socket, [asked], [theirs])
            os.close(theirs)
            return self._born.get(timeout=BIRTH_S)

    def _open(self) -> None:
        file = self._other.fileno()
        command = [sys.executable, "-m", __name__, PROGRAM, str(file)]
        self._program = subprocess.Popen(command, pass_fds=[file], cwd=ROOT, stdin=subprocess.DEVNULL)
        self._other.close()
        threading.Thread(target=self._listen, daemon=True).start()

    def close(self) -> None:
        """End it."""
        if self._program:
            self._socket.shutdown(socket.SHUT_RDWR)
            self._program.wait()

    def _listen(self) -> None:
        """Hear of processes that have begun, and of those that have ended."""
        running: dict[int, ForkedProcess] = {}
        while told := self._socket.recv(MESSAGE_BYTES):
            pid, code = json.loads(told)
            if code is None:
                assert self._stderr is not None, "one was asked for"
                running[pid] = ForkedProcess(pid, self._stderr)
                self._born.put(running[pid])
            else:
                running.pop(pid).end(code)


def nurse(link: socket.socket) -> bool:
    """Fork a process for each that is asked for, and tell how they end. True in each of them; False at the end."""
    running: dict[int, int] = {}  # processes by the files that tell of their ends
    while True:
        ready, _, _ = select.select([link.fileno(), *running], [], [])
        for file in ready:
            if file != link.fileno():
                pid = running.pop(file)
                os.close(file)
                link.send(json.dumps([pid, os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])]).encode())
                continue
            asked, files, _, _ = socket.recv_fds(link, MESSAGE_BYTES, 1)
            if not asked:
                return False
            if (pid := os.fork()) == 0:
                link.close()
                for other in running:
                    os.close(other)
                begin(stderr=files[0], **json.loads(asked))
                return True
            os.close(files[0])
            running[os.pidfd_open(pid)] = pid
            link.send(json.dumps([pid, None]).encode())


def end_with_parent() -> None:
    """Have the system end this process when its parent ends."""
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)


def begin(stderr: int, arguments: list[str], env: dict[str, str], folder: str) -> None:
    """Be a process of its own, which ends with the nursery."""
    end_with_parent()
    os.dup2(stderr, sys.stderr.fileno())
    os.close(stderr)
    os.chdir(folder)
    os.environ.clear()
    os.environ.update(env)
    sys.argv = [PROGRAM, *arguments]


if __name__ == "__main__":
    for module in IMPORTED:
        importlib.import_module(module)
    gc.collect()
    gc.freeze()
    if nurse(socket.socket(fileno=int(sys.argv[2]))):
        from tavla_server.process.start import main

        main()
