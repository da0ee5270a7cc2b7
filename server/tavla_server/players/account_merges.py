"""Players that become another one, since both are the same person: an operator says so, and any node carries it out.

What was decided is written down first. The rest may be done again and again, by any node, until all of it is
done: the old player goes from the store and leaves word of who it is now; the other one gets its experience, once, and
its names; and the matches in the archive are the other one's. A match that gets there later is found by the archiver.
"""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

import structlog

from tavla_server.archive.archive import Archive
from tavla_server.errors import ArchiveUnavailable, StoreUnavailable
from tavla_server.player import Player
from tavla_server.players.accounts import Accounts
from tavla_server.players.ratings import BOARD, career_keys
from tavla_server.store import keys
from tavla_server.store.client import Client, text
from tavla_server.timings import DEFAULTS, Timings

MERGING = keys.ARCHIVE_MERGING()

log = structlog.get_logger()


def merge_told(into: Player) -> str:
    """The sentence for a player who is an account now."""
    return f"your account has become {into.name}: log in by that name"


class AccountMerges:
    """Merges players. archive: None = there is none, or a server has it.

    merged: called by a server with the ids of the old player and the other one; may raise StoreUnavailable.
    """

    def __init__(self, redis: Client, accounts: Accounts, archive: Archive | None, timings: Timings = DEFAULTS) -> None:
        self._redis, self._accounts, self._archive, self._sweep_s = redis, accounts, archive, timings.leftovers_s
        self.merged: Callable[[str, str], Awaitable[None]] = _tell_nobody
        self._retire, self._adopt = redis.script("retire_account"), redis.script("adopt_account")

    async def merge(self, old: Player, into: Player) -> None:
        """A player becomes an account, which keeps its rating; in the archive as soon as a server comes to it.

        Raises: StoreUnavailable. Done again then, or by a server, it goes on.
        """
        await self._redis.hset(MERGING, old.id, f"{into.id} {old.name}")
        await self._move(old.id, old.name, into.id)

    async def finish_started(self) -> set[str]:
        """Do in the store what others have begun; the ids of those to whom a server has yet to give matches."""
        found = await self._started()
        for old, name, into in found:
            await self._move(old, name, into)
        return {into for _, _, into in found}

    async def rated_together(self, one: Player, other: Player) -> list[str]:
        """Matches of the two with each other that have changed their ratings, of those that the store remembers."""
        return sorted({*await self._rated_against(one, other), *await self._rated_against(other, one)})

    async def run(self) -> None:
        """Finish what was begun. Runs until it is cancelled."""
        while True:
            try:
                await self.sweep()
            except (StoreUnavailable, ArchiveUnavailable) as error:
                log.warning("merging_put_off", error=str(error))
            await asyncio.sleep(self._sweep_s)

    async def sweep(self) -> None:
        """Finish what was begun, in the store and in the archive. Raises: StoreUnavailable, ArchiveUnavailable."""
        for old, name, into in await self._started():
            await self._move(old, name, into)
            await self.merged(old, into)
            if self._archive is not None:
                await self._archive.players.merge(old, into)
            if await self._redis.exists(keys.PLAYER_CLOSED(into)):  # meanwhile: then these matches are to be forgotten
                await self._redis.hincrby(keys.ARCHIVE_CLOSING(), into)
            await self._redis.hdel(MERGING, old)
            log.info("players_merged", player=old, into=into)

    async def _started(self) -> list[tuple[str, str, str]]:
        """Old id, old name and new id."""
        rows = (await self._redis.hgetall(MERGING)).items()
        return [(text(old), name, into) for old, row in rows for into, _, name in [text(row).partition(" ")]]

    async def _move(self, old: str, name: str, into: str) -> None:
        """All that is in the store."""
        gone = [keys.PLAYER(old), keys.PLAYER_TOKENS(old), *career_keys(old)[1:]]
        gone += [key(old) for key in (keys.PLAYER_PLAYED, keys.PLAYER_MISSED, keys.PLAYER_COUNTED)]
        gone += [key(old) for key in (keys.PLAYER_IGNORED, keys.PLAYER_FRIENDS)]
        await self._hand_on_counted(old, into)
        await self._hand_on_friends(old, into)
        brought = await self._retire(keys=[keys.PLAYER_MERGED(old), *gone], args=[into])
        await self._redis.zrem(BOARD[0], old)
        await self._redis.hdel(BOARD[1], old)
        names = {old: name, **await self._accounts.names_of(old)}
        for id_, known in names.items():
            await self._accounts.names.hand_over(known, id_, into)
            parts = [part or 0 for part in brought] if id_ == old else [0] * len(brought)
            await self._adopt(keys=[keys.PLAYER(into), keys.PLAYER_NAMES(into)], args=[id_, known, *parts])
        await self._redis.delete(keys.PLAYER_NAMES(old))

    async def _hand_on_counted(self, old: str, into: str) -> None:
        """Copy the marks of counted matches: the other account gets the counts with them, and counts none again."""
        counted: Any = await self._redis.zrange(keys.PLAYER_COUNTED(old), 0, -1, withscores=True)
        if counted:
            await self._redis.zadd(keys.PLAYER_COUNTED(into), dict(counted), nx=True)

    async def _hand_on_friends(self, old: str, into: str) -> None:
        """The other account follows those whom this one has followed, but for itself and those whom it ignores."""
        friends = await self._redis.smembers(keys.PLAYER_FRIENDS(old)) - {into.encode()}
        friends -= await self._redis.smembers(keys.PLAYER_IGNORED(into))
        if friends:
            await self._redis.sadd(keys.PLAYER_FRIENDS(into), *friends)

    async def _rated_against(self, one: Player, other: Player) -> list[str]:
        names = {name.lower() for name in (other.name, *(await self._accounts.names_of(other.id)).values())}
        lines = await self._redis.hgetall(keys.PLAYER_RATED(one.id))
        rated = {text(match): text(line).split() for match, line in lines.items()}
        return [
            match
            for match, (_, change, experience, *_, opponent) in rated.items()
            if opponent.lower() in names and (float(change) or int(experience))
        ]


async def _tell_nobody(player: str, into: str) -> None:
    """Nothing else knows of players."""
