"""Strength of the computer against GNU Backgammon at its level `expert`, which does not look ahead.

`python -m bench.strength` plays each deal from both sides with the same dice, as `tavla arena --local` does, and writes
points a game, or matches won, with 95 % intervals. Stopped, it goes on with the deals that it lacks.
"""

import asyncio
from collections.abc import Sequence
from concurrent.futures import Executor, ProcessPoolExecutor
from functools import cache
from typing import NamedTuple

from tavla_bots import BOTS
from tavla_cli.bots import local_match
from tavla_client import Bot, Failures
from tavla_engine.rules import Rules

from bench.progress import results_of
from tests.support.results import recorded, table


class Opposition(NamedTuple):
    """A line of the table. length: 0 = money. games: or matches, both sides of a deal counted."""

    bot: str
    length: int
    cube: bool
    games: int


OPPOSITIONS = (
    Opposition("expert", 0, False, 1000),
    Opposition("expert", 0, True, 1000),
    Opposition("expert", 7, True, 600),
    Opposition("world-class", 7, True, 300),
)
PROCESSES = 8  # GNU Backgammon takes 10 ms for an answer, and hardly computes


@cache
def bot(name: str) -> Bot:
    """A bot that plays all deals of a process."""
    return BOTS[name]()


def deal(name: str, length: int, cube: bool, number: int) -> float:
    """The bot's mean gain, points or 1 for a match, of both sides of a deal."""
    failures = Failures()
    rules = Rules(length=length, cube=cube, crawford=length > 0)
    won = asyncio.run(local_match.deal(bot(name), bot("gnubg"), rules, f"strength:{number}", failures))
    assert not failures, failures.counts
    return won


def row(one: Opposition, pool: Executor) -> Sequence[object]:
    """A line of the table."""
    tasks = [[one.bot, one.length, one.cube, number] for number in range(one.games // 2)]
    mean, plus_minus, games = local_match.score(results_of("strength", tasks, deal, pool), one.games)
    if one.length:
        return f"`{one.bot}`", f"{one.length} points", games, f"{50 + 50 * mean:.1f} ± {50 * plus_minus:.1f} % won"
    rules = f"money, {'with' if one.cube else 'no'} cube"
    return f"`{one.bot}`", rules, games, f"{mean:+.3f} ± {plus_minus:.3f}"


def main() -> None:
    """Play, then write the table."""
    with ProcessPoolExecutor(PROCESSES) as pool:
        rows = [row(one, pool) for one in OPPOSITIONS]
    with recorded("strength"):
        print("\n".join(table("against GNU Backgammon, 0-ply | rules | games | points a game, or matches", rows)))


if __name__ == "__main__":
    main()
