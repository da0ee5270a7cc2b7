"""Floods of frames that say nothing."""

from tavla_server.telemetry.metrics import LIMITS
from tavla_server.token_bucket import Rate, TokenBucket

EXTRAS = Rate(5.0, 50.0)  # frames of a client that are no whole message: pings, pongs, pieces
FLOOD_TEXT = "too many pings, pongs or pieces of messages: send whole messages"


class Flood:
    """A flood: a count of frames that are no message: some are good manners. is_on: there were too many."""

    __slots__ = ("_bucket", "is_on")

    def __init__(self) -> None:
        self._bucket = TokenBucket(EXTRAS)
        self.is_on = False

    def begins(self, now_s: float) -> bool:
        """Count one more; True for the first that is too many."""
        if self.is_on or not self._bucket.spend(now_s):
            return False
        LIMITS.add("flood")
        self.is_on = True
        return True
