"""Tickets by the hundred thousand: the script on a real store with time passed in, and whole matchmakers."""

import asyncio
import contextlib
import random
import secrets
from collections import defaultdict

from tavla_engine.rules import Rules, preset
from tavla_server.features.quick_match.match_queue import MatchQueue, Pairing, Ticket
from tavla_server.player import Player
from tavla_server.store.client import connection_to
from tavla_server.timings import DEFAULTS

from bench.processes import store
from bench.scaling.costs import Costs, counted
from tests.support.results import table
from tests.support.servers.rooms import Person, node_on, until

POOLS = 256
VARIANTS = "standard", "nackgammon"
MEAN, SPREAD = 1500, 150  # of ratings
AT_ONCE = 64  # requests under way
SLICE = 1_000  # people who are begun with at once
START_MS = 1_700_000_000_000
POLL_MS = round(1000 * DEFAULTS.queue_poll_s)
BATCH = 256  # as the matchmaker has it


class Crowd:
    """Seekers, as their nodes know them. nodes: a queue each. paired: how many have an opponent."""

    def __init__(self, nodes: list[MatchQueue], pools: int, chance: random.Random) -> None:
        self.nodes, self._pools, self._chance = nodes, pools, chance
        self.waiting: dict[MatchQueue, dict[str, Ticket]] = defaultdict(dict)
        self.matches: dict[str, int] = defaultdict(int)
        self.now_ms, self.renewals, self.most = START_MS, 0, 0

    async def come(self, number: int) -> None:
        """Enqueue one more ticket."""
        node = self._chance.choice(self.nodes)
        ticket = Ticket(
            id=secrets.token_hex(8),
            pool=f"pool{self._chance.randrange(self._pools)}",
            node=node.node,
            player=Player(f"{number:016x}", f"player{number}"),
            rating=self._chance.gauss(MEAN, SPREAD),
            since_ms=self.now_ms,
            match=secrets.token_hex(8),
            commitment=f"{number:064x}",
            rules=Rules(),
        )
        self.waiting[node][ticket.id] = ticket
        if (pairing := await node.enqueue(ticket, self.now_ms)) is not None:
            for each in pairing.tickets:  # those on other nodes hear of it with their next poll
                self._matched(node, each, pairing)

    async def poll(self) -> None:
        """Every node renews what it has."""
        self.most = max(self.most, sum(map(len, self.waiting.values())))
        await asyncio.gather(*map(self._renew, self.nodes))

    async def _renew(self, node: MatchQueue) -> None:
        tickets = list(self.waiting[node].values())
        for first in range(0, len(tickets), BATCH):
            batch = tickets[first : first + BATCH]
            self.renewals += len(batch)
            for ticket, answer in zip(batch, await node.renew(batch, self.now_ms), strict=True):
                if isinstance(answer, Pairing):
                    self._matched(node, ticket, answer)

    def _matched(self, node: MatchQueue, ticket: Ticket, pairing: Pairing) -> None:
        if self.waiting[node].pop(ticket.id, None) is not None:
            self.matches[pairing.match] += 1
            assert self.matches[pairing.match] <= 2, "nobody is paired twice"


async def tickets(url: str, count: int, rate: float, nodes: int, pools: int = POOLS) -> Crowd:
    """So many come, `rate` a second of the time that is passed in, and all nodes poll meanwhile."""
    chance = random.Random(1)
    async with connection_to(url) as redis:
        crowd = Crowd([MatchQueue(redis, f"node{number}") for number in range(nodes)], pools, chance)
        each = max(1, round(rate * POLL_MS / 1000))
        for first in range(0, count, each):
            coming = range(first, min(first + each, count))
            for some in range(coming.start, coming.stop, AT_ONCE):
                await asyncio.gather(*map(crowd.come, range(some, min(some + AT_ONCE, coming.stop))))
            crowd.now_ms += POLL_MS
            await crowd.poll()
        return crowd


ROWS = [  # tickets, seconds in which they come, nodes
    (1_000, 60, 4),
    (10_000, 60, 4),
    (100_000, 60, 4),
    (100_000, 60, 64),
    (10_000, 1, 4),
    (100_000, 1, 64),
]


def queue(rows: list[tuple[int, int, int]]) -> list[str]:
    """Costs of a ticket to the store and its node, by how many come, how fast, and to how many nodes."""
    lines = []
    for count, seconds, nodes in rows:
        with store() as valkey, counted(valkey.url) as costs:
            crowd = asyncio.run(tickets(valkey.url, count, count / seconds, nodes))
        lines.append([f"{count:,}", f"{seconds} s", nodes, *_cells(costs, crowd, count)])
    head = "tickets | come in | nodes | paired | wait at most | renewals | store CPU | our CPU | commands | on disk"
    return table(head, lines)


def _cells(costs: Costs, crowd: Crowd, count: int) -> list[str]:
    return [
        f"{100 * sum(crowd.matches.values()) / count:.0f} %",
        f"{crowd.most:,}",
        f"{crowd.renewals / count:.1f}",
        f"{1e6 * costs.store_s / count:.0f} us",
        f"{1e6 * costs.own_s / count:.0f} us",
        f"{costs.commands / count:.0f}",
        f"{costs.disk / count:,.0f} B",
    ]


def wanted(number: int) -> dict[str, bool | int | str]:
    """Rules that lead to one of so many pools."""
    return {"length": 1 + number % 64, "cube": number % 128 < 64, "variant": VARIANTS[number // 128]}


async def matches(url: str, count: int, nodes: int) -> Costs:
    """So many come to a few nodes, are paired, and their matches opened, until but the odd ones are there."""
    chance = random.Random(1)
    async with contextlib.AsyncExitStack() as stack:
        all_nodes = [await stack.enter_async_context(node_on(url)) for _ in range(nodes)]
        rules = [preset("tournament", wanted(number)) for number in range(POOLS)]
        people = [Person(Player(f"{number:016x}", f"player{number}")) for number in range(count)]
        gate = asyncio.Semaphore(AT_ONCE)

        async def come(person: Person) -> None:
            async with gate:
                matchmaker = chance.choice(all_nodes).matchmaker
                pairing = await matchmaker.enqueue(person, chance.choice(rules), "", 1)
                if pairing is not None:
                    await matchmaker.start(pairing)

        with counted(url) as costs:
            for first in range(0, count, SLICE):
                await asyncio.gather(*map(come, people[first : first + SLICE]))
            await until(lambda: sum(not person.matched.is_set() for person in people) <= min(count, POOLS))
            for node in all_nodes:
                await node.effects.settle()
        return costs


def starts(sizes: list[int], nodes: int = 4) -> list[str]:
    """Costs of quick match from the press to the open match, by how many press as fast as it goes."""
    lines = []
    for count in sizes:
        with store() as valkey:
            costs = asyncio.run(matches(valkey.url, count, nodes))
        cells = [f"{1e6 * cpu_s / count:.0f} us" for cpu_s in (costs.store_s, costs.own_s)]
        sizes_b = [f"{size / count:,.0f} B" for size in (costs.memory, costs.disk)]
        lines.append([f"{count:,}", *cells, f"{costs.commands / count:.0f}", *sizes_b])
    return table("people | store CPU | our CPU | commands | in the store | on disk", lines)
