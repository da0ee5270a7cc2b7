"""The journals of tournaments: streams like those of matches, written by the same compare-and-set."""

import asyncio
from collections.abc import AsyncIterator, Sequence

from msgspec import MsgspecError

from tavla_server.errors import JournalUnreadable
from tavla_server.features.accounts.skeletons import key_part
from tavla_server.features.archive.scan import AT_ONCE, PAUSE_S, STAYS
from tavla_server.features.tournaments.events import TournamentEntry, decode_entry
from tavla_server.match.journal import APPEND
from tavla_server.store import keys
from tavla_server.store.client import Client, text

PAIRED_S = 10  # a pairing is on all nodes within two seconds
CLAIM_S = 60  # a node that stood still has heard of a new tournament by then


class TournamentJournal:
    """All journals of tournaments. No node is told of an entry by its channel: the lobby's feed says so."""

    def __init__(self, redis: Client, node: str) -> None:
        self._redis, self._node = redis, node
        self._append = redis.script(APPEND)

    async def read(self, tournament: str, after: int) -> list[bytes]:
        """The entries from number `after` on, as they are kept; from the first one on, if that is 0.

        Raises: StoreUnavailable.
        """
        rows = await self._redis.entries(keys.TOURNAMENT_LOG(tournament), f"{after}-0")
        return [fields[b"e"] for _, fields in rows]

    async def append(self, tournament: str, number: int, entry: bytes) -> bool:
        """Add an entry, if its number is the next one. Raises: StoreUnavailable; it may be stored all the same."""
        log = keys.TOURNAMENT_LOG(tournament)
        return bool(await self._append(keys=[log, f"{log}:nodes", log], args=[number, entry, self._node]))

    async def claim_name(self, look: str, tournament: str) -> bool:
        """Claim what a name looks like for a tournament that all nodes list soon; False if another one has it.

        Raises: StoreUnavailable.
        """
        key = keys.TOURNAMENT_NAME(key_part(look))
        if await self._redis.set(key, tournament, nx=True, ex=CLAIM_S):
            return True
        return text(await self._redis.get(key) or b"") == tournament

    async def claim_players(self, tournament: str, players: Sequence[str]) -> set[str]:
        """Claim players who are to be paired, until all nodes have read of it; those whom another tournament has.

        Raises: StoreUnavailable.
        """
        names = [keys.PLAYER_PAIRED(player) for player in players]
        await self._redis.all_of([("SET", name, tournament, "NX", "EX", PAIRED_S) for name in names])
        holders = await self._redis.all_of([("GET", name) for name in names])
        return {player for player, holder in zip(players, holders, strict=True) if text(holder or b"") != tournament}

    async def lasting(self) -> AsyncIterator[str]:
        """All tournaments that the store has, and is not about to forget. Raises: StoreUnavailable."""
        async for some in self._redis.slices(keys.TOURNAMENT_LOG("*"), AT_ONCE):
            left = await self._redis.all_of([("PTTL", text(key)) for key in some])
            for key, ttl in zip(some, left, strict=True):
                if ttl == STAYS:
                    yield keys.TOURNAMENT_LOG.part(text(key))
            await asyncio.sleep(PAUSE_S)

    async def forget(self, tournament: str, after_s: int) -> None:
        """Delete a tournament after a while."""
        await self._redis.expire(keys.TOURNAMENT_LOG(tournament), after_s)


def entries(tournament: str, rows: list[bytes]) -> list[TournamentEntry]:
    """Entries from a journal. Raises: JournalUnreadable."""
    try:
        return [decode_entry(row) for row in rows]
    except (ValueError, MsgspecError) as error:
        raise JournalUnreadable(tournament, error) from error
