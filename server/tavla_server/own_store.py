"""The store of a data folder: started for a server, or for a command unless it runs."""

import contextlib
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import TYPE_CHECKING

import structlog

from tavla_server.cluster.liveness import evict_all_nodes
from tavla_server.errors import StartError, StoreUnavailable
from tavla_server.match.seed_keys import is_lost, renew
from tavla_server.options import Options
from tavla_server.store import keys
from tavla_server.store.client import Client, connection_to

if TYPE_CHECKING:
    from tavla_server.store.embedded_store import EmbeddedStore

log = structlog.get_logger()


async def open_store(
    stack: contextlib.AsyncExitStack, options: Options, meanwhile: Callable[[], object] | None = None
) -> str:
    """Start the embedded store until the stack is closed; its URL. meanwhile: called while it starts.

    Raises: StartError.
    """
    store = embedded_store(options.data)
    stack.push_async_callback(store.stop)
    await store.start(meanwhile)
    try:
        async with connection_to(store.url) as redis:
            await evict_all_nodes(redis)
            if options.seed_key is None:
                await _renew_lost_key(redis, options)
    except StoreUnavailable as error:
        raise StartError(f"the store cannot be used, {error}: {store.cause_of_end()}") from None
    return store.url


async def _renew_lost_key(redis: Client, options: Options) -> None:
    """Make the seed key anew if a power cut has emptied its file, and no match needs the one that is lost.

    Raises: StartError, when one does.
    """
    if not is_lost(options.seed_key_file):
        return
    if live := await redis.hlen(keys.LOBBY_ROWS("tables")):
        raise StartError(
            f"{options.seed_key_file} is empty, and the dice of {live} tables need the key that was in it: put the "
            f"file back from a backup, or run tavla-server repair --data {options.data}, and these tables cannot go on"
        )
    await renew(redis, options.seed_key_file)
    log.warning("seed_key_renewed", file=str(options.seed_key_file), why="it was empty, and no match needs the old one")


def embedded_store(data: Path) -> "EmbeddedStore":
    """The store of a data folder, not started. Raises: StartError when this installation has none."""
    try:
        from tavla_server.store.embedded_store import EmbeddedStore
    except ImportError as error:
        raise StartError(f"{error}: install tavla[embedded], or give --redis URL") from None
    return EmbeddedStore(data)


@contextlib.asynccontextmanager
async def running_store(redis: str | None, data: Path) -> AsyncIterator[str]:
    """The URL of the store, for a command; the embedded one of the folder `data` is started unless it runs.

    Raises: StartError.
    """
    if redis is not None:
        yield redis
        return
    store = embedded_store(data)
    if await _answers(store.url):
        yield store.url
        return
    if not (data / "appendonlydir").is_dir():
        raise StartError(f"there is no store in {data}: give --data as the server has it, or --redis")
    try:
        await store.start()
        yield store.url
    finally:
        await store.stop()


async def _answers(url: str) -> bool:
    with contextlib.suppress(StoreUnavailable):
        async with connection_to(url) as client:
            return bool(await client.ping())
    return False
