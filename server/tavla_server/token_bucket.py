"""Rate limits: so many at once, and then so many a second."""

import time
from collections import OrderedDict
from collections.abc import Callable
from typing import NamedTuple

from tavla_server.telemetry.metrics import LIMITS

REMEMBERED = 10_000  # keys that spent last; those before have a full allowance again


class Rate(NamedTuple):
    """The speed at which an allowance comes back, and the most there is of it."""

    per_s: float
    burst: float


class TokenBucket:
    """An allowance. All times are of one clock, in seconds.

    It is kept as the time at which all of it will have come back: one addition spends a token.
    """

    __slots__ = ("_burst_s", "_full_s", "_token_s")

    def __init__(self, rate: Rate) -> None:
        self._token_s = 1.0 / rate.per_s  # for one to come back
        self._burst_s = (rate.burst - 1.0) / rate.per_s  # until all has come back, while one may still be spent
        self._full_s = 0.0

    def spend(self, now_s: float) -> float:
        """Spend one. Returns 0, or how many seconds to wait until it is allowed; then nothing is spent."""
        full_s = self._full_s
        if full_s < now_s:
            full_s = now_s
        elif full_s - now_s > self._burst_s:
            return full_s - now_s - self._burst_s
        self._full_s = full_s + self._token_s
        return 0.0

    def owe(self, now_s: float, count: int = 1) -> None:
        """Spend so many, allowed or not, for what is done late in place of not at all. No more is owed than a burst."""
        most_s = now_s + 2 * (self._burst_s + self._token_s)
        self._full_s = min(max(self._full_s, now_s) + count * self._token_s, most_s)

    def wait_s(self, now_s: float) -> float:
        """Seconds to wait until one more is allowed; 0 = none."""
        return max(0.0, self._full_s - now_s - self._burst_s)

    def is_full(self, now_s: float) -> bool:
        """True if all of it has come back."""
        return self._full_s <= now_s


class TokenBuckets:
    """An allowance for each key. limit: its name in the metric of limits that were met; "" = the caller counts it."""

    def __init__(self, rate: Rate, now: Callable[[], float] = time.monotonic, limit: str = "") -> None:
        self._rate, self._now, self._limit = rate, now, limit
        self._buckets: OrderedDict[str, TokenBucket] = OrderedDict()  # the one that spent last at the end

    def spend(self, key: str) -> float:
        """Spend one of a key's. Returns 0, or how many seconds to wait until it is allowed; then nothing is spent."""
        now_s = self._now()
        bucket = self._buckets.pop(key, None) or TokenBucket(self._rate)
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
