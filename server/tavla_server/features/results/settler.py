"""The settler: brings to ratings, and on to the archive, what other nodes have listed as ended and not settled."""

import asyncio
import contextlib

import structlog

from tavla_server.errors import JournalUnreadable
from tavla_server.features.results.effects import FAULT_MS, MatchEffects
from tavla_server.gateway.core import Core
from tavla_server.match.unsettled_lists import ListedMatch, UnsettledLists
from tavla_server.record.state import Record
from tavla_server.store import keys
from tavla_server.store.lock import Lock

HELD_S = 5  # without a word of the node that settles, another one may
LOOK_S = 0.01  # between two looks whether they are settled
AT_ONCE = 200  # of these, before other nodes are given a chance
STANDS_MS = 60_000  # ratings that have waited longer are late

log = structlog.get_logger()


class Settler:
    """A settler of matches that are over. Every node sweeps; of several one at a time."""

    def __init__(self, core: Core, unsettled: UnsettledLists, effects: MatchEffects) -> None:
        self._redis, self._journal, self._clock = core.redis, core.journal, core.clock
        self._unsettled, self._effects = unsettled, effects
        self._settling = Lock(core.redis, keys.SETTLING(), core.node, HELD_S)
        self._told_ms = 0  # when it was last said that ratings are late

    async def sweep(self) -> None:
        """Settle what others have left. Raises: StoreUnavailable."""
        while await self._settle_some():
            pass

    async def _settle_some(self) -> bool:
        """Settle some of what is left; whether there is more, and it is ours to do."""
        if not await self._settling.try_lock():
            return False
        now = self._clock.now_ms()
        left = await self._unsettled.left(keys.ENDED, now, AT_ONCE)
        await self._tell(left, now)
        lane = self._effects.results
        ours = [listed for listed in left if listed.match not in lane]  # those are under way on this node
        rated = await self._redis.all_of([("EXISTS", keys.MATCH_RATED(listed.match)) for listed in ours])
        for listed, is_rated, record in zip(ours, rated, await asyncio.gather(*map(self._read, ours)), strict=True):
            if record is not None:
                self._effects.settle_match(record, listed.time_ms, bool(is_rated) and not record.voided)
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(HELD_S):
                while any(listed.match in lane for listed in ours):  # noqa: ASYNC110 - a lane does not tell of one match
                    await asyncio.sleep(LOOK_S)
        await self._settling.unlock()
        return len(left) == AT_ONCE and bool(ours)

    async def _tell(self, left: list[ListedMatch], now_ms: int) -> None:
        """Say, once a minute, that ratings are late."""
        late_ms = now_ms - left[0].time_ms if left else 0
        if late_ms > STANDS_MS and now_ms - self._told_ms > STANDS_MS:
            self._told_ms = now_ms
            log.warning("results_wait", waiting=await self._unsettled.count(keys.ENDED), oldest_s=late_ms // 1000)

    async def _read(self, listed: ListedMatch) -> Record | None:
        """A match as of now; None if there is nothing to be done with it now. Raises: StoreUnavailable."""
        try:
            seq, record, _ = await self._journal.replay(listed.match)
        except JournalUnreadable as error:
            log.error("journal_unreadable", match=listed.match, error=str(error))
            await self._unsettled.put_off(keys.ENDED, listed.match, self._clock.now_ms() + FAULT_MS)
            return None
        if not seq:
            await self._unsettled.drop(keys.ENDED, listed.match)
            return None
        return record
