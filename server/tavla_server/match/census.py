"""What a store has of matches, counted; and what becomes of live ones when the store goes back in time."""

import asyncio
import secrets
from typing import Any

from tavla_server.match.events import Entry, Forked, decode_entry, encode_entry
from tavla_server.store import keys
from tavla_server.store.client import Client, text

AT_ONCE = 1000  # journals that are asked for in one go


async def count(redis: Client) -> tuple[int, int]:
    """How many matches there are, and entries in their journals. Raises: StoreUnavailable."""
    logs = [key async for key in redis.scan_iter(match=keys.MATCH_LOG("*"), count=AT_ONCE)]
    entries = 0
    for start in range(0, len(logs), AT_ONCE):
        entries += sum(await asyncio.gather(*map(redis.xlen, logs[start : start + AT_ONCE])))
    return len(logs), entries


async def fork_all(redis: Client) -> int:
    """Give each match that is not over a new epoch; how many there are. No server may use the store.

    A client that has seen more of one than there is, or something else, is then sent the whole match. The entry bears
    the time of the one before it: nobody's time has passed.
    Raises: StoreUnavailable.
    """
    live = [text(match) for match in await redis.hkeys(keys.LOBBY_ROWS("tables"))]
    forked = 0
    for match in live:
        rows: Any = await redis.xrevrange(keys.MATCH_LOG(match), count=1)
        if rows:  # else it was entered, and has not begun
            id_, fields = rows[0]
            last = decode_entry(fields[b"e"])
            entry = Entry("", secrets.randbits(62), last.time_ms, 0, (Forked(),))
            seq = int(id_.partition(b"-")[0]) + 1
            await redis.xadd(keys.MATCH_LOG(match), {"e": encode_entry(entry)}, id=f"{seq}-0")
            forked += 1
    return forked
