"""Seeds that were due, matches that are void for want of them, and matches that a player left: counted once each, for
all to see.

Beside each count stand the matches that are in it, so any node may count a match again, after any death. When all
counts have it, the match itself says so; a day later it need not stand beside them any more.
"""

from typing import Any

from tavla_engine.actions import Seat

from tavla_server.cluster.clock import Clock
from tavla_server.feature import Feature
from tavla_server.record.standing import is_void, leaver, standing
from tavla_server.record.state import Record
from tavla_server.store import keys
from tavla_server.store.client import Client, text
from tavla_server.sweeps import Sweep
from tavla_server.telemetry.metrics import SEEDED

SURE_MS = 24 * 3600 * 1000  # longer than any count in flight
REFRESH_S = 10.0  # between two looks at what all nodes together have counted

TOTALS = keys.REVEALS_TOTALS(), keys.REVEALS_COUNTED()

Count = tuple[int, int]  # how many are void, and of how many


class Reveals(Feature):
    """The feature of counts: the reveals in the store. totals: the whole server's, as last seen."""

    def __init__(self, redis: Client, clock: Clock) -> None:
        self._redis, self._clock = redis, clock
        self._count, self._mark = redis.script("count_seed"), redis.script("mark_counted")
        self.totals: Count = (0, 0)
        self.sweeps = [Sweep("totals", REFRESH_S, self.refresh)]

    async def count(self, record: Record) -> None:
        """Count a match as what it is now, if that has not been done. Raises: StoreUnavailable."""
        if not (now := standing(record)):
            return
        done = keys.MATCH_COUNTED(record.id)
        before = await self._redis.get(done)
        if before == now.encode() or not await self._redis.exists(keys.MATCH_LOG(record.id)):
            return
        # Else what it was before was counted, perhaps so long ago that it is not named any more.
        is_new = before is None
        await self._count_total(record.id, now == "void", is_new)
        for seat in (0, 1):
            await self._count_seat(record, seat, is_new)
        await self._mark(keys=(keys.MATCH_LOG(record.id), done), args=[now])

    async def of(self, *players: str) -> list[Count]:
        """In how many matches no seed came from each player, and of how many."""
        rows = await self._redis.all_of([("HMGET", keys.PLAYER(player), "void", "seeded") for player in players])
        return [(int(void or 0), int(seeded or 0)) for void, seeded in rows]

    async def refresh(self) -> None:
        """Look at the totals. Raises: StoreUnavailable."""
        void, seeded = await self._redis.hmget(TOTALS[0], ("void", "seeded"))
        self.totals = int(void or 0), int(seeded or 0)

    async def _count_total(self, match: str, void: bool, is_new: bool) -> None:
        fields = ["seeded"] * is_new + ["void"] * void
        voids, seeded, new, old = await self._run(TOTALS, match, fields, lasting=True)
        self.totals = int(voids), int(seeded)
        SEEDED.add("void", new.count(b"void"))
        SEEDED.add("due", new.count(b"seeded"))
        await self._prune(TOTALS[1], old)

    async def _count_seat(self, record: Record, seat: Seat, is_new: bool) -> None:
        """For a player who has added no seed, none was due; nor was the time over if a moderator ended it before.

        A private match is under a heading of its own, which nobody is shown: it says that the account is in use.
        """
        player, has_begun = record.players[seat], bool(record.match.game)
        was_due = bool(record.commitments[seat]) and (has_begun or is_void(record))
        fields = ["begun"] * (is_new and has_begun) + ["seeded"] * (is_new and was_due)
        fields += ["void"] * (is_void(record) and seat in record.missing_seeds) + ["left"] * (leaver(record) == seat)
        if record.private:
            fields = ["private"] * (is_new and (has_begun or was_due))
        if player is not None and fields:
            await self._count_player(player.id, record.id, fields)

    async def _count_player(self, player: str, match: str, fields: list[str]) -> None:
        """Count it for a player, or for the one that this player has become; for no guest who is forgotten."""
        where = keys.PLAYER(player), keys.PLAYER_COUNTED(player)
        if (reply := await self._run(where, match, fields)) is not None:
            await self._prune(where[1], reply[-1])
        elif (into := await self._redis.hget(keys.PLAYER_MERGED(player), "into")) is not None:
            await self._count_player(text(into), match, fields)

    async def _run(self, where: tuple[str, str], match: str, fields: list[str], lasting: bool = False) -> Any:
        now = self._clock.now_ms()
        return await self._count(keys=where, args=[match, now, now - SURE_MS, int(not lasting), *fields])

    async def _prune(self, counted: str, old: list[bytes]) -> None:
        """Forget which matches were counted, of those that are never counted again."""
        for line in old:
            match = text(line).partition(" ")[0]
            if await self._redis.exists(keys.MATCH_COUNTED(match)) or not await self._redis.exists(
                keys.MATCH_LOG(match)
            ):
                await self._redis.zrem(counted, line)


async def hand_on_counts(redis: Client, old: str, into: str) -> None:
    """Copy the marks of counted matches: the other account gets the counts with them, and counts none again."""
    counted: Any = await redis.zrange(keys.PLAYER_COUNTED(old), 0, -1, withscores=True)
    if counted:
        await redis.zadd(keys.PLAYER_COUNTED(into), dict(counted), nx=True)
