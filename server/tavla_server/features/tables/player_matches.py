"""The matches of each player: a set of ids in the player's own keys."""

from tavla_server.store.client import Client, text
from tavla_server.store.keys import Key


class PlayerMatches:
    """A set of matches for each player."""

    def __init__(self, redis: Client, key: Key, kept_s: int = 0) -> None:
        """kept_s: how long a set is kept that gets no other match; 0 = for good."""
        self._redis, self._key, self._kept_s = redis, key, kept_s

    async def of(self, player: str) -> list[str]:
        """The ids of a player's matches."""
        return sorted(text(id_) for id_ in await self._redis.smembers(self._key(player)))

    async def add(self, player: str, match: str) -> None:
        """Add a match to a player's."""
        await self._redis.sadd(self._key(player), match)
        if self._kept_s:
            await self._redis.expire(self._key(player), self._kept_s)

    async def remove(self, player: str, match: str) -> None:
        """Take a match out of a player's."""
        await self._redis.srem(self._key(player), match)
