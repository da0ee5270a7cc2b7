"""A person at a terminal: a program on a pseudo-terminal of 80 columns, what it shows, and typing."""

import contextlib
import os
import re
import select
import subprocess
import termios
import threading
from collections.abc import Callable, Mapping
from pathlib import Path

import pexpect

from tests.support.patience import PATIENCE_S
from tests.support.players.programs import UTF_8, user_environment
from tests.support.players.pseudo_terminal import on_terminal
from tests.support.players.screen import Screen
from tests.support.servers.processes import script

TERM_TIMEOUT_S = 5.0  # of a program that is asked to end; then it is killed
LOOK_S = 0.2  # between two looks whether a program that reads nothing lives
AGAIN_S = 10.0  # until a key is pressed again
CHUNK_BYTES = 256  # a terminal drops what it has no room for while a program is between two prompts
ROWS, COLUMNS = 50, 80
ESCAPES = re.compile(r"\x1b(\[[0-?]*[ -/]*[@-~]|\][^\x07]*\x07|[()][A-Z0-9]|[=>78MDEHc])")
CUT = re.compile(r"\x1b(\[[0-?]*[ -/]*|\][^\x07]*|[()])?\Z")  # an escape sequence whose rest comes later


class Terminal:
    """`tavla` with some arguments, as a user who has a folder of their own."""

    def __init__(
        self,
        folder: Path,
        *arguments: str,
        term: str = "xterm-256color",
        locale: Mapping[str, str] = UTF_8,
        cwd: Path | None = None,
    ) -> None:
        """locale: what the user's environment says of the terminal's charset."""
        environment = {**user_environment(locale), "TAVLA_CONFIG_DIR": str(folder), "TERM": term}
        command = [*script("tavla"), *arguments]
        self._opened = contextlib.ExitStack()
        opened = on_terminal(command, environment, size=(ROWS, COLUMNS), cwd=cwd)
        self._process, self._line = self._opened.enter_context(opened)
        self._written = self._shown = ""
        self._screen = Screen(ROWS, COLUMNS)
        self._drawn: list[tuple[int, str, int]] = []  # how much was shown then, a line of the screen, where it is new
        self._news = threading.Condition(threading.RLock())
        self._reader = threading.Thread(target=self._read, daemon=True)  # else the program waits for us to read
        self._reader.start()

    @property
    def shown(self) -> str:
        """Everything it has written, without the escape sequences."""
        with self._news:
            return self._shown

    def forget(self) -> None:
        """Begin anew with what is shown: to look through all of a long talk again and again takes long."""
        with self._news:
            self._written = self._shown = ""
            self._drawn = []

    @property
    def written(self) -> str:
        """The same with the escape sequences."""
        with self._news:
            return self._written

    @property
    def screen(self) -> list[str]:
        """The screen as it is now, of a program that fills it."""
        with self._news:
            return self._screen.lines if self._screen.full else []

    def wait_for_screen(self, wanted: Callable[[str], bool]) -> None:
        """Wait until the screen is as wanted."""
        with self._news:
            found = self._news.wait_for(lambda: wanted("\n".join(self.screen)), PATIENCE_S)
        assert found, "the screen is:\n" + "\n".join(self.screen)

    def shows(self, pattern: str) -> None:
        """Wait until a line of the screen is like this."""
        self.wait_for_screen(lambda screen: bool(re.search(pattern, screen, re.MULTILINE)))

    def resize(self, rows: int, columns: int) -> None:
        """Make the window larger or smaller."""
        with self._news:
            self._screen.resize(rows, columns)
            termios.tcsetwinsize(self._line.fileno(), (rows, columns))

    def press(self, keys: str, shows: str = "") -> None:
        """Press keys. shows: what a line of the screen is like then."""
        self._line.send(keys)
        if shows:
            self.shows(shows)

    def press_bytes(self, data: bytes) -> None:
        """Press what is no text. Returns when the program has taken it in but for the last few; or has ended."""
        while data and self._reader.is_alive():
            _, writable, _ = select.select([], [self._line.fileno()], [], LOOK_S)
            if writable:
                data = data[os.write(self._line.fileno(), data[:CHUNK_BYTES]) :]

    def type(self, line: str) -> None:
        """Type a line and press Enter."""
        self._line.send(f"{line}\r")

    def wait_for(self, text: str, timeout_s: float = PATIENCE_S, after: int = 0) -> None:
        """Wait until it shows this, after so many characters. Of a text that it changes it may write a part alone."""
        with self._news:
            found = self._news.wait_for(lambda: self._has(text, after), timeout_s)
        assert found, f"{text!r} was not shown, but:\n{self.shown[-3000:]}"

    def _has(self, text: str, after: int) -> bool:
        if text in self._shown[after:]:
            return True
        return any(text in line[max(0, new + 1 - len(text)) :] for at, line, new in self._drawn if at > after)

    def wait(self) -> int:
        """Wait until the program ends; its exit code."""
        self._reader.join(PATIENCE_S)
        assert not self._reader.is_alive(), f"it goes on:\n{self.shown[-3000:]}"
        code = self._process.wait(PATIENCE_S)
        assert code >= 0, f"killed by signal {-code}"
        return code

    def interrupt(self) -> int:
        """Press Ctrl-C, again if nothing comes of it: a signal just before a read is seen after it. Its exit code."""
        for _ in range(int(PATIENCE_S / AGAIN_S)):
            self.press("\x03")
            self._reader.join(AGAIN_S)
            if not self._reader.is_alive():
                break
        return self.wait()

    def clean_up(self) -> None:
        """Leave no process behind. It is asked to end first: a killed one could not write down what was covered."""
        self._process.terminate()
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(TERM_TIMEOUT_S)
        self._process.kill()
        self._reader.join(TERM_TIMEOUT_S)
        self._opened.close()

    def _read(self) -> None:
        rest = ""
        with contextlib.suppress(pexpect.EOF, OSError, ValueError):
            while True:
                text = self._line.read_nonblocking(65536, timeout=None)
                with self._news:
                    self._written += text
                    whole = CUT.sub("", rest + text)
                    rest = (rest + text)[len(whole) :]
                    self._shown += ESCAPES.sub("", whole).replace("\r", "")
                    drawn = self._screen.feed(whole)
                    self._drawn += [(len(self._shown), line, new) for line, new in drawn]
                    self._news.notify_all()


NewTerminal = Callable[..., Terminal]
