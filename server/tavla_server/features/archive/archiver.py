"""Finished matches move from the store to the archive: each exactly once, also under kills.

What has ended, and is rated, is listed in the store (match/unsettled_lists). A node takes it from there, adds it to the
archive, where its id is the key; one step then lets its keys in the store expire and takes it off the list. Any of it
may be done again. A match that was played and whose journal expires is archived: nothing else makes it expire.
"""

import asyncio
from collections.abc import Sequence

import structlog

from tavla_server.errors import ArchiveUnavailable, JournalUnreadable, OtherMatch, StoreUnavailable
from tavla_server.features.archive.archive import Archive
from tavla_server.features.archive.summary import summary
from tavla_server.gateway.core import Core
from tavla_server.match.unsettled_lists import ListedMatch, UnsettledLists
from tavla_server.record.events import Created, decode_entry
from tavla_server.store import keys
from tavla_server.store.client import text
from tavla_server.store.lock import Lock
from tavla_server.telemetry.metrics import ARCHIVED

AT_ONCE = 100  # of the backlog, before the others are given a chance to sweep
ARCHIVED_AT_ONCE = 8  # their commands to the store go together; the archive writes one after the other
FAULT_MS = 3_600_000  # a match that cannot be archived, for a fault of ours, is tried again so much later

log = structlog.get_logger()


class Archiver:
    """An archiver moves matches. archive: None = they stay in the store, and wait there for the day that there is one.

    archived: how many this node has moved. away: why the archive could not be reached last; "" = it could.
    """

    def __init__(self, core: Core, archive: Archive | None, grace_s: float) -> None:
        """grace_s: how long a match stays in the store after its end, for those who look at it."""
        self.archive, self.archived, self.away = archive, 0, ""
        self.unsettled = UnsettledLists(core.redis, core.timings)
        self._redis, self._journal, self._clock, self._grace_s = core.redis, core.journal, core.clock, grace_s
        self._sweeping = Lock(core.redis, keys.ARCHIVE_SWEEPING(), core.node, int(core.timings.leftovers_s) or 1)

    async def store(self, match: str) -> None:
        """Archive a match that is listed. While the archive is away, it stays listed, and a sweep does it.

        Raises: StoreUnavailable.
        """
        if self.archive is None or self.away:
            return
        time_ms = await self.unsettled.since(keys.UNARCHIVED, match)
        if time_ms is None:
            return  # another node was first
        try:
            await self._move(self.archive, ListedMatch(match, time_ms))
        except ArchiveUnavailable as error:
            self._lost(error)

    async def bring_back(self, match: str) -> bool:
        """Take over the end of a match that goes on in the store, if the archive has it: it was put back.

        False: it goes on. An archive that is away, or damaged, ends nothing. Raises: StoreUnavailable.
        """
        if self.archive is None or self.away:
            return False
        try:
            archived = await self.archive.journal(match)
        except (ArchiveUnavailable, JournalUnreadable) as error:
            log.warning("archive_not_asked", match=match, error=str(error))
            return False
        journal = await self._journal.raw(match)
        if archived is None or not journal or _commitment(archived) != _commitment(journal):
            return False
        found = await self.unsettled.bring_back(match, len(journal), decode_entry(archived[-1]).time_ms, archived)
        if found:
            log.warning("match_end_found", match=match, had=len(journal), has=len(archived))
        return found

    async def sweep(self) -> None:
        """Archive what others have left, and what could not be archived when it ended. Raises: StoreUnavailable."""
        try:
            while self.archive is not None and await self._archive_some(self.archive):
                pass
        except ArchiveUnavailable as error:
            self._lost(error)
            log.warning("archive_waits", backlog=await self.unsettled.count(keys.UNARCHIVED))

    async def _archive_some(self, archive: Archive) -> bool:
        """Archive some of the backlog; whether there is more, and it is ours to do."""
        if self.away:
            await archive.ping()
            log.info("archive_back", backlog=await self.unsettled.count(keys.UNARCHIVED))
            self.away = ""
        if not await self._sweeping.try_lock():
            return False
        left = await self.unsettled.left(keys.UNARCHIVED, self._clock.now_ms(), AT_ONCE)
        for start in range(0, len(left), ARCHIVED_AT_ONCE):
            some = (self._move_or_put_off(archive, listed) for listed in left[start : start + ARCHIVED_AT_ONCE])
            for failure in await asyncio.gather(*some, return_exceptions=True):
                if failure is not None:
                    raise failure
        await self._sweeping.unlock()
        return len(left) == AT_ONCE

    async def _move_or_put_off(self, archive: Archive, listed: ListedMatch) -> None:
        """A fault of ours with one match is not to keep all others from the archive."""
        try:
            await self._move(archive, listed)
        except (ArchiveUnavailable, StoreUnavailable):
            raise
        except Exception:
            log.exception("archive_failed", match=listed.match)
            await self.unsettled.put_off(keys.UNARCHIVED, listed.match, self._clock.now_ms() + FAULT_MS)

    async def _move(self, archive: Archive, listed: ListedMatch) -> None:
        match, time_ms = listed
        journal = await self._journal.raw(match)
        found = await summary(match, journal)
        if found is None:
            if journal:
                log.warning("nothing_to_archive", match=match)  # its end was lost with the store's last writes
            await self.unsettled.drop(keys.UNARCHIVED, match)
            return
        try:
            added = await archive.put(found, journal)
        except OtherMatch:
            log.error("match_id_taken", match=match, what="the archive has another match of this id: this one stays")
            await self.unsettled.put_off(keys.UNARCHIVED, match, self._clock.now_ms() + FAULT_MS)
            return
        self.archived += added
        ARCHIVED.add(by=added)
        # Asked after it is there: no gap is left.
        await asyncio.gather(*(self._note_leaver(archive, player.id) for player in found.players))
        await self.unsettled.archived(match, time_ms, self._clock.now_ms() + int(1000 * self._grace_s))

    async def _note_leaver(self, archive: Archive, player: str) -> None:
        """A player whose account is closed, or has become another one, was so before the archive had the match."""
        id_ = await self._merged(archive, player)
        if await self._redis.exists(keys.PLAYER_CLOSED(id_)):
            await self._redis.hset(keys.ARCHIVE_CLOSING(), id_, str(self._clock.now_ms()))

    async def _merged(self, archive: Archive, player: str) -> str:
        """The account that a player was merged into, to which its matches belong."""
        while (into := await self._redis.hget(keys.PLAYER_MERGED(player), "into")) is not None:
            await archive.players.merge(player, text(into))
            player = text(into)
        return player

    def _lost(self, error: ArchiveUnavailable) -> None:
        if not self.away:
            log.warning("archive_away", error=str(error))
        self.away = str(error)


def _commitment(journal: Sequence[bytes]) -> str:
    """The server's commitment of a match: no other one of the same id has it."""
    first = decode_entry(journal[0]).events[0]
    return first.commitment if isinstance(first, Created) else ""
