"""Arenas: `python -m bench.arena [PLAYERS [KILLS]]`: the first pairing of a thousand, and an arena under kills.

Beside: scripted clients play at a steady rate, before anyone has entered, while all wait, and as the arena begins.
Pairing: all have entered before it begins, each over a connection of its own; the server has its probe, which tells of
each step of its own work above 5 ms. Kills: -9 of one of three nodes, or of the store, while 24 players play on; then
the journals must say what everyone has seen.
"""

import asyncio
import json
import random
import sys
import time
from pathlib import Path

from tavla_protocol import messages as m

from bench.processes import Measured
from bench.server import Run, load
from tests.support.players.arenas import RULES, Arena
from tests.support.players.plain import Player
from tests.support.players.seeds import COMMITMENTS
from tests.support.players.swarm import percentile
from tests.support.results import recorded
from tests.support.servers.processes import ServerProcess, Valkey, short_folder

PLAYERS, KILLS = 1000, 20
ARENA_PLAYERS, NODES = 24, 3
AHEAD_S = 150  # from its making to its begin: by then all have entered, and play beside them has been measured
TABLES, RATE, SECONDS = 50, 100, 20  # of play beside it
BEFORE_S = 12  # its clients begin to connect so long before the arena begins
AT_ONCE = 50
BETWEEN = 3  # matches between two kills


async def pairing(folder: Path, players: int) -> list[str]:
    """The first pairing of so many."""
    server = ServerProcess(folder, "--probe", "--behind-proxy", "--log-level", "info")
    try:
        await asyncio.to_thread(server.start)
        process = Measured(server.url, server.pid)

        async def beside() -> Run:
            return await asyncio.to_thread(load, process, "tavla", TABLES, RATE, SECONDS)

        alone = await beside()
        gate = asyncio.Semaphore(AT_ONCE)
        async with Player(server.url) as director:
            await director.ask(m.Register, password="correct horse")
            organised = await director.ask(m.CreateTournament, name="arena", rules=RULES, starts=AHEAD_S)
            assert isinstance(organised, m.Organised), organised
            begin = time.monotonic() + AHEAD_S
            before = process.rss()

            async def come(number: int) -> Player:
                address = f"10.{number >> 16}.{number >> 8 & 255}.{number & 255}"
                player = Player(server.url, headers={"X-Forwarded-For": address})
                async with gate:
                    await player.open()
                    entered = {"tournament": organised.tournament, "commitment": COMMITMENTS[0]}
                    assert isinstance(await player.ask(m.EnterTournament, **entered), m.Ok)
                return player

            people = await asyncio.gather(*(come(number) for number in range(players)))
            grown = process.rss() - before
            waiting = await beside()
            assert time.monotonic() < begin - BEFORE_S, "they took too long to enter"
            await asyncio.sleep(begin - BEFORE_S - time.monotonic())
            begins, since = asyncio.create_task(beside()), len(server.lines)

            async def matched(player: Player) -> float:
                await player.next(m.Matched)
                return time.monotonic() - begin

            waits = sorted(await asyncio.gather(*map(matched, people)))
            begun = await begins
            lines = [json.loads(line) for line in server.lines[since:] if line.startswith("{")]
            for player in people:
                await player.close()
    finally:
        server.clean_up()
    paired = [line for line in lines if line["event"] == "tournament_paired"]
    late = sorted((line for line in lines if line["event"] == "loop_late"), key=lambda line: -line["own_ms"])
    first = paired[0]
    return [
        f"{players} players: the first round made {first['pairs']} pairs in {first['took_ms']} ms off the loop;"
        f" matched after {waits[0]:.1f} to {waits[-1]:.1f} s, half by {percentile(waits, 0.5):.1f} s",
        f"the longest steps of the loop's own: {[line['own_ms'] for line in late[:5]]} ms of {len(late)} above 5 ms",
        *(f"  {line['own_ms']} ms: {line['stack']}" for line in late[:3]),
        f"play beside it, {RATE} turns a second at {TABLES} tables, p50 / p99 / worst:",
        *(
            f"  {when}: {run.figures['p50_ms']:.1f} / {run.figures['p99_ms']:.1f} / {run.figures['max_ms']:.0f} ms"
            for when, run in (("before", alone), ("while all wait", waiting), ("as it begins", begun))
        ),
        f"memory of an entered player with its connection: {grown / players / 1024:.1f} KiB",
    ]


async def kills(folder: Path, count: int, rng: random.Random) -> list[str]:
    """An arena whose nodes and store are killed so often."""
    store = Valkey(folder)
    store.start()
    nodes = [ServerProcess(folder / str(number), "--redis", store.url) for number in range(NODES)]
    began = time.monotonic()
    try:
        await asyncio.gather(*(asyncio.to_thread(node.start) for node in nodes))
        async with Arena([node.url for node in nodes], store.url, ARENA_PLAYERS) as arena:
            for number in range(count):
                await arena.goes_on(BETWEEN)
                victim = store if number % 5 == 4 else rng.choice(nodes)
                await asyncio.to_thread(victim.kill)
                await asyncio.to_thread(victim.start)
            await arena.goes_on(BETWEEN)
            faults, played = await arena.finish(), arena.played
    finally:
        for node in nodes:
            node.clean_up()
        store.kill()
    what = f"{count} kills of {NODES} nodes and, each fifth, of the store: {played} matches of {ARENA_PLAYERS} players"
    return [f"{what} in {time.monotonic() - began:.0f} s, {len(faults)} broken invariants", *faults]


def main() -> None:
    """Run both."""
    given = [*map(int, sys.argv[1:])]
    players, count = [*given, *(PLAYERS, KILLS)[len(given) :]]
    with recorded("arena"), short_folder() as folder:
        print("\n".join(asyncio.run(pairing(folder / "alone", players))), flush=True)
        print("\n".join(asyncio.run(kills(folder, count, random.Random()))), flush=True)


if __name__ == "__main__":
    main()
