"""Live matches: entries on one master and on three, players on one node and on two."""

import asyncio
import random
from contextlib import AsyncExitStack
from typing import Any

from tavla_server.match import replication
from tavla_server.match.append import AppendOutcome
from tavla_server.match.session import Session
from tavla_server.player import Player

from bench.processes import store
from bench.scaling.costs import Costs, counted
from tests.support.results import table
from tests.support.servers import sessions
from tests.support.servers.rooms import Person, node_on
from tests.support.stores.cluster import Cluster
from tests.support.stores.redises import replicated

APPENDS = 20_000
EACH = 20  # actions in each match
ROUNDS = 3  # of checks that are measured
AT_ONCE = 64  # appends, or matches opened, under way
ENTRY = bytes(32)  # in place of a turn's

Journals = list[tuple[Any, str, list[bytes]]]


async def append(journals: Journals) -> None:
    """Append to matches, (journal, match, entries) each, the next entry of each in turns."""
    gate = asyncio.Semaphore(AT_ONCE)

    async def one(journal: Any, match: str, seq: int, data: bytes) -> None:
        async with gate:
            assert await journal.append(match, seq, data) is AppendOutcome.DONE

    for seq in range(1, 1 + max(len(entries) for *_, entries in journals)):
        turn = [(journal, match, entries[seq - 1]) for journal, match, entries in journals if len(entries) >= seq]
        await asyncio.gather(*(one(journal, match, seq, data) for journal, match, data in turn))


async def _appends(url: str, matches: int, count: int) -> None:
    async with node_on(url) as node:
        await append([(node.journal, f"m{number}", [ENTRY] * (count // matches)) for number in range(matches)])


def appends(sizes: list[int], count: int = APPENDS, cluster: bool = True) -> list[str]:
    """Costs of an entry to the store, by the numbers of live matches and of masters."""
    rows: list[list[object]] = []
    for matches in sizes:
        with store() as valkey, counted(valkey.url) as costs:
            asyncio.run(_appends(valkey.url, matches, count))
        rows.append([f"{matches:,}", 1, *_each(costs, count)])
    if cluster:
        with replicated(Cluster) as three, counted(*(master.url for master in three.masters())) as costs:
            asyncio.run(_appends(three.url, sizes[-1], count))
        rows.append([f"{sizes[-1]:,}", "3, with a replica each", *_each(costs, count)])
    return table("matches | masters | store CPU | our CPU | commands | on disk | in the store", rows)


def _each(costs: Costs, count: int) -> list[str]:
    return [
        f"{1e6 * costs.store_s / count:.1f} us",
        f"{1e6 * costs.own_s / count:.1f} us",
        f"{costs.commands / count:.1f}",
        f"{costs.disk / count:.0f} B",
        f"{costs.memory / count:.0f} B",
    ]


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
            await node.effects.settle()
        checks = [asyncio.create_task(node.replication.check()) for node in (here, there)]
        await asyncio.sleep(2 * replication.CHECK_S)  # what a check finds the first time is no news afterwards
        with counted(url) as idle:
            await asyncio.sleep(ROUNDS * replication.CHECK_S)
        for check in checks:
            check.cancel()
        return acting, idle


def nodes_apart(sizes: list[int]) -> list[str]:
    """Costs of a match whose players are on two nodes."""
    rows: list[list[object]] = []
    for matches in sizes:
        for apart in (False, True):
            with store() as valkey:
                acting, idle = asyncio.run(_two_nodes(valkey.url, matches, apart))
            per_s = 1e6 / matches / (ROUNDS * replication.CHECK_S)
            row = [f"{matches:,}", 2 if apart else 1, *_each(acting, EACH * matches)[:3]]
            rows.append([*row, f"{per_s * idle.store_s:.1f} us", f"{per_s * idle.own_s:.1f} us"])
    head = "matches | nodes | store CPU | our CPU | commands | idle, store | idle, ours, each second and match"
    return table(head, rows)
