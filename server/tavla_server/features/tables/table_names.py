"""Names of tables: each leads to one match that is not over."""

import unicodedata

from tavla_server.features.accounts.skeletons import key_part
from tavla_server.gateway.text_filter import clean
from tavla_server.store import keys
from tavla_server.store.client import Client, text

NAMES = keys.TABLE_NAMES()


class TableNames:
    """The hash `keys.TABLE_NAMES`. Names have no case."""

    def __init__(self, redis: Client) -> None:
        self._redis = redis

    async def find(self, table: str) -> str | None:
        """The match id of a table's name."""
        id_ = await self._redis.hget(NAMES, _field(table))
        return text(id_) if id_ else None

    async def claim(self, name: str, match: str) -> str | None:
        """Reserve a table's name for a match, unless another one has it; the match that has it then."""
        return match if await self._redis.hsetnx(NAMES, _field(name), match) else await self.find(name)

    async def release(self, name: str, match: str) -> None:
        """Free a name, if this match has it."""
        if await self.find(name) == match:
            await self._redis.hdel(NAMES, _field(name))

    async def free_first(self, names: list[str]) -> list[str]:
        """Sort names, in order, those before the others that no table has now."""
        holders = await self._redis.hmget(NAMES, [_field(name) for name in names])
        taken = {name for name, holder in zip(names, holders, strict=True) if holder is not None}
        return sorted(names, key=taken.__contains__)


def _field(name: str) -> str:
    return key_part(unicodedata.normalize("NFKC", clean(name)).casefold())
