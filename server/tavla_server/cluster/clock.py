"""Time, passed in: tests move it by hand."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from time import time_ns
from typing import Protocol


class Timer(Protocol):
    """A timer: a scheduled call that can be cancelled."""

    def cancel(self) -> None:
        """Take the call back."""


class Clock:
    """The clock: the time of the store, the same for all nodes, as far as this machine knows it; and the loop's."""

    __slots__ = ("_behind_ms",)

    def __init__(self) -> None:
        self._behind_ms = 0  # the store's clock, of this machine's

    def now_ms(self) -> int:
        """Milliseconds since 1970."""
        return time_ns() // 1_000_000 - self._behind_ms  # a sum takes 16 bytes more, and some are kept for each match

    def own_ms(self) -> int:
        """The time of this machine's own clock, right or wrong."""
        return time_ns() // 1_000_000

    async def follow(self, store_time: Callable[[], Awaitable[Sequence[int | bytes]]]) -> None:
        """Learn what the store's clock shows: its TIME, in seconds and microseconds.

        Less of a difference than the way there and back explains is none.
        """
        asked = self.own_ms()
        seconds, micros = await store_time()
        shown = 1000 * int(seconds) + int(micros) // 1000
        way = self.own_ms() - asked
        behind = asked + way // 2 - shown
        if abs(behind - self._behind_ms) > way + 1:
            self._behind_ms = behind

    def call_later(self, delay_s: float, callback: Callable[[], object]) -> Timer:
        """Call once, after a delay."""
        return asyncio.get_running_loop().call_later(delay_s, callback)
