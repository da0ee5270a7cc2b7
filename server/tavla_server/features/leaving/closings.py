"""Accounts that are closed: what is left of them with others is forgotten, whichever node dies meanwhile.

That an account is being closed is written down first. Then it admits no client any more (`Accounts.close`), and
any node does the rest, again and again until it is done. A match that ends later is found by the archiver, which writes
the player down once more.
"""

from collections.abc import Awaitable, Callable, Sequence

import structlog
from tavla_engine.terms import SOMEONE

from tavla_server.features.accounts.accounts import Accounts
from tavla_server.features.archive.archive import Archive
from tavla_server.features.ratings.ratings import BOARD, career_keys
from tavla_server.gateway.core import Core
from tavla_server.player import Player
from tavla_server.store import keys
from tavla_server.store.client import text

CLOSING = keys.ARCHIVE_CLOSING()
UNDECIDED_MS = 60_000  # a closing that has not begun by then never will: a wrong password, or its node has died

log = structlog.get_logger()


class Closings:
    """The closings of accounts. archive: None = there is none.

    forget: steps in their order, for each id of a player; again until all have worked. They may raise as the archive.
    """

    def __init__(
        self,
        core: Core,
        accounts: Accounts,
        archive: Archive | None,
        forget: Sequence[Callable[[str], Awaitable[None]]] = (),
    ) -> None:
        self._redis, self._journal, self._clock = core.redis, core.journal, core.clock
        self._accounts, self._archive, self._forget_steps = accounts, archive, forget
        self._rename, self._settle = core.redis.script("forget_opponent"), core.redis.script("settle_closing")

    async def close(self, player: Player, password: str) -> bool:
        """Close an account. False if the password is wrong. Raises: Busy, StoreUnavailable."""
        await self._redis.hset(CLOSING, player.id, str(self._clock.now_ms()))
        if not await self._accounts.close(player, password):
            await self._redis.hdel(CLOSING, player.id)
            return False
        return True

    async def sweep(self) -> None:
        """Forget those who have gone. Raises: StoreUnavailable, ArchiveUnavailable."""
        for player, since in (await self._redis.hgetall(CLOSING)).items():
            if await self._redis.exists(keys.PLAYER_CLOSED(text(player))):
                await self._forget(text(player))
                await self._settle(keys=[CLOSING], args=[player, since])
                log.info("account_closed", player=text(player))
            elif self._clock.now_ms() - int(since) > UNDECIDED_MS:
                await self._redis.hdel(CLOSING, text(player))

    async def _forget(self, player: str) -> None:
        """Forget a player everywhere."""
        rated = {text(match) for match in await self._redis.lrange(keys.PLAYER_HISTORY(player), 0, -1)}
        if self._archive is not None:
            for match, opponent in await self._archive.players.opponents(player):
                await self._rename(keys=[keys.PLAYER_RATED(opponent)], args=[match, SOMEONE])
                rated.discard(match)
        for match in rated:
            for other in (await self._journal.replay(match))[1].players:
                if other is not None and other.id != player:
                    await self._rename(keys=[keys.PLAYER_RATED(other.id)], args=[match, SOMEONE])
        known = player, *await self._accounts.heirs.names_of(player)
        for id_ in known:
            for forget in self._forget_steps:
                await forget(id_)
        if self._archive is not None:
            for id_ in known:
                for match in await self._archive.players.forget(id_):
                    await self._journal.stay.drop(match)
        await self._redis.zrem(BOARD[0], player)
        await self._redis.hdel(BOARD[1], player)
        others = keys.PLAYER_PLAYED, keys.PLAYER_NAMES, keys.PLAYER_COUNTED
        await self._redis.delete(*career_keys(player), *(key(player) for key in others))
