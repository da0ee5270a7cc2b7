"""Names of players, and what they look like: two keys that lead to a player's id.

They stand elsewhere than the player's own keys: they are taken before the player comes to be and freed after the player
has gone, so a process that dies in between leaves a name blocked for a while, and never one name with two players.
"""

import re

from tavla_protocol.codes import ErrorCode

from tavla_server.errors import Refused
from tavla_server.features.accounts.reserved_names import impersonation_reason
from tavla_server.features.accounts.skeletons import key_part, skeleton
from tavla_server.gateway.text_filter import clean_title
from tavla_server.player import Player
from tavla_server.store import keys
from tavla_server.store.client import Client, text

GAME = re.compile("tavla", re.IGNORECASE)  # the game, in Turkish: what is not a player may be called after it


class Names:
    """The keys `keys.NAME` and `keys.LOOK`. Names have no case."""

    def __init__(self, redis: Client, fresh_s: int) -> None:
        """fresh_s: how long a name is reserved for a player who has yet to come to be."""
        self._redis, self._fresh_s = redis, fresh_s
        self._keep, self._release = redis.script("keep_name"), redis.script("release_name")

    async def holder(self, name: str) -> str | None:
        """The id of the player of this name."""
        return await self._id_at(_name_key(name))

    async def lookalike(self, name: str) -> str | None:
        """The id of the player who is called so, or who can be taken for one that is."""
        return await self._id_at(_look_key(name))

    async def title(self, wanted: str, player: str, of: str) -> str:
        """The name of a table or a tournament as it can be shown.

        player: the id of who has chosen it. of: what is to be called so. Raises: Refused for one of which nothing can
        be shown, that is too long, or passes for the house or for another player.
        """
        wanted = clean_title(wanted)
        if reason := impersonation_reason(GAME.sub("", wanted)):
            raise Refused(ErrorCode.NAME_RESERVED, reason)
        if await self.lookalike(wanted) not in (None, player):
            text = f"{wanted} is, or looks like, the name of another player: choose another name for your {of}"
            raise Refused(ErrorCode.NAME_RESERVED, text)
        return wanted

    async def take(self, player: Player) -> None:
        """The look first: of two players whose names look alike, one gets it. Raises: Refused."""
        name = player.name
        if not await self._redis.set(_look_key(name), player.id, nx=True, ex=self._fresh_s):
            if await self.holder(name):
                raise _taken(name)
            text = f"{name} looks like the name of somebody else: choose one that nobody takes for another"
            raise Refused(ErrorCode.NAME_TAKEN, text)
        if not await self._redis.set(_name_key(name), player.id, nx=True, ex=self._fresh_s):
            await self._release(keys=[_look_key(name)], args=[player.id])
            raise _taken(name)

    async def keep(self, player: Player, for_s: int) -> bool:
        """Keep a player's name, and its look; 0 s = for good. False if it is the player's no longer."""
        kept = await self._keep(keys=[_name_key(player.name)], args=[player.id, for_s])
        if kept:
            await self._keep(keys=[_look_key(player.name)], args=[player.id, for_s])
        return bool(kept)

    async def free(self, player: Player) -> None:
        """Free the name of a player who has gone."""
        for key in (_name_key(player.name), _look_key(player.name)):
            await self._release(keys=[key], args=[player.id])

    async def expire(self, name: str, player: str, after_s: int) -> None:
        """Free a player's name after a while."""
        await self._redis.expire(_name_key(name), after_s)
        if await self.lookalike(name) == player:
            await self._redis.expire(_look_key(name), after_s)

    async def hand_over(self, name: str, old: str, into: str) -> None:
        """A player's name leads to another one, for good."""
        await self._redis.set(_name_key(name), into)
        if await self.lookalike(name) == old:
            await self._redis.set(_look_key(name), into)

    async def _id_at(self, key: str) -> str | None:
        id_ = await self._redis.get(key)
        return text(id_) if id_ else None


def _taken(name: str) -> Refused:
    return Refused(ErrorCode.NAME_TAKEN, f"someone is called {name}: choose another name")


def _name_key(name: str) -> str:
    return keys.NAME(name.lower())


def _look_key(name: str) -> str:
    return keys.LOOK(key_part(skeleton(name)))
