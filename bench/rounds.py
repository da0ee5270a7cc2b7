"""Tournaments with rounds: `python -m bench.rounds [PLAYERS]`: the pairing of a Swiss, and each format under kills.

Kills: -9 of one of three nodes, or each fifth time of the store, while players play on; then the journals must say what
everyone has seen, and nobody may have lost a match, or a round, for want of a connection.
"""

import asyncio
import random
import sys
import time
from pathlib import Path
from typing import Any

from tavla_server.tournaments.pairer import Pairer
from tavla_server.tournaments.waiting import Question, Waiting

from tests.support.players.arenas import Arena
from tests.support.results import recorded
from tests.support.servers.processes import ServerProcess, Valkey, short_folder

PLAYERS, ROUNDS = 1000, 10
NODES = 3
BETWEEN = 3  # matches between two kills
KILLED: list[tuple[int, dict[str, Any]]] = [  # players, terms; nobody has a bye, which no player sees
    (12, {"format": "swiss", "rounds": 8}),
    (10, {"format": "round-robin"}),
    (16, {"format": "knock-out"}),
]


async def pairing(players: int, count: int, rng: random.Random) -> str:
    """So many rounds of a Swiss, whose results are drawn."""
    met: dict[str, list[str]] = {str(number): [] for number in range(players)}
    points, took, apart, again, pairer = dict.fromkeys(met, 0), list[float](), 0, 0, Pairer()
    await pairer.warm()
    for _ in range(count):
        order = sorted(met, key=lambda id_: (-points[id_], rng.random()))
        began = time.monotonic()
        pairs = await pairer.pairs(Question(True, [Waiting(id_, points[id_], tuple(met[id_]), False) for id_ in order]))
        took.append(1000 * (time.monotonic() - began))
        for one, other in pairs:
            again += other in met[one]
            apart += abs(points[one] - points[other])
            met[one].append(other)
            met[other].append(one)
            points[rng.choice((one, other))] += 1
    await pairer.close()
    return (
        f"a Swiss of {players} over {count} rounds: {min(took):.0f} to {max(took):.0f} ms a round off the loop,"
        f" {again} rematches, {apart} points apart in {count * players // 2} pairs"
    )


async def kills(folder: Path, players: int, terms: dict[str, Any], rng: random.Random) -> list[str]:
    """A tournament whose nodes and store are killed until it is over."""
    store = Valkey(folder)
    store.start()
    nodes = [ServerProcess(folder / str(number), "--redis", store.url) for number in range(NODES)]
    began, count = time.monotonic(), 0
    try:
        await asyncio.gather(*(asyncio.to_thread(node.start) for node in nodes))
        async with Arena([node.url for node in nodes], store.url, players, **terms) as club:
            await club.goes_on(BETWEEN)
            while not club.over:
                count += 1
                victim = store if count % 5 == 0 else rng.choice(nodes)
                await asyncio.to_thread(victim.kill)
                await asyncio.to_thread(victim.start)
                await club.goes_on(BETWEEN)
            faults, played = await club.finish(), club.played
    finally:
        for node in nodes:
            node.clean_up()
        store.kill()
    what = f"{terms['format']} of {players}: {count} kills while {played} matches were played"
    return [f"{what}, in {time.monotonic() - began:.0f} s: {len(faults)} broken invariants", *faults]


def main() -> None:
    """Run both."""
    players = int(sys.argv[1]) if sys.argv[1:] else PLAYERS
    with recorded("rounds"):
        print(asyncio.run(pairing(players, ROUNDS, random.Random(1))), flush=True)
        for count, terms in KILLED:
            with short_folder() as folder:
                print("\n".join(asyncio.run(kills(folder, count, terms, random.Random()))), flush=True)


if __name__ == "__main__":
    main()
