"""Strength of the computer against GNU Backgammon at its level `expert`, which does not look ahead.

`python -m bench.strength` plays each deal from both sides with the same dice, as `tavla arena --local` does, and writes
points a game, or matches won, with 95 % intervals. Stopped, it goes on with the deals that it lacks.
`python -m bench.strength money` does the same for games for money one roll ahead. The library of the training finds
plays and judges them there, with the same results in a fifth of the time.
"""

import asyncio
import sys
import threading
from collections.abc import Sequence
from concurrent.futures import Executor, ThreadPoolExecutor
from typing import NamedTuple
from unittest.mock import patch

import numpy as np
from tavla_bots import BOTS
from tavla_bots.evaluator import OUTPUTS, flipped, shipped
from tavla_bots.features import Floats
from tavla_bots.lookahead import CHANCES, ROLLS
from tavla_bots.training.native import BOARD, after_states, least
from tavla_bots.training.self_play import judged
from tavla_cli.bots import local_match
from tavla_client import Bot, Failures
from tavla_engine.position import Position
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
ROWS = {
    "strength": (
        Row("expert", 0, False, 1000),
        Row("expert", 0, True, 1000),
        Row("expert", 7, True, 600),
        Row("world-class", 7, True, 300),
    ),
    "money": (Row("world-class", 0, False, 1000), Row("world-class", 0, True, 240)),
}


class Bots(threading.local):
    """Bots that play all deals of a thread, by name."""

    def __init__(self) -> None:
        self.known: dict[str, Bot] = {}

    def get(self, name: str) -> Bot:
        """A bot of this thread."""
        return self.known.get(name) or self.known.setdefault(name, BOTS[name]())


bots = Bots()


def judged_ahead(positions: Sequence[Position], value: Sequence[float], hit_and_run: bool) -> Floats:
    """The same as that of `tavla_bots.lookahead`."""
    assert hit_and_run, "what the library plays by"
    boards = np.frombuffer(b"".join(half for position in positions for half in position), np.uint8).reshape(-1, BOARD)
    dice = np.tile(np.array(ROLLS, np.uint8), (len(boards), 1))
    found, starts = after_states(np.repeat(boards, len(ROLLS), axis=0), dice)
    judgements = judged(shipped(), found)
    best = least(judgements @ np.array(value, np.float32), starts)
    return flipped(np.einsum("pro,r->po", judgements[best].reshape(-1, len(ROLLS), OUTPUTS), CHANCES))


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
    name = sys.argv[1] if len(sys.argv) > 1 else "strength"
    with patch("tavla_bots.house.judged_ahead", judged_ahead), ThreadPoolExecutor(THREADS) as pool:
        lines = [measured(row, pool) for row in ROWS[name]]
    with recorded(name):
        print("| against GNU Backgammon, 0-ply | rules | games | points a game, or matches |")
        print("|---|---|---|---|")
        print("\n".join(lines))


if __name__ == "__main__":
    main()
