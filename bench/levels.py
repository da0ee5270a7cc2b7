"""Error rates of the computer's levels: money games against itself, judged by GNU Backgammon, two plies.

`python -m bench.levels 100` plays so many games of each level and writes PR of each level with its word. PR is 500
times what an average decision loses, both sides together, with its 95 % interval. Stopped, it goes on with the games
that it lacks.
"""

import threading
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor

import numpy as np
from tavla_bots import BOTS
from tavla_bots.analysis import analyse
from tavla_engine.analysis import PR_FACTOR
from tavla_engine.match import new_match
from tavla_engine.rules import Rules

from bench.progress import results_of
from bench.strength import events_of
from tests.support.results import record, table

MONEY = Rules(length=0, crawford=False)
HOUSE = ("beginner", "casual", "club", "strong", "expert", "world-class")  # Sage is better than who judges

# eXtreme Gammon's words for a PR, each below this one.
WORDS = {
    2.5: "world champion",
    5.0: "world class",
    7.5: "expert",
    12.5: "advanced",
    17.5: "intermediate",
    22.5: "casual player",
    30.0: "beginner",
    np.inf: "distracted",
}

Errors = list[tuple[int, float]]  # of a game: decisions of both sides, and what they lost; in plays, with the cube


def errors(level: str, number: int) -> Errors:
    """Errors in a game of a level against itself. The dice are the same for each level."""
    events = events_of((BOTS[level](), BOTS[level]()), MONEY, f"levels:{number}")
    found = analyse(new_match(MONEY), events, lambda *_: None, threading.Event(), threads=1, judge="gnubg").findings
    parts = [one for one in found if one.dice], [one for one in found if not one.dice]
    return [(sum(one.counts for one in part), sum(one.loss for one in part)) for part in parts]


def performance(samples: Sequence[Sequence[float]]) -> tuple[float, float]:
    """PR, and half the width of its 95 % interval. samples: independent ones, numbers of decisions and their losses."""
    decisions, loss = np.array(samples, float).T
    mean = loss.sum() / decisions.sum()
    error = np.sqrt(np.square(loss - mean * decisions).sum()) / decisions.sum()
    return PR_FACTOR * mean, PR_FACTOR * 1.96 * error


def row(level: str, games: list[Errors]) -> list[str]:
    """A level's line of the table."""
    plays, cube = zip(*games, strict=True)
    both = [(one + two, lost + more) for (one, lost), (two, more) in games]
    rates = [performance(samples) for samples in (both, plays, cube)]
    shown = (f"{rate:.1f} ± {plus_minus:.1f}" for rate, plus_minus in rates)
    return [f"`{level}`", word(rates[0][0]), str(len(games)), str(sum(count for count, _ in both)), *shown]


def word(rate: float) -> str:
    """The word for a PR."""
    return next(word for most, word in WORDS.items() if rate < most)


def run(games: int) -> list[str]:
    """The figures as lines of Markdown, when all is played."""
    with ProcessPoolExecutor() as pool:
        tasks = {level: [[level, number] for number in range(games)] for level in HOUSE}
        rows = [row(level, results_of("errors", some, errors, pool)) for level, some in tasks.items()]
    return table("level | in words | games | decisions | PR | of plays | of the cube", rows)


if __name__ == "__main__":
    record("levels", run)
