"""Time limits for others, who are given their time also when this machine, or theirs, has stood still."""

import asyncio
import contextlib
from collections.abc import AsyncIterator, Callable


class Deadline:
    """A deadline: a call when a time is over, unless it is cancelled.

    The second half begins when the first is over: a loop that was late reads what has come before it takes others for
    silent.
    """

    __slots__ = ("_call", "_half_s", "_timer")

    def __init__(self, after_s: float, call: Callable[[], object]) -> None:
        self._half_s, self._call = after_s / 2, call
        self._timer = asyncio.get_running_loop().call_later(self._half_s, self._wait_on)

    def _wait_on(self) -> None:
        self._timer = asyncio.get_running_loop().call_later(self._half_s, self._call)

    def cancel(self) -> None:
        """Take the call back."""
        self._timer.cancel()


@contextlib.asynccontextmanager
async def time_limit(after_s: float) -> AsyncIterator[None]:
    """End what takes longer. Raises: TimeoutError."""
    async with asyncio.timeout(None) as limit:
        deadline = Deadline(after_s, lambda: limit.reschedule(0.0))
        try:
            yield
        finally:
            deadline.cancel()
