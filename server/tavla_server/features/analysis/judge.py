"""The judge of a match: a program that is installed beside this one; we know its input and its output alone."""

import asyncio
import contextlib
import sys
from asyncio.subprocess import PIPE, Process
from collections.abc import Callable
from typing import Any, NamedTuple

import msgspec
from tavla_protocol.messages import Finding

from tavla_server.features.archive.judgement import Judgement

MOST_BYTES = 4096  # of the findings that are kept of a match, as JSON
MOST_READ = 16 << 20  # bytes of a line: the findings of fifty games take a tenth

Tell = Callable[[tuple[int, int]], None]  # plays that are judged, and how many there are


class JudgeFailed(Exception):
    """The process has died, or took too long. str(error): what is known of it."""


class Judge(NamedTuple):
    """A judge, by the conditions of its process.

    choice: who shall judge, see there; quick: who judges roughly before. limit_s: for one match: some fifty games.
    end_s: for one that is to end.
    """

    program: str = "tavla_bots.judge"
    choice: str = "sage"
    quick: str = "glance"
    limit_s: float = 900.0
    end_s: float = 2.0

    async def analysis(self, task: bytes, tell: Tell = lambda _: None) -> Judgement:
        """The judge's reply to a task. tell: is told how far it is. Raises: JudgeFailed."""
        lines = [b""]

        def read(line: bytes) -> None:
            if line.startswith(b'{"seen"'):
                seen, plays = msgspec.json.decode(line)["seen"]
                tell((seen, plays))
            lines[:] = [line]

        try:
            async with asyncio.timeout(self.limit_s):
                await self._ask(task, read)
        except TimeoutError:
            raise JudgeFailed(f"not done after {self.limit_s:.0f} s") from None
        return _judgement(msgspec.json.decode(lines[-1]))

    async def last_line(self, task: bytes) -> bytes:
        """The last line that the program tells in time: the deepest look, or its only answer. Raises: JudgeFailed."""
        lines = [b""]
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(self.limit_s):
                await self._ask(task, lines.append)
        if not lines[-1]:
            raise JudgeFailed(f"nothing found in {self.limit_s:.0f} s")
        return lines[-1]

    async def _ask(self, task: bytes, read: Callable[[bytes], None]) -> None:
        """Have a task done. read: is handed each line. Raises: JudgeFailed."""
        command = (sys.executable, "-P", "-m", self.program, self.choice)
        process = await asyncio.create_subprocess_exec(*command, stdin=PIPE, stdout=PIPE, stderr=PIPE, limit=MOST_READ)
        assert process.stdin is not None, "a pipe"
        assert process.stdout is not None, "a pipe"
        assert process.stderr is not None, "a pipe"
        try:
            with contextlib.suppress(ConnectionError):
                process.stdin.write(task)  # which is not closed: a judge whose input ends has no server any more
                await process.stdin.drain()
            _, errors = await asyncio.gather(_read(process.stdout, read), process.stderr.read())
            code = await process.wait()
        finally:
            await self._end(process)
        if code:
            raise JudgeFailed(f"exit code {code}: {errors.decode(errors='replace').strip().rpartition(chr(10))[2]}")

    async def _end(self, process: Process) -> None:
        """A judge whose input ends takes its own helper with it."""
        assert process.stdin is not None, "a pipe"
        process.stdin.close()
        try:
            async with asyncio.timeout(self.end_s):
                await process.wait()
        except TimeoutError:
            process.kill()
            await process.wait()


JUDGE = Judge()


async def _read(lines: asyncio.StreamReader, read: Callable[[bytes], None]) -> None:
    async for line in lines:
        read(line)


def _judgement(told: dict[str, Any]) -> Judgement:
    """The judgement in a reply, which is `tavla_engine.analysis.plain` and more; or {"error": why there is none}."""
    if "error" not in told:
        pairs = {"ratings": told["rating"], "lost": told["lost"], "luck": told["luck"]}
        rounded = {name: [one and round(one, 3) for one in pair] for name, pair in pairs.items()}
        told = told | rounded | {"findings": _costly(told["findings"])}
    return msgspec.convert(told, Judgement)


def _costly(found: list[dict[str, Any]]) -> tuple[Finding, ...]:
    """The findings to keep, in order."""
    all_ = [Finding(*(one[name] for name in Finding._fields))._replace(loss=round(one["loss"], 3)) for one in found]
    kept, room = set[int](), MOST_BYTES - len("[]")
    for place in sorted(range(len(all_)), key=lambda place: -all_[place].loss):
        room -= len(msgspec.json.encode(all_[place])) + len(",")
        if room < 0 or not all_[place].loss:
            break
        kept.add(place)
    return tuple(one for place, one in enumerate(all_) if place in kept)
