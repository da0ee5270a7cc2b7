"""A program on a pseudo-terminal of its own."""

import os
import subprocess
import termios
from collections.abc import Mapping, Sequence
from pathlib import Path

from pexpect.fdpexpect import fdspawn

from tests.support.patience import PATIENCE_S

OWN = ': <"$0"; exec "$@"'  # the first terminal that the leader of a session opens is its own


def on_terminal(
    command: Sequence[str],
    environment: Mapping[str, str],
    *,
    size: tuple[int, int] = (24, 80),
    cwd: Path | None = None,
) -> tuple[subprocess.Popen[bytes], "fdspawn[str]"]:
    """Start a program, and what is shown and typed there. size: rows and columns.

    Not by a fork, as `pexpect.spawn` does it: a fork ends the threads of OpenBLAS, and whoever computes with them in
    another thread then waits for ever.
    """
    ours, theirs = os.openpty()
    try:
        termios.tcsetwinsize(theirs, size)
        process = subprocess.Popen(
            ["sh", "-c", OWN, os.ttyname(theirs), *command],
            stdin=theirs,
            stdout=theirs,
            stderr=theirs,
            env=environment,
            cwd=cwd,
            start_new_session=True,
        )
    finally:
        os.close(theirs)
    return process, fdspawn(ours, timeout=PATIENCE_S, encoding="utf-8", codec_errors="replace")
