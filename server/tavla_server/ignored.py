"""Whom players do not want to hear of: a set of player ids for each, in Redis."""

from redis.asyncio import Redis

from tavla_server.reply import text

LIMIT = 200  # people on one list


class Ignored:
    """Everybody's list."""

    def __init__(self, redis: Redis) -> None:
        self._redis = redis

    async def by(self, player: str) -> frozenset[str]:
        """The ids of those whom a player ignores."""
        return frozenset(text(id_) for id_ in await self._redis.smembers(_key(player)))

    async def set(self, player: str, other: str, on: bool) -> bool:
        """Ignore another player, or do so no longer; False when the list is full."""
        if not on:
            await self._redis.srem(_key(player), other)
            return True
        if await self._redis.scard(_key(player)) >= LIMIT:
            return bool(await self._redis.sismember(_key(player), other))
        await self._redis.sadd(_key(player), other)
        return True


def _key(player: str) -> str:
    return f"ignored:{player}"
