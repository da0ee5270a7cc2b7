"""Positions looked at some rolls ahead: every roll, each played by the network's own choice."""

import itertools
from collections.abc import Iterable, Sequence
from functools import partial

import numpy as np
from tavla_engine.plays import legal_plays
from tavla_engine.position import Position

from tavla_bots.cube import Stakes, Value, ahead, holding, weights
from tavla_bots.evaluator import OUTPUTS, Outlook, equities, evaluate_rows, other_side_rows
from tavla_bots.features import Floats

ROLLS = [(high, low) for high in range(1, 7) for low in range(1, high + 1)]
CLOSE_CUBE = 0.25  # equity between two ways of the cube, up to which two rolls are looked ahead
CHANCES = np.array([(2 - (high == low)) / 36 for high, low in ROLLS], np.float32)


def replies(positions: Sequence[Position], value: Sequence[float], hit_and_run: bool) -> tuple[list[Position], Floats]:
    """Positions after the best play of each of ROLLS, from each position; and the opponent's outlook there: a row each.

    value: of each output to the opponent, who is to have as little as possible.
    """
    plays = [legal_plays(position, roll, hit_and_run) for position in positions for roll in ROLLS]
    reached = [Position(*after).other_side() for some in plays for after in some]
    found = evaluate_rows(reached)
    hopes = equities(found, value)
    starts = [0, *itertools.accumulate(map(len, plays))]
    best = [start + int(hopes[start:end].argmin()) for start, end in itertools.pairwise(starts)]
    return [reached[place] for place in best], found[best]


def after_rolls(positions: Sequence[Position], value: Sequence[float], hit_and_run: bool) -> Floats:
    """[position, roll, output]: the opponent's outlook after the best play of each of ROLLS. value: as of `replies`."""
    return replies(positions, value, hit_and_run)[1].reshape(len(positions), len(ROLLS), OUTPUTS)


def evaluate_ahead(positions: Sequence[Position], value: Sequence[float], hit_and_run: bool) -> Floats:
    """Evaluate positions by the average over all rolls. value: of each output to the opponent of the player on roll."""
    return other_side_rows(np.einsum("pro,r->po", after_rolls(positions, value, hit_and_run), CHANCES))


def roll_ahead(position: Position, stakes: Stakes, hit_and_run: bool) -> Value:
    """The worth of a position to the player on roll, one roll ahead, for all stakes that are like these: 5 ms."""
    _, found = replies([position], weights(stakes.other_side()), hit_and_run)
    return partial(ahead, _weighed(map(_held, found)))


def rolls_ahead(position: Position, stakes: Stakes, hit_and_run: bool) -> Value:
    """The same two rolls ahead: 150 ms."""
    reached, found = replies([position], weights(stakes.other_side()), hit_and_run)
    _, later = replies(reached, weights(stakes), hit_and_run)
    rolls = [
        partial(ahead, _weighed(map(_held, further))) if any(there.theirs[1:]) else _held(here)
        for there, here, further in zip(reached, found, np.split(later, len(ROLLS)), strict=True)
    ]
    return partial(ahead, _weighed(rolls))


def cube_ahead(position: Position, stakes: Stakes, hit_and_run: bool) -> Value:
    """The worth of a position before a decision with the cube: two rolls ahead where one leaves it close."""
    value = roll_ahead(position, stakes, hit_and_run)
    waiting, taken = (stakes.equity(value(way)) for way in (stakes, stakes.after_double()))
    is_close = min(abs(waiting - min(taken, 1)), abs(taken - 1)) < CLOSE_CUBE
    return rolls_ahead(position, stakes, hit_and_run) if is_close else value


def _held(outlook: Floats) -> Value:
    return partial(holding, Outlook(*map(float, outlook)))


def _weighed(values: Iterable[Value]) -> list[tuple[float, Value]]:
    return list(zip(map(float, CHANCES), values, strict=True))
