"""Connections to the services of a server: the store and the archive."""

import asyncio
import contextlib
import re
from typing import NamedTuple

import structlog

from tavla_server.chores import cancel_all, spawn
from tavla_server.errors import ArchiveDamaged, ArchiveUnavailable, StartError, StoreUnavailable
from tavla_server.features.archive.archive import Archive
from tavla_server.features.archive.database import Database
from tavla_server.match.append import APPEND_LAST
from tavla_server.match.journal import APPEND
from tavla_server.match.replication import ENTER
from tavla_server.options import Options
from tavla_server.store import scripts
from tavla_server.store.client import Client
from tavla_server.store.durability import doubts
from tavla_server.store.pubsub import PubSub
from tavla_server.store.router import Router
from tavla_server.store.topology import Topology, find_topology
from tavla_server.timings import DEFAULTS, Timings

WAIT_S = 0.2  # between two tries to connect

log = structlog.get_logger()


class Store(NamedTuple):
    """Connections to the masters of a store: for everything, for the journal, and for what nodes tell each other."""

    topology: Topology
    redis: Client
    router: Router
    pubsub: PubSub


async def connect(stack: contextlib.AsyncExitStack, url: str, timings: Timings, waits: bool = False) -> Store:
    """Connect to a store until the stack is closed. waits: for one that is away. Raises: StartError."""
    told = False
    while True:
        try:
            return await _connect(stack, url, timings)
        except StoreUnavailable as error:
            if not waits:
                raise StartError(f"cannot use Redis at {_shown(url)}: {str(error) or 'no answer'}") from None
            if not told:
                log.warning("waiting_for_store", away=[_shown(url)], error=str(error))
            told = True
            await asyncio.sleep(WAIT_S)
        except ValueError as error:
            raise StartError(f"{_shown(url)} is not the address of a Redis: {error}") from None


async def _connect(stack: contextlib.AsyncExitStack, url: str, timings: Timings) -> Store:
    async with contextlib.AsyncExitStack() as opened:
        topology = await find_topology(url)
        redis = Client(topology, timings.reply_s)
        opened.push_async_callback(redis.aclose)
        await redis.router.open()
        router = Router(topology, [scripts.loading(name) for name in (APPEND, APPEND_LAST, ENTER)], timings.reply_s)
        opened.push_async_callback(router.close)
        await router.open()
        pubsub = PubSub(topology, timings.reply_s)
        opened.push_async_callback(pubsub.close)
        await pubsub.open()
        opened.push_async_callback(cancel_all, [spawn(topology.run)])
        stack.push_async_callback(opened.pop_all().aclose)
        return Store(topology, redis, router, pubsub)


async def check_store(options: Options) -> None:
    """True if workers can use a store that is not embedded: the parent speaks for all of them. Raises: StartError."""
    if options.redis:
        async with contextlib.AsyncExitStack() as stack:
            store = await connect(stack, options.redis, DEFAULTS)
            await look_at(store.router, options.redis, options.require_durable)


async def look_at(router: Router, url: str, required: bool) -> None:
    """Say what is doubtful about a store that is not embedded. required: then do without it. Raises: StartError."""
    found = await doubts(router)
    if found and required:
        raise StartError(f"Redis at {_shown(url)} may lose what it has stored: {'; '.join(found)}")
    if found:
        log.warning("store_not_durable", redis=_shown(url), why=found)


async def open_archive(stack: contextlib.AsyncExitStack, url: str | None, page: int) -> Archive | None:
    """The archive, which need not answer yet; None when there is none, and matches stay in the store.

    page: matches of a history in one answer.

    Raises: StartError.
    """
    if url is None:
        log.warning("no_archive", what="finished matches stay in Redis for ever: give --archive URL")
        return None
    database = Database(url)
    stack.push_async_callback(database.close)
    archive = Archive(database, page)
    try:
        await archive.ping()
    except ArchiveDamaged:
        pass  # the log has it
    except ArchiveUnavailable as error:
        log.warning("archive_away", archive=_shown(url), error=str(error))
    return archive


def _shown(url: str) -> str:
    """The URL without its passwords."""
    scheme, separator, rest = re.sub(r"password=[^&]*", "password=...", url).rpartition("://")
    return f"{scheme}{separator}{rest.rpartition('@')[2]}"
