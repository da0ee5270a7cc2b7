"""Tickets by the hundred thousand: the script on a real store with time passed in, and whole matchmakers."""

import asyncio
import contextlib
import random
import secrets
from collections import Counter
from collections.abc import Iterator

from tavla_engine.rules import Rules, preset
from tavla_server.features.quick_match.match_queue import MatchQueue, Pairing, Ticket
from tavla_server.player import Player
from tavla_server.store.client import connection_to
from tavla_server.timings import DEFAULTS

from bench.processes import store
from bench.scaling.costs import Costs, Measured, counted, on_a_store
from tests.support.patience import wait_until
from tests.support.servers.rooms import Person, node_on

POOLS = 256
VARIANTS = "standard", "nackgammon"
MEAN, SPREAD = 1500, 150  # of ratings
AT_ONCE = 64  # requests under way
SLICE = 1_000  # people who are begun with at once
START_MS = 1_700_000_000_000
POLL_MS = round(1000 * DEFAULTS.queue_poll_s)
BATCH = 256  # as the matchmaker has it


async def tickets(url: str, count: int, rate: float, nodes: int, pools: int = POOLS) -> Counter[str]:
    """So many come, `rate` a second of the time that is passed in, and all nodes poll meanwhile: players by match."""
    chance, matches, now_ms = random.Random(1), Counter[str](), START_MS

    def note(waiting: dict[str, Ticket], ticket: Ticket, pairing: Pairing) -> None:
        if waiting.pop(ticket.id, None) is not None:
            matches[pairing.match] += 1

    async def come(number: int) -> None:
        queue, waiting = chance.choice(all_nodes)
        ticket = Ticket(
            id=secrets.token_hex(8),
            pool=f"pool{chance.randrange(pools)}",
            node=queue.node,
            player=Player(f"{number:016x}", f"player{number}"),
            rating=chance.gauss(MEAN, SPREAD),
            since_ms=now_ms,
            match=secrets.token_hex(8),
            commitment=f"{number:064x}",
            rules=Rules(),
        )
        waiting[ticket.id] = ticket
        if (pairing := await queue.enqueue(ticket, now_ms)) is not None:
            for each in pairing.tickets:  # those on other nodes hear of it with their next poll
                note(waiting, each, pairing)

    async def renew(queue: MatchQueue, waiting: dict[str, Ticket]) -> None:
        some = list(waiting.values())
        for first in range(0, len(some), BATCH):
            batch = some[first : first + BATCH]
            for ticket, answer in zip(batch, await queue.renew(batch, now_ms), strict=True):
                if isinstance(answer, Pairing):
                    note(waiting, ticket, answer)

    async with connection_to(url) as redis:
        all_nodes = [(MatchQueue(redis, f"node{number}"), dict[str, Ticket]()) for number in range(nodes)]
        each = max(1, round(rate * POLL_MS / 1000))
        for first in range(0, count, each):
            for some in range(first, min(first + each, count), AT_ONCE):
                await asyncio.gather(*map(come, range(some, min(some + AT_ONCE, first + each, count))))
            now_ms += POLL_MS
            await asyncio.gather(*(renew(*node) for node in all_nodes))
        return matches


ROWS = [  # tickets, seconds in which they come, nodes
    (1_000, 60, 4),
    (10_000, 60, 4),
    (100_000, 60, 4),
    (100_000, 60, 64),
    (10_000, 1, 4),
    (100_000, 1, 64),
]


def queue(rows: list[tuple[int, int, int]]) -> Iterator[Measured]:
    """Costs of a ticket to the store and its node, by how many come, how fast, and to how many nodes."""
    for count, seconds, nodes in rows:
        with store() as valkey, counted(valkey.url) as costs:
            matches = asyncio.run(tickets(valkey.url, count, count / seconds, nodes))
        paired = matches.total() / count
        yield f"a ticket of {count:,} in {seconds} s, {nodes} nodes, {paired:.0%} paired", costs, count


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
            await wait_until(lambda: sum(not person.matched.is_set() for person in people) <= min(count, POOLS))
            for node in all_nodes:
                for lane in node.effects.lanes:
                    await lane.settle()
        return costs


def starts(sizes: list[int], nodes: int = 4) -> Iterator[Measured]:
    """Costs of quick match from the press to the open match, by how many press as fast as it goes."""
    for count in sizes:
        yield f"one of {count:,} people", on_a_store(matches, count, nodes), count
