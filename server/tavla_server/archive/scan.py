"""Matches that were over before there was an archive: looked for once in the whole store, and put into the backlog.

An earlier version left their journals where they were, without noting them anywhere. Since then whoever ends a match
enters it in the backlog by itself. Any of this may be done twice, or by several nodes.
"""

import asyncio
import time

import structlog
from tavla_engine.events import MatchEnded

from tavla_server.archive.archiver import Archiver
from tavla_server.errors import StoreUnavailable
from tavla_server.match.journal import Journal
from tavla_server.store import keys
from tavla_server.store.client import Client, text

SCANNED, DONE = keys.ARCHIVE_SCANNED(), b"done"
HELD_S = 60  # without a word of the node that scans, another one begins anew
AT_ONCE = 200  # keys at which the store looks in one step: less than a millisecond of its time
PAUSE_S = 0.02  # between two steps: a million keys take two minutes, and nobody who plays waits for them
PROGRESS_S = 10.0  # between two lines of the log
LAST = 3  # entries: what follows the end of a match is at most that the store had lost something

log = structlog.get_logger()


class Scan:
    """One pass over all journals. node: who says that it is at it."""

    def __init__(self, redis: Client, journal: Journal, archiver: Archiver, node: str) -> None:
        self._redis, self._journal, self._archiver, self._node = redis, journal, archiver, node

    async def run(self) -> None:
        """Return when the store has been looked through, by whichever node; at once, if it was before."""
        while True:
            try:
                if await self._redis.get(SCANNED) == DONE:
                    return
                if await self._redis.set(SCANNED, self._node, nx=True, ex=HELD_S):
                    await self._scan()
                    return
            except StoreUnavailable as error:
                log.warning("archive_scan_failed", error=str(error))
            await asyncio.sleep(HELD_S / 4)

    async def _scan(self) -> None:
        seen = found = 0
        told = time.monotonic()
        async for some in self._redis.slices(keys.MATCH_LOG("*"), AT_ONCE):
            for key in some:
                seen += 1
                found += await self._enter(keys.MATCH_LOG.part(text(key)))
            await self._redis.set(SCANNED, self._node, ex=HELD_S)
            if time.monotonic() - told > PROGRESS_S:
                told = time.monotonic()
                log.info("archive_scan", journals=seen, found=found)
            await asyncio.sleep(PAUSE_S)
        await self._redis.set(SCANNED, DONE)
        if seen:
            log.info("archive_scanned", journals=seen, found=found)

    async def _enter(self, match: str) -> bool:
        """Put a match into the backlog, if it is over and nobody else will."""
        entries = await self._journal.tail(match, LAST)
        over = any(isinstance(event, MatchEnded) for entry in entries for event in entry.events)
        if not over or await self._redis.hexists(keys.LOBBY_ROWS("tables"), match):
            return False  # what the lobby still has goes its usual way, ratings first
        return await self._archiver.enter(match, entries[-1].time_ms)
