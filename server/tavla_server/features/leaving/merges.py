"""Players that become another one, since both are the same person: an operator says so, and any node carries it out.

What was decided is written down first. The rest may be done again and again, by any node, until all of it is
done: the old player goes from the store and leaves word of who it is now; the other one gets its experience, once, and
its names; and the matches in the archive are the other one's. A match that gets there later is found by the archiver.
"""

from collections.abc import Awaitable, Callable, Sequence

import structlog

from tavla_server.features.accounts.accounts import Accounts
from tavla_server.features.archive.archive import Archive
from tavla_server.features.counts.reveals import hand_on_counts
from tavla_server.features.friends.friend_store import hand_on_friends
from tavla_server.features.ratings.ratings import BOARD, career_keys
from tavla_server.player import Player
from tavla_server.store import keys
from tavla_server.store.client import Client, text

MERGING = keys.ARCHIVE_MERGING()
HAND_ON = hand_on_counts, hand_on_friends  # steps of the store alone, in order; again until all have worked

log = structlog.get_logger()


def merge_sentence(into: Player) -> str:
    """The sentence for a player who is an account now."""
    return f"your account has become {into.name}: log in by that name"


class AccountMerges:
    """Merges players. archive: None = there is none, or a server has it.

    merged: a server's further steps in their order, with the ids of the old player and the other one; again until all
    have worked. They may raise StoreUnavailable.
    """

    def __init__(
        self,
        redis: Client,
        accounts: Accounts,
        archive: Archive | None,
        merged: Sequence[Callable[[str, str], Awaitable[None]]] = (),
    ) -> None:
        self._redis, self._accounts, self._archive, self._merged = redis, accounts, archive, merged
        self._retire, self._adopt = redis.script("retire_account"), redis.script("adopt_account")

    async def merge(self, old: Player, into: Player) -> None:
        """A player becomes an account, which keeps its rating; in the archive as soon as a server comes to it.

        Raises: StoreUnavailable. Done again then, or by a server, it goes on.
        """
        await self._redis.hset(MERGING, old.id, f"{into.id} {old.name}")
        await self._move(old.id, old.name, into.id)

    async def finish_merges(self) -> set[str]:
        """Do in the store what others have begun; the ids of those to whom a server has yet to give matches."""
        found = await self._started()
        for old, name, into in found:
            await self._move(old, name, into)
        return {into for _, _, into in found}

    async def rated_together(self, one: Player, other: Player) -> list[str]:
        """Matches of the two with each other that have changed their ratings, of those that the store remembers."""
        return sorted({*await self._rated_against(one, other), *await self._rated_against(other, one)})

    async def sweep(self) -> None:
        """Finish what was begun, in the store and in the archive. Raises: StoreUnavailable, ArchiveUnavailable."""
        for old, name, into in await self._started():
            await self._move(old, name, into)
            for step in self._merged:
                await step(old, into)
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
        gone += [key(old) for key in keys.GO_WITH_PLAYER]
        for hand_on in HAND_ON:
            await hand_on(self._redis, old, into)
        brought = await self._retire(keys=[keys.PLAYER_MERGED(old), *gone], args=[into])
        await self._redis.zrem(BOARD[0], old)
        await self._redis.hdel(BOARD[1], old)
        names = {old: name, **await self._accounts.heirs.names_of(old)}
        for id_, known in names.items():
            await self._accounts.names.hand_over(known, id_, into)
            parts = [part or 0 for part in brought] if id_ == old else [0] * len(brought)
            await self._adopt(keys=[keys.PLAYER(into), keys.PLAYER_NAMES(into)], args=[id_, known, *parts])
        await self._redis.delete(keys.PLAYER_NAMES(old))

    async def _rated_against(self, one: Player, other: Player) -> list[str]:
        names = {name.lower() for name in (other.name, *(await self._accounts.heirs.names_of(other.id)).values())}
        lines = await self._redis.hgetall(keys.PLAYER_RATED(one.id))
        rated = {text(match): text(line).split() for match, line in lines.items()}
        return [
            match
            for match, (_, change, experience, *_, opponent) in rated.items()
            if opponent.lower() in names and (float(change) or int(experience))
        ]
