"""Troubles for a club's servers: each function causes one, and tells how long the club's players waited."""

import asyncio
import contextlib
import os
import random
import signal
import time
from collections import defaultdict
from collections.abc import Sequence

from tavla_server.store import keys

from tests.faults.checker import Loss
from tests.faults.club import Club
from tests.faults.wires import Wired
from tests.support.servers.processes import ServerProcess, redis_at
from tests.support.servers.valkey import Valkey
from tests.support.stores.redises import Replicated
from tests.support.wire.proxy import Proxy

LONGEST_PLAY_S = 0.3  # between two troubles: some hundred actions
BURIED_S = 90.0  # should the node that does it be killed, another one begins after 60 s
KNOWN_DEAD_S = 0.5  # no replica takes over a dead master's keys sooner: what is answered until then was stored before
POSTPONED_S = 2.0  # Valkey puts off a write for so long while an fsync of the second before is under way
UNSYNCED_S = 1.0  # with `everysec`, what was written later may not be on disk
LAGS_S = 0.02, 0.3
SLOW_S = 2.0  # longer than a node waits for an answer of its store
CUT_BYTES = 300  # within an action and its answer


async def kill_often(club: Club, nodes: list[ServerProcess], kills: int, rng: random.Random) -> list[float]:
    """So many kills of nodes, two at a time, never all of them: as `kill_one`."""
    half, left = len(nodes) // 2, iter(range(kills))

    async def some(nodes: list[ServerProcess]) -> list[float]:
        return [wait_s for _ in left for wait_s in await kill_one(club, nodes, rng)]

    waits_s = await asyncio.gather(some(nodes[:half]), some(nodes[half:]))
    return sorted(waits_s[0] + waits_s[1])


async def play_on(club: Club, valkey: Valkey, nodes: list[ServerProcess]) -> None:
    """Let them play until the nodes have taken out what the dead left in the lobby: one has to live 4 s to do that."""
    async with asyncio.timeout(BURIED_S):
        with contextlib.closing(redis_at(valkey.url)) as redis:
            while redis.hlen("{lobby}:nodes") > len(nodes):
                await club.goes_on(club.players, time.monotonic())


async def kill_one(club: Club, nodes: list[ServerProcess], rng: random.Random) -> list[float]:
    """kill -9 of a node at a random moment, and start it again. Seconds until each of its players has acted again."""
    await asyncio.sleep(rng.uniform(0, LONGEST_PLAY_S))
    victim = rng.choice([node for node in nodes if club.players_at(node.url)] or nodes)
    since_s = time.monotonic()
    going_on = asyncio.create_task(club.goes_on(club.players_at(victim.url), since_s, elsewhere=True))
    await asyncio.to_thread(victim.kill)
    await asyncio.to_thread(victim.start)
    return await going_on


async def kill_with_store(club: Club, server: ServerProcess, store: bool, rng: random.Random) -> list[float]:
    """kill -9 of a server that is alone, and of its embedded store if asked for. As `kill_one`."""
    await asyncio.sleep(rng.uniform(0, LONGEST_PLAY_S))
    since_s = time.monotonic()
    going_on = asyncio.create_task(club.goes_on(club.players, since_s, elsewhere=True))
    await asyncio.to_thread(server.kill, store)
    await asyncio.to_thread(server.start)
    return await going_on


async def freeze_one(club: Club, nodes: list[ServerProcess], frozen_s: float, rng: random.Random) -> list[float]:
    """Stop a node for so long as if its machine had paused, and let it go on with what it knew then. As `kill_one`."""
    await asyncio.sleep(rng.uniform(0, LONGEST_PLAY_S))
    victim = rng.choice([node for node in nodes if club.players_at(node.url)])
    since_s = time.monotonic()
    going_on = asyncio.create_task(club.goes_on(club.players_at(victim.url), since_s, elsewhere=True))
    os.kill(victim.pid, signal.SIGSTOP)
    await asyncio.sleep(frozen_s)
    os.kill(victim.pid, signal.SIGCONT)
    return await going_on


async def kill_store(club: Club, valkey: Valkey, away_s: float, rng: random.Random) -> list[float]:
    """kill -9 of the store, which is away for so long. Seconds from its return until each player has acted again."""
    await asyncio.sleep(rng.uniform(0, LONGEST_PLAY_S))
    await asyncio.to_thread(valkey.kill)
    await asyncio.sleep(away_s)
    await asyncio.to_thread(valkey.start)
    return await club.goes_on(club.players, time.monotonic())


async def fail_over(club: Club, store: Replicated, freeze: bool, rng: random.Random) -> list[float]:
    """kill -9, or freeze, the master of a match; it comes back when everyone plays with the one that took over.

    Returns: seconds until each player of a match that it had has acted again.
    """
    await asyncio.to_thread(store.until_whole)
    await club.goes_on(club.players, time.monotonic())  # all of them have come, and play
    await asyncio.sleep(rng.uniform(0, LONGEST_PLAY_S))
    at = [(table, keys.MATCH_LOG(match)) for table in club.tables for match in table.white.matches]
    masters = await asyncio.to_thread(lambda: [store.serving(key) for _, key in at])
    victim = rng.choice(masters or store.masters())
    players = [one for (table, _), master in zip(at, masters, strict=True) if master is victim for one in table.players]
    await asyncio.to_thread(victim.freeze if freeze else victim.kill)
    since_s = time.monotonic()
    waits_s = await club.goes_on(players, since_s + KNOWN_DEAD_S)
    await asyncio.to_thread(store.revive)
    return [KNOWN_DEAD_S + wait_s for wait_s in waits_s]


async def lose_power(club: Club, valkey: Valkey, nodes: Sequence[ServerProcess] = ()) -> list[float]:
    """The store's machine loses power, and all that was not on disk.

    nodes: those that are killed at the same moment. If that is all of them, nobody remembers: the loss is forgiven.
    Returns: seconds from the store's return until each player has acted again.
    """
    for _ in range(5):  # so that all that began with these players is older
        await club.goes_on(club.players, time.monotonic())
        await asyncio.sleep(UNSYNCED_S / 5)
    size, since_s = valkey.log.stat().st_size, time.monotonic()
    await asyncio.sleep(UNSYNCED_S)
    await asyncio.gather(asyncio.to_thread(valkey.kill), *(asyncio.to_thread(node.kill) for node in nodes))
    os.truncate(valkey.log, size)
    await asyncio.to_thread(valkey.start)
    back_s = time.monotonic()
    if nodes:  # by now clients have read what was on its way to them
        club.forgive(Loss(since_s - POSTPONED_S, back_s))
    await asyncio.gather(*(asyncio.to_thread(node.start) for node in nodes))
    return await club.goes_on(club.players, back_s)


async def disturb(wire: Proxy, rng: random.Random) -> str:
    """Cause one fault of a network, drawn by chance, and return its kind."""
    kind = rng.choice(("latency", "slow", "lost answer", "lost request", "reset", "silence"))
    match kind:
        case "latency" | "slow":
            wire.lag_s = rng.uniform(*LAGS_S) if kind == "latency" else SLOW_S
            await asyncio.sleep(SLOW_S)
            wire.lag_s = 0.0
        case "lost answer":
            wire.down_left = rng.randrange(CUT_BYTES)
        case "lost request":
            wire.up_left = rng.randrange(CUT_BYTES)
        case "reset":
            wire.reset()
        case "silence":
            wire.stall()
    return kind


async def disturb_often(
    club: Club, wired: list[Wired], faults: int, rng: random.Random
) -> dict[tuple[str, str], list[float]]:
    """So many faults, each at a node that has players, until all of these have acted again.

    Returns: by the side, `clients` or `store`, and the kind of fault, the seconds until each has acted.
    """
    waits_s: dict[tuple[str, str], list[float]] = defaultdict(list)
    for _ in range(faults):
        await asyncio.sleep(rng.uniform(0, LONGEST_PLAY_S))
        one = rng.choice([one for one in wired if club.players_at(one.url)])
        side = rng.choice(("clients", "store"))
        going_on = asyncio.create_task(club.goes_on(club.players_at(one.url), time.monotonic()))
        kind = await disturb(one.front if side == "clients" else one.back, rng)
        waits_s[side, kind] += await going_on
    return waits_s
