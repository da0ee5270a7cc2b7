"""The version of what stands in the store: at the start an older store is upgraded, once, and a newer one refused.

Version 1 has no key that says so: it is what was written before there were versions. A step of an upgrade may be done
again from its beginning, and while servers of the version before still run: they are restarted one by one.
"""

import asyncio
import contextlib
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence

import structlog

from tavla_server.errors import StartError, StoreUnavailable
from tavla_server.store import keys
from tavla_server.store.client import Client
from tavla_server.store.lock import Lock

HELD_S = 10  # without a word of the node that upgrades, another one begins the step anew
WAIT_S = 0.2  # between two looks whether it has done it

Step = Callable[[Client], Awaitable[int]]  # from one version to the next; how many keys it has made or changed

log = structlog.get_logger()


async def bring_up_to_date(redis: Client, node: str, steps: Sequence[Step]) -> None:
    """Upgrade the store to version `1 + len(steps)`; of several nodes that start at once, one does each step.

    Raises: StartError when the store is of a newer version; StoreUnavailable.
    """
    newest, upgrading = 1 + len(steps), Lock(redis, keys.UPGRADING(), node, HELD_S)
    while (version := int(await redis.get(keys.VERSION()) or 1)) < newest:
        if await upgrading.try_lock():
            async with _holding(upgrading):
                changed = await steps[version - 1](redis)
                known = await redis.exists(keys.ALIVE_LAST())  # else it is a new store
                await redis.set(keys.VERSION(), version + 1)
            if known:
                log.info("store_upgraded", version=version + 1, changed=changed)
        else:
            await asyncio.sleep(WAIT_S)
    if version > newest:
        raise StartError(
            f"the store is of version {version}, and this server knows {newest} at most: start a server that is as "
            "new as the one that wrote it, or restore a backup from before"
        )


@contextlib.asynccontextmanager
async def _holding(lock: Lock) -> AsyncIterator[None]:
    """Hold a lock until what is done under it is done, or has failed."""

    async def hold() -> None:
        while True:
            await asyncio.sleep(HELD_S / 3)
            with contextlib.suppress(StoreUnavailable):
                await lock.try_lock()

    holding = asyncio.create_task(hold())
    try:
        yield
    finally:
        holding.cancel()
        await asyncio.wait([holding])
        await lock.unlock()
