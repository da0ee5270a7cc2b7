"""Meetings: how often players have lately begun rated matches with each other, or with others of the same network."""

from tavla_engine.rules import Rules

from tavla_server.gateway.core import Core
from tavla_server.store import keys

LATELY_MS = 24 * 3_600_000
KEPT = 100  # meetings of a player: a tenth of them takes all that a match moves


class Meetings:
    """Meetings of accounts, the sorted sets `keys.PLAYER_MET`. A match counts as it begins: ten at once are ten."""

    def __init__(self, core: Core) -> None:
        self._clock, self._presence, self._meet = core.clock, core.presence, core.redis.script("meet")

    async def count(self, match: str, rules: Rules, one: str, other: str) -> int:
        """The meetings before this match of the two players, by id, that begins now. Counted again, they are as many.

        0 if it is not rated. Raises: StoreUnavailable.
        """
        if not rules.rated:
            return 0
        found = [await self._met(match, *pair) for pair in ((one, other), (other, one))]
        return max(found)

    async def _met(self, match: str, player: str, opponent: str) -> int:
        """The meetings of a player with this opponent, or with others of the same network."""
        args: list[str | int] = [match, opponent, self._presence.network(opponent) or "-"]
        args += [self._clock.now_ms(), LATELY_MS, KEPT]
        return int(await self._meet(keys=[keys.PLAYER_MET(player)], args=args))
