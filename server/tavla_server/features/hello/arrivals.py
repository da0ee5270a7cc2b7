"""Arrivals: the facts of a player who says hello, in one round trip; after a restart ten thousand do so at once."""

from collections.abc import Callable, Iterable, Sequence
from itertools import islice
from typing import NamedTuple, cast

from tavla_server.features.accounts.accounts import Accounts
from tavla_server.player import Player
from tavla_server.store import keys
from tavla_server.store.client import Client, text

_SETS = (keys.PLAYER_PLAYED, keys.PLAYER_MISSED)

Questions = Sequence[tuple[str, ...]]


class ArrivalFacts(NamedTuple):
    """The facts of a player.

    played: the ids of matches that the player sits at. missed: of those that have ended meanwhile, and were not
    looked at since. answers: to what each feature asks, in order.
    """

    played: list[str]
    missed: list[str]
    answers: Sequence[Sequence[object]]


class Arrivals:
    """The arrivals of players, of whom the store is asked for the facts."""

    def __init__(self, redis: Client, accounts: Accounts, asks: Sequence[Callable[[str], Questions]]) -> None:
        """asks: what each feature asks of a player."""
        self._redis, self._accounts, self._asks = redis, accounts, asks

    async def come_back(self, token: str) -> tuple[Player, ArrivalFacts] | None:
        """The player with this token, if it is good, and all of it. Raises: StoreUnavailable."""
        found = await self._accounts.tokens.resume(token, self._questions)
        return None if found is None else (found[0], self._known(found[0].id, found[1]))

    async def known_of(self, player: str) -> ArrivalFacts:
        """The facts, for a player's id. Raises: StoreUnavailable."""
        return self._known(player, await self._redis.all_of(self._questions(player)))

    def _questions(self, player: str) -> list[tuple[str, ...]]:
        own: list[tuple[str, ...]] = [("SMEMBERS", key(player)) for key in _SETS]
        return own + [question for asks in self._asks for question in asks(player)]

    def _known(self, player: str, found: Sequence[object]) -> ArrivalFacts:
        rest = iter(found)
        played, missed = (sorted(map(text, cast(Iterable[bytes], next(rest)))) for _ in _SETS)
        answers = [[*islice(rest, len(asks(player)))] for asks in self._asks]
        return ArrivalFacts(played, missed, answers)
