"""Coalescing of commands that can wait: in a rush they are sent together.

When thousands of clients reconnect and the store shares the processor, each small group of commands costs two switches
of process and a sync of the file. All connections wait until the same moments, so their commands meet.
"""

from tavla_server.token_bucket import Rate, TokenBucket

WINDOW_S = 0.024
CALM = Rate(300.0, 64.0)  # more commands than that, appends counted, or more entries read are a rush


class CoalescingWindow:
    """The window of one connection. sent: commands since the last group was due; the sender adds to it."""

    __slots__ = ("_bucket", "sent")

    def __init__(self) -> None:
        self._bucket = TokenBucket(CALM)
        self.sent = 0

    def next_s(self, now_s: float) -> float:
        """The time of the next group, by the loop's clock, as `now_s`."""
        self._bucket.owe(now_s, self.sent)
        self.sent = 0
        return WINDOW_S * (now_s // WINDOW_S + 1) if self._bucket.wait_s(now_s) else now_s
