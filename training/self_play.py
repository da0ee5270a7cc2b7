"""Games of a network against itself, many side by side, and what it can learn from them."""

from typing import NamedTuple

import numpy as np
from tavla_bots.evaluator import OUTPUTS, bearing_off, equities, exact_rows, other_side_rows
from tavla_bots.features import Counts, Floats
from tavla_bots.lookahead import CHANCES, ROLLS
from tavla_bots.network import Network
from tavla_engine.rules import STARTS, Variant

from training.native import after_states, least, outputs

_DICE = np.array(ROLLS, np.uint8)
_AT_ONCE = 4096  # boards: what is computed of them fits in a cache


class Lessons(NamedTuple):
    """Boards, the judgement that each should have had, and how many games came to their end meanwhile."""

    boards: Counts
    targets: Floats
    games: int

    def followed_by(self, other: "Lessons", most: int) -> "Lessons":
        """The latest of both."""
        boards, targets = np.concatenate([self.boards, other.boards]), np.concatenate([self.targets, other.targets])
        return Lessons(boards[-most:], targets[-most:], self.games + other.games)


def evaluate_boards(network: Network, boards: Counts) -> Floats:
    """A row of OUTPUTS probabilities for each board."""
    found = np.empty((len(boards), OUTPUTS), np.float32)
    for start in range(0, len(boards), _AT_ONCE):
        part = boards[start : start + _AT_ONCE]
        found[start : start + _AT_ONCE] = exact_rows(outputs(network, part), part[:, :26], part[:, 26:])
    return found


def start_of(variant: Variant) -> Counts:
    """The board on which a game begins."""
    return np.frombuffer(STARTS[variant] * 2, np.uint8)


START = start_of(Variant.STANDARD)


def is_over(boards: Counts) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
    """True where a game ends for us: it is won, or a bear-off on both sides, which is known exactly."""
    mine, theirs = boards[:, :26], boards[:, 26:]
    return np.asarray(bearing_off(mine, theirs) | ~theirs[:, 1:].any(axis=1))


def new_dice(rng: np.random.Generator, boards: Counts, start: Counts = START) -> Counts:
    """A roll for each board. A game does not begin with a double."""
    dice = rng.integers(1, 7, (len(boards), 2), np.uint8)
    first = (boards == start).all(axis=1)
    second = (dice[:, 0] + rng.integers(0, 5, len(boards), np.uint8)) % 6 + 1
    dice[first, 1] = second[first]
    return dice


class Tables:
    """Games side by side. A new one begins where one ends."""

    def __init__(self, boards: Counts, start: Counts = START) -> None:
        self.boards, self.start = boards, start

    @classmethod
    def new(cls, count: int, variant: Variant = Variant.STANDARD) -> "Tables":
        """Games that are about to begin."""
        start = start_of(variant)
        return cls(np.tile(start, (count, 1)), start)

    def play(self, network: Network, values: Floats, rng: np.random.Generator, turns: int, trace: float) -> Lessons:
        """So many turns of each game, and what they teach by temporal differences.

        values: of each output, in what the players try to win. trace: how much of a target comes from later turns than
        the next.
        """
        before, after, over = [], [], []
        for _ in range(turns):
            before.append(self.boards)
            found, starts = after_states(self.boards, new_dice(rng, self.boards, self.start))
            judgements = evaluate_boards(network, found)
            best = least(equities(judgements, values), starts)
            after.append(judgements[best])
            over.append(self.go_on(found[best]))
        goal, goals = after[-1], list[Floats]()
        for judgement, end in zip(after[::-1], over[::-1], strict=True):
            goal = other_side_rows(np.where(end[:, None], judgement, trace * goal + (1 - trace) * judgement))
            goals.append(goal)
        return Lessons(np.concatenate(before), np.concatenate(goals[::-1]), int(np.sum(over)))

    def weigh(self, network: Network, values: Floats, rng: np.random.Generator, turns: int) -> Lessons:
        """The same, with exact targets: the average over all rolls of what the best play leads to."""
        before, goals, games = [], [], 0
        count, rolls = len(self.boards), len(ROLLS)
        for _ in range(turns):
            before.append(self.boards)
            found, starts = after_states(np.repeat(self.boards, rolls, axis=0), np.tile(_DICE, (count, 1)))
            judgements = evaluate_boards(network, found)
            best = least(equities(judgements, values), starts).reshape(count, rolls)
            mean = np.einsum("brk,r->bk", judgements[best], CHANCES)
            goals.append(other_side_rows(mean))
            dice = np.sort(new_dice(rng, self.boards, self.start), axis=1).astype(np.int64)
            rolled = dice[:, 1] * (dice[:, 1] - 1) // 2 + dice[:, 0] - 1
            games += int(self.go_on(found[best[np.arange(count), rolled]]).sum())
        return Lessons(np.concatenate(before), np.concatenate(goals), games)

    def go_on(self, boards: Counts) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
        """Games go on at these boards, or begin anew; true where one has ended."""
        over = is_over(boards)
        self.boards = np.where(over[:, None], self.start, boards)
        return over
