"""Rounds of a Swiss: `python -m bench.swiss [PLAYERS [ROUNDS]]`: how long its pairing takes, and how good it is."""

import asyncio
import random
import sys
import time

from tavla_server.tournaments.pairer import Pairer
from tavla_server.tournaments.waiting import Question, Waiting

from tests.support.results import recorded

PLAYERS, ROUNDS = 1000, 10


async def rounds(players: int, count: int, rng: random.Random) -> str:
    """So many rounds, whose results are drawn."""
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


def main() -> None:
    """Pair them."""
    given = [*map(int, sys.argv[1:])]
    players, count = [*given, *(PLAYERS, ROUNDS)[len(given) :]]
    with recorded("swiss"):
        print(asyncio.run(rounds(players, count, random.Random(1))))


if __name__ == "__main__":
    main()
