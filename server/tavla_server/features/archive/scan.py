"""A look at all journals, when a server starts: what is over, and is listed nowhere, is listed.

The entry that ends a match lists it. A store that was put back or changed by hand may have lost that. Any of this may
be done twice, or by several nodes.
"""

import asyncio
import time
from collections.abc import AsyncIterator

import msgspec
import structlog

from tavla_server.gateway.core import Core
from tavla_server.match.unsettled_lists import ListedMatch, UnsettledLists
from tavla_server.record.events import decode_entry, end_of
from tavla_server.store import keys
from tavla_server.store.client import Client, Row, text
from tavla_server.store.lock import Lock

SCANNED = keys.ARCHIVE_SCANNED()  # the start of the last complete scan
HELD_S = 60  # without a word of the node that scans, another one begins anew
AT_ONCE = 200  # keys at which the store looks in one step: less than a millisecond of its time
PAUSE_S = 0.02  # between two steps: a million keys take two minutes, and no player waits for them
PROGRESS_S = 10.0  # between two lines of the log
LAST = 3  # entries: what follows the end of a match is at most that the store had lost something
STAYS = -1  # what the store says of a key that does not expire

log = structlog.get_logger()


async def journals(redis: Client, lock: Lock) -> AsyncIterator[list[str]]:
    """The matches that have a journal, some at a time; meanwhile the lock is held. Raises: StoreUnavailable."""
    async for some in redis.slices(keys.MATCH_LOG("*"), AT_ONCE):
        yield [keys.MATCH_LOG.part(text(key)) for key in some]
        await lock.try_lock()
        await asyncio.sleep(PAUSE_S)


class Scan:
    """A scan of all journals."""

    def __init__(self, core: Core, unsettled: UnsettledLists) -> None:
        self._redis, self._unsettled, self._clock = core.redis, unsettled, core.clock
        self._scanning = Lock(core.redis, keys.ARCHIVE_SCANNING(), core.node, HELD_S)
        self._since_ms = 0  # when this node began
        self._is_done = False  # since then, by whichever node

    async def sweep(self) -> None:
        """Look through the store once, when a node begins. Raises: StoreUnavailable."""
        self._since_ms = self._since_ms or self._clock.now_ms()
        self._is_done = self._is_done or int(await self._redis.get(SCANNED) or 0) >= self._since_ms
        if not self._is_done and await self._scanning.try_lock():
            await self._scan()
            self._is_done = True

    async def _scan(self) -> None:
        began_ms, told, seen, found = self._clock.now_ms(), time.monotonic(), 0, 0
        async for matches in journals(self._redis, self._scanning):
            seen += len(matches)
            found += await self._list(matches)
            if time.monotonic() - told > PROGRESS_S:
                told = time.monotonic()
                log.info("journals_scan", journals=seen, found=found)
        await self._redis.set(SCANNED, began_ms)
        await self._scanning.unlock()
        if found:
            what = "they were over, and neither ratings nor the archive would have had them: now they will"
            log.warning("results_found", journals=seen, matches=found, what=what)

    async def _list(self, matches: list[str]) -> int:
        """List those of some matches that are over, stay in the store, and are not listed; how many there are."""
        found = [listed for match, rows in await self._tails(matches) if (listed := _ended(match, rows)) is not None]
        unlisted = [listed for listed in found if not await self._is_listed(listed.match)]
        # A match that was archived meanwhile has left its list, but expires since then.
        staying = set(await self._staying([listed.match for listed in unlisted]))
        lost = [listed for listed in unlisted if listed.match in staying]
        if lost:
            await self._unsettled.add(keys.ENDED, *lost)
        return len(lost)

    async def _tails(self, matches: list[str]) -> list[tuple[str, list[Row]]]:
        """The matches that have no expiry, and their last entries, the newest first."""
        stay = await self._staying(matches)
        asked = [("XREVRANGE", keys.MATCH_LOG(match), "+", "-", "COUNT", LAST) for match in stay]
        return [*zip(stay, await self._redis.all_of(asked), strict=True)]

    async def _staying(self, matches: list[str]) -> list[str]:
        """The matches that have no expiry."""
        left = await self._redis.all_of([("PTTL", keys.MATCH_LOG(match)) for match in matches])
        return [match for match, ttl in zip(matches, left, strict=True) if ttl == STAYS]

    async def _is_listed(self, match: str) -> bool:
        listed = [await self._unsettled.since(key, match) for key in (keys.ENDED, keys.UNARCHIVED)]
        return listed != [None, None]


def _ended(match: str, rows: list[Row]) -> ListedMatch | None:
    """A match that is over, with the time of its last entry."""
    try:
        entries = [decode_entry(fields[b"e"]) for _, fields in rows]
    except (KeyError, ValueError, msgspec.MsgspecError) as error:
        log.error("journal_unreadable", match=match, error=str(error))
        return None
    return None if end_of(entries) is None else ListedMatch(match, entries[0].time_ms)
