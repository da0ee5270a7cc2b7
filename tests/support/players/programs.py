"""`tavla` through pipes: a running one that is talked to, or one that is run to its end."""

import asyncio
import os
import re
from collections.abc import Awaitable, Callable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from tests.support.patience import PATIENCE_S
from tests.support.servers.our_programs import run_program, start_program

LOCALE = ("LC_ALL", "LC_CTYPE", "LANG", "PYTHONIOENCODING", "PYTHONUTF8")
SIZE = ("COLUMNS", "LINES")  # which pytest's readline sets for its workers: a terminal has a size of its own
UTF_8 = {"LANG": "C.UTF-8", "PYTHONIOENCODING": "utf-8"}


def user_environment(locale: Mapping[str, str] = UTF_8) -> dict[str, str]:
    """Environment of a user's programs. locale: what it says of the terminal's charset."""
    return {name: value for name, value in os.environ.items() if name not in (*LOCALE, *SIZE)} | {**locale}


def environment(folder: Path, url: str, **more: str) -> dict[str, str]:
    """Environment of the program: its user's folder, and the server."""
    return {**user_environment(), "TAVLA_CONFIG_DIR": str(folder), "TAVLA_SERVER": url, **more}


class OutputPipe:
    """A pipe to which a program writes: `end` is its end of it."""

    def __init__(self) -> None:
        self._file, self.end = os.pipe()
        self._reader = asyncio.StreamReader()
        self._opened = False

    async def read(self) -> bytes:
        """What it has written; nothing when it has ended."""
        if not self._opened:
            self._opened = True
            protocol = asyncio.StreamReaderProtocol(self._reader)
            file = os.fdopen(self._file, "rb", buffering=0)  # asyncio closes it
            await asyncio.get_running_loop().connect_read_pipe(lambda: protocol, file)
        return await self._reader.read(65536)

    async def rest(self) -> bytes:
        """All that it has written, and will until it ends."""
        found = b""
        while data := await self.read():
            found += data
        return found


class Program:
    """A running `tavla`. text: all it has written to stdout."""

    def __init__(self, arguments: Sequence[str], env: Mapping[str, str]) -> None:
        read, write = os.pipe()
        self.stdin = open(write, "wb", buffering=0)  # noqa: SIM115 - open as long as the program
        self._stdout, self._stderr = OutputPipe(), OutputPipe()
        files = (read, self._stdout.end, self._stderr.end)
        try:
            self.process = start_program("tavla", arguments, env, files)
        finally:
            for file in files:
                os.close(file)
        self.text = ""
        self._read = 0

    async def expect(self, pattern: str) -> str:
        """Wait for a line that has this; everything before it is done with."""
        try:
            async with asyncio.timeout(PATIENCE_S):
                while (found := re.search(pattern, self.text[self._read :])) is None:
                    await self._read_more()
        except TimeoutError:
            raise AssertionError(f"{pattern!r} did not come, but:\n{self.text[self._read :]}") from None
        except EOFError:
            code, errors = await self.end()
            told = f"{self.text[self._read :]}\nand it ended with {code}: {errors}"
            raise AssertionError(f"{pattern!r} did not come, but:\n{told}") from None
        self._read += found.end()
        return found[0]

    async def _read_more(self) -> None:
        data = await self._stdout.read()
        if not data:
            raise EOFError
        self.text += data.decode()

    async def type(self, line: str, answer: str = "") -> None:
        """Type a line. answer: what a line has that follows."""
        self.stdin.write(f"{line}\n".encode())
        if answer:
            await self.expect(answer)

    async def end(self) -> tuple[int, str]:
        """Wait for its end: exit code and stderr."""
        async with asyncio.timeout(PATIENCE_S):
            rest, errors = await asyncio.gather(self._stdout.rest(), self._stderr.rest())
            code = await asyncio.to_thread(self.process.wait, PATIENCE_S)
        self.text += rest.decode()
        return code, errors.decode()

    async def clean_up(self) -> None:
        """Leave no process behind. It is asked to end, not killed: so it writes down what was covered."""
        if self.process.poll() is None:
            self.process.terminate()
        await self.end()
        self.stdin.close()


Start = Callable[..., Awaitable[Program]]


class Ended(NamedTuple):
    """A program that has ended."""

    code: int
    text: str
    errors: str


class Machine:
    """A user's computer: a folder of its own."""

    def __init__(self, folder: Path, url: str) -> None:
        self.folder, self.url = folder, url

    def run(self, *arguments: str, typed: str = "") -> Ended:
        """Run `tavla` to its end, with something piped in."""
        done = run_program("tavla", *arguments, env=environment(self.folder, self.url), typed=typed)
        return Ended(done.returncode, done.stdout, done.stderr)

    def tokens(self) -> list[Path]:
        """The files that hold tokens."""
        return sorted(self.folder.rglob("token-*"))
