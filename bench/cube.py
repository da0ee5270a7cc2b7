"""The computer's cube: what its decisions to double cost, by Sage at three plies.

`python -m bench.cube 400` takes so many positions before a roll, from games of `expert` against itself, asks
`world-class` about a double in each of them, in money play and at scores, and writes what it loses. Stopped, it goes
on with the positions that it lacks.
"""

import random
from collections.abc import Sequence
from concurrent.futures import Executor, ProcessPoolExecutor
from functools import cache

from msgspec.structs import replace
from tavla_bots.house import House, WorldClass
from tavla_bots.judging import turn_of
from tavla_bots.sage import SageJudge
from tavla_engine import events as e
from tavla_engine.analysis import double_finding
from tavla_engine.apply import apply
from tavla_engine.match import Match, new_match
from tavla_engine.rules import Rules
from tavla_engine.xgid import xgid

from bench.progress import results_of
from bench.strength import events_of
from tests.support.results import record, table

Away = tuple[int, int] | None  # of the player on roll and of the other; None = money play

EACH = 5  # positions of a game: those nearer to each other are alike
LENGTH = 7
KINDS: tuple[Away, ...] = (
    None,
    *((2, 2), (2, 3), (3, 2), (2, 5), (5, 2), (2, 6), (6, 2), (4, 2), (3, 4), (4, 4), (5, 3), (7, 7)),
)


@cache
def positions(game: int) -> list[Match]:
    """Some positions before a roll, of a game of `expert` against itself without the cube."""
    rules = Rules(length=0, cube=False, crawford=False)
    match, found = new_match(rules), list[Match]()
    for event in events_of((House(), House()), rules, f"cube:{game}"):
        if isinstance(event, e.Rolled):
            found.append(match)
        match = apply(match, event)
    return random.Random(game).sample(found, min(EACH, len(found)))


@cache
def judges() -> tuple[WorldClass, SageJudge]:
    """The computer and its judge, of a process."""
    return WorldClass(), SageJudge()


def decision(away: Away, number: int) -> tuple[str, bool, float, bool]:
    """The computer's decision in a position: its XGID, whether it doubles, equity lost, whether it counts."""
    game, place = divmod(number, EACH)
    some = positions(game)
    seen = some[place % len(some)]
    rules, score = Rules(length=0, crawford=False), (0, 0)
    if away is not None:
        rules, ours, theirs = Rules(length=LENGTH), LENGTH - away[0], LENGTH - away[1]
        score = (theirs, ours) if seen.turn else (ours, theirs)
    match = replace(seen, rules=rules, score=score)
    computer, judge = judges()
    doubled = computer.offer_double(turn_of(match, match.turn))
    found = double_finding(1, 1, match.turn, doubled, *judge.cube(match, match.turn, doubled))
    return xgid(match), doubled, round(found.loss, 4), found.counts


def row(away: Away, count: int, pool: Executor) -> Sequence[object]:
    """A line of the table."""
    found = results_of("cube", [[away and list(away), number] for number in range(count)], decision, pool)
    losses, counted = [loss for _, _, loss, _ in found], sum(counts for *_, counts in found)
    doubles = [loss for _, doubled, loss, _ in found if doubled]
    lost = sum(losses)
    means = f"{lost / len(found):.4f}", counted, f"{lost / max(counted, 1):.4f}"
    doubled = len(doubles), f"{sum(doubles) / max(len(doubles), 1):.4f}"
    name = f"{away[0]} and {away[1]} away" if away else "money"
    return name, len(found), *means, *doubled, sum(loss >= 0.04 for loss in losses), f"{max(losses):.3f}"


def run(count: int) -> list[str]:
    """The figures as lines of Markdown, when all is asked."""
    with ProcessPoolExecutor(1) as pool:
        rows = [row(away, count, pool) for away in KINDS]
    head = (
        "positions | mean loss | that count | mean loss of these | doubles | mean loss of these | .04 and more | most"
    )
    return table(f"the doubler's score | {head}", rows)


if __name__ == "__main__":
    record("cube", run)
