"""Coalescing of commands that can wait: in a rush they are sent together.

When thousands of clients reconnect and the store shares the processor, each small group of commands costs two switches
of process and a sync of the file. All connections wait until the same moments, so their commands meet.
"""

WINDOW_S = 0.024
RATE_PER_S, BURST = 300.0, 64.0  # more commands than that, appends counted, or more entries read are a rush


class CoalescingWindow:
    """The window of one connection. sent: commands beyond RATE_PER_S, a leaky bucket; the sender adds to it."""

    __slots__ = ("_seen_s", "sent")

    def __init__(self) -> None:
        self._seen_s = 0.0
        self.sent = 0.0

    def next_s(self, now_s: float) -> float:
        """The time of the next group, by the loop's clock, as `now_s`."""
        left = min(self.sent, 2 * BURST) - RATE_PER_S * (now_s - self._seen_s)
        self.sent, self._seen_s = max(0.0, left), now_s
        return now_s if left < BURST else WINDOW_S * (now_s // WINDOW_S + 1)
