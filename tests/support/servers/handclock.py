"""A clock that a test moves by hand."""

import heapq
import itertools
from collections.abc import Awaitable, Callable, Sequence

from tavla_server.cluster.clock import Clock, Timer


class HandTimer:
    """A call that is due at `at_ms`."""

    def __init__(self, at_ms: int, callback: Callable[[], object]) -> None:
        self.at_ms, self.callback, self.cancelled = at_ms, callback, False

    def cancel(self) -> None:
        """Take the call back."""
        self.cancelled = True


class HandClock(Clock):
    """Stands still until it is moved; timers fire on the way, in order, at exactly their time."""

    def __init__(self, now_ms: int = 1_700_000_000_000) -> None:
        self._now_ms = now_ms
        self._numbers = itertools.count()
        self._timers: list[tuple[int, int, HandTimer]] = []

    def now_ms(self) -> int:
        """The time that the clock shows, in ms."""
        return self._now_ms

    async def follow(self, store_time: Callable[[], Awaitable[Sequence[int | bytes]]]) -> None:
        """Follow the test alone, not a store."""

    def call_later(self, delay_s: float, callback: Callable[[], object]) -> Timer:
        """Call once, when the clock has been moved so far."""
        timer = HandTimer(self._now_ms + round(1000 * delay_s), callback)
        heapq.heappush(self._timers, (timer.at_ms, next(self._numbers), timer))
        return timer

    def move(self, ms: int) -> None:
        """Let time pass."""
        end = self._now_ms + ms
        while self._timers and self._timers[0][0] <= end:
            at_ms, _, timer = heapq.heappop(self._timers)
            self._now_ms = max(self._now_ms, at_ms)
            if not timer.cancelled:
                timer.callback()
        self._now_ms = end
