"""When commands that can wait are sent: in a rush they wait for each other.

Where the store shares a processor with thousands who come back, each few commands are a switch to it and back, and a
sync of its file. All connections wait until the same moments, so what has waited is there together.
"""

WINDOW_S = 0.024
RATE_PER_S, BURST = 300.0, 64.0  # more commands than that, appends counted, or more entries read are a rush


class Windows:
    """Those of one connection. sent: commands beyond RATE_PER_S, a leaky bucket; whoever sends some adds them."""

    __slots__ = ("_seen_s", "sent")

    def __init__(self) -> None:
        self._seen_s = 0.0
        self.sent = 0.0

    def next_s(self, now_s: float) -> float:
        """When to send the next ones, with all that come until then; by the loop's clock, as `now_s`."""
        left = min(self.sent, 2 * BURST) - RATE_PER_S * (now_s - self._seen_s)
        self.sent, self._seen_s = max(0.0, left), now_s
        return now_s if left < BURST else WINDOW_S * (now_s // WINDOW_S + 1)
