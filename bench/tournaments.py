"""Tournaments: `python -m bench.tournaments [PLAYERS]`: how fast a thousand are paired, and each format under kills.

An arena: all have entered before it begins, each over a connection of its own. Beside, scripted clients play at a
steady rate, before anyone has entered, while all wait, and as the arena begins. A Swiss: its pairing alone, with
results that are drawn. Kills: -9 of one of three nodes, or each fifth time of the store, while players play on; then
the journals must say what everyone has seen, and nobody may have lost a match, or a round, for want of a connection.
"""

import asyncio
import random
import statistics
import sys
import time
from typing import Any

from tavla_protocol import messages as m
from tavla_server.features.tournaments.pairer import Pairer
from tavla_server.features.tournaments.waiting import Question, Waiting

from bench.crowd import crowd, in_ms
from bench.people import Plan
from bench.processes import LoneServer, lone_server, servers, store
from tests.support.players.arenas import RULES, Arena
from tests.support.players.plain import Player
from tests.support.results import recorded

PLAYERS, ROUNDS = 1000, 10
AHEAD_S = 150  # from its making to its begin: by then all have entered, and play beside them has been measured
TABLES, RATE, SECONDS = 50, 100, 20  # of play beside it
BEFORE_S = 5  # it is counted from so long before the arena begins
AT_ONCE = 50
NODES, BETWEEN = 3, 3  # matches between two kills
ARENA_KILLS = 20
KILLED: list[tuple[int, dict[str, Any]]] = [  # players, terms; nobody has a bye, which no player sees
    (24, {}),
    (12, {"format": "swiss", "rounds": 8}),
    (10, {"format": "round-robin"}),
    (16, {"format": "knock-out"}),
]


async def entered(server: LoneServer, tournament: str, players: int) -> list[Player]:
    """So many players who have entered, from addresses of their own."""
    gate = asyncio.Semaphore(AT_ONCE)

    async def come(number: int) -> Player:
        address = f"10.{number >> 16}.{number >> 8 & 255}.{number & 255}"
        player = Player(server.url, headers={"X-Forwarded-For": address})
        async with gate:
            await player.open()
            answer = await player.ask(m.EnterTournament, tournament=tournament, commitment=f"{number:064x}")
            assert isinstance(answer, m.Ok), answer
        return player

    return await asyncio.gather(*map(come, range(players)))


async def first_pairing(server: LoneServer, players: int) -> list[str]:
    """The first pairing of an arena of so many, beside play."""
    with crowd(Plan([server.url], matches=TABLES, rate=RATE)) as beside:
        beside.tell("play")
        played = {"before": await asyncio.to_thread(beside.counted, SECONDS)}
        async with Player(server.url) as director:
            await director.ask(m.Register, password="correct horse")
            organised = await director.ask(m.CreateTournament, name="arena", rules=RULES, starts=AHEAD_S)
            assert isinstance(organised, m.Organised), organised
            begin = time.monotonic() + AHEAD_S
            people = await entered(server, organised.tournament, players)
            played["while all wait"] = await asyncio.to_thread(beside.counted, SECONDS)
            assert time.monotonic() < begin - BEFORE_S, "they took too long to enter"
            await asyncio.sleep(begin - BEFORE_S - time.monotonic())
            begins, since = asyncio.create_task(asyncio.to_thread(beside.counted, SECONDS)), len(server.lines)

            async def matched(player: Player) -> float:
                await player.next(m.Matched)
                return time.monotonic() - begin

            waits = sorted(await asyncio.gather(*map(matched, people)))
            played["as it begins"] = await begins
            for player in people:
                await player.close()
    first = server.logged("tournament_paired", since)[0]
    return [
        f"{players} players: the first round made {first['pairs']} pairs in {first['took_ms']} ms off the loop;"
        f" matched after {waits[0]:.1f} to {waits[-1]:.1f} s, half by {statistics.median(waits):.1f} s",
        f"play beside it, {RATE} turns a second at {TABLES} tables, p50 / p99 / worst:",
        *(f"  {when}: {' / '.join(in_ms(report.latencies, 0.5, 0.99, 1))}" for when, report in played.items()),
    ]


async def swiss(players: int, rng: random.Random) -> str:
    """All rounds of a Swiss of so many."""
    met: dict[str, list[str]] = {str(number): [] for number in range(players)}
    points, took, apart, again, pairer = dict.fromkeys(met, 0), list[float](), 0, 0, Pairer()
    await pairer.warm()
    for _ in range(ROUNDS):
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
        f"a Swiss of {players} over {ROUNDS} rounds: {min(took):.0f} to {max(took):.0f} ms a round off the loop,"
        f" {again} rematches, {apart} points apart in {ROUNDS * players // 2} pairs"
    )


async def kills(players: int, terms: dict[str, Any], rng: random.Random) -> list[str]:
    """A tournament whose nodes and store are killed until it is over, an arena so often."""
    with store() as valkey, servers(valkey, NODES) as nodes:
        began, count = time.monotonic(), 0
        async with Arena([node.url for node in nodes], valkey.url, players, **terms) as club:
            await club.goes_on(BETWEEN)
            while count < ARENA_KILLS if not terms else not club.over:
                count += 1
                victim = valkey if count % 5 == 0 else rng.choice(nodes)
                await asyncio.to_thread(victim.kill)
                await asyncio.to_thread(victim.start)
                await club.goes_on(BETWEEN)
            faults, played = await club.finish(), club.played
    what = f"{terms.get('format', 'arena')} of {players}: {count} kills while {played} matches were played"
    return [f"{what}, in {time.monotonic() - began:.0f} s: {len(faults)} broken invariants", *faults]


def main(players: int = PLAYERS) -> None:
    """Print all of it."""
    with lone_server("--behind-proxy", "--log-level", "info") as server:
        print("\n".join(asyncio.run(first_pairing(server, players))), flush=True)
    print(asyncio.run(swiss(players, random.Random(1))), flush=True)
    for count, terms in KILLED:
        print("\n".join(asyncio.run(kills(count, terms, random.Random()))), flush=True)


if __name__ == "__main__":
    with recorded("tournaments"):
        main(*map(int, sys.argv[1:]))
