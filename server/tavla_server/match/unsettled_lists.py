"""Matches from whose entries something follows that is not done yet: found here, whatever has died.

A match goes one way:

    played -> ended -> unarchived -> archived
                    -> (nothing more: it goes on, or was cancelled)

- played -> ended: the entry that ends it, or has a result, lists it in the same step (append_last.lua).
- ended -> unarchived: ratings have all of its results; one step marks it as rated and moves it (match_settled.lua).
- unarchived -> archived: the archive has it; one step lets its keys expire and takes it off (match_archived.lua).
- archived -> ended: an older copy of the store was brought back; one step takes the archive's journal over and lists it
  (match_brought_back.lua).

Each step may be done again, by any node. A match is listed with the time of the entry that listed it: should it go on
while a step is being done, such as when it is voided, it is listed with a later time, and stays.
"""

import asyncio
import time
from collections.abc import Sequence
from typing import NamedTuple

from tavla_server.match.journal import KEPT
from tavla_server.record.state import Record
from tavla_server.store import keys
from tavla_server.store.client import Client, text
from tavla_server.store.keys import Key
from tavla_server.store.slots import tags
from tavla_server.timings import DEFAULTS, Timings

AT_ONCE = 512  # lists that are asked for together, in a cluster: a few milliseconds
COUNTED_S = 60.0  # for so long the thousands of lists of a cluster are not counted again


class ListedMatch(NamedTuple):
    """A match of a list. time_ms: of the entry by which it is there."""

    match: str
    time_ms: int


class UnsettledLists:
    """The two lists, of all slots. pause_s: between two looks at one."""

    def __init__(self, redis: Client, timings: Timings = DEFAULTS) -> None:
        self._redis, self._left_ms = redis, timings.left_ms
        self.pause_s = timings.leftovers_s if redis.slots == 1 else timings.leftovers_cluster_s
        self._counted: dict[Key, tuple[float, int]] = {}  # until when that is new enough, by the monotonic clock
        self._settled, self._archived = redis.script("match_settled"), redis.script("match_archived")
        self._brought_back = redis.script("match_brought_back")

    async def add(self, key: Key, *listed: ListedMatch) -> None:
        """Put matches on a list. Raises: StoreUnavailable."""
        commands = [("ZADD", self._key(key, match), time_ms, match) for match, time_ms in listed]
        await self._redis.all_of(commands)

    async def settled(self, record: Record, time_ms: int) -> bool:
        """Ratings have a match's results, as listed with this time; whether that is all that it is listed for.

        Raises: StoreUnavailable.
        """
        match, played = record.id, record.over and not record.cancelled
        names = [keys.MATCH_LOG(match), keys.MATCH_RATED(match)]
        names += [self._key(key, match) for key in (keys.ENDED, keys.UNARCHIVED)]
        is_rated = bool(record.over and record.tally.results)
        return bool(await self._settled(keys=names, args=[match, time_ms, int(is_rated), int(played)]))

    async def archived(self, match: str, time_ms: int, expires_ms: int) -> bool:
        """The archive has a match, as listed with this time: it leaves the store then; False if it has changed.

        Raises: StoreUnavailable.
        """
        names = [self._key(keys.UNARCHIVED, match), *(key(match) for key in KEPT)]
        return bool(await self._archived(keys=names, args=[match, time_ms, expires_ms]))

    async def bring_back(self, match: str, seq: int, time_ms: int, journal: Sequence[bytes]) -> bool:
        """The archive has the end of a match, at time_ms, that goes on in the store, at version seq; False if it has
        changed.

        Raises: StoreUnavailable.
        """
        names = [keys.MATCH_LOG(match), keys.MATCH_SNAPSHOT(match), self._key(keys.ENDED, match)]
        return bool(await self._brought_back(keys=names, args=[match, seq, time_ms, *journal]))

    async def drop(self, key: Key, match: str) -> None:
        """Take a match off a list: there is nothing to be done with it. Raises: StoreUnavailable."""
        await self._redis.zrem(self._key(key, match), match)

    async def put_off(self, key: Key, match: str, time_ms: int) -> None:
        """Do with a match of a list what is to be done not before this time. Raises: StoreUnavailable."""
        await self._redis.zadd(self._key(key, match), {match: time_ms}, xx=True)

    async def since(self, key: Key, match: str) -> int | None:
        """The time by which a list has a match; None if it has not. Raises: StoreUnavailable."""
        found = await self._redis.zscore(self._key(key, match), match)
        return None if found is None else int(found)

    async def left(self, key: Key, now_ms: int, most: int) -> list[ListedMatch]:
        """The matches with which the node on which they ended is not dealing, the oldest first; so many at most.

        Raises: StoreUnavailable.
        """
        time_ms = now_ms - self._left_ms
        found = []
        for some in self._names(key):
            asked = [("ZRANGEBYSCORE", name, "-inf", time_ms, "WITHSCORES", "LIMIT", 0, most) for name in some]
            for row in await self._redis.all_of(asked):
                found += [
                    ListedMatch(text(match), int(score)) for match, score in zip(row[::2], row[1::2], strict=True)
                ]
            await asyncio.sleep(0)
        return sorted(found, key=lambda listed: listed.time_ms)[:most]

    async def count(self, key: Key) -> int:
        """The number of matches in a list; in a cluster, as of the last minute. Raises: StoreUnavailable."""
        until_s, count = self._counted.get(key, (0.0, 0))
        now_s = time.monotonic()
        if self._redis.slots == 1 or now_s > until_s:
            asked = [[("ZCARD", name) for name in some] for some in self._names(key)]
            count = sum([sum(await self._redis.all_of(some)) for some in asked])
            self._counted[key] = now_s + COUNTED_S, count
        return count

    def _key(self, key: Key, match: str) -> str:
        slot = self._redis.router.slot(keys.MATCH_LOG(match).encode())
        return key(tags(self._redis.slots)[slot])

    def _names(self, key: Key) -> list[list[str]]:
        names = [key(tag) for tag in tags(self._redis.slots)]
        return [names[start : start + AT_ONCE] for start in range(0, len(names), AT_ONCE)]
