"""The yardstick: games of one network against another with the same dice for both sides, without a cube."""

from typing import NamedTuple

import numpy as np
from tavla_bots.evaluator import VALUES, equities
from tavla_bots.features import Floats
from tavla_bots.network import Network
from tavla_engine.rules import Variant

from training.native import after_states, least
from training.self_play import evaluate_boards, is_over, new_dice, start_of


class Score(NamedTuple):
    """Points a game of the first network, and half of the 95 % interval."""

    points: float
    plus_minus: float


def duel(first: Network, second: Network, deals: int, seed: int, variant: Variant = Variant.STANDARD) -> Score:
    """Money games: each deal is played twice, and both sides begin once. A bear-off counts as what it is worth."""
    rng = np.random.default_rng(seed)
    start = start_of(variant)
    boards = np.tile(start, (2 * deals, 1))
    points = np.zeros(2 * deals, np.float32)
    running = np.arange(2 * deals)
    turn = 0
    while len(running):
        dice = np.tile(
            new_dice(rng, boards[:deals], start) if turn == 0 else rng.integers(1, 7, (deals, 2), np.uint8), (2, 1)
        )
        ours = (running < deals) == (turn % 2 == 0)  # to play: the first network
        for network, places in ((first, running[ours]), (second, running[~ours])):
            found, starts = after_states(boards[places], dice[places])
            boards[places] = found[least(equities(evaluate_boards(network, found), VALUES), starts)]
        over = is_over(boards[running])
        ends = running[over]
        worth = _worth(first, boards[ends])  # of those who would be on roll now
        points[ends] = np.where(ours[over], -worth, worth)
        running = running[~over]
        turn += 1
    pairs = (points[:deals] + points[deals:]) / 2
    return Score(float(pairs.mean()), float(1.96 * pairs.std(ddof=1) / np.sqrt(deals)))


def _worth(network: Network, boards: np.ndarray[tuple[int, int], np.dtype[np.uint8]]) -> Floats:
    return equities(evaluate_boards(network, boards), VALUES) - 1
