"""`tavla` through pipes: a running one that is talked to, or one that is run to its end."""

import asyncio
import os
import re
import subprocess
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import NamedTuple

from tests.support.patience import PATIENCE_S
from tests.support.servers.processes import script


def environment(folder: Path, url: str, **more: str) -> dict[str, str]:
    """Environment of the program: its user's folder, and the server."""
    return {**os.environ, "TAVLA_CONFIG_DIR": str(folder), "TAVLA_SERVER": url, "PYTHONUTF8": "1", **more}


class Program:
    """A running `tavla`. text: all it has written to stdout."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self.process = process
        self.text = ""
        self._read = 0

    async def expect(self, pattern: str) -> str:
        """Wait for a line that has this; everything before it is done with."""
        try:
            async with asyncio.timeout(PATIENCE_S):
                while (found := re.search(pattern, self.text[self._read :])) is None:
                    await self._read_more()
        except (TimeoutError, EOFError):
            raise AssertionError(f"{pattern!r} did not come, but:\n{self.text[self._read :]}") from None
        self._read += found.end()
        return found[0]

    async def _read_more(self) -> None:
        assert self.process.stdout is not None
        data = await self.process.stdout.read(65536)
        if not data:
            raise EOFError
        self.text += data.decode()

    async def type(self, line: str, answer: str = "") -> None:
        """Type a line. answer: what a line has that follows."""
        assert self.process.stdin is not None
        self.process.stdin.write(f"{line}\n".encode())
        await self.process.stdin.drain()
        if answer:
            await self.expect(answer)

    async def end(self) -> tuple[int, str]:
        """Wait for its end: exit code and stderr."""
        async with asyncio.timeout(PATIENCE_S):
            rest, errors = await self.process.communicate()
        self.text += rest.decode()
        code = self.process.returncode
        assert code is not None
        return code, errors.decode()

    async def clean_up(self) -> None:
        """Leave no process behind. It is asked to end, not killed: so it writes down what was covered."""
        if self.process.returncode is None:
            self.process.terminate()
            await self.end()


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
        done = subprocess.run(
            [*script("tavla"), *arguments],
            input=typed,
            capture_output=True,
            text=True,
            timeout=PATIENCE_S,
            env=environment(self.folder, self.url),
            check=False,
        )
        return Ended(done.returncode, done.stdout, done.stderr)

    def tokens(self) -> list[Path]:
        """The files that hold tokens."""
        return sorted(self.folder.rglob("token-*"))
