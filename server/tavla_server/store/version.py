"""The version of what stands in the store: a new store gets it, a store of a later version is refused."""

from tavla_server.errors import StartError
from tavla_server.store import keys
from tavla_server.store.client import Client

VERSION = 1  # raised with a change after which servers before it cannot use the store any more


async def claim_version(redis: Client) -> None:
    """Write this server's version into a store that has none.

    Raises: StartError when the store is of a later version; StoreUnavailable.
    """
    await redis.set(keys.VERSION(), VERSION, nx=True)
    version = int(await redis.get(keys.VERSION()) or VERSION)
    if version > VERSION:
        raise StartError(
            f"the store is of version {version}, and this server knows {VERSION} at most: start a server that is as "
            "new as the one that wrote it, or restore a backup from before"
        )
