"""When nobody could play because of us: no node was alive, or Redis was away. No clock runs then."""

import asyncio
from typing import Any

import structlog
from redis.asyncio import Redis
from redis.exceptions import RedisError

from tavla_server.clock import Clock

TICK_S = 1.0
GAP_MS = 3000  # without a sign of life from any node: an outage. Well above a tick, far below what a flag depends on
KEPT_MS = 24 * 3600 * 1000  # an outage is remembered so long after its end

# KEYS: the last sign of life, the outages by their end. ARGV: now, GAP_MS, KEPT_MS, all in ms. Returns "start end" of
# each.
# Every node ticks; whichever comes first after a gap writes it down, for all of them.
TICK = """
local now, last = tonumber(ARGV[1]), tonumber(redis.call('GET', KEYS[1]))
if not last or now > last then redis.call('SET', KEYS[1], ARGV[1]) end
if last and now - last > tonumber(ARGV[2]) then redis.call('ZADD', KEYS[2], now, last .. ' ' .. ARGV[1]) end
redis.call('ZREMRANGEBYSCORE', KEYS[2], '-inf', now - ARGV[3])
return redis.call('ZRANGE', KEYS[2], 0, -1)
"""
KEYS = ["{alive}:last", "{alive}:outages"]

log = structlog.get_logger()


class Outages:
    """The outages that concern clocks which run now, as all nodes together know them."""

    def __init__(self, redis: Redis, clock: Clock) -> None:
        self._redis, self._clock = redis, clock
        self._known: list[tuple[int, int]] = []  # start, end, in ms since 1970
        self._last_ok = clock.now_ms()

    async def tick(self) -> None:
        """Give a sign of life, and learn of outages.

        Raises: redis.exceptions.RedisError, OSError while Redis is away.
        """
        now = self._clock.now_ms()
        reply: Any = await self._redis.eval(TICK, len(KEYS), *KEYS, now, GAP_MS, KEPT_MS)
        self._known = [(int(float(start)), int(end)) for start, end in (row.split() for row in reply)]
        self._last_ok = now

    async def run(self) -> None:
        """Tick until cancelled."""
        while True:
            await asyncio.sleep(TICK_S)
            try:
                await self.tick()
            except (RedisError, OSError) as error:
                log.warning("no_sign_of_life", error=str(error))

    def credit_ms(self, since_ms: int, now_ms: int) -> int:
        """How much of the time from `since_ms` to `now_ms` was outage; one that has not ended counts too."""
        outages = self._known
        if now_ms - self._last_ok > GAP_MS:
            outages = [*outages, (self._last_ok, now_ms)]
        return sum(max(0, min(end, now_ms) - max(start, since_ms)) for start, end in outages)
