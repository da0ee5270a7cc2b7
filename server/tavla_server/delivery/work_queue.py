"""Work that can wait, a few pieces in each turn of the event loop: everyone else is served in between."""

import asyncio
from collections import deque
from collections.abc import Callable


class Turns:
    """Does what is put, in order, at most `at_once` pieces before the loop looks at everything else again."""

    def __init__(self, at_once: int) -> None:
        self._at_once = at_once
        self._waiting: deque[Callable[[], object]] = deque()
        self._next: asyncio.Handle | None = None

    def __len__(self) -> int:
        return len(self._waiting)

    def put(self, work: Callable[[], object]) -> None:
        """Do this when it is its turn."""
        self._waiting.append(work)
        if self._next is None:
            self._next = asyncio.get_running_loop().call_soon(self._run)

    def _run(self) -> None:
        loop = asyncio.get_running_loop()
        for _ in range(min(self._at_once, len(self._waiting))):
            loop.call_soon(self._waiting.popleft())  # by itself: one that fails holds up none
        self._next = loop.call_soon(self._run) if self._waiting else None
