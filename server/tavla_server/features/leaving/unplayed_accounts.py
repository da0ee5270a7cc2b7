"""Accounts that have played nothing: a month after they were used last they go, and their names are free again.

Each is listed before it is registered; whoever looks at it later sees what it has become. Any node does, and again.
"""

from collections.abc import Callable

import structlog

from tavla_server.features.accounts.accounts import ACCOUNT_UNUSED_S, Accounts
from tavla_server.gateway.core import Core
from tavla_server.store import keys
from tavla_server.store.client import text

UNPLAYED_S = 30 * 86_400  # without a match, and unused
LOOK_S = 60.0  # between two looks
AT_ONCE = 500  # accounts at one look: more than are made in that time by any network that limits let in

log = structlog.get_logger()


class UnplayedAccounts:
    """The accounts `keys.UNPLAYED`, by when they were used last, as far as is known."""

    def __init__(self, core: Core, accounts: Accounts, stays: Callable[[str], bool]) -> None:
        """stays: an account, by id, that has an office and need not play."""
        self._redis, self._clock, self._accounts, self._stays = core.redis, core.clock, accounts, stays
        self._forget = core.redis.script("forget_unplayed")

    async def sweep(self) -> None:
        """Look at those that are due. Raises: StoreUnavailable."""
        due_ms = self._clock.now_ms() - 1000 * UNPLAYED_S
        due = ("ZRANGEBYSCORE", keys.UNPLAYED(), "-inf", due_ms, "LIMIT", 0, AT_ONCE)
        for id_ in map(text, await self._redis.execute_command(*due)):
            if last_ms := await self._look_at(id_, due_ms):
                await self._redis.zadd(keys.UNPLAYED(), {id_: last_ms})
            else:
                await self._redis.zrem(keys.UNPLAYED(), id_)

    async def _look_at(self, id_: str, due_ms: int) -> int:
        """Have an account go, unless it has played; when it was used meanwhile, in ms, 0 = no need to look again."""
        player = await self._accounts.player(id_)
        if player is None:
            return 0
        if self._stays(id_):
            return self._clock.now_ms()
        gone = keys.PLAYER, keys.PLAYER_TOKENS, keys.PLAYER_COUNTED, keys.PLAYER_PLAYED, *keys.GO_WITH_PLAYER
        unused_ms = 1000 * ACCOUNT_UNUSED_S  # that a token lives from its last use
        found: int = await self._forget(keys=[key(id_) for key in gone], args=[due_ms + unused_ms])
        if found == 1:
            await self._accounts.names.free(player)
            log.info("account_unplayed", player=id_)
        return max(0, found - unused_ms)
