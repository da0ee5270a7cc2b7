"""A bot that plays for days: a process of its own, which is started again whenever it dies."""

import logging
import signal
import subprocess
import sys
import time
from collections.abc import Sequence

FIRST_PAUSE_S = 1.0  # before it is started again; twice as long with each time that it dies soon
MAX_PAUSE_S = 60.0
GOOD_S = 60.0  # one that lived so long was no failure: the next pause is the first one
NAP_S = 0.2  # of a pause, between two looks at whether we are stopped
DONE, WRONG_COMMAND = 0, 2  # exit codes after which there is no use in starting it again
STOPPED = 128 + signal.SIGTERM


class Backoff:
    """A backoff: seconds to wait, each time."""

    def __init__(self) -> None:
        self._next_s = FIRST_PAUSE_S

    def after(self, lived_s: float) -> float:
        """Seconds, when it has died after so many."""
        pause_s = FIRST_PAUSE_S if lived_s >= GOOD_S else self._next_s
        self._next_s = min(2 * pause_s, MAX_PAUSE_S)
        return pause_s


def supervise(arguments: Sequence[str]) -> int:
    """Run `tavla` with these arguments, again and again, until it has done what it was to do; its exit code.

    When we are stopped, it is too. The signal only says so, whenever and however often it comes: one that raised an
    exception might do that while the last one is being handled.
    """
    # -P: a file of the user's folder that is called like a module of ours or of Python's hides nothing
    command = [sys.executable, "-P", "-c", "from tavla_cli.main import main; main()", *arguments]
    process: subprocess.Popen[bytes] | None = None
    stopped = False

    def stop(*_: object) -> None:
        nonlocal stopped
        is_first, stopped = not stopped, True  # more may come while it ends the process, and would nest without end
        if is_first and process is not None:
            process.terminate()

    signal.signal(signal.SIGTERM, stop)
    backoff = Backoff()
    while not stopped:
        began = time.monotonic()
        process = subprocess.Popen(command)
        if stopped:
            process.terminate()
        code = _wait(process)
        if stopped:
            break
        if code in (DONE, WRONG_COMMAND):
            return code
        pause_s = backoff.after(time.monotonic() - began)
        logging.warning("the bot has died, exit code %d: started again in %g s", code, pause_s)
        again = time.monotonic() + pause_s
        while time.monotonic() < again and not stopped:
            time.sleep(NAP_S)
    signal.signal(signal.SIGTERM, signal.SIG_IGN)  # else a late one kills us: an ending Python has no handlers
    return STOPPED


def _wait(process: "subprocess.Popen[bytes]") -> int:
    """The program's exit code. Ctrl-C reaches it, too."""
    try:
        return process.wait()
    except KeyboardInterrupt:
        process.terminate()
        process.wait()
        raise
