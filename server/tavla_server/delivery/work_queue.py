"""A queue of work that can wait: a few pieces in each iteration of the event loop."""

import asyncio
from collections import deque
from collections.abc import Callable


class WorkQueue:
    """A queue of callbacks, run in order, at most `at_once` in each iteration of the loop."""

    def __init__(self, at_once: int) -> None:
        self._at_once = at_once
        self._waiting: deque[Callable[[], object]] = deque()
        self._next: asyncio.Handle | None = None

    def __len__(self) -> int:
        return len(self._waiting)

    def put(self, work: Callable[[], object]) -> None:
        """Add a callback."""
        self._waiting.append(work)
        if self._next is None:
            self._next = asyncio.get_running_loop().call_soon(self._run)

    def _run(self) -> None:
        loop = asyncio.get_running_loop()
        for _ in range(min(self._at_once, len(self._waiting))):
            loop.call_soon(self._waiting.popleft())  # on its own: a failure holds up no other
        self._next = loop.call_soon(self._run) if self._waiting else None
