"""Timeouts of tests, in one place: far longer than anything takes, since the machine may be busy with much else."""

import asyncio
import time
from collections.abc import Awaitable, Callable
from typing import Any, TypeVar

T = TypeVar("T")
PATIENCE_S = 180.0  # for what should come at once; where ten wait for each core, a server took 60 to start
LATE_S = 20.0  # what a busy machine may add to a time that is promised; where eight wait for each core, 10 were too few
PAUSE_S = 0.01  # between two looks at what tells of nothing: others want the core meanwhile
NEVER_AGAIN = 0.001  # times a second: a limit that does not refill during a test


def until(found: Callable[[], T], what: str) -> T:
    """Wait for a true result, and return it. what: words for the AssertionError that comes after PATIENCE_S."""
    end_s = time.monotonic() + PATIENCE_S
    while not (value := found()):
        assert time.monotonic() < end_s, f"not within {PATIENCE_S:g} s: {what}"
        time.sleep(PAUSE_S)
    return value


async def wait_until(holds: Callable[[], object]) -> None:
    """Wait until something holds of which no event tells."""
    async with asyncio.timeout(PATIENCE_S):
        while not holds():  # noqa: ASYNC110
            await asyncio.sleep(PAUSE_S)


async def ask_until(ask: Callable[[], Awaitable[T]], holds: Callable[[Any], object] = bool) -> T:
    """Ask again and again, where no event tells; the first answer that holds."""
    async with asyncio.timeout(PATIENCE_S):
        while not holds(answer := await ask()):  # noqa: ASYNC110
            await asyncio.sleep(PAUSE_S)
    return answer
