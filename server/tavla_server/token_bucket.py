"""Rate limits: so many at once, and then so many a second."""

import time
from collections import OrderedDict
from collections.abc import Callable

from tavla_server.telemetry.metrics import LIMITS

REMEMBERED = 10_000  # keys that spent last; those before have a full allowance again


class TokenBucket:
    """One allowance. per_s: how fast it comes back. burst: the most there is of it; no more than that is ever owed.

    All times are of one clock, in seconds.
    """

    __slots__ = ("_at_s", "_burst", "_left", "_per_s")

    def __init__(self, per_s: float, burst: float) -> None:
        self._per_s, self._burst = per_s, burst
        self._left, self._at_s = burst, 0.0

    def spend(self, now_s: float) -> float:
        """Spend one. Returns 0, or how many seconds to wait until it is allowed; then nothing is spent."""
        left = self._left + (now_s - self._at_s) * self._per_s
        if left > self._burst:
            left = self._burst
        if left < 1.0:
            return (1.0 - left) / self._per_s
        self._left, self._at_s = left - 1.0, now_s
        return 0.0

    def wait_s(self, now_s: float) -> float:
        """How many seconds to wait until one more is allowed; 0 = none."""
        left = max(self._left, -self._burst) + (now_s - self._at_s) * self._per_s
        self._left, self._at_s = min(left, self._burst), now_s
        return max(0.0, (1.0 - self._left) / self._per_s)

    def owe(self, count: int = 1) -> None:
        """Spend so many, allowed or not: for what is done late in place of not at all."""
        self._left -= count

    def is_full(self, now_s: float) -> bool:
        """True if all of it has come back."""
        return self._left + (now_s - self._at_s) * self._per_s >= self._burst


class TokenBuckets:
    """An allowance for each key. limit: its name in the metric of limits that were met; "" = the caller counts it."""

    def __init__(self, per_s: float, burst: float, now: Callable[[], float] = time.monotonic, limit: str = "") -> None:
        self._per_s, self._burst, self._now, self._limit = per_s, burst, now, limit
        self._buckets: OrderedDict[str, TokenBucket] = OrderedDict()  # the one that spent last at the end

    def spend(self, key: str) -> float:
        """Spend one of a key's. Returns 0, or how many seconds to wait until it is allowed; then nothing is spent."""
        now_s = self._now()
        bucket = self._buckets.pop(key, None) or TokenBucket(self._per_s, self._burst)
        wait_s = bucket.spend(now_s)
        if wait_s and self._limit:
            LIMITS.add(self._limit)
        self._buckets[key] = bucket
        while len(self._buckets) > REMEMBERED or next(iter(self._buckets.values())).is_full(now_s):
            self._buckets.popitem(last=False)
        return wait_s

    def __len__(self) -> int:
        """The number of keys that are remembered."""
        return len(self._buckets)
