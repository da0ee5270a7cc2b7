"""Positions looked at one roll ahead: every roll, each played by the network's own choice."""

import itertools
from collections.abc import Sequence

import numpy as np
from tavla_engine.plays import legal_plays
from tavla_engine.position import Position

from tavla_bots.cube import Stakes, weights
from tavla_bots.evaluator import OUTPUTS, Outlook, equities, evaluate_rows, other_side_rows
from tavla_bots.features import Floats

ROLLS = [(high, low) for high in range(1, 7) for low in range(1, high + 1)]
CHANCES = np.array([(2 - (high == low)) / 36 for high, low in ROLLS], np.float32)


def after_rolls(positions: Sequence[Position], value: Sequence[float], hit_and_run: bool) -> Floats:
    """[position, roll, output]: the opponent's outlook after the best play of each of ROLLS.

    value: of each output to the opponent, who is to have as little as possible.
    """
    plays = [legal_plays(position, roll, hit_and_run) for position in positions for roll in ROLLS]
    found = evaluate_rows([Position(*after).other_side() for some in plays for after in some])
    hopes = equities(found, value)
    starts = [0, *itertools.accumulate(map(len, plays))]
    best = [start + int(hopes[start:end].argmin()) for start, end in itertools.pairwise(starts)]
    return found[best].reshape(len(positions), len(ROLLS), OUTPUTS)


def evaluate_ahead(positions: Sequence[Position], value: Sequence[float], hit_and_run: bool) -> Floats:
    """Evaluate positions by the average over all rolls. value: of each output to the opponent of the player on roll."""
    return other_side_rows(np.einsum("pro,r->po", after_rolls(positions, value, hit_and_run), CHANCES))


def rolls_ahead(position: Position, stakes: Stakes, hit_and_run: bool) -> list[tuple[float, Outlook]]:
    """The rolls of the player on roll, whose stakes these are, for `cube.ahead`: 5 ms."""
    (found,) = after_rolls([position], weights(stakes.other_side()), hit_and_run)
    outlooks = (Outlook(*map(float, outlook)) for outlook in found)
    return list(zip(map(float, CHANCES), outlooks, strict=True))
