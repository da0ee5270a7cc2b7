"""Reports: what players tell the moderators of each other, until somebody has dealt with it."""

from typing import Any

import msgspec
from tavla_protocol.messages import Complaint

from tavla_server.store import keys
from tavla_server.store.client import Client, text

REPORTS_LIMIT = 1000  # that wait; the oldest go
SHOWN = 50  # in one answer: some 100 KB at most


class Reports:
    """The stream `keys.MODERATION_REPORTS`: a report's id is that of its entry."""

    def __init__(self, redis: Client) -> None:
        self._redis = redis

    async def add(self, complaint: Complaint) -> None:
        """Put a report to the others. Raises: StoreUnavailable."""
        fields: Any = {"r": msgspec.msgpack.encode(complaint)}
        await self._redis.xadd(keys.MODERATION_REPORTS(), fields, maxlen=REPORTS_LIMIT, approximate=False)

    async def newest(self) -> dict[str, Complaint]:
        """Those that wait, by id, the newest first. Raises: StoreUnavailable."""
        rows: Any = await self._redis.xrevrange(keys.MODERATION_REPORTS(), count=SHOWN)
        return {text(id_): msgspec.msgpack.decode(fields[b"r"], type=Complaint) for id_, fields in rows}

    async def about(self, name: str) -> int:
        """How many of these are about someone. Raises: StoreUnavailable."""
        return sum(complaint.about.lower() == name.lower() for complaint in (await self.newest()).values())

    async def resolve(self, report: str) -> bool:
        """List one no longer; False if it is not there. Raises: StoreUnavailable."""
        return bool(await self._redis.xdel(keys.MODERATION_REPORTS(), report))
