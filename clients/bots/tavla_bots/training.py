"""Training of the house bot's weights: it plays against itself and learns from the results.

    python -m tavla_bots.training --minutes 30 --out weights.npz

Temporal differences (Tesauro, "Temporal difference learning and TD-Gammon", 1995): each position is to be judged as the
mixture of the judgements of those after it, and at last of the result. Many games are played side by side, so that the
network judges all their plays at once. No opponent, no book and no other program's judgement goes into it.
"""

import argparse
import random
import time
from pathlib import Path

import numpy as np
from tavla_engine.plays import legal_plays
from tavla_engine.position import Position
from tavla_engine.rules import STARTS, Variant

from tavla_bots.evaluator import OUTPUTS, VALUES, Network, bearing_off, probabilities
from tavla_bots.features import WIDTH, Floats, features, rows

HIDDEN = 80
GAMES = 256  # side by side
BATCH = 128
TRACE = 0.7  # how much of a judgement comes from later than the next one, at the beginning of training
RATES = (1e-3, 5e-5)  # of learning, at the beginning and at the end
_FLIP = [0, 3, 4, 1, 2]  # outputs as the other side sees them; a win is then 1 - win
_DECAY, _DECAY_SQUARES, _TINY = 0.9, 0.999, 1e-8  # Adam's usual constants (Kingma and Ba, 2015)


class Learner:
    """A network and what Adam keeps about it."""

    def __init__(self, network: Network) -> None:
        self.network = network
        self._means = [np.zeros_like(part) for part in network]
        self._squares = [np.zeros_like(part) for part in network]
        self._steps = 0

    def learn(self, inputs: Floats, targets: Floats, rate: float) -> None:
        """Take a step towards these judgements, by the cross entropy of each output."""
        network = self.network
        inner = network.inner(inputs)
        error = (network(inputs) - targets) / np.float32(len(inputs))
        back = (error @ network.output.T) * (inner > 0)
        slopes = (inputs.T @ back, back.sum(axis=0), inner.T @ error, error.sum(axis=0))
        self._steps += 1
        rate *= float(np.sqrt(1 - _DECAY_SQUARES**self._steps) / (1 - _DECAY**self._steps))
        for part, slope, mean, square in zip(network, slopes, self._means, self._squares, strict=True):
            mean += (1 - _DECAY) * (slope - mean)
            square += (1 - _DECAY_SQUARES) * (slope * slope - square)
            part -= np.float32(rate) * mean / (np.sqrt(square) + _TINY)


def new_network(rng: np.random.Generator) -> Network:
    """A network that knows nothing."""

    def layer(before: int, after: int) -> Floats:
        return rng.normal(0, np.sqrt(2 / before), (before, after)).astype(np.float32)

    zeros = np.zeros(HIDDEN, np.float32), np.zeros(OUTPUTS, np.float32)
    return Network(layer(WIDTH, HIDDEN), zeros[0], layer(HIDDEN, OUTPUTS) / np.float32(4), zeros[1])


def play_games(network: Network, rng: random.Random, count: int = GAMES) -> list[list[Position]]:
    """Games of the network against itself, side by side: every position that a player had on roll, in order.

    A game ends with its last position exactly known: a bear-off on both sides, or one that is won.
    """
    games = [[Position(STARTS[Variant.STANDARD], STARTS[Variant.STANDARD])] for _ in range(count)]
    running = games
    while running:
        offers = [_choices(game[-1], rng, first=len(game) == 1) for game in running]
        every = [position for choices in offers for position in choices]
        values = probabilities(network, *rows(every)) @ VALUES
        start = 0
        for game, choices in zip(running, offers, strict=True):
            end = start + len(choices)
            game.append(every[start + int(values[start:end].argmin())])
            start = end
        known = _known([game[-1] for game in running])
        running = [game for game, ended in zip(running, known, strict=True) if not ended]
    return games


def _choices(position: Position, rng: random.Random, first: bool) -> list[Position]:
    """Positions that a roll may lead to, as the opponent will see them. A game does not begin with a double."""
    dice = rng.randint(1, 6), rng.randint(1, 6)
    while first and dice[0] == dice[1]:
        dice = rng.randint(1, 6), rng.randint(1, 6)
    return [after.swapped() for after in legal_plays(position, dice)]


def _known(positions: list[Position]) -> list[bool]:
    mine, theirs = rows(positions)
    return list(bearing_off(mine, theirs) | (theirs[:, 0] == theirs.sum(axis=1)))


def targets(judgements: Floats, trace: float) -> Floats:
    """Targets for each position of a game; the last judgement is the truth."""
    wanted = judgements.copy()
    for step in range(len(wanted) - 2, -1, -1):
        wanted[step] = _flipped(trace * wanted[step + 1] + (1 - trace) * judgements[step + 1])
    return wanted


def _flipped(judgement: Floats) -> Floats:
    other = judgement[_FLIP]
    other[0] = 1 - judgement[0]
    return np.asarray(other)


def train(learner: Learner, rng: random.Random, rate: float, trace: float) -> int:
    """Play GAMES games and learn from them; how many positions that were."""
    games = play_games(learner.network, rng)
    inputs, wanted = [], []
    for game in games:
        mine, theirs = rows(game)
        inputs.append(features(mine, theirs)[:-1])
        wanted.append(targets(probabilities(learner.network, mine, theirs), trace)[:-1])
    every, goals = np.concatenate(inputs), np.concatenate(wanted)
    order = np.random.default_rng(rng.getrandbits(32)).permutation(len(every))
    for start in range(0, len(order), BATCH):
        batch = order[start : start + BATCH]
        learner.learn(every[batch], goals[batch], rate)
    return len(order)


def main() -> None:
    """Train for a while, writing the weights after every minute."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--minutes", type=float, default=30)
    parser.add_argument("--out", type=Path, default=Path("weights.npz"))
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    rng = random.Random(options.seed)
    learner = Learner(new_network(np.random.default_rng(options.seed)))
    begun = written = time.monotonic()
    games = 0
    while (part := (time.monotonic() - begun) / 60 / options.minutes) < 1:
        rate = RATES[0] * (RATES[1] / RATES[0]) ** part
        train(learner, rng, rate, TRACE * (1 - part))
        games += GAMES
        if time.monotonic() - written > 60:
            written = time.monotonic()
            save(learner.network, options.out)
            print(f"{games} games, {part:.0%}", flush=True)
    save(learner.network, options.out)


def save(network: Network, file: Path) -> None:
    """Write the weights: half precision is enough, and halves the file."""
    np.savez_compressed(file, **{name: part.astype(np.float16) for name, part in network._asdict().items()})


if __name__ == "__main__":
    main()
