"""Scores: what the results of a player are worth in a tournament. Pure."""

import math
from collections.abc import Iterable
from typing import NamedTuple

from tavla_server.record.rating import START_RATING

POINTS = 2  # of a win in an arena; twice as many after STREAK wins in a row
STREAK = 2
# The tangent of the formula of ratings at even chances, for a match of one point: all wins are worth so much more than
# as many wins as losses.
PERFORMANCE = 4000 / math.log(10)


class Result(NamedTuple):
    """The result of a match as one player sees it.

    opponent: the rating. played: it began; else no opponent was there.
    """

    number: int
    won: bool
    opponent: float
    played: bool = True


class Score(NamedTuple):
    """The score: worth of a player's results. streak: of the last wins. performance: None = nothing was played."""

    points: int = 0
    wins: int = 0
    streak: int = 0
    performance: float | None = None


def score_of(results: Iterable[Result], length: int, is_arena: bool = True) -> Score:
    """Points of results, in order; in an arena a win after STREAK others counts twice. length: of the matches.

    Two draws against START_RATING are added to the performance: else one match alone makes it 3,200, or -200.
    """
    points = wins = streak = 0
    played = []
    for result in results:
        if result.won:
            points += POINTS * (1 + (streak >= STREAK)) if is_arena else 1
            wins, streak = wins + 1, streak + 1
        else:
            streak = 0
        if result.played:
            played.append(result.opponent + (PERFORMANCE / math.sqrt(length)) * (1 if result.won else -1))
    return Score(points, wins, streak, (sum(played) + 2 * START_RATING) / (len(played) + 2) if played else None)
