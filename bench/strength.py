"""Strength of the computer against GNU Backgammon at its level `expert`, which does not look ahead.

`python -m bench.strength` plays each deal from both sides with the same dice, as `tavla arena --local` does, and writes
points a game, or matches won, with 95 % intervals. Stopped, it goes on with the deals that it lacks.
"""

import asyncio
import threading
from concurrent.futures import Executor, ThreadPoolExecutor
from typing import NamedTuple

from tavla_bots import BOTS
from tavla_cli.bots import local_match
from tavla_client import Bot, Failures
from tavla_engine.rules import Rules

from bench.kept import kept
from tests.support.results import recorded


class Row(NamedTuple):
    """A line of the table. length: 0 = money. games: or matches, both sides of a deal counted."""

    bot: str
    length: int
    cube: bool
    games: int


THREADS = 8  # GNU Backgammon takes 10 ms for an answer, and hardly computes
ROWS = (
    Row("expert", 0, False, 1000),
    Row("expert", 0, True, 1000),
    Row("expert", 7, True, 600),
    Row("world-class", 7, True, 300),
)


class Bots(threading.local):
    """Bots that play all deals of a thread, by name."""

    def __init__(self) -> None:
        self.known: dict[str, Bot] = {}

    def get(self, name: str) -> Bot:
        """A bot of this thread."""
        return self.known.get(name) or self.known.setdefault(name, BOTS[name]())


bots = Bots()


def deal(name: str, length: int, cube: bool, number: int) -> float:
    """The bot's mean gain, points or 1 for a match, of both sides of a deal."""
    failures = Failures()
    rules = Rules(length=length, cube=cube, crawford=length > 0)
    won = asyncio.run(local_match.deal(bots.get(name), bots.get("gnubg"), rules, f"strength:{number}", failures))
    assert not failures, failures.counts
    return won


def measured(row: Row, pool: Executor) -> str:
    """A line of the table, in Markdown."""
    tasks = [[row.bot, row.length, row.cube, number] for number in range(row.games // 2)]
    mean, plus_minus, games = local_match.score(kept("strength", tasks, deal, pool), row.games)
    if row.length:
        return f"| `{row.bot}` | {row.length} points | {games} | {50 + 50 * mean:.1f} ± {50 * plus_minus:.1f} % won |"
    return f"| `{row.bot}` | money, {'with' if row.cube else 'no'} cube | {games} | {mean:+.3f} ± {plus_minus:.3f} |"


def main() -> None:
    """Play, then write the table."""
    with ThreadPoolExecutor(THREADS) as pool:
        lines = [measured(row, pool) for row in ROWS]
    with recorded("strength"):
        print("| against GNU Backgammon, 0-ply | rules | games | points a game, or matches |")
        print("|---|---|---|---|")
        print("\n".join(lines))


if __name__ == "__main__":
    main()
