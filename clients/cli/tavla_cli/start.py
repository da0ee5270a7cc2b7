"""The command `tavla`, wherever the package is installed: with its terminal client or without."""

import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec

NEEDED = ("click", "platformdirs", "prompt_toolkit", "rich")  # some commands import the last ones later
INTERRUPTED = 128 + signal.SIGINT  # exit code, as shells have it


def main() -> None:
    """Run the terminal client; or say what to install, where only the library is."""
    with _ended_by_ctrl_c():
        for name in NEEDED:
            if find_spec(name) is None:
                install = "pip install 'tavla[cli]', or pipx install --force 'tavla[cli]'"
                sys.exit(f"tavla: here is the library alone, without {name}. For the terminal client: {install}")
        from tavla_cli.main import main as run
    try:
        run()
    except KeyboardInterrupt:
        sys.exit(INTERRUPTED)


@contextmanager
def _ended_by_ctrl_c() -> Iterator[None]:
    """Ctrl-C ends the program at once, without a word: while modules are imported nothing is there to be tidied up."""
    before = signal.getsignal(signal.SIGINT)
    if before is signal.default_int_handler:  # else the caller has decided, as nohup does
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
