"""A note beside an embedded store of how far it was: the next start compares it with what the store has."""

import asyncio
import contextlib
import json
from pathlib import Path

import structlog
from redis import Redis
from redis.exceptions import RedisError

from tavla_server import files
from tavla_server.store import keys

log = structlog.get_logger()


class Mark:
    """The mark of one store. client: one for all notes, since each leaves 40 KB of garbage when it ends."""

    def __init__(self, file: Path, client: Redis) -> None:
        self._file, self._client = file, client

    async def keep(self, every_s: float) -> None:
        """Note it again and again. Runs until it is cancelled.

        No `Sweep`: the store knows of no server.
        """
        while True:
            await asyncio.to_thread(self.write)
            await asyncio.sleep(every_s)

    def write(self) -> None:
        """Note how far the store is now."""
        new = self._file.with_suffix(".json.new")
        with contextlib.suppress(RedisError, OSError):
            with files.open_private(new, "wb") as file:
                file.write(json.dumps(self._extent()).encode())
            new.replace(self._file)

    def compare(self) -> None:
        """Warn of a store that has less than it had."""
        with contextlib.suppress(RedisError, OSError, ValueError, KeyError):
            before, now = json.loads(self._file.read_text()), self._extent()
            if (lost_ms := before["alive_ms"] - now["alive_ms"]) > 0:
                log.warning(
                    "store_lost_writes",
                    lost_s=round(lost_ms / 1000) if now["alive_ms"] else None,
                    keys=now["keys"],
                    keys_before=before["keys"],
                    what="the store is older than it was: an old copy, or a part of it is gone",
                )

    def close(self) -> None:
        """Disconnect."""
        self._client.close()

    def _extent(self) -> dict[str, int]:
        """The last heartbeat, in ms since 1970, and the number of keys."""
        return {"alive_ms": int(self._client.get(keys.ALIVE_LAST()) or 0), "keys": self._client.dbsize()}
