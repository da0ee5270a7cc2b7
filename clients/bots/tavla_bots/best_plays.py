"""Best plays of a match: hard ones that were right."""

from collections.abc import Sequence
from typing import NamedTuple

from tavla_engine.analysis import Analysis
from tavla_engine.events import Event
from tavla_engine.match import Match

from tavla_bots.error_sums import with_numbers

MOST = 3  # plays of each player


class BestPlay(NamedTuple):
    """A hard play that was right. done: as it is written; margin: equity ahead of the next best; number: as of
    an `ErrorSum`.
    """

    done: str
    margin: float
    number: int


def best_plays(found: Analysis, start: Match, events: Sequence[Event]) -> tuple[list[BestPlay], list[BestPlay]]:
    """The best plays by seat, those furthest ahead first; none where the judge does not tell what was hard."""
    best: tuple[list[BestPlay], list[BestPlay]] = ([], [])
    for number, _, one in with_numbers(found, start, events):
        margin = round(one.margin or 0, 3)
        if one.hard and one.counts and not one.loss and margin:
            best[one.seat].append(BestPlay(one.done, margin, number))
    white, black = (sorted(plays, key=lambda one: -one.margin)[:MOST] for plays in best)
    return white, black
