"""Lists of friends in the store: a set of ids for each player, and whether a player may be followed."""

from collections.abc import Sequence
from typing import Literal, NamedTuple

from tavla_server.cluster.feed import FRIENDS
from tavla_server.features.accounts.accounts import FIELDS, player_of
from tavla_server.gateway.core import Core
from tavla_server.player import Player
from tavla_server.store import keys
from tavla_server.store.client import Client, text

OFF, TOLD, HUSHED = b"0", b"1", b"2"  # of a friend: no longer one; with notices; without, since it ignores the follower


class KnownFriend(NamedTuple):
    """A friend, as the store has it. is_shy: does not want to be followed. ignores: it ignores the follower."""

    player: Player
    is_shy: bool
    ignores: bool


class FriendStore:
    """The lists of friends of all players in the store. Each change is announced to all nodes.

    Raises: StoreUnavailable.
    """

    def __init__(self, core: Core) -> None:
        self._redis, self._feed, self._most = core.redis, core.feed, core.limits.friends
        self._add = core.redis.script("add_to_list")

    async def follow(self, player: str, friend: str) -> Literal["", "shy", "full", "ignored"]:
        """Follow an account, on all connections that get notices. "": done; else why not."""
        if await self.is_shy(friend):
            return "shy"
        lists = [keys.PLAYER_FRIENDS(player), keys.PLAYER_IGNORED(player), keys.PLAYER(player)]
        added = int(await self._add(keys=lists, args=[friend, self._most, 0]))
        if added != 1:
            return "ignored" if added else "full"
        told = OFF
        while (state := await self._state(player, friend)) != told:  # the friend may choose otherwise meanwhile
            await self._feed.writer.announce(FRIENDS, f"{player}:{friend}", state)
            told = state
        if await self.is_shy(friend):
            await self._feed.writer.announce(FRIENDS, f"{friend}:", TOLD)
        return ""

    async def _state(self, player: str, friend: str) -> bytes:
        ignores = await self._redis.sismember(keys.PLAYER_IGNORED(friend), player)
        return HUSHED if ignores else TOLD

    async def unfollow(self, player: str, friend: str) -> None:
        """Follow a player no longer."""
        await self._redis.srem(keys.PLAYER_FRIENDS(player), friend)
        await self._feed.writer.announce(FRIENDS, f"{player}:{friend}", OFF)

    async def is_shy(self, player: str) -> bool:
        """True if a player does not want to be followed."""
        return bool(await self._redis.hexists(keys.PLAYER(player), "shy"))

    async def set_shy(self, player: str, on: bool) -> None:
        """Let nobody follow a player, those neither who do; or let them again."""
        if on:
            await self._redis.hset(keys.PLAYER(player), "shy", "1")
        else:
            await self._redis.hdel(keys.PLAYER(player), "shy")
        await self._feed.writer.announce(FRIENDS, f"{player}:", TOLD if on else OFF)

    async def known_to(self, player: str) -> list[KnownFriend]:
        """The friends of a player, those first that come first by name; accounts that have gone go from the list."""
        ids = [text(id_) for id_ in await self._redis.smembers(keys.PLAYER_FRIENDS(player))]
        asked = [("HMGET", keys.PLAYER(id_), *FIELDS, "shy") for id_ in ids]
        found = await self._redis.all_of([*asked, *(("SISMEMBER", keys.PLAYER_IGNORED(id_), player) for id_ in ids)])
        known, gone = list[KnownFriend](), list[str]()
        for id_, (*fields, shy), ignores in zip(ids, found[: len(ids)], found[len(ids) :], strict=True):
            if (friend := player_of(id_, fields)) is None:
                gone.append(id_)
            else:
                known.append(KnownFriend(friend, shy is not None, bool(ignores)))
        if gone:
            await self._replace(player, gone)
            return await self.known_to(player)
        return sorted(known, key=lambda friend: friend.player.name.lower())

    async def _replace(self, player: str, gone: Sequence[str]) -> None:
        """Follow the accounts that these have become, in their place; others were closed."""
        asked = [("HGET", keys.PLAYER_MERGED(id_), "into") for id_ in gone]
        become = {text(into) for into in await self._redis.all_of(asked) if into is not None} - {player}
        if become:
            await self._redis.sadd(keys.PLAYER_FRIENDS(player), *become)
        await self._redis.srem(keys.PLAYER_FRIENDS(player), *gone)


async def hand_on_friends(redis: Client, old: str, into: str) -> None:
    """Let an account follow those whom the player has followed that becomes it, but for itself and whom it ignores."""
    friends = await redis.smembers(keys.PLAYER_FRIENDS(old)) - {into.encode()}
    friends -= await redis.smembers(keys.PLAYER_IGNORED(into))
    if friends:
        await redis.sadd(keys.PLAYER_FRIENDS(into), *friends)
