"""Rate limits: so many at once, and then so many a second."""

import time
from collections import OrderedDict
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

REMEMBERED = 10_000  # keys that spent last; those before have a full allowance again


def _nobody(*_: object) -> str:
    return ""


class Rate(NamedTuple):
    """A rate at which something may be done: `burst` at once, and then `per_s` a second.

    Of a request, name: of the limit in metrics. key: whose allowance it spends, from its connection and itself; "" = it
    spends none. text: what a client is told that is too fast.
    """

    per_s: float
    burst: float
    name: str = ""
    key: Callable[[Any, Any], str] = _nobody
    text: str = ""


class TokenBucket:
    """A bucket of tokens: an allowance. All times are of one clock, in seconds.

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

    def charge(self, now_s: float, count: float) -> float:
        """Take so many, which are owed if they are not there. Returns the seconds to wait until the debt is paid."""
        full_s = max(self._full_s, now_s) + count * self._token_s
        self._full_s = full_s
        return max(0.0, full_s - now_s - self._burst_s - self._token_s)

    def wait_s(self, now_s: float) -> float:
        """Seconds to wait until one more is allowed; 0 = none."""
        return max(0.0, self._full_s - now_s - self._burst_s)

    def is_full(self, now_s: float) -> bool:
        """True if all of it has come back."""
        return self._full_s <= now_s


class Rates:
    """Counts of what is done, by rate and by whose it is. Each node counts for itself: docs/limits.md says why."""

    def __init__(self, others: Mapping[str, Rate] = {}, now: Callable[[], float] = time.monotonic) -> None:
        """others: rates in place of those of the same name."""
        self._others, self._now = others, now
        self._buckets: dict[Rate, OrderedDict[str, TokenBucket]] = {}  # of each, the one that spent last at the end

    def spend(self, rate: Rate, key: str) -> float:
        """Spend one of a key's. Returns 0, or how many seconds to wait until it is allowed; then nothing is spent."""
        now_s = self._now()
        return self._bucket(rate, key, now_s).spend(now_s)

    def charge(self, rate: Rate, key: str, count: float) -> float:
        """Take so many of a key's, which are owed if they are not there. Returns the seconds until that is paid."""
        now_s = self._now()
        return self._bucket(rate, key, now_s).charge(now_s, count)

    def _bucket(self, rate: Rate, key: str, now_s: float) -> TokenBucket:
        """The allowance of a key, the last to be forgotten now; those that are whole again are forgotten."""
        buckets = self._buckets.setdefault(rate, OrderedDict())
        bucket = buckets.pop(key, None) or TokenBucket(self._others.get(rate.name, rate))
        while buckets and (len(buckets) >= REMEMBERED or next(iter(buckets.values())).is_full(now_s)):
            buckets.popitem(last=False)
        buckets[key] = bucket
        return bucket

    def __len__(self) -> int:
        """The number of allowances that are remembered."""
        return sum(map(len, self._buckets.values()))
