"""Counts of the matches in a store, the live ones among them, and forks of these after a restore."""

import asyncio
import secrets
import time
from itertools import chain
from typing import NamedTuple

import msgspec
from tavla_engine.events import GameStarted

from tavla_server.match.unsettled_lists import ListedMatch, UnsettledLists
from tavla_server.record.events import Cancelled, Entry, Event, Forked, decode_entry, encode_entry, end_of
from tavla_server.record.state import decode_record
from tavla_server.store import keys
from tavla_server.store.client import Client, Row, text

AT_ONCE = 1000  # journals that are asked for in one go


async def count(redis: Client) -> tuple[int, int]:
    """The number of matches, and of entries in their journals. Raises: StoreUnavailable."""
    logs = [key async for key in redis.scan_iter(match=keys.MATCH_LOG("*"), count=AT_ONCE)]
    entries = 0
    for start in range(0, len(logs), AT_ONCE):
        entries += sum(await asyncio.gather(*map(redis.xlen, logs[start : start + AT_ONCE])))
    return len(logs), entries


class Gap(NamedTuple):
    """A journal that has lost entries: `kept` whole ones, then a gap, and behind it `behind` that are of no use."""

    match: str
    kept: int
    behind: int


async def close_gaps(redis: Client, doubtful: set[str]) -> list[Gap]:
    """End journals where entries are missing, so that play goes on there; those, and what is left of doubtful ones.

    No server may use the store. A match without its first entry goes. Raises: StoreUnavailable.
    """
    gaps = []
    async for key in redis.scan_iter(match=keys.MATCH_LOG("*"), count=AT_ONCE):
        match = keys.MATCH_LOG.part(text(key))
        rows = await redis.entries(key)
        kept = sum(1 for number, (id_, _) in enumerate(rows, 1) if id_ == b"%d-0" % number)
        if kept < len(rows) or match in doubtful:
            await _end_at(redis, match, kept, rows)
            gaps.append(Gap(match, kept, len(rows) - kept))
    return gaps + [Gap(match, 0, 0) for match in sorted(doubtful - {gap.match for gap in gaps})]


async def _end_at(redis: Client, match: str, kept: int, rows: list[Row]) -> None:
    log = keys.MATCH_LOG(match)
    if not kept:
        await redis.delete(log, keys.MATCH_SNAPSHOT(match), keys.MATCH_RATED(match))
        return
    if kept < len(rows):  # made anew: where entries were deleted the next number stays behind them
        anew = f"{log}:anew"  # takes its place in one step: a death before that loses nothing
        entries = [("XADD", anew, text(id_), *chain(*fields.items())) for id_, fields in rows[:kept]]
        await redis.all_of([("DEL", anew), *entries, ("RENAME", anew, log)])
    snapshot = await redis.get(keys.MATCH_SNAPSHOT(match))
    if isinstance(snapshot, bytes) and decode_record(snapshot)[0] > kept:
        await redis.delete(keys.MATCH_SNAPSHOT(match))
    if await redis.hexists(keys.LOBBY_ROWS("tables"), match):
        await _fork(redis, match)


async def fork_all(redis: Client) -> tuple[int, int]:
    """Give each match that is not over a new epoch; how many go on, and how many are void. No server may use the store.

    A client that has seen more of one than there is, or something else, is then sent the whole match. Where a seed is
    still to be revealed, or a player to come, the first rolls may have been seen, and whoever dislikes them would not
    do so again: it is void. The entry bears the time of the one before it: no time has passed.
    Raises: StoreUnavailable.
    """
    void = [await _fork(redis, match, void=True) for match in await _listed(redis)]
    return void.count(False), void.count(True)


async def count_live(redis: Client) -> int:
    """The number of matches that are not over. Raises: StoreUnavailable."""
    return sum([await _live(redis, match) is not None for match in await _listed(redis)])


async def _listed(redis: Client) -> list[str]:
    """The matches of the lobby: what is over may still be among them, and what has not begun."""
    return [text(match) for match in await redis.hkeys(keys.LOBBY_ROWS("tables"))]


async def _live(redis: Client, match: str) -> list[Entry] | None:
    """The entries of a match; None if it has not begun, is over, or cannot be read."""
    rows = await redis.entries(keys.MATCH_LOG(match))
    try:
        entries = [decode_entry(fields[b"e"]) for _, fields in rows]
    except (KeyError, ValueError, msgspec.MsgspecError):
        return None
    return entries if entries and end_of(entries) is None else None


async def _fork(redis: Client, match: str, void: bool = False) -> bool | None:
    """Fork a match; True if it is void now, None if it was over. void: one before its last reveal shall be."""
    if (entries := await _live(redis, match)) is None:
        return None
    events = [event for entry in entries for event in entry.events]
    void = void and GameStarted not in map(type, events)
    forked: list[Event] = [Forked("", round(1000 * time.time())), *[Cancelled(put_back=True)] * void]
    time_ms = entries[-1].time_ms
    entry = Entry("", secrets.randbits(62), time_ms, 0, tuple(forked))
    await redis.xadd(keys.MATCH_LOG(match), {"e": encode_entry(entry)}, id=f"{len(entries) + 1}-0")
    if void:
        await UnsettledLists(redis).add(keys.ENDED, ListedMatch(match, time_ms))
    return void
