"""A bot that plays for days: a process of its own, which is started again whenever it dies."""

import logging
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from typing import NoReturn

FIRST_PAUSE_S = 1.0  # before it is started again; twice as long with each time that it dies soon
MAX_PAUSE_S = 60.0
GOOD_S = 60.0  # one that lived so long was no failure: the next pause is the first one
DONE, WRONG_COMMAND = 0, 2  # exit codes after which there is no use in starting it again


def keep(arguments: Sequence[str]) -> int:
    """Run `tavla` with these arguments, again and again, until it has done what it was to do; its exit code."""
    # -P: a file of the user's folder that is called like a module of ours or of Python's hides nothing
    command = [sys.executable, "-P", "-c", "from tavla_cli.main import main; main()", *arguments]
    signal.signal(signal.SIGTERM, _stop)
    pause_s = FIRST_PAUSE_S
    while True:
        began = time.monotonic()
        code = _run(command)
        if code in (DONE, WRONG_COMMAND):
            return code
        if time.monotonic() - began >= GOOD_S:
            pause_s = FIRST_PAUSE_S
        logging.warning("the bot has died, exit code %d: started again in %g s", code, pause_s)
        time.sleep(pause_s)
        pause_s = min(2 * pause_s, MAX_PAUSE_S)


def _run(command: Sequence[str]) -> int:
    """Its exit code. When we are stopped, it is too."""
    with subprocess.Popen(command) as process:
        try:
            return process.wait()
        except BaseException:
            process.terminate()
            raise


def _stop(*_: object) -> NoReturn:
    sys.exit(128 + signal.SIGTERM)
