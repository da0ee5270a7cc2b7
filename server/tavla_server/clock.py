"""Time, passed in: tests move it by hand."""

import asyncio
import time
from collections.abc import Callable
from typing import Protocol


class Timer(Protocol):
    """Something that will happen, unless it is cancelled."""

    def cancel(self) -> None:
        """It will not happen."""


class Clock:
    """The time of this machine and of its event loop."""

    def now_ms(self) -> int:
        """Milliseconds since 1970."""
        return time.time_ns() // 1_000_000

    def call_later(self, delay_s: float, callback: Callable[[], object]) -> Timer:
        """Call once, after a delay."""
        return asyncio.get_running_loop().call_later(delay_s, callback)
