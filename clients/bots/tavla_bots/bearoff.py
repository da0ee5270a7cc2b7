"""The end of a race, exactly: how many rolls a side needs when all its checkers are home, for each of the 54,264 ways.

One side alone, played for the fewest rolls on average. It is computed at first use, in half a second, from the ends
backwards: positions with fewer pips first. Nothing here knows about the other side.
"""

import threading
from functools import cache
from itertools import combinations_with_replacement, product
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
    ends = np.zeros((7, 5, COUNT + 1), np.int32)  # [die, n]: the best end of n moves, from each position
    ends[:, 0] = np.append(np.arange(COUNT), -1)
    ends[:, 1:, -1] = -1

    def best(here: NDArray[np.int64], *ways: tuple[int, Ints]) -> Ints:
        """The best ends of a move by a die and what follows it."""
        found = np.concatenate([after[steps[die][:, here]] for die, after in ways])
        return np.asarray(found[mean[found].argmin(axis=0), np.arange(len(here))])

    for level in range(1, int(pips.max()) + 1):
        here = np.flatnonzero(pips == level)
        for die, moves in product(range(1, 7), range(1, 5)):
            ends[die, moves, here] = best(here, (die, ends[die, moves - 1]))
        total = np.ones(len(here), np.float32)
        for high, low in _ROLLS:
            double = high == low
            end = ends[high, 4, here] if double else best(here, (high, ends[low, 1]), (low, ends[high, 1]))
            weight = np.float32((2 - double) / 36)
            total += weight * mean[end]
            chances[here, 1:] += weight * chances[end, :-1]
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


def _steps(boards: Counts) -> Ints:
    """[die, point, position]: where one move leads; -1 where it cannot be made. With nothing left it is idle."""
    steps = np.full((7, POINTS, COUNT), -1, np.int32)
    for die in range(1, 7):
        for point in range(1, POINTS + 1):
            after = boards.copy()
            after[:, point] -= 1
            after[:, max(point - die, 0)] += 1
            can = boards[:, point] > 0
            if point < die:
                can &= ~boards[:, point + 1 :].any(axis=1)
            steps[die, point - 1, can] = index_of(after[can])
    steps[:, :, 0] = 0
    return steps
