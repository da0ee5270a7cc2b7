"""A server's life: its parts begin in order, and end in reverse."""

import asyncio
import contextlib
import os
from collections.abc import AsyncIterator
from functools import partial

import structlog

from tavla_server.chores import cancel_all, spawn
from tavla_server.connections import WAIT_S, connect, look_at, open_archive
from tavla_server.errors import StoreUnavailable
from tavla_server.features.moderation.enforcer import SanctionEnforcer
from tavla_server.gateway.tls import Certificate
from tavla_server.gauges import reading
from tavla_server.limits import DEFAULT_LIMITS, Limits
from tavla_server.match.seed_keys import agree, read_keys
from tavla_server.options import Options
from tavla_server.own_addresses import cannot_listen
from tavla_server.store import keys
from tavla_server.store.version import claim_version
from tavla_server.timings import DEFAULTS, Timings
from tavla_server.wiring import Parts, assemble

STOP_TEXT = "the server restarts; your matches are kept"
DRAIN_TEXT = "this server is emptied; your matches go on at another"
DRAIN_S = 1.5  # over which clients are sent to other nodes, if --drain does not say
RETRY_AFTER_S = 1.0
STOP_S = 3.0  # for clients to be gone and effects to be done; whatever waits for a store that is away is cut

log = structlog.get_logger()


@contextlib.asynccontextmanager
async def running(
    options: Options,
    timings: Timings = DEFAULTS,
    limits: Limits = DEFAULT_LIMITS,
    certificate: Certificate | None = None,
    store_url: str | None = None,
) -> AsyncIterator[int]:
    """A server that listens; gives the port that it got. certificate: it speaks TLS there, and nothing else. store_url:
    of the embedded store, if it has one.

    Raises: StartError.
    """
    async with contextlib.AsyncExitStack() as stack:
        url = store_url or options.redis
        assert url is not None, "a store has been started, if none was given"
        sealer = read_keys(options.seed_key_file, make=options.seed_key is None)
        store = await connect(stack, url, timings, waits=options.worker)
        if options.redis and not options.worker:
            await look_at(store.router, url, options.require_durable)
        parts = assemble(
            options, timings, limits, store, await open_archive(stack, options.archive_url, limits.history_page), sealer
        )
        stack.callback(parts.features.accounts.passwords.close)
        await _begin(parts)
        await agree(store.redis, sealer)
        log.info("node_joined", node=parts.core.node, pid=os.getpid())
        tasks = [spawn(parts.core.feed.follow)]
        stack.push_async_callback(cancel_all, tasks)
        await parts.core.feed.ready.wait()  # bans are known before the first connection
        try:
            port = await parts.gateway.listen(options.host, options.port, options.worker, certificate)
        except OSError as error:
            raise cannot_listen(options.host, options.port, error) from None
        tasks += map(spawn, parts.chores())  # not before: players wait for the port
        stack.enter_context(reading(parts))
        drain = partial(_drain, parts, options.drain)
        _, _, sanctions, moderation = parts.features
        enforcer = SanctionEnforcer(parts.core, sanctions, moderation, parts.gateway.connections, drain)
        tasks.append(spawn(enforcer.run))
        try:
            yield port
        finally:
            await _stop(parts, options.drain)


async def _begin(parts: Parts) -> None:
    """Bring the store up to date, and give the first heartbeat; nothing works while the masters of `keys.ESSENTIAL` are
    away.

    The journal's connections come back by themselves, later than those over which this asks: who is let in sooner is
    told that nothing can be stored.
    Raises: StartError when the store is newer than this server.
    """
    liveness, router, waits = parts.core.liveness, parts.store.router, False
    while True:
        try:
            await claim_version(parts.store.redis)
            await liveness.heartbeat()
            await parts.membership.open()
            if all([await router.of(key).reach(WAIT_S) for key in keys.ESSENTIAL]):
                break
        except StoreUnavailable as error:
            if not waits:
                log.warning("waiting_for_store", away=router.masters.away, error=str(error))
            waits = True
            await asyncio.sleep(WAIT_S)
    if not router.masters.connected:
        log.warning("store_partly_away", away=router.masters.away)  # matches on the others go on


async def _drain(parts: Parts, over_s: float) -> None:
    """Send all clients to other nodes, and accept no other."""
    if not await parts.core.liveness.look_for_others():
        log.warning("not_drained", what="there is no other node to which clients could go")
        return
    log.info("drained")
    parts.gateway.refuse_new()
    await parts.gateway.move_out(DRAIN_TEXT, over_s or DRAIN_S)


async def _stop(parts: Parts, drain_s: float) -> None:
    """End all connections, and have done what follows from their matches."""
    gateway = parts.gateway
    gateway.refuse_new()
    if drain_s and await parts.core.liveness.look_for_others():
        await gateway.move_out(STOP_TEXT, drain_s)
    with contextlib.suppress(TimeoutError, StoreUnavailable):
        async with asyncio.timeout(STOP_S):
            await gateway.close(STOP_TEXT, RETRY_AFTER_S)
            for feature in parts.features.all:
                await feature.close()
            for lane in parts.lanes:
                await lane.settle()
            await parts.core.presence.close()
            await parts.membership.close()
            await parts.core.liveness.close()
