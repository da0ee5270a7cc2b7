"""A node that starts where many are online already: how soon it serves, and what it takes to know them all."""

import asyncio
import contextlib
import time
from collections.abc import AsyncIterator

from tavla_protocol import messages as m
from tavla_server.cluster.clock import Clock
from tavla_server.cluster.feed import RowUpdate
from tavla_server.cluster.liveness import Liveness
from tavla_server.store import keys
from tavla_server.store.client import connection_to

from bench.processes import resident, store
from bench.scaling.costs import Costs, counted
from bench.scaling.lobby import OTHERS, person_row, table_row
from tests.support.players.plain import Player
from tests.support.results import table
from tests.support.servers.processes import ServerProcess, redis_at
from tests.support.servers.valkey import short_folder

PUT = 1000  # rows in one command
ASK_S = 0.05  # between two questions of a client
WHOLE_S = 600.0


def fill(url: str, people: int) -> None:
    """So many people are online at another node, and half as many matches go on; no stream tells of it."""
    with contextlib.closing(redis_at(url)) as redis:
        for make, number in ((person_row, people), (table_row, people // 2)):
            for first in range(0, number, PUT):
                rows = [make(n) for n in range(first, min(first + PUT, number))]
                redis.hset(keys.LOBBY_ROWS(rows[0].list), mapping={row.key: _stored(row) for row in rows})


def _stored(row: RowUpdate) -> bytes:
    return b"%d %b" % (row.version, row.value or b"")


@contextlib.asynccontextmanager
async def other_node(url: str) -> AsyncIterator[None]:
    """The node that all these are at gives its heartbeats."""
    async with connection_to(url) as redis:
        liveness = Liveness(redis, Clock(), OTHERS)
        await liveness.heartbeat()
        beating = asyncio.create_task(liveness.run(lambda: None))
        yield
        beating.cancel()


async def _known(player: Player, people: int) -> float:
    """Ask for a list until the node has all rows; the longest time that an answer took, in seconds."""
    slowest = 0.0
    async with asyncio.timeout(WHOLE_S):
        while True:
            asked = time.perf_counter()
            listing = await player.ask(m.List, what="people")
            slowest = max(slowest, time.perf_counter() - asked)
            assert isinstance(listing, m.Listing)
            if listing.total >= people:
                return slowest
            await asyncio.sleep(ASK_S)


async def _start(url: str, server: ServerProcess, people: int) -> tuple[float, float, float, Costs]:
    """Seconds until it serves, until it has all rows, and of the slowest answer between; the store's costs."""
    async with other_node(url):
        with counted(url) as costs:
            began = time.perf_counter()
            await asyncio.to_thread(server.start)
            served_s = time.perf_counter() - began
            async with Player(server.url) as player:
                slowest_s = await _known(player, people)
            whole_s = time.perf_counter() - began
        return served_s, whole_s, slowest_s, costs


def starts(sizes: list[int]) -> list[str]:
    """A server that starts, by how many are online."""
    lines = []
    for people in sizes:
        with store() as valkey, short_folder() as folder:
            fill(valkey.url, people)
            server = ServerProcess(folder, "--redis", valkey.url)
            try:
                served_s, whole_s, slowest_s, costs = asyncio.run(_start(valkey.url, server, people))
                memory = resident(server.pid) / 2**20
            finally:
                server.clean_up()
        lines.append(
            [
                f"{people:,}",
                f"{served_s:.1f} s",
                f"{whole_s:.1f} s",
                f"{1000 * slowest_s:.0f} ms",
                f"{1000 * costs.store_s:.0f} ms",
                f"{memory:.0f} MB",
            ]
        )
    head = "people online | serves after | has all rows after | slowest answer between | CPU of the store"
    return table(f"{head} | memory of the process", lines)
