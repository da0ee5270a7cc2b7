"""`python -m tests.faults [SECTION ...]`: the long run. Prints a report as Markdown; fails if anything was wrong.

TAVLA_TEST_SEED sets the seed, which is printed first; TAVLA_TEST_KILLS how many kills there are.
"""

import asyncio
import contextlib
import os
import random
import secrets
import sys
import time
from collections.abc import AsyncIterator, Callable, Coroutine, Iterator
from typing import Any

from tests.faults.club import Club
from tests.faults.trouble import kill_often, kill_with_store
from tests.servers import ServerProcess, Valkey, short_folder
from tests.swarm import percentile

KILLS = int(os.environ.get("TAVLA_TEST_KILLS", "1000"))
NODES, TABLES = 4, 8


@contextlib.asynccontextmanager
async def nodes_on(redis_url: str, count: int = NODES) -> AsyncIterator[list[ServerProcess]]:
    """So many server processes on one store."""
    with short_folder() as folder:
        nodes = [ServerProcess(folder / str(number), "--redis", redis_url) for number in range(count)]
        try:
            await asyncio.gather(*(asyncio.to_thread(node.start) for node in nodes))
            yield nodes
        finally:
            for node in nodes:
                node.clean_up()


@contextlib.contextmanager
def store(fsync: str = "always") -> Iterator[Valkey]:
    """A Valkey of its own."""
    with short_folder() as folder:
        valkey = Valkey(folder, fsync)
        valkey.start()
        try:
            yield valkey
        finally:
            valkey.kill()


async def kills(rng: random.Random) -> list[str]:
    """Nodes are killed."""
    with store() as valkey:
        async with nodes_on(valkey.url) as nodes, Club([n.url for n in nodes], valkey.url, rng, TABLES) as club:
            waits_s = await kill_often(club, nodes, KILLS, rng)
            faults = await club.finish()
    return report(f"kill -9 of one of {NODES} nodes, {KILLS} times", club, faults, waits_s)


async def kills_alone(rng: random.Random) -> list[str]:
    """A server that is alone is killed, half of the times together with its embedded store."""
    count = KILLS // 20
    with short_folder() as folder:
        server = ServerProcess(folder / "data")
        try:
            await asyncio.to_thread(server.start)
            async with Club([server.url], server.store_url, rng, TABLES) as club:
                waits_s = []
                for number in range(count):
                    waits_s += await kill_with_store(club, server, number % 2 == 0, rng)
                faults = await club.finish()
        finally:
            server.clean_up()
    return report(f"kill -9 of a server alone, {count} times, half of them with its store", club, faults, waits_s)


def report(what: str, club: Club, faults: list[str], waits_s: list[float]) -> list[str]:
    """What a run gave. waits_s: from the trouble to each player's next accepted action."""
    waits_s = sorted(waits_s)
    matches = sum(len(table.records) for table in club.tables)
    figures = " | ".join(f"{1000 * percentile(waits_s, share):.0f} ms" for share in (0.5, 0.99, 1.0))
    refused = ", ".join(f"{count} {code}" for code, count in club.refusals.items()) or "none"
    return [
        f"| {what} | {matches} | {club.acknowledged} | {club.lost} | {refused} | {len(waits_s)} | {figures} |",
        *(f"**{fault}**" for fault in faults),
    ]


HEAD = [
    "| | matches | acknowledged actions | lost | refused | waits for the next action | median | 99 % | longest |",
    "|---|---|---|---|---|---|---|---|---|",
]
SECTIONS: dict[str, Callable[[random.Random], Coroutine[Any, Any, list[str]]]] = {
    "kills": kills,
    "kills-alone": kills_alone,
}


def main() -> None:
    """Run the named sections, or all."""
    seed = os.environ.get("TAVLA_TEST_SEED") or secrets.token_hex(4)
    print(f"TAVLA_TEST_SEED={seed}\n\n" + "\n".join(HEAD), flush=True)
    wrong = False
    for name in sys.argv[1:] or SECTIONS:
        began = time.monotonic()
        lines = asyncio.run(SECTIONS[name](random.Random(f"{seed} {name}")))
        print("\n".join(lines), flush=True)
        print(f"{name}: {time.monotonic() - began:.0f} s", file=sys.stderr)
        wrong = wrong or len(lines) > 1
    sys.exit(wrong)


if __name__ == "__main__":
    main()
