"""A look, when a server starts, whether the archive has what it had: an older copy, or none, may be in its place.

The store has a note of how far the archive was. If the archive says otherwise, all journals that wait for the end of
their grace are looked for in it, and what it lacks is archived anew. What has left the store is lost with the archive:
the log says how much that is.
"""

import time

import msgspec
import structlog
from tavla_engine.events import MatchEnded

from tavla_server.errors import ArchiveDamaged
from tavla_server.features.archive.archive import Archive, Extent
from tavla_server.features.archive.archiver import Archiver
from tavla_server.features.archive.scan import HELD_S, LAST, journals
from tavla_server.gateway.core import Core
from tavla_server.match.unsettled_lists import ListedMatch
from tavla_server.record.events import end_of
from tavla_server.store import keys
from tavla_server.store.lock import Lock

EXTENT = keys.ARCHIVE_EXTENT()

log = structlog.get_logger()


class Comparison:
    """A comparison of the archive with the store, and notes from then on."""

    def __init__(self, core: Core, archiver: Archiver, archive: Archive) -> None:
        self._redis, self._journal, self._archiver, self._archive = core.redis, core.journal, archiver, archive
        self._comparing = Lock(core.redis, keys.ARCHIVE_COMPARING(), core.node, HELD_S)
        self._is_compared = self._is_damaged = False
        self._noted = -1  # how many matches this node had archived at its last note

    async def sweep(self) -> None:
        """Compare once, when a node begins; then note how far the archive is, until it is found damaged.

        Raises: StoreUnavailable, ArchiveUnavailable.
        """
        if self._is_damaged:
            return
        try:
            self._is_compared = self._is_compared or await self._compare()
            if self._is_compared and self._noted != (archived := self._archiver.archived):
                await self._note()
                self._noted = archived
        except ArchiveDamaged:
            self._is_damaged = True  # it is repaired while no server runs

    async def _note(self) -> None:
        await self._redis.set(EXTENT, msgspec.json.encode(await self._archive.extent()))

    async def _compare(self) -> bool:
        """False if another node is at it."""
        noted, has = await self._redis.get(EXTENT), await self._archive.extent()
        had = None if noted is None else msgspec.json.decode(noted, type=Extent)
        if had == has:
            return True
        if not await self._comparing.try_lock():
            return False
        began, anew = time.monotonic(), await self._complete()
        self._tell(had, has, anew, round(time.monotonic() - began, 2))
        await self._note()
        await self._comparing.unlock()
        return True

    def _tell(self, had: Extent | None, has: Extent, anew: int, took_s: float) -> None:
        before = had.matches if had is not None else 0
        lost = max(0, before - has.matches - anew)
        facts = {"had": before, "has": has.matches, "newest": _day(has.newest_ms), "archived_anew": anew, "lost": lost}
        if lost:
            what = "those after `newest` whose journals have left the store are gone: bring back a newer copy of it"
            log.error("archive_lost_matches", **facts, took_s=took_s, what=what)
        elif anew:
            log.warning("archive_completed", **facts, took_s=took_s, what="the store still had what the archive lacked")

    async def _complete(self) -> int:
        """Have archived anew what the store still has and the archive lacks; how many matches that is."""
        anew = 0
        async for matches in journals(self._redis, self._comparing):
            # In this order: what expires was in the archive before, even if it got there a moment ago.
            left = [match for match in matches if await self._journal.stay.ends(match)]
            for match in set(left) - await self._archive.archived_ids(left):
                anew += await self._enter(match)
        return anew

    async def _enter(self, match: str) -> bool:
        """Have a match that expires archived anew, if it was before: nothing else makes one expire that was played."""
        entries = await self._journal.tail(match, LAST)
        if not isinstance(end_of(entries), MatchEnded):
            return False
        await self._journal.stay.keep(match)
        await self._archiver.unsettled.add(keys.UNARCHIVED, ListedMatch(match, entries[-1].time_ms))
        return True


def _day(time_ms: int) -> str:
    """A time in words; "" = there is none."""
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(time_ms / 1000)) if time_ms else ""
