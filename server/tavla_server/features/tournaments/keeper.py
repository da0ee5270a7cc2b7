"""Tournaments that are over, on their way to the archive and back. Any node does it, and again, if one has died."""

import asyncio
import time
from collections.abc import Sequence

import structlog

from tavla_server.errors import ArchiveUnavailable
from tavla_server.features.archive.tournaments import KeptTournament, TournamentArchive
from tavla_server.features.tournaments.events import TournamentEntry
from tavla_server.features.tournaments.forgetting import anonymous_journal, people_of
from tavla_server.features.tournaments.journal import entries
from tavla_server.features.tournaments.state import Tournament, apply, replay
from tavla_server.features.tournaments.views import row_of
from tavla_server.store import keys
from tavla_server.store.client import Client, text

AT_ONCE = 32  # entries replayed before others have their turn: less than a millisecond
KNOWN = 4  # that were found last, 2 MB each: to replay one of 5,000 matches takes a quarter of a second
RETRY_S = 10.0  # while the archive is away

log = structlog.get_logger()


class Keeper:
    """A keeper puts tournaments into the archive, and finds them there.

    archive: None = they are gone when the store forgets.
    """

    def __init__(self, redis: Client, archive: TournamentArchive | None) -> None:
        self.archive = archive
        self._redis = redis
        self._again_s = 0.0
        self._known: dict[str, tuple[str, Tournament]] = {}  # those that were found last, by version

    async def keep(self, tournament: str, state: Tournament, journal: list[bytes]) -> bool:
        """Have the archive know all of a tournament that is over. False: it cannot be reached now.

        Raises: StoreUnavailable.
        """
        if self.archive is None:
            return True
        if time.monotonic() < self._again_s:
            return False
        kept = _kept(tournament, entries(tournament, journal), journal, state)
        try:
            if await self.archive.put(kept):
                log.info("tournament_archived", tournament=tournament, entries=len(journal))
            await self._forget_leavers(kept.players)
        except ArchiveUnavailable as error:
            self._again_s = time.monotonic() + RETRY_S
            log.warning("tournament_not_archived", tournament=tournament, error=str(error))
            return False
        return True

    async def missing(self, tournaments: Sequence[str]) -> set[str]:
        """The tournaments, of some, that the archive has not. Raises: ArchiveUnavailable."""
        return set() if self.archive is None else {*tournaments} - await self.archive.archived_ids(tournaments)

    async def version(self, tournament: str) -> str | None:
        """The version of a tournament of the archive; None if it is not there. Raises: ArchiveUnavailable."""
        return None if self.archive is None else await self.archive.version(tournament)

    async def find(self, tournament: str) -> Tournament | None:
        """A tournament of the archive as it ended. Raises: ArchiveUnavailable, JournalUnreadable."""
        version = await self.version(tournament)
        if self.archive is None or version is None:
            return None
        known = self._known.pop(tournament, None)
        if known is None or known[0] != version:
            known = version, await _replayed(tournament, await self.archive.journal(tournament) or [])
        self._known[tournament] = known
        while len(self._known) > KNOWN:
            del self._known[next(iter(self._known))]
        return known[1]

    async def forget(self, player: str) -> None:
        """A player becomes `someone` in all tournaments of the archive. Raises: ArchiveUnavailable."""
        if self.archive is not None:
            await self.archive.change(player, lambda id_, journal: _without(id_, journal, player))

    async def _forget_leavers(self, players: Sequence[str]) -> None:
        """Forget those whose accounts are closed. Asked after the tournament is there: no gap is left."""
        for key in (keys.PLAYER_CLOSED, keys.PLAYER_MERGED):
            marked = await self._redis.all_of([("EXISTS", key(player)) for player in players])
            for player in (player for player, is_marked in zip(players, marked, strict=True) if is_marked):
                if key is keys.PLAYER_CLOSED or await self._is_closed(player):
                    await self.forget(player)

    async def _is_closed(self, player: str) -> bool:
        """True if the account is closed that a player was merged into."""
        while (into := await self._redis.hget(keys.PLAYER_MERGED(player), "into")) is not None:
            player = text(into)
        return bool(await self._redis.exists(keys.PLAYER_CLOSED(player)))


async def _replayed(tournament: str, journal: list[bytes]) -> Tournament:
    """State that a journal leads to; others have their turn meanwhile."""
    state = Tournament()
    for first in range(0, len(journal), AT_ONCE):
        for entry in entries(tournament, journal[first : first + AT_ONCE]):
            state = apply(state, entry)
        await asyncio.sleep(0)
    return state


def _kept(tournament: str, told: list[TournamentEntry], journal: list[bytes], state: Tournament) -> KeptTournament:
    shown = row_of(state)
    return KeptTournament(tournament, told[-1].time_ms, not shown.private, shown, people_of(told), journal)


def _without(tournament: str, journal: list[bytes], player: str) -> KeptTournament:
    changed = anonymous_journal(journal, player)
    told = entries(tournament, changed)
    return _kept(tournament, told, changed, replay(told))
