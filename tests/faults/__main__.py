"""`python -m tests.faults [SECTION ...]`: the long run. Prints a report as Markdown; fails if anything was wrong.

TAVLA_TEST_SEED sets the seed, which is printed first; TAVLA_TEST_KILLS how many kills there are, TAVLA_TEST_RESULTS how
many results under kills.
"""

import asyncio
import contextlib
import functools
import os
import random
import secrets
import sys
import time
from collections import Counter
from collections.abc import AsyncIterator, Callable, Coroutine
from typing import Any

from tests.faults.club import Club
from tests.faults.race import race
from tests.faults.restores import repaired, restored
from tests.faults.results import Kept, disturb_all, kept, pairs_at, restarted
from tests.faults.trouble import (
    disturb_often,
    fail_over,
    freeze_one,
    kill_often,
    kill_store,
    kill_with_store,
    lose_power,
    play_on,
)
from tests.faults.wires import wired_nodes
from tests.support.players.swarm import percentile
from tests.support.results import recorded
from tests.support.servers.lifetimes import own_store, started
from tests.support.servers.processes import ServerProcess
from tests.support.servers.valkey import short_folder
from tests.support.stores.cluster import Cluster
from tests.support.stores.redises import Replicated, SentinelSet, replicated

KILLS = int(os.environ.get("TAVLA_TEST_KILLS", "1000"))
ROUND = 200  # kills
NODES, TABLES = 4, 8
FREEZES, FROZEN_S = 5, 15.0
STORE_KILLS, AWAY_S = 20, 9.0
POWER_CUTS = 5
FAILOVERS = 20
NETWORK_FAULTS = 150
RACES = 4000
RESULTS = int(os.environ.get("TAVLA_TEST_RESULTS", "5000"))
PAIRS, RESULT_PAIRS = 24, 8
REPAIRED, REPAIR_KILLS = 600, 30  # matches; kills


@contextlib.asynccontextmanager
async def nodes_on(redis_url: str, count: int = NODES, *options: str) -> AsyncIterator[list[ServerProcess]]:
    """So many server processes on one store."""
    with short_folder() as folder:
        nodes = [ServerProcess(folder / str(number), "--redis", redis_url, *options) for number in range(count)]
        with started(*nodes):
            yield nodes


store = functools.partial(own_store, on_disk=True)


async def kills(rng: random.Random) -> list[str]:
    """Nodes are killed, too fast for the living to bury the dead; now and then they get the time."""
    waits_s = []
    with store() as valkey:
        async with (
            nodes_on(valkey.url) as nodes,
            Club([n.url for n in nodes], valkey.url, rng, TABLES, length=7) as club,
        ):
            for begun in range(0, KILLS, ROUND):
                waits_s += await kill_often(club, nodes, min(ROUND, KILLS - begun), rng)
                await play_on(club, valkey, nodes)
            faults = await club.finish()
    return report(f"kill -9 of one of {NODES} nodes, {KILLS} times", club, faults, waits_s)


async def kills_alone(rng: random.Random) -> list[str]:
    """A server that is alone is killed, half of the times together with its embedded store."""
    count = KILLS // 20
    with short_folder() as folder, started(ServerProcess(folder / "data")) as (server,):
        async with Club([server.url], server.store_url, rng, TABLES) as club:
            waits_s = []
            for number in range(count):
                waits_s += await kill_with_store(club, server, number % 2 == 0, rng)
            faults = await club.finish()
    return report(f"kill -9 of a server alone, {count} times, half of them with its store", club, faults, waits_s)


async def freezes(rng: random.Random) -> list[str]:
    """Nodes stop for 15 s."""
    with store() as valkey:
        async with nodes_on(valkey.url, 3) as nodes, Club([n.url for n in nodes], valkey.url, rng, TABLES) as club:
            waits_s = [wait_s for _ in range(FREEZES) for wait_s in await freeze_one(club, nodes, FROZEN_S, rng)]
            faults = await club.finish()
    return report(f"SIGSTOP of one of 3 nodes for {FROZEN_S:.0f} s, {FREEZES} times", club, faults, waits_s)


async def store_kills(rng: random.Random) -> list[str]:
    """The store is killed, and started again at once or after a while."""
    with store() as valkey:
        async with nodes_on(valkey.url, 2) as nodes, Club([n.url for n in nodes], valkey.url, rng, TABLES) as club:
            waits_s = []
            for number in range(STORE_KILLS):
                waits_s += await kill_store(club, valkey, AWAY_S if number % 5 == 0 else 0.0, rng)
            faults = await club.finish()
    what = f"kill -9 of Valkey, `always`, {STORE_KILLS} times, away for up to {AWAY_S:.0f} s; from its return"
    return report(what, club, faults, waits_s)


async def power(rng: random.Random) -> list[str]:
    """The store loses its last second, again and again; then it and all nodes at once."""
    lines = []
    for everything in (False, True):
        with store("everysec") as valkey:
            async with nodes_on(valkey.url, 2) as nodes, Club([n.url for n in nodes], valkey.url, rng, TABLES) as club:
                waits_s = []
                for _ in range(1 if everything else POWER_CUTS):
                    waits_s += await lose_power(club, valkey, nodes if everything else ())
                faults = await club.finish()
        what = "once, and both nodes with it" if everything else f"{POWER_CUTS} times, the nodes live; from its return"
        lines += report(f"Valkey, `everysec`, loses its last second, {what}", club, faults, waits_s)
    return lines


async def sentinel(rng: random.Random) -> list[str]:
    """A master behind Sentinels is killed, or stops for a while, and a replica takes over."""
    return await failovers(SentinelSet, "Sentinels'", rng)


async def cluster(rng: random.Random) -> list[str]:
    """Likewise one of a cluster's masters."""
    return await failovers(Cluster, "a cluster's", rng)


async def failovers(kind: type[Replicated], whose: str, rng: random.Random) -> list[str]:
    """Masters are killed, and then others are frozen."""
    lines = []
    for freeze in (False, True):
        with replicated(kind) as store:
            async with nodes_on(store.url, 2) as nodes, Club([n.url for n in nodes], store, rng, TABLES) as club:
                waits_s = [wait_s for _ in range(FAILOVERS) for wait_s in await fail_over(club, store, freeze, rng)]
                faults = await club.finish()
        how = "SIGSTOP" if freeze else "kill -9"
        lines += report(f"{how} of {whose} master, {FAILOVERS} times, {club.forks} forks", club, faults, waits_s)
    return lines


async def network(rng: random.Random) -> list[str]:
    """Wires fail."""
    with store() as valkey:
        async with wired_nodes(valkey, 2) as wired, Club([one.url for one in wired], valkey.url, rng, TABLES) as club:
            by_kind = await disturb_often(club, wired, NETWORK_FAULTS, rng)
            faults = await club.finish()
    waits_s = [wait_s for kind in by_kind.values() for wait_s in kind]
    lines = report(f"{NETWORK_FAULTS} faults of the network", club, faults, waits_s)
    return lines + [f"| - {kind}, {side} | | | | | {spread(by_kind[side, kind])} |" for side, kind in sorted(by_kind)]


async def races(rng: random.Random) -> list[str]:
    """Two nodes act at the same instant."""
    rounds, codes = Counter[int](), Counter[str]()
    faults: list[str] = []
    with store() as valkey:
        async with nodes_on(valkey.url, 2) as nodes:
            rngs = [random.Random(rng.random()) for _ in range(TABLES)]
            urls = [node.url for node in nodes]
            for raced in await asyncio.gather(*(race(urls, valkey.url, RACES // TABLES, one) for one in rngs)):
                rounds, codes, faults = rounds + raced.rounds, codes + raced.codes, faults + raced.faults
    refused = ", ".join(f"{count} {code}" for code, count in codes.items())
    what = f"two nodes act at one instant, {rounds.total()} times: one won in {rounds[1]}"
    return [f"| {what} | {TABLES} | {rounds.total()} | 0 | {refused} | | | | |", *(f"**{fault}**" for fault in faults)]


async def results(rng: random.Random) -> list[str]:
    """Players with all tables that they may have give up all of them, and open one more; then many under kills."""
    lines = []
    for how in ("kill -9", "SIGTERM"):
        with short_folder() as folder, started(ServerProcess(folder / "data", "--behind-proxy")) as (server,):
            found = await restarted(server, RESULT_PAIRS, how)
        lines += told(f"{how} of a server right after the results of players with 32 tables each", found)
    return lines + await results_under_kills(rng)


async def results_under_kills(rng: random.Random) -> list[str]:
    """Matches that end one after the other, while one node after the other is killed or stopped."""
    ended = asyncio.Event()
    with store() as valkey, short_folder() as folder:
        archive = f"sqlite:///{folder}/archive.sqlite3"
        options = ("--behind-proxy", "--archive", archive)
        async with nodes_on(valkey.url, 2, *options) as nodes, pairs_at(PAIRS, *(node.url for node in nodes)) as pairs:
            killing = asyncio.create_task(disturb_all(nodes, rng, ended))
            await asyncio.gather(*(pair.end_many(-(-RESULTS // PAIRS)) for pair in pairs))
            ended.set()
            kills = await killing
            found = await kept(pairs, nodes[0].url, archive)
    return told(f"kill -9, or SIGTERM, of one of 2 nodes, {kills} times, while matches end", found)


async def restores(_: random.Random) -> list[str]:
    """A backup that was made while matches end is brought back."""
    with short_folder() as folder, started(ServerProcess(folder / "data", "--behind-proxy")) as (server,):
        found = await restored(server, folder, RESULT_PAIRS)
    return told("a backup, made while matches end, is restored, and those that go on end again", found)


async def repairs(rng: random.Random) -> list[str]:
    """A damaged archive is repaired, and the repair is killed again and again."""
    with short_folder() as folder:
        count, killed = await repaired(folder, rng, REPAIRED, REPAIR_KILLS)
    what = f"kill -9 of the repair of an archive whose first page is gone, {killed} times: {count} matches are there"
    faults = [] if count == REPAIRED else [f"**of {REPAIRED} matches {REPAIRED - count} are gone**"]
    return [f"| {what} | {REPAIRED} | | {REPAIRED - count} | | | | | |", *faults]


def told(what: str, found: Kept) -> list[str]:
    """Lines of the report about results."""
    lost = found.over - min(found.rated, found.archived)
    line = f"| {what}: {found.rated} rated, {found.archived} archived | {found.over} | | {lost} | | | | | |"
    return [line, *(f"**{fault}**" for fault in found.faults)]


def report(what: str, club: Club, faults: list[str], waits_s: list[float]) -> list[str]:
    """Lines of the report about a run. waits_s: from the trouble to each player's next accepted action."""
    matches = sum(len(table.records) for table in club.tables)
    refused = ", ".join(f"{count} {code}" for code, count in club.refusals.items()) or "none"
    line = f"| {what} | {matches} | {club.acknowledged} | {club.lost} | {refused} | {spread(waits_s)} |"
    return [line, *(f"**{fault}**" for fault in faults)]


def spread(waits_s: list[float]) -> str:
    """The number of waits, their median, their 99th percentile and the longest."""
    shares = [percentile(sorted(waits_s), share) for share in (0.5, 0.99, 1.0)]
    return " | ".join([str(len(waits_s)), *(f"{1000 * share:.0f} ms" for share in shares)])


HEAD = [
    "| | matches | acknowledged actions | lost | refused | waits for the next action | median | 99 % | longest |",
    "|---|---|---|---|---|---|---|---|---|",
]
SECTIONS: dict[str, Callable[[random.Random], Coroutine[Any, Any, list[str]]]] = {
    "kills": kills,
    "kills-alone": kills_alone,
    "freezes": freezes,
    "store-kills": store_kills,
    "power": power,
    "sentinel": sentinel,
    "cluster": cluster,
    "network": network,
    "races": races,
    "results": results,
    "restores": restores,
    "repairs": repairs,
}


def main() -> None:
    """Run the named sections, or all, of which the results are written down."""
    with contextlib.nullcontext() if sys.argv[1:] else recorded("faults"):
        wrong = run(sys.argv[1:] or [*SECTIONS])
    sys.exit(wrong)


def run(names: list[str]) -> bool:
    """Print the report of some sections; True if anything was wrong."""
    seed = os.environ.get("TAVLA_TEST_SEED") or secrets.token_hex(4)
    print(f"TAVLA_TEST_SEED={seed}\n\n" + "\n".join(HEAD), flush=True)
    wrong = False
    for name in names:
        began = time.monotonic()
        lines = asyncio.run(SECTIONS[name](random.Random(f"{seed} {name}")))
        print("\n".join(lines), flush=True)
        print(f"{name}: {time.monotonic() - began:.0f} s", file=sys.stderr)
        wrong = wrong or any(line.startswith("**") for line in lines)
    return wrong


if __name__ == "__main__":
    main()
