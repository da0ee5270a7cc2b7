"""The parts of a server, put together: start them in order, stop them in reverse."""

import asyncio
import contextlib
import os
import re
import secrets
from collections.abc import AsyncIterator, Coroutine
from typing import NamedTuple

import structlog
from tavla_protocol.codes import CloseCode

from tavla_server.archive.archive import Archive
from tavla_server.archive.archiver import Archiver
from tavla_server.archive.database import Database
from tavla_server.archive.scan import Scan
from tavla_server.cluster.clock import Clock
from tavla_server.cluster.lag import Lag
from tavla_server.cluster.liveness import Liveness
from tavla_server.errors import ArchiveUnavailable, StartError, StoreUnavailable
from tavla_server.gateway.door import PENDING_LIMIT, PENDING_PART, Door
from tavla_server.gateway.handlers.challenges import CHALLENGES_BURST, CHALLENGES_PER_S
from tavla_server.gateway.handlers.chat import (
    CHATTED_BURST,
    CHATTED_PER_S,
    MURMURED_BURST,
    MURMURED_PER_S,
    SAID_BURST,
    SAID_PER_S,
)
from tavla_server.gateway.handlers.listings import OFFERED_BURST, OFFERED_PER_S
from tavla_server.gateway.handlers.records import PAGES_BURST, PAGES_PER_S
from tavla_server.gateway.handlers.tables import OPENED_BURST, OPENED_PER_S
from tavla_server.gateway.health import Health, room_for_connections
from tavla_server.gateway.page import Page, read_document
from tavla_server.gateway.preview import Previews
from tavla_server.gateway.server import Gateway
from tavla_server.gateway.services import Services
from tavla_server.gateway.tls import Certificate
from tavla_server.gateway.token_bucket import TokenBucket
from tavla_server.gateway.warden import Warden
from tavla_server.lobby.arrivals import Arrivals
from tavla_server.lobby.blocklist import Blocklist
from tavla_server.lobby.challenges import Challenges
from tavla_server.lobby.chat import LobbyChat
from tavla_server.lobby.consequences import Consequences
from tavla_server.lobby.feed import Feed
from tavla_server.lobby.listings import Listings
from tavla_server.lobby.match_queue import MatchQueue
from tavla_server.lobby.matchmaker import Matchmaker
from tavla_server.lobby.notifier import Notifier
from tavla_server.lobby.presence import Presence
from tavla_server.lobby.seekers import Seekers
from tavla_server.lobby.sweeper import Sweeper
from tavla_server.lobby.tables import Tables
from tavla_server.match.journal import APPEND, Journal
from tavla_server.match.registry import Registry
from tavla_server.match.replication import ENTER, Replication
from tavla_server.match.sealing import agree, read_keys
from tavla_server.moderation.audit import Audit
from tavla_server.moderation.ledger import Ledger
from tavla_server.moderation.powers import Powers
from tavla_server.moderation.reports import Reports
from tavla_server.moderation.rulings import Rulings
from tavla_server.options import Options, cannot_listen, open_store
from tavla_server.players.accounts import Accounts
from tavla_server.players.closings import Closings
from tavla_server.players.looks import give_looks
from tavla_server.players.mergers import Mergers
from tavla_server.players.passwords import Passwords
from tavla_server.players.quotas import Quotas
from tavla_server.players.ratings import Ratings
from tavla_server.readings import Parts, reading
from tavla_server.store import keys, scripts
from tavla_server.store.client import Client
from tavla_server.store.durability import doubts
from tavla_server.store.pubsub import PubSub
from tavla_server.store.router import Router
from tavla_server.store.topology import Topology, find_topology
from tavla_server.store.version import bring_up_to_date
from tavla_server.timings import DEFAULTS, Timings

STOP_TEXT = "the server restarts; your matches are kept"
DRAIN_TEXT = "this server is emptied; your matches go on at another"
DRAIN_S = 1.5  # over which clients are sent to other nodes, if --drain does not say
RETRY_AFTER_S = 1.0
UPGRADES = (give_looks,)  # of the store, from version 1 on; docs/keys.md says what each version has
WAIT_S = 0.2  # between two tries to begin
CANCEL_S = 1.0  # for what runs by itself to end; takes no time
DAY_S = 24 * 3600
STOP_S = 3.0  # for clients to be gone and effects to be done; whatever waits for a store that is away is cut

log = structlog.get_logger()


@contextlib.asynccontextmanager
async def running(
    options: Options, timings: Timings = DEFAULTS, certificate: Certificate | None = None
) -> AsyncIterator[int]:
    """A server that listens; gives the port that it got. certificate: it speaks TLS there, and nothing else.

    Raises: StartError.
    """
    async with contextlib.AsyncExitStack() as stack:
        sealer = read_keys(options.seed_key_file, make=options.seed_key is None)
        url = options.redis or await open_store(stack, options.data)
        node = secrets.token_hex(4)
        topology, redis, router, pubsub = await _connected(stack, url, timings, waits=options.worker)
        if options.redis and not options.worker:
            await _look_at(router, url, options.require_durable)
        clock, passwords, ratings = Clock(), Passwords(), Ratings(redis)
        stack.callback(passwords.close)
        feed, journal = Feed(redis, topology), Journal(redis, router, node)
        tables, presence = Tables(redis, feed, clock), Presence(feed, clock, node)
        lag = Lag(clock)
        liveness = Liveness(redis, clock, node, timings, lag)
        replication = Replication(pubsub, router, node)
        archive = await _open_archive(stack, options.archive_url)
        archiver = Archiver(redis, journal, archive, clock, DAY_S * options.archive_grace, node)
        consequences = Consequences(journal, ratings, tables, archiver, clock, timings.away_s)
        registry = Registry(journal, clock, liveness, replication, sealer, timings, [consequences], tables.away)

        def lost() -> None:
            liveness.lost()
            registry.refuse_waiting()

        def back() -> None:
            if router.connected:
                liveness.back()
            registry.check()

        router.on_lost, router.on_back = lost, back
        if not router.connected:
            liveness.lost(since_ms=0)  # nobody here knows how long it has been so
        seekers = Seekers(feed, clock, node)
        matchmaker = Matchmaker(MatchQueue(redis, node, timings), tables, registry, clock, seekers, timings)
        accounts = Accounts(redis, clock, passwords, timings)
        closings = Closings(redis, accounts, journal, archive, clock)
        challenges = Challenges(feed, presence, tables, registry, accounts, clock, consequences.challenges, timings)
        feed.listen(Notifier(presence).row_changed)
        previews = Previews(feed)
        ledger = Ledger(redis, feed, clock)
        lobby_chat, listings = LobbyChat(redis, feed, clock, timings.chat_s), Listings(feed, clock, timings.listing_ms)
        sweeper = Sweeper(
            feed,
            presence,
            seekers,
            tables,
            registry,
            challenges,
            lobby_chat,
            journal,
            ratings,
            archiver,
            liveness,
            clock,
            node,
            timings,
        )
        services = Services(
            clock=clock,
            timings=timings,
            accounts=accounts,
            arrivals=Arrivals(redis),
            closings=closings,
            passwords=passwords,
            quotas=Quotas(redis),
            ratings=ratings,
            tables=tables,
            registry=registry,
            journal=journal,
            archive=archive,
            matchmaker=matchmaker,
            presence=presence,
            listings=listings,
            lobby_chat=lobby_chat,
            challenges=challenges,
            blocklist=Blocklist(redis, feed, presence, listings),
            ledger=ledger,
            powers=Powers(accounts, ledger, Audit(redis), clock),
            reports=Reports(redis),
            rulings=Rulings(tables, registry),
            openings=TokenBucket(OPENED_PER_S, OPENED_BURST, limit="tables"),
            challenging=TokenBucket(CHALLENGES_PER_S, CHALLENGES_BURST, limit="challenges"),
            talking=TokenBucket(SAID_PER_S, SAID_BURST, limit="say"),
            murmuring=TokenBucket(MURMURED_PER_S, MURMURED_BURST, limit="watchers_say"),
            offering=TokenBucket(OFFERED_PER_S, OFFERED_BURST, limit="offers"),
            chatting=TokenBucket(CHATTED_PER_S, CHATTED_BURST, limit="chat"),
            pages=TokenBucket(PAGES_PER_S, PAGES_BURST, limit="pages"),
            behind_proxy=options.behind_proxy,
            contact=options.contact,
        )
        await _begin(redis, liveness, sweeper, router)
        await agree(redis, sealer)
        log.info("node_joined", node=node, pid=os.getpid())
        page = Page(read_document() if options.web == "on" else None, options.allow_origin, previews.title)
        pending = min(PENDING_LIMIT, room_for_connections() // PENDING_PART)
        door = Door(options.max_connections, options.max_per_address, pending)
        health = Health(redis, lag, page, liveness, door, options.behind_proxy)
        gateway = Gateway(services, health)
        parts = Parts(
            gateway,
            health,
            registry,
            tables,
            matchmaker,
            passwords,
            consequences,
            archiver,
            liveness,
            router,
            redis,
        )

        async def drain() -> None:
            if not await liveness.look_for_others():
                log.warning("not_drained", what="there is no other node to which clients could go")
                return
            log.info("drained")
            health.draining = True
            if options.worker:
                server.server.close()  # the other workers take the new connections from now on
            await gateway.move_out(DRAIN_TEXT, options.drain or DRAIN_S)

        warden = Warden(services, gateway.connections, node, drain)
        chores = (
            consequences.run(),
            archiver.run(),
            closings.run(),
            Mergers(redis, accounts, archive).run(),
            gateway.renew_tokens(),
            gateway.keepalive.run(),
            replication.check(),
            liveness.run(lambda: replication.evict_dead_nodes(liveness.living)),
            matchmaker.run(),
            feed.follow(),
            presence.run(),
            sweeper.run(),
            lag.run(),
        )
        tasks = [asyncio.create_task(_reported(chore)) for chore in chores]
        if archive is not None:
            tasks.append(asyncio.create_task(Scan(redis, journal, archiver, node).run()))
        stack.push_async_callback(_cancelled, tasks)
        await feed.live.wait()  # who is banned is known before anybody comes
        try:
            server = await gateway.listen(options.host, options.port, options.worker, certificate)
        except OSError as error:
            raise cannot_listen(options.host, options.port, error) from None
        stack.enter_context(reading(parts))
        tasks.append(asyncio.create_task(_reported(warden.run())))
        try:
            yield server.sockets[0].getsockname()[1]
        finally:
            health.draining = True
            if options.worker:
                server.server.close()  # the other workers take the new connections from now on
            if options.drain and await liveness.look_for_others():
                await gateway.move_out(STOP_TEXT, options.drain)
            gateway.announce_closing(STOP_TEXT, RETRY_AFTER_S)
            server.close(code=CloseCode.RESTART, reason=STOP_TEXT)
            with contextlib.suppress(TimeoutError, StoreUnavailable):
                async with asyncio.timeout(STOP_S):
                    await server.wait_closed()
                    await matchmaker.close()
                    await consequences.settle()
                    await presence.close()
                    await sweeper.close()
                    await liveness.close()


class Connections(NamedTuple):
    """To the masters of a store: for everything, for the journal, and for what nodes tell each other."""

    topology: Topology
    redis: Client
    router: Router
    pubsub: PubSub


async def _connected(stack: contextlib.AsyncExitStack, url: str, timings: Timings, waits: bool = False) -> Connections:
    """Connect to a store until the stack is closed. waits: for one that is away.

    Raises: StartError.
    """
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


async def _connect(stack: contextlib.AsyncExitStack, url: str, timings: Timings) -> Connections:
    async with contextlib.AsyncExitStack() as opened:
        topology = await find_topology(url)
        redis = Client(topology, timings.reply_s)
        opened.push_async_callback(redis.aclose)
        await redis.open()
        router = Router(topology, [scripts.loading(APPEND), scripts.loading(ENTER)], timings.reply_s)
        opened.push_async_callback(router.close)
        await router.open()
        pubsub = PubSub(topology, timings.reply_s)
        opened.push_async_callback(pubsub.close)
        await pubsub.open()
        opened.push_async_callback(_cancelled, [asyncio.create_task(topology.run())])
        stack.push_async_callback(opened.pop_all().aclose)
        return Connections(topology, redis, router, pubsub)


async def check_store(options: Options, timings: Timings = DEFAULTS) -> None:
    """Whether workers can use the store of somebody else's: the parent speaks for all of them.

    Raises: StartError.
    """
    if options.redis:
        async with contextlib.AsyncExitStack() as stack:
            connections = await _connected(stack, options.redis, timings)
            await _look_at(connections.router, options.redis, options.require_durable)


async def _look_at(router: Router, url: str, required: bool) -> None:
    """Say what is doubtful about a store of somebody else's. required: then do without it.

    Raises: StartError.
    """
    found = await doubts(router)
    if found and required:
        raise StartError(f"Redis at {_shown(url)} may lose what it has stored: {'; '.join(found)}")
    if found:
        log.warning("store_not_durable", redis=_shown(url), why=found)


async def _open_archive(stack: contextlib.AsyncExitStack, url: str | None) -> Archive | None:
    """The archive, which need not answer yet; None when there is none, and matches stay in the store.

    Raises: StartError.
    """
    if url is None:
        log.warning("no_archive", what="finished matches stay in Redis for ever: give --archive URL")
        return None
    database = Database(url)
    stack.push_async_callback(database.close)
    archive = Archive(database)
    try:
        await archive.ping()
    except ArchiveUnavailable as error:
        log.warning("archive_away", archive=_shown(url), error=str(error))
    return archive


async def _begin(redis: Client, liveness: Liveness, sweeper: Sweeper, router: Router) -> None:
    """Bring the store up to date, and give the first heartbeat; nothing works while the masters of `keys.ESSENTIAL` are
    away.

    router: the journal's. Its connections come back by themselves, later than those over which this asks: who is let in
    sooner is told that nothing can be stored.
    Raises: StartError when the store is newer than this server.
    """
    waits = False
    while True:
        try:
            await bring_up_to_date(redis, liveness.node, UPGRADES)
            await liveness.heartbeat()
            await sweeper.open()
            if all([await router.of(key).reach(WAIT_S) for key in keys.ESSENTIAL]):
                break
        except StoreUnavailable as error:
            if not waits:
                log.warning("waiting_for_store", away=router.away, error=str(error))
            waits = True
            await asyncio.sleep(WAIT_S)
    if not router.connected:
        log.warning("store_partly_away", away=router.away)  # matches on the others go on


async def _reported(chore: Coroutine[None, None, None]) -> None:
    """What runs by itself, and is not to end in silence."""
    try:
        await chore
    except Exception:
        log.exception("chore_failed")


async def _cancelled(tasks: list[asyncio.Task[None]]) -> None:
    """End what runs by itself, before what it uses is closed."""
    for task in tasks:
        task.cancel()
    await asyncio.wait(tasks, timeout=CANCEL_S)


def _shown(url: str) -> str:
    """The URL without its passwords."""
    scheme, separator, rest = re.sub(r"password=[^&]*", "password=...", url).rpartition("://")
    return f"{scheme}{separator}{rest.rpartition('@')[2]}"
