"""The lobby's index of tables. The journals are the truth; what stands here only helps to find them.

A match is entered before its journal begins and taken out after it has ended, so a process that dies in between leaves
at most a line too many.
"""

import math
import time
from collections.abc import Iterable

import msgpack
import msgspec
from redis.asyncio import Redis
from tavla_protocol.messages import Table

from tavla_server.record import Record, view_of
from tavla_server.reply import text

LISTED = 200  # lines shown at most
NAMES = "tables:names"  # lower-case table name -> match id
NEWEST = "tables:newest"  # match ids by time of creation
LINES = "tables:lines"  # match id -> what the lobby shows


class Tables:
    """Every table that is not over, by name, by age and by player."""

    def __init__(self, redis: Redis) -> None:
        self._redis = redis

    async def find(self, table: str) -> str | None:
        """The match id of a table's name."""
        id_ = await self._redis.hget(NAMES, table.lower())
        return text(id_) if id_ else None

    async def claim(self, name: str, match: str) -> bool:
        """Reserve a table's name for a match; False when another one has it."""
        if await self._redis.hsetnx(NAMES, name.lower(), match):
            return True
        return await self.find(name) == match

    async def release(self, name: str, match: str) -> None:
        """Free a name, if this match has it."""
        if await self.find(name) == match:
            await self._redis.hdel(NAMES, name.lower())

    async def enter(self, match: str, player: str, now_ms: int) -> None:
        """Note that a player is about to play a match, or has begun to."""
        await self._redis.zadd(NEWEST, {match: now_ms}, nx=True)
        await self._redis.sadd(_played_key(player), match)

    async def leave(self, match: str, player: str) -> None:
        """A player does not play a match after all."""
        await self._redis.srem(_played_key(player), match)

    async def age_s(self, match: str) -> float:
        """How long ago a match was entered, in seconds; infinite if it is not listed."""
        entered_ms = await self._redis.zscore(NEWEST, match)
        return math.inf if entered_ms is None else time.time() - entered_ms / 1000

    async def show(self, record: Record) -> None:
        """Bring the lobby's line up to date; take everything out when the match is over."""
        if not record.over:
            await self._redis.hset(LINES, record.id, msgpack.packb(msgspec.to_builtins(_line(record))))
            return
        await self.drop(record.id, [player.id for player in record.players if player])
        await self.release(record.name, record.id)

    async def drop(self, match: str, players: Iterable[str]) -> None:
        """Take a match out of all lists."""
        await self._redis.zrem(NEWEST, match)
        await self._redis.hdel(LINES, match)
        for player in players:
            await self.leave(match, player)

    async def played_by(self, player: str) -> list[str]:
        """The ids of matches that a player sits at, as far as the index knows."""
        return sorted(text(id_) for id_ in await self._redis.smembers(_played_key(player)))

    async def lines(self) -> list[Table]:
        """What the lobby shows: open tables first, newest first."""
        ids = [text(id_) for id_ in await self._redis.zrevrange(NEWEST, 0, LISTED - 1)]
        lines = await self._redis.hmget(LINES, ids) if ids else []
        tables = [msgspec.convert(msgpack.unpackb(line), Table) for line in lines if line]
        return sorted(tables, key=lambda table: table.phase != "open")


def _played_key(player: str) -> str:
    return f"played:{player}"


def _line(record: Record) -> Table:
    view = view_of(record)
    return Table(
        match=record.id,
        name=record.name,
        phase=view.phase,
        players=view.players,
        rules=view.rules,
        score=view.score,
    )
