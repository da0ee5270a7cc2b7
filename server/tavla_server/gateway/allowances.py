"""Allowances of requests that cost other players something. Each node counts for itself: docs/limits.md says why."""

from collections.abc import Mapping

from tavla_server.token_bucket import Rate, TokenBuckets


class Allowances:
    """The allowances of each rate, by its name. rates: in place of those that are declared."""

    def __init__(self, rates: Mapping[str, Rate]) -> None:
        self._rates = rates
        self._buckets: dict[str, TokenBuckets] = {}

    def spend(self, name: str, rate: Rate, key: str) -> float:
        """Spend one of a key's. Returns 0, or how many seconds to wait until it is allowed; then nothing is spent."""
        if name not in self._buckets:
            self._buckets[name] = TokenBuckets(self._rates.get(name, rate), limit=name)
        return self._buckets[name].spend(key)
