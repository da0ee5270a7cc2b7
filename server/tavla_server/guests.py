"""Who is who: guests by name, with a secret token that lets them come back."""

import hashlib
import secrets

from redis.asyncio import Redis

from tavla_server.record import Player
from tavla_server.reply import text

UNUSED_S = 7 * 24 * 3600  # a guest who stays away longer is forgotten, and the name is free again
FRESH_S = 60  # until the first use, so that a welcome that never arrived does not block a name


class NameTaken(Exception):
    """Someone else goes by this name."""


class Guests:
    """Guests in Redis: `name:<lower>` -> id, `player:<id>` -> name, `token:<sha256>` -> id; tokens are hashed."""

    def __init__(self, redis: Redis) -> None:
        self._redis = redis

    async def register(self, name: str) -> tuple[Player, str]:
        """A new guest and its token.

        Raises: NameTaken, without regard to case.
        """
        player, token = Player(secrets.token_hex(8), name), secrets.token_urlsafe(24)
        if not await self._redis.set(_name_key(name), player.id, nx=True, ex=FRESH_S):
            raise NameTaken(name)
        await self._redis.set(_player_key(player.id), name, ex=FRESH_S)
        await self._redis.set(_token_key(token), player.id, ex=FRESH_S)
        return player, token

    async def resume(self, token: str) -> Player | None:
        """The guest with this token, if there is one; from now on remembered for UNUSED_S."""
        id_ = await self._redis.get(_token_key(token))
        name = await self._redis.get(_player_key(text(id_))) if id_ else None
        if not id_ or not name:
            return None
        player = Player(text(id_), text(name))
        await self.keep(player, token)
        return player

    async def keep(self, player: Player, token: str) -> None:
        """The guest is in use: remember it for UNUSED_S."""
        for key in (_name_key(player.name), _player_key(player.id), _token_key(token)):
            await self._redis.expire(key, UNUSED_S)


def _name_key(name: str) -> str:
    return f"name:{name.lower()}"


def _player_key(id_: str) -> str:
    return f"player:{id_}"


def _token_key(token: str) -> str:
    return f"token:{hashlib.sha256(token.encode()).hexdigest()}"
