"""The end of a race, exactly: how many rolls a side needs when all its checkers are home, for each of the 54,264 ways.

One side alone, played for the fewest rolls on average. It is computed at first use, in a few seconds, from the ends
backwards: positions with fewer pips first. Nothing here knows about the other side.
"""

import threading
from functools import cache
from itertools import combinations_with_replacement
from math import comb

import numpy as np
from numpy.typing import NDArray

from tavla_bots.features import Counts, Floats

CHECKERS, POINTS = 15, 6
MOST_ROLLS = 32  # more are never needed: the slowest way takes 15
_ROLLS = [(high, low) for high in range(1, 7) for low in range(1, high + 1)]

Ints = NDArray[np.int32]


def index_of(rows: Counts) -> NDArray[np.int64]:
    """The numbers of positions; columns 1 to 6 are the points. All other checkers are off."""
    counts = rows[:, 1 : POINTS + 1].astype(np.int64)
    index = np.zeros(len(rows), np.int64)
    held = np.zeros(len(rows), np.int64)
    for point in range(POINTS):
        held += counts[:, point]
        index += _CHOICES[held + point, point + 1]
    return index


_CHOICES = np.array([[comb(n, k) for k in range(POINTS + 1)] for n in range(CHECKERS + POINTS)])
COUNT = comb(CHECKERS + POINTS, POINTS)


_lock = threading.Lock()


def chances_of_rolls() -> Floats:
    """[position, n]: the chance that all are off after exactly n rolls. Threads that ask at once share an answer."""
    with _lock:
        return _computed()


@cache
def _computed() -> Floats:
    boards = _boards()
    steps = _steps(boards)
    pips = boards[:, 1:] @ np.arange(1, POINTS + 1)
    mean = np.full(COUNT + 1, np.inf, np.float32)  # the last place is for -1, which is no position
    mean[0] = 0
    chances = np.zeros((COUNT, MOST_ROLLS), np.float32)
    chances[0, 0] = 1
    for level in range(1, int(pips.max()) + 1):
        here = np.flatnonzero(pips == level)
        total = np.ones(len(here), np.float32)
        for high, low in _ROLLS:
            weight = np.float32((2 - (high == low)) / 36)
            ends = _ends(here, steps, high, low)
            values = mean[ends]
            best = ends[values.argmin(axis=0), np.arange(len(here))]
            total += weight * mean[best]
            chances[here, 1:] += weight * chances[best, :-1]
        mean[here] = total
    return chances


def race(mine: Counts, theirs: Counts) -> Floats:
    """The chance of the side on roll to win a race in which all checkers are home."""
    chances = chances_of_rolls()
    ours, others = chances[index_of(mine)], chances[index_of(theirs)]
    not_yet = 1 - np.cumsum(others, axis=1) + others  # the other side needs n rolls or more
    return np.asarray(np.clip((ours * not_yet).sum(axis=1), 0, 1), np.float32)


def off_in_one(rows: Counts) -> Floats:
    """The chance to bear off everything with the next roll."""
    return np.asarray(chances_of_rolls()[index_of(rows), 1])


def _boards() -> Counts:
    """Every position, by its number: column 0 is off, 1 to 6 are the points."""
    found = np.zeros((COUNT, POINTS + 1), np.uint8)
    every = np.array(list(combinations_with_replacement(range(POINTS + 1), CHECKERS)), np.uint8)
    for point in range(POINTS + 1):
        found[:, point] = (every == point).sum(axis=1)
    ordered = np.empty_like(found)
    ordered[index_of(found)] = found
    return ordered


def _steps(boards: Counts) -> dict[tuple[int, int], Ints]:
    """(die, point) -> where one checker's move leads from each position; -1 where it cannot be made."""
    steps = {}
    for die in range(1, 7):
        for point in range(1, POINTS + 1):
            after = boards.copy()
            after[:, point] -= 1
            after[:, max(point - die, 0)] += 1
            can = boards[:, point] > 0
            if point < die:
                can &= ~boards[:, point + 1 :].any(axis=1)
            target = np.full(COUNT, -1, np.int32)
            target[can] = index_of(after[can])
            steps[die, point] = target
    return steps


def _ends(here: NDArray[np.int64], steps: dict[tuple[int, int], Ints], high: int, low: int) -> Ints:
    """Positions that a roll may lead to from `here`: one row for each way; -1 where it cannot be played so.

    A double is played from the highest point down: that is never less. With nothing left the rest of a roll is idle.
    """
    orders = [(high,) * 4] if high == low else [(high, low), (low, high)]
    ends: list[Ints] = []
    for order in orders:
        ways = [(here.astype(np.int32), POINTS)]
        for die in order:
            ways = [
                (after, point if high == low else POINTS)
                for way, highest in ways
                for point in range(1, highest + 1)
                if (after := np.where(way > 0, steps[die, point][way], way)).max() >= 0
            ]
        ends += [way for way, _ in ways]
    return np.stack(ends)
