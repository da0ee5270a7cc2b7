"""Locks of the store: one node at a time does what is enough to be done once."""

from tavla_server.store.client import Client


class Lock:
    """A lock: a key that names its owner, and expires if the owner dies.

    owner: a node, which asks in one task at a time.
    """

    def __init__(self, redis: Client, key: str, owner: str, held_s: int) -> None:
        self._key, self._owner, self._held_s = key, owner, held_s
        self._hold, self._release = redis.script("hold_lock"), redis.script("release_lock")

    async def try_lock(self) -> bool:
        """Take the lock, or hold it for another while; False while it is another owner's. Raises: StoreUnavailable."""
        return bool(await self._hold(keys=[self._key], args=[self._owner, self._held_s]))

    async def unlock(self) -> None:
        """Give the lock back, unless it has expired: then it may be another's. Raises: StoreUnavailable."""
        await self._release(keys=[self._key], args=[self._owner])
