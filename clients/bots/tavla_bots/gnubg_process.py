"""GNU Backgammon, the real program, with a script of ours in its own Python. Windows has no such pipes."""

import os
import shutil
import subprocess
import tempfile
import weakref
from collections.abc import Mapping
from importlib.resources import files
from pathlib import Path
from typing import Any

PROGRAM = "gnubg"
GAMES = "/usr/games"  # where Debian has it, often outside of PATH


def gnubg_path() -> str | None:
    """Path of the program; None if it is not there."""
    return shutil.which(PROGRAM, path=os.environ.get("PATH", os.defpath) + os.pathsep + GAMES)


class GnubgProcess:
    """A process that ends when this is referred to no longer. answers: what the script writes to it, lines of text.

    Standard output is full of boards, so the script answers over a file descriptor of its own.
    """

    def __init__(
        self, program: str, script: str, settings: Mapping[str, str], *, stdin: int, match: str | None = None
    ) -> None:
        """script: a file of this package. settings: of the environment. match: what is in the file `match.sgf`.

        Raises: OSError.
        """
        home = tempfile.TemporaryDirectory(prefix="tavla-gnubg-")  # settings of its own, not the user's
        copy = Path(home.name, "script.py")
        copy.write_text((files("tavla_bots") / script).read_text("utf-8"), "utf-8")
        if match is not None:
            Path(home.name, "match.sgf").write_text(match, "utf-8")
        reading, writing = os.pipe()
        own = {"HOME": home.name, "LC_ALL": "C.UTF-8", "TAVLA_ANSWERS": str(writing)}
        self.answers = os.fdopen(reading)
        try:
            self.process = subprocess.Popen(
                [program, "-t", "-q", "-p", str(copy)],
                stdin=stdin,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                text=True,
                cwd=home.name,
                pass_fds=(writing,),
                start_new_session=True,  # Ctrl-C is for us
                env={**os.environ, **settings, **own},
            )
        except OSError:
            self.answers.close()
            raise
        finally:
            os.close(writing)
        self.end = weakref.finalize(self, _end, self.process, self.answers, home)


def _end(process: "subprocess.Popen[str]", answers: Any, home: "tempfile.TemporaryDirectory[str]") -> None:
    process.kill()
    process.wait()
    if process.stdin is not None:
        process.stdin.close()
    answers.close()
    home.cleanup()
