"""How often someone may do something: so many at once, and then so many a second."""

import time
from collections import OrderedDict
from collections.abc import Callable

from tavla_server.telemetry.metrics import LIMITS

REMEMBERED = 10_000  # of those who spent last; whoever is older has a full allowance again


class TokenBucket:
    """What is left, by key. rate_per_s: how fast it comes back. burst: the most that one can have.

    limit: what it is called in the metric of limits that were met; "" = whoever asks counts it.
    """

    def __init__(
        self, rate_per_s: float, burst: float, now: Callable[[], float] = time.monotonic, limit: str = ""
    ) -> None:
        self._limit = limit
        self._rate, self._burst, self._now = rate_per_s, burst, now
        self._left: OrderedDict[str, tuple[float, float]] = OrderedDict()  # what was left at a time

    def spend(self, key: str) -> float:
        """Do it once. Returns 0, or how many seconds to wait until it is allowed; then nothing is spent."""
        now = self._now()
        left, at = self._left.pop(key, (self._burst, now))
        left = min(self._burst, left + (now - at) * self._rate)
        allowed = left >= 1
        if not allowed and self._limit:
            LIMITS.add(self._limit)
        self._left[key] = (left - allowed, now)
        self._forget(now)
        return 0.0 if allowed else (1 - left) / self._rate

    def __len__(self) -> int:
        """How many are remembered."""
        return len(self._left)

    def _forget(self, now: float) -> None:
        """Of those who spent longest ago, whoever has a full allowance again, or is one too many."""
        while len(self._left) > REMEMBERED or self._is_full(next(iter(self._left.values())), now):
            self._left.popitem(last=False)

    def _is_full(self, since: tuple[float, float], now: float) -> bool:
        left, at = since
        return left + (now - at) * self._rate >= self._burst
