"""The lag of this node's event loop: a node that is late itself must not charge the delay to a player."""

import asyncio

from tavla_server.cluster.clock import Clock
from tavla_server.telemetry.metrics import DELIVERY, LAG, count_notes

SAMPLE_S = 0.1
STALL_S = 0.1  # late by less than that: a client's own way here takes as long
STALLS_KEPT = 1000  # a turn with more of them would be a long one


class Lag:
    """The lag of the event loop, watched. A standstill costs no player time whom this node should have heard."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._lag_s = 0.0
        self._due: float | None = None  # when the next sample should be taken, by the loop's clock
        self._stalls: list[tuple[int, int]] = []  # start, end, in ms since 1970

    async def run(self) -> None:
        """Measure how late the event loop is. Runs until it is cancelled.

        No `Sweep`: it measures during an outage, too, and ten times a second.
        """
        clock = asyncio.get_running_loop().time
        while True:
            self._due = clock() + SAMPLE_S
            await asyncio.sleep(SAMPLE_S)
            self._lag_s = clock() - self._due
            LAG.observe(max(0.0, self._lag_s))
            DELIVERY.due = True
            count_notes()
            if self._lag_s > STALL_S:
                self._stalls = [*self._stalls, self._stall(self._lag_s)][-STALLS_KEPT:]

    @property
    def lag_s(self) -> float:
        """The lag at the last sample, or now if the next one is overdue."""
        return max(self._lag_s, self._overdue_s)

    @property
    def stalls(self) -> list[tuple[int, int]]:
        """Standstills of the loop, start and end in ms since 1970, the one that ends just now included."""
        overdue_s = self._overdue_s
        return [*self._stalls, self._stall(overdue_s)] if overdue_s > STALL_S else self._stalls

    @property
    def _overdue_s(self) -> float:
        return asyncio.get_running_loop().time() - self._due if self._due is not None else 0.0

    def _stall(self, late_s: float) -> tuple[int, int]:
        now = self._clock.now_ms()
        return now - round(1000 * late_s), now
