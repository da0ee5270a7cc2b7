"""Parts of a server inside the test: a journal, or the sessions of one node, each with connections of its own."""

import asyncio
import contextlib
import secrets
from collections.abc import AsyncIterator
from pathlib import Path

from redis.asyncio import Redis
from tavla_server.cluster.clock import Clock
from tavla_server.cluster.liveness import Outages
from tavla_server.lobby.feed import News
from tavla_server.lobby.tables import Tables
from tavla_server.match.journal import APPEND, Journal
from tavla_server.match.registry import Sessions
from tavla_server.match.replication import Mesh
from tavla_server.players.ratings import Standings
from tavla_server.store.connection import pack_command
from tavla_server.store.router import Pipes
from tavla_server.store.topology import Masters, find_masters

from tests.support.proxy import Proxy
from tests.support.servers import Valkey, short_folder


@contextlib.asynccontextmanager
async def journal_on(url: str) -> AsyncIterator[Journal]:
    """A journal on the store at this URL."""
    async with Redis.from_url(url) as redis, _pipes(await find_masters(url)) as pipes:
        yield Journal(redis, pipes, "test")


@contextlib.asynccontextmanager
async def node_on(url: str) -> AsyncIterator[Sessions]:
    """The sessions of one node on the store at this URL."""
    async with timed_node_on(url, Clock()) as (sessions, _):
        yield sessions


@contextlib.asynccontextmanager
async def timed_node_on(url: str, clock: Clock) -> AsyncIterator[tuple[Sessions, Outages]]:
    """The sessions of one node, with a clock of the test's, and its outages; the test has to tick."""
    node = secrets.token_hex(4)
    masters = await find_masters(url)
    async with Redis.from_url(url) as redis, _pipes(masters) as pipes:
        mesh = Mesh(masters, pipes, node)
        await mesh.open()
        outages, standings = Outages(redis, clock, node), Standings(redis)
        tables = Tables(redis, News(redis, masters), clock)
        sessions = Sessions(Journal(redis, pipes, node), tables, standings, clock, outages, mesh)
        effects = asyncio.create_task(sessions.run_effects())
        yield sessions, outages
        await sessions.settle()
        effects.cancel()
        await mesh.close()


@contextlib.asynccontextmanager
async def _pipes(masters: Masters) -> AsyncIterator[Pipes]:
    pipes = Pipes(masters, [pack_command(b"SCRIPT", b"LOAD", APPEND)])
    await pipes.open()
    yield pipes
    await pipes.close()


@contextlib.asynccontextmanager
async def proxied(valkey: Valkey) -> AsyncIterator[tuple[Proxy, str]]:
    """A wire to the store that can be cut, and the URL at its end."""
    with short_folder() as folder:
        path: Path = folder / "proxy.sock"
        async with Proxy.to_unix(str(valkey.path), path) as proxy:
            yield proxy, f"unix://{path}"
