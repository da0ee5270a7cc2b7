"""The audit: which moderator or operator has used which power, when, on whom and why. Kept for two years."""

from datetime import UTC, datetime
from typing import NamedTuple

from tavla_server.cluster.clock import Clock
from tavla_server.store import keys
from tavla_server.store.client import Client, Fields

KEPT_MS = 2 * 366 * 86_400_000  # whoever does much hides nothing: what is younger stays, however much it is


class Use(NamedTuple):
    """A use of a power. time_ms: in ms since 1970. who: an account's name, or `operator` and a user of the machine."""

    time_ms: int
    who: str
    what: str
    whom: str
    why: str

    def __str__(self) -> str:
        time = datetime.fromtimestamp(self.time_ms / 1000, UTC)
        return f"{time:%Y-%m-%d %H:%M:%S}  {self.who}  {' '.join(filter(None, (self.what, self.whom)))}: {self.why}"


class Audit:
    """The audit trail, written before a power is used: what could not be written down is not done."""

    def __init__(self, redis: Client, clock: Clock) -> None:
        self._redis, self._clock = redis, clock

    async def note(self, who: str, what: str, whom: str, why: str) -> None:
        """Write a use down. Raises: StoreUnavailable."""
        fields: Fields = {"who": who, "what": what, "whom": whom, "why": why}
        oldest = self._clock.now_ms() - KEPT_MS
        await self._redis.xadd(keys.MODERATION_AUDIT(), fields, minid=oldest, approximate=False)

    async def last(self, count: int) -> list[Use]:
        """The last uses, the oldest first. Raises: StoreUnavailable."""
        return [_use(*row) for row in reversed(await self._redis.newest(keys.MODERATION_AUDIT(), count))]


def _use(id_: bytes, fields: dict[bytes, bytes]) -> Use:
    words = (fields.get(name, b"").decode() for name in (b"who", b"what", b"whom", b"why"))
    return Use(int(id_.partition(b"-")[0]), *words)
