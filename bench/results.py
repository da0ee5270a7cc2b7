"""Results a second: how fast ratings take what has ended. `python -m bench.results [MATCHES]` prints one line.

So many rated matches of 200 players end together; the lane of one node brings all of them to ratings, on a Valkey that
writes to disk before it answers.
"""

import asyncio
import contextlib
import sys
import time
from random import Random
from typing import Any

from msgspec.structs import replace
from tavla_engine.match import Phase, new_match
from tavla_engine.rules import preset
from tavla_server.archive.archiver import Archiver
from tavla_server.chores import cancel_all, spawn
from tavla_server.cluster.clock import Clock
from tavla_server.lobby.effects import MatchEffects
from tavla_server.match.journal import Journal
from tavla_server.match.unsettled import Listed
from tavla_server.player import Player
from tavla_server.players.ratings import Ratings
from tavla_server.record.rating import Tally
from tavla_server.record.state import Record
from tavla_server.store import keys
from tavla_server.store.client import Client, connected
from tavla_server.store.router import Router
from tavla_server.store.topology import find_topology

from tests.support.results import recorded
from tests.support.servers.processes import Valkey, short_folder
from tests.support.stores.finished import match_id, player

MATCHES, PEOPLE = 3000, 200


def ended(rng: Random, people: list[Player]) -> Record:
    """A rated match of two of them that is over."""
    white, black = rng.sample(people, 2)
    match = replace(new_match(preset("tournament", {"length": 1, "rated": True})), phase=Phase.OVER)
    return Record(match_id(rng), players=(white, black), match=match, tally=Tally(1, (2.0, -2.0), 1))


async def fill(redis: Client, archiver: Archiver, people: list[Player], records: list[Record]) -> None:
    """Accounts, journals and the list, as servers leave them."""
    rows = [("name", one.name, "kind", "account", "rating", 1500, "experience", 0) for one in people]
    await redis.all_of([("HSET", keys.PLAYER(one.id), *row) for one, row in zip(people, rows, strict=True)])
    await redis.all_of([("XADD", keys.MATCH_LOG(record.id), "1-0", "e", b"") for record in records])
    await archiver.unsettled.add(keys.ENDED, *(Listed(record.id, number) for number, record in enumerate(records, 1)))


async def main(count: int) -> None:
    """Measure it."""
    rng = Random(1)
    people = [player(rng, f"player-{number}", 1500.0) for number in range(PEOPLE)]
    records = [ended(rng, people) for _ in range(count)]
    async with contextlib.AsyncExitStack() as stack:
        valkey = Valkey(stack.enter_context(short_folder()))
        valkey.start()
        stack.callback(valkey.kill)
        redis = await stack.enter_async_context(connected(valkey.url))
        router = Router(await find_topology(valkey.url), [])
        await router.open()
        stack.push_async_callback(router.close)
        nothing: Any = None
        clock, journal = Clock(), Journal(redis, router, "bench")
        archiver = Archiver(redis, journal, None, clock, 0.0, "bench")
        effects = MatchEffects(journal, Ratings(redis), nothing, archiver, nothing, clock, 0.0)
        await fill(redis, archiver, people, records)
        lanes = [spawn(lane.run) for lane in effects.lanes]
        began, cpu_s = time.perf_counter(), time.process_time()
        for number, record in enumerate(records, 1):
            effects.settle_match(record, number)
        await effects.settle()
        took_s, cpu_s = time.perf_counter() - began, time.process_time() - cpu_s
        await cancel_all(lanes)
        assert await archiver.unsettled.count(keys.ENDED) == 0
    print(f"{count} results: {count / took_s:.0f} a second, {1000 * cpu_s / count:.2f} ms of CPU each")


if __name__ == "__main__":
    with recorded("ratings"):
        asyncio.run(main(int(sys.argv[1]) if len(sys.argv) > 1 else MATCHES))
