"""An event loop whose time is the test's: it goes on when there is nothing to do, and stands still when it is told."""

import asyncio
import selectors


class _Selector(selectors.DefaultSelector):
    """Does not wait: it is as late at once as it should wait for."""

    now = 0.0

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        self.now += timeout or 0.0
        return super().select(0 if timeout is not None else None)


class HandLoop(asyncio.SelectorEventLoop):
    """For what waits for time alone, not for sockets."""

    def __init__(self) -> None:
        self._clock = _Selector()
        super().__init__(self._clock)

    def time(self) -> float:
        """The time that has gone by so far, in seconds."""
        return self._clock.now

    def stand_still(self, for_s: float) -> None:
        """Nothing runs for so long, though it may be due."""
        self._clock.now += for_s
