"""Live matches: entries on one master and on three, players on one node and on two."""

import asyncio
import random
from collections.abc import Iterator, Sequence
from contextlib import AsyncExitStack

from tavla_server.match import replication
from tavla_server.match.append import AppendOutcome
from tavla_server.match.session import Session
from tavla_server.player import Player

from bench.scaling.costs import Costs, Measured, counted, on_a_store
from tests.support.servers import sessions
from tests.support.servers.rooms import Person, node_on
from tests.support.stores.cluster import Cluster
from tests.support.stores.redises import replicated

APPENDS = 20_000
EACH = 20  # actions in each match
ROUNDS = 3  # of checks that are measured
AT_ONCE = 64  # appends, or matches opened, under way
ENTRY = bytes(32)  # in place of a turn's


async def _appends(url: str, matches: int, count: int, masters: Sequence[str] = ()) -> Costs:
    """Entries appended to so many matches in turns. masters: of the store, if they are others than `url`."""
    gate = asyncio.Semaphore(AT_ONCE)
    async with node_on(url) as node:

        async def one(match: str, seq: int) -> None:
            async with gate:
                assert await node.journal.append(match, seq, ENTRY) is AppendOutcome.DONE

        with counted(*(masters or [url])) as costs:
            for seq in range(1, 1 + count // matches):
                await asyncio.gather(*(one(f"m{number}", seq) for number in range(matches)))
    return costs


def appends(sizes: list[int], count: int = APPENDS, cluster: bool = True) -> Iterator[Measured]:
    """Costs of an entry to the store, by the numbers of live matches and of masters."""
    for matches in sizes:
        yield f"an entry, {matches:,} matches", on_a_store(_appends, matches, count), count
    if cluster:
        with replicated(Cluster) as three:
            masters = [master.url for master in three.masters()]
            costs = asyncio.run(_appends(three.url, sizes[-1], count, masters))
        yield f"an entry, {sizes[-1]:,} matches on three masters with a replica each", costs, count


async def _two_nodes(url: str, matches: int, apart: bool) -> tuple[Costs, Costs]:
    """The costs of actions, and of what two nodes then tell each other while nothing happens."""
    chance = random.Random(1)
    async with AsyncExitStack() as stack:
        here, there = [await stack.enter_async_context(node_on(url)) for _ in range(2)]
        gate = asyncio.Semaphore(AT_ONCE)

        async def opened() -> Session:
            async with gate:
                session = await sessions.opened(here.registry, chance)
                for player, node in ((sessions.ADA, here), (sessions.BOB, there if apart else here)):
                    followed = await node.registry.get(session.record.id)
                    Person(Player(*player[:2])).following.add(followed)
                return session

        live = await asyncio.gather(*(opened() for _ in range(matches)))
        await asyncio.sleep(2.0)  # who watches is told within a second

        async def act(session: Session) -> None:
            async with gate:
                await sessions.ask(session, sessions.toggle)

        with counted(url) as acting:
            for _ in range(EACH):
                await asyncio.gather(*map(act, live))
        for node in (here, there):
            for lane in node.effects.lanes:
                await lane.settle()
        checks = [asyncio.create_task(node.replication.check()) for node in (here, there)]
        await asyncio.sleep(2 * replication.CHECK_S)  # what a check finds the first time is no news afterwards
        with counted(url) as idle:
            await asyncio.sleep(ROUNDS * replication.CHECK_S)
        for check in checks:
            check.cancel()
        return acting, idle


def nodes_apart(sizes: list[int]) -> Iterator[Measured]:
    """Costs of a match whose players are on two nodes."""
    for matches in sizes:
        for nodes in (1, 2):
            acting, idle = on_a_store(_two_nodes, matches, nodes == 2)
            yield f"an action, {matches:,} matches, players on {nodes} of 2 nodes", acting, EACH * matches
            yield "such a match, idle, each second", idle, matches * ROUNDS * replication.CHECK_S
