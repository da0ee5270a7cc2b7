"""A person at a terminal: a program on a pseudo-terminal of 80 columns, what it shows, and typing."""

import contextlib
import os
import re
import select
import signal
import threading
from collections.abc import Callable, Mapping
from pathlib import Path

import pexpect

from tests.support.patience import PATIENCE_S
from tests.support.players.screen import screen
from tests.support.servers.processes import script

TERM_TIMEOUT_S = 5.0  # of a program that is asked to end; then it is killed
LOOK_S = 0.2  # between two looks whether a program that reads nothing lives
WHERE = "\x1b[6n"  # a program asks where the cursor stands, and may wait a second for the answer after each line
CHUNK_BYTES = 256  # a terminal drops what it has no room for while a program is between two prompts
ESCAPES = re.compile(r"\x1b(\[[0-?]*[ -/]*[@-~]|\][^\x07]*\x07|[()][A-Z0-9]|[=>78MDEHc])")


LOCALE = ("LC_ALL", "LC_CTYPE", "LANG", "PYTHONIOENCODING", "PYTHONUTF8")
UTF_8 = {"LANG": "C.UTF-8", "PYTHONIOENCODING": "utf-8"}


class Terminal:
    """`tavla` with some arguments, as a user who has a folder of their own."""

    def __init__(
        self,
        folder: Path,
        *arguments: str,
        term: str = "xterm-256color",
        locale: Mapping[str, str] = UTF_8,
        cwd: Path | None = None,
        tells_cursor: bool = False,
    ) -> None:
        """locale: what the user's environment says of the terminal's charset. tells_cursor: where it is, when asked."""
        command, *rest = script("tavla")
        own = {name: value for name, value in os.environ.items() if name not in LOCALE}
        environment = {**own, "TAVLA_CONFIG_DIR": str(folder), "TERM": term, **locale}
        self._process = pexpect.spawn(
            command,
            [*rest, *arguments],
            env=environment,
            cwd=cwd,
            dimensions=(50, 80),
            encoding="utf-8",
            codec_errors="replace",
        )
        self._process.delaybeforesend = None
        self._tells_cursor = tells_cursor
        self._shown = ""
        self._news = threading.Condition(threading.RLock())
        self._reader = threading.Thread(target=self._read, daemon=True)  # else the program waits for us to read
        self._reader.start()

    @property
    def shown(self) -> str:
        """Everything it has written, without the escape sequences."""
        with self._news:
            return ESCAPES.sub("", self._shown).replace("\r", "")

    def forget(self) -> None:
        """Begin anew with what is shown: to look through all of a long talk again and again takes long."""
        with self._news:
            self._shown = ""

    @property
    def written(self) -> str:
        """The same with the escape sequences."""
        with self._news:
            return self._shown

    @property
    def screen(self) -> list[str]:
        """The screen as it is now, of a program that fills it."""
        with self._news:
            return screen(self._shown, *self._process.getwinsize())

    def wait_for_screen(self, wanted: Callable[[str], bool]) -> None:
        """Wait until the screen is as wanted."""
        with self._news:
            found = self._news.wait_for(lambda: wanted("\n".join(self.screen)), PATIENCE_S)
        assert found, "the screen is:\n" + "\n".join(self.screen)

    def resize(self, rows: int, columns: int) -> None:
        """Make the window larger or smaller."""
        self._process.setwinsize(rows, columns)

    def press(self, keys: str) -> None:
        """Press keys."""
        self._process.send(keys)

    def press_bytes(self, data: bytes) -> None:
        """Press what is no text. Returns when the program has taken it in but for the last few; or has ended."""
        while data and self._reader.is_alive():
            _, writable, _ = select.select([], [self._process.fileno()], [], LOOK_S)
            if writable:
                data = data[os.write(self._process.fileno(), data[:CHUNK_BYTES]) :]

    def type(self, line: str) -> None:
        """Type a line and press Enter."""
        self._process.send(f"{line}\r")

    def wait_for(self, text: str, timeout_s: float = PATIENCE_S, after: int = 0) -> None:
        """Wait until it shows this, after so many characters."""
        with self._news:
            found = self._news.wait_for(
                lambda: text in ESCAPES.sub("", self._shown).replace("\r", "")[after:], timeout_s
            )
        assert found, f"{text!r} was not shown, but:\n{self.shown[-3000:]}"

    def wait(self) -> int:
        """Wait until the program ends; its exit code."""
        self._reader.join(PATIENCE_S)
        assert not self._reader.is_alive(), f"it goes on:\n{self.shown[-3000:]}"
        self._process.wait()
        code = self._process.exitstatus
        assert code is not None, f"killed by signal {self._process.signalstatus}"
        return code

    def clean_up(self) -> None:
        """Leave no process behind. It is asked to end first: a killed one could not write down what was covered."""
        for number in (signal.SIGTERM, signal.SIGKILL):
            with contextlib.suppress(OSError, pexpect.ExceptionPexpect):
                self._process.kill(number)
            self._reader.join(TERM_TIMEOUT_S)
            if not self._reader.is_alive():
                break
        with contextlib.suppress(OSError, pexpect.ExceptionPexpect):
            self._process.close(force=True)

    def _read(self) -> None:
        asked = ""
        with contextlib.suppress(pexpect.EOF, OSError, ValueError):
            while True:
                text = self._process.read_nonblocking(65536, timeout=None)
                with self._news:
                    self._shown += text
                    self._news.notify_all()
                asked = asked[1 - len(WHERE) :] + text
                if self._tells_cursor:
                    rows, _ = self._process.getwinsize()
                    self._process.send(f"\x1b[{rows};1R" * asked.count(WHERE))  # in the last row, as after a long talk
