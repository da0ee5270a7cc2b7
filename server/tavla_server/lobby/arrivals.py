"""The facts of a player who says hello, in one round trip: after a restart ten thousand do so at once."""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from tavla_server.delivery.outbox import IGNORES_NOBODY
from tavla_server.player import Player
from tavla_server.players.accounts import Accounts
from tavla_server.store import keys
from tavla_server.store.client import Client, text

_SETS = (keys.PLAYER_PLAYED, keys.PLAYER_MISSED, keys.PLAYER_IGNORED)


class Known(NamedTuple):
    """played: the ids of matches that the player sits at. missed: of those that have ended meanwhile, and were not
    looked at since. ignored: the ids of players whom this one ignores.
    """

    played: list[str]
    missed: list[str]
    ignored: frozenset[str]


class Arrivals:
    """Asks for it."""

    def __init__(self, redis: Client, accounts: Accounts) -> None:
        self._redis, self._accounts = redis, accounts

    async def come_back(self, token: str) -> tuple[Player, Known] | None:
        """The player with this token, if it is good, and all of it. Raises: StoreUnavailable."""
        found = await self._accounts.resume(token, _questions)
        return None if found is None else (found[0], _known(found[1]))

    async def known_of(self, player: str) -> Known:
        """The facts, for a player's id. Raises: StoreUnavailable."""
        return _known(await self._redis.all_of(_questions(player)))


def _questions(player: str) -> list[tuple[str, ...]]:
    return [("SMEMBERS", key(player)) for key in _SETS]


def _known(found: Sequence[Iterable[bytes]]) -> Known:
    played, missed, ignored = (sorted(map(text, ids)) for ids in found)
    return Known(played, missed, frozenset(ignored) if ignored else IGNORES_NOBODY)
