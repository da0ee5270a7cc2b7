"""A program on a pseudo-terminal of its own, `tavla` forked by its nursery."""

import os
import subprocess
import termios
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

from pexpect.fdpexpect import fdspawn

from tests.support.patience import PATIENCE_S
from tests.support.servers.nursery import CLIENT, NURSERIES
from tests.support.servers.our_programs import OurProcess
from tests.support.servers.processes import script

OWN = ': <"$0"; exec "$@"'  # the first terminal that the leader of a session opens is its own


@contextmanager
def on_terminal(
    command: Sequence[str], environment: Mapping[str, str], *, size: tuple[int, int] = (24, 80), cwd: Path | None = None
) -> Iterator[tuple[OurProcess, "fdspawn[str]"]]:
    """A program, and the terminal's other end. What still runs at the end is killed. size: rows and columns.

    Not by a fork, as `pexpect.spawn` does it: a fork ends the threads of OpenBLAS, and another thread that computes
    with them then waits for ever.
    """
    ours, theirs = os.openpty()
    try:
        termios.tcsetwinsize(theirs, size)
        process = _started(command, environment, theirs, cwd)
    finally:
        os.close(theirs)
    terminal = fdspawn(ours, timeout=PATIENCE_S, encoding="utf-8", codec_errors="replace")
    try:
        yield process, terminal
    finally:
        process.kill()
        process.wait()
        terminal.close()


def _started(command: Sequence[str], environment: Mapping[str, str], terminal: int, cwd: Path | None) -> OurProcess:
    nursery, client = NURSERIES.get(CLIENT), script(CLIENT)
    if nursery and command[: len(client)] == client and nursery.can_fork(environment):
        return nursery.fork(command[len(client) :], environment, (terminal, terminal, terminal), cwd, own_terminal=True)
    return subprocess.Popen(
        ["sh", "-c", OWN, os.ttyname(terminal), *command],
        stdin=terminal,
        stdout=terminal,
        stderr=terminal,
        env=environment,
        cwd=cwd,
        start_new_session=True,
    )
