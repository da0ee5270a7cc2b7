"""The parts of a server, put together: start them in order, stop them in reverse."""

import asyncio
import contextlib
import re
import secrets
from collections.abc import AsyncIterator

import hiredis
import structlog
from redis.exceptions import RedisError
from tavla_protocol.codes import CloseCode

from tavla_server.cluster.clock import Clock
from tavla_server.cluster.liveness import Outages
from tavla_server.gateway.handlers.challenges import CHALLENGES_BURST, CHALLENGES_PER_S
from tavla_server.gateway.handlers.chat import CHATTED_BURST, CHATTED_PER_S, SAID_BURST, SAID_PER_S
from tavla_server.gateway.handlers.tables import OPENED_BURST, OPENED_PER_S
from tavla_server.gateway.health import Health
from tavla_server.gateway.server import Gateway
from tavla_server.gateway.services import Services
from tavla_server.gateway.token_bucket import Allowance
from tavla_server.lobby.blocklist import Ignored
from tavla_server.lobby.challenges import Challenges
from tavla_server.lobby.chat import LobbyChat
from tavla_server.lobby.feed import News
from tavla_server.lobby.listings import Lists
from tavla_server.lobby.match_queue import Tickets
from tavla_server.lobby.matchmaker import Seekers
from tavla_server.lobby.presence import People
from tavla_server.lobby.sweeper import Sweeper
from tavla_server.lobby.tables import Tables
from tavla_server.match.journal import APPEND, Journal
from tavla_server.match.registry import Sessions
from tavla_server.match.replication import Mesh
from tavla_server.options import Options, StartError, cannot_listen, open_store
from tavla_server.players.accounts import Accounts
from tavla_server.players.passwords import Passwords
from tavla_server.players.quotas import Limits
from tavla_server.players.ratings import Standings
from tavla_server.store.client import GroupedRedis
from tavla_server.store.connection import pack_command
from tavla_server.store.router import Pipes
from tavla_server.store.topology import find_masters

STOP_TEXT = "the server restarts; your matches are kept"
RETRY_AFTER_S = 1.0
WAIT_S = 0.2  # between two tries to begin
CANCEL_S = 1.0  # for what runs by itself to end; takes no time
STOP_S = 3.0  # for clients to be gone and effects to be done; whatever waits for a store that is away is cut

log = structlog.get_logger()


@contextlib.asynccontextmanager
async def running(options: Options) -> AsyncIterator[int]:
    """A server that listens; gives the port that it got.

    Raises: StartError.
    """
    async with contextlib.AsyncExitStack() as stack:
        url = options.redis or await open_store(stack, options.data)
        node = secrets.token_hex(4)
        try:
            masters = await find_masters(url)
            redis = GroupedRedis(masters)
            stack.push_async_callback(redis.aclose)
            await redis.open()
            pipes = Pipes(masters, [pack_command(b"SCRIPT", b"LOAD", APPEND)])
            stack.push_async_callback(pipes.close)
            await pipes.open()
            mesh = Mesh(masters, pipes, node)
            stack.push_async_callback(mesh.close)
            await mesh.open()
            stack.push_async_callback(_cancelled, [asyncio.create_task(masters.run())])
        except (OSError, hiredis.ReplyError) as error:  # a certificate that is none of Redis's is a ValueError, too
            raise StartError(f"cannot use Redis at {_shown(url)}: {str(error) or 'no answer'}") from None
        except ValueError as error:
            raise StartError(f"{_shown(url)} is not the address of a Redis: {error}") from None
        clock, passwords, standings = Clock(), Passwords(), Standings(redis)
        stack.callback(passwords.close)
        news, journal = News(redis, masters), Journal(redis, pipes, node)
        tables, people = Tables(redis, news, clock), People(news, clock, node)
        outages = Outages(redis, clock, node)
        sessions = Sessions(journal, tables, standings, clock, outages, mesh)

        def lost() -> None:
            outages.lost()
            sessions.refuse_waiting()

        def back() -> None:
            if pipes.connected:
                outages.back()
            sessions.check()

        pipes.on_lost, pipes.on_back = lost, back
        if not pipes.connected:
            outages.lost(since_ms=0)  # nobody here knows how long it has been so
        seekers = Seekers(Tickets(redis, node), tables, sessions, clock)
        accounts = Accounts(redis, clock, passwords)
        challenges = Challenges(news, people, tables, sessions, accounts, clock)
        lobbychat = LobbyChat(redis, news, clock)
        sweeper = Sweeper(
            news, people, tables, sessions, challenges, lobbychat, journal, standings, outages, clock, node
        )
        services = Services(
            clock=clock,
            accounts=accounts,
            limits=Limits(redis, options.behind_proxy),
            standings=standings,
            tables=tables,
            sessions=sessions,
            seekers=seekers,
            people=people,
            lists=Lists(news, clock),
            lobbychat=lobbychat,
            challenges=challenges,
            ignored=Ignored(redis, news, people),
            openings=Allowance(OPENED_PER_S, OPENED_BURST),
            challenging=Allowance(CHALLENGES_PER_S, CHALLENGES_BURST),
            talking=Allowance(SAID_PER_S, SAID_BURST),
            chatting=Allowance(CHATTED_PER_S, CHATTED_BURST),
        )
        await _begin(outages, sweeper, pipes)
        health = Health(redis)
        gateway = Gateway(services, health)
        chores = (
            sessions.run_effects(),
            gateway.beat(),
            gateway.look_after_tokens(),
            mesh.check(),
            outages.run(lambda: mesh.bury(outages.living)),
            seekers.run(),
            news.follow(),
            people.run(),
            sweeper.run(),
            health.run(),
        )
        tasks = [asyncio.create_task(chore) for chore in chores]
        stack.push_async_callback(_cancelled, tasks)
        try:
            server = await gateway.listen(options.host, options.port, shared=options.worker)
        except OSError as error:
            raise cannot_listen(options.host, options.port, error) from None
        try:
            yield server.sockets[0].getsockname()[1]
        finally:
            health.draining = True
            if options.worker:
                server.server.close()  # the other workers take the new connections from now on
            if options.drain and await outages.look_for_others():
                await gateway.move_out(STOP_TEXT, options.drain)
            gateway.announce_closing(STOP_TEXT, RETRY_AFTER_S)
            server.close(code=CloseCode.RESTART, reason=STOP_TEXT)
            with contextlib.suppress(TimeoutError, RedisError, OSError):
                async with asyncio.timeout(STOP_S):
                    await server.wait_closed()
                    await seekers.close()
                    await sessions.settle()
                    await people.close()
                    await sweeper.close()
                    await outages.close()


async def _begin(outages: Outages, sweeper: Sweeper, pipes: Pipes) -> None:
    """Give the first sign of life; nothing works while the master that takes it is away."""
    waits = False
    while True:
        try:
            await outages.tick()
            await sweeper.open()
            break
        except (OSError, RedisError) as error:
            if not waits:
                log.warning("waiting_for_redis", away=pipes.away, error=str(error))
            waits = True
            await asyncio.sleep(WAIT_S)
    if not pipes.connected:
        log.warning("masters_away", away=pipes.away)  # matches on the others go on


async def _cancelled(tasks: list[asyncio.Task[None]]) -> None:
    """End what runs by itself, before what it uses is closed."""
    for task in tasks:
        task.cancel()
    await asyncio.wait(tasks, timeout=CANCEL_S)


def _shown(url: str) -> str:
    """The URL without its passwords."""
    scheme, separator, rest = re.sub(r"password=[^&]*", "password=...", url).rpartition("://")
    return f"{scheme}{separator}{rest.rpartition('@')[2]}"
