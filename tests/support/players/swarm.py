"""A swarm that presses quick match within a second: real clients of real servers, one of which may be killed."""

import asyncio
import random
from collections import Counter
from typing import NamedTuple

from tavla_protocol import messages as m
from tavla_server.record.reducer import apply_entry
from tavla_server.record.state import Record

from tests.support.players.plain import LOST, RETRY_S, Player
from tests.support.servers.processes import ServerProcess, redis_at
from tests.support.stores.journals import entries_of

PRESS_S = 1.0  # all press within so long
CONNECTING_AT_ONCE = 50
LIMIT_S = 60.0  # for everyone to have a match


class Presser(Player):
    """Swarm player. wait_s: from pressing to the match. cut: the connection was lost on the way. here: it lives."""

    wait_s = 0.0
    cut = here = False
    match = ""

    def __init__(self, urls: list[str], rng: random.Random) -> None:
        self.urls, self.rng = urls, rng
        super().__init__(rng.choice(urls))

    async def run(self, gate: asyncio.Semaphore, changed: asyncio.Event, everyone: asyncio.Barrier) -> None:
        """Come, press, be matched, and stay; after a lost connection come back by another server."""
        async with gate:
            await self.open()
        await everyone.wait()
        await asyncio.sleep(self.rng.uniform(0, PRESS_S))
        clock = asyncio.get_running_loop().time
        since = clock()
        while True:
            try:
                if self.match:
                    await self.ask(m.Attach, table=self.match)
                else:
                    await self.get(m.Ok, m.Seek)
                self.here = True
                changed.set()
                while True:
                    message = await self.receive()
                    if isinstance(message, m.Matched):
                        assert not self.match, "matched twice"
                        self.match, self.wait_s = message.match, clock() - since
                        changed.set()
            except LOST:
                self.here = False
                self.cut = self.cut or not self.match
                await self.come_back()

    async def come_back(self) -> None:
        """Connect to whichever server answers."""
        while True:
            try:
                self.url = self.rng.choice(self.urls)
                await self.open()
                return
            except LOST:
                await asyncio.sleep(RETRY_S)


class Swarm(NamedTuple):
    """Result for the swarm. waits_s: sorted, of those whose connection lived; cut_waits_s: of the others."""

    pressers: list[Presser]
    waits_s: list[float]
    cut_waits_s: list[float]


async def press(servers: list[ServerProcess], count: int, rng: random.Random, victim: ServerProcess | None) -> Swarm:
    """Many press quick match; the victim is killed in the middle of it."""
    urls = [server.url for server in servers]
    pressers = [Presser(urls, random.Random(rng.random())) for _ in range(count)]
    gate, everyone, changed = asyncio.Semaphore(CONNECTING_AT_ONCE), asyncio.Barrier(count + 1), asyncio.Event()
    tasks = [asyncio.create_task(presser.run(gate, changed, everyone)) for presser in pressers]
    try:
        await everyone.wait()
        if victim is not None:
            await asyncio.sleep(rng.uniform(0.2, 0.8) * PRESS_S)
            await asyncio.to_thread(victim.kill)
        async with asyncio.timeout(LIMIT_S):
            while sum(not presser.match for presser in pressers) > count % 2 or not all(p.here for p in pressers):
                changed.clear()
                await changed.wait()
                assert not any(task.done() for task in tasks), [task.result() for task in tasks if task.done()]
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        await asyncio.gather(*(presser.close() for presser in pressers), return_exceptions=True)
    matched = [presser for presser in pressers if presser.match]
    return Swarm(
        pressers,
        sorted(presser.wait_s for presser in matched if not presser.cut),
        sorted(presser.wait_s for presser in matched if presser.cut),
    )


def check_swarm(store_url: str, swarm: Swarm) -> None:
    """Everyone but an odd one was matched, and sits at that match alone, as all journals of the store say."""
    matches = {presser.id: presser.match for presser in swarm.pressers if presser.match}
    assert len(swarm.pressers) - len(matches) == len(swarm.pressers) % 2
    assert set(Counter(matches.values()).values()) == {2}
    sits_at = Counter[tuple[str, str]]()
    for record in all_records(store_url):
        assert not record.cancelled, "nobody stayed away"
        sits_at.update((player.id, record.id) for player in record.players if player)
    assert sits_at == Counter(matches.items())


def all_records(store_url: str) -> list[Record]:
    """Every match of a store."""
    with redis_at(store_url) as redis:
        ids = [key.decode().removeprefix("{m:").removesuffix("}:log") for key in redis.scan_iter("{m:*}:log")]
    records = []
    for id_ in ids:
        record = Record(id_)
        for entry in entries_of(store_url, id_):
            record = apply_entry(record, entry)
        records.append(record)
    return records


def percentile(sorted_: list[float], share: float) -> float:
    """The value below which this share of them lies."""
    return sorted_[min(len(sorted_) - 1, int(share * len(sorted_)))] if sorted_ else 0.0
