"""How well each level of the computer plays: money games against itself, judged by GNU Backgammon, two plies.

`python -m bench.levels 40` plays so many games of each level and prints the table of bench/results. PR is 500 times
what an average decision loses, both sides together, with its 95 % interval.
"""

import asyncio
import sys
import threading
from collections.abc import Iterator
from typing import NamedTuple
from unittest.mock import patch

import numpy as np
from tavla_bots import BOTS
from tavla_bots.analysis import analyse
from tavla_cli.bots import local_match
from tavla_cli.bots.computer import LEVELS
from tavla_client import Bot, Failures
from tavla_engine.actions import Action
from tavla_engine.analysis import PR_FACTOR, Tally
from tavla_engine.decide import decide
from tavla_engine.dice import Roller
from tavla_engine.events import Event
from tavla_engine.match import Match, new_match
from tavla_engine.rules import Rules

from tests.support.results import recorded

MONEY = Rules(length=0, crawford=False)


class Game(NamedTuple):
    """What both sides lost in a game."""

    plays: Tally
    cube: Tally


def games(level: type[Bot], count: int) -> Iterator[Game]:
    """So many games, judged. The dice are the same for each level."""
    for number in range(count):
        events: list[Event] = []

        def kept(match: Match, action: Action, roll: Roller, to: list[Event] = events) -> tuple[list[Event], Match]:
            done, after = decide(match, action, roll)
            to += done
            return done, after

        with patch("tavla_cli.bots.local_match.decide", kept):
            roll = local_match.shared_dice(f"levels:{number}")
            asyncio.run(local_match.play((level(), level()), MONEY, roll, Failures()))
        found = analyse(new_match(MONEY), events, lambda *_: None, threading.Event())
        yield Game(*(both(of(0), of(1)) for of in (found.plays, found.cube)))


def both(first: Tally, second: Tally) -> Tally:
    """Two tallies together."""
    return Tally(first.decisions + second.decisions, first.loss + second.loss)


def rated(tallies: list[Tally]) -> str:
    """PR with its 95 % interval."""
    decisions, loss = np.array(tallies).T
    mean = loss.sum() / decisions.sum()
    error = np.sqrt(np.square(loss - mean * decisions).sum()) / decisions.sum()
    return f"{PR_FACTOR * mean:.1f} ± {PR_FACTOR * 1.96 * error:.1f}"


def main() -> None:
    """The table, line by line."""
    count = int(sys.argv[1])
    print("| level | games | decisions | PR | of plays | of the cube |")
    print("|---|---|---|---|---|---|")
    for name in LEVELS:
        played = list(games(BOTS[name], count))
        everything = [both(*game) for game in played]
        decisions = sum(game.decisions for game in everything)
        columns = rated(everything), rated([one.plays for one in played]), rated([one.cube for one in played])
        print(f"| `{name}` | {count} | {decisions} | {' | '.join(columns)} |", flush=True)


if __name__ == "__main__":
    with recorded("levels"):
        main()
