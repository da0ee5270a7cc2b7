"""Training of the house bot's network by Sage: `python -m training.sage build/sage`, with bgsage and a C compiler.

The network begins as the one that ships. It learns what Sage sees without looking ahead, on millions of positions, then
what Sage sees one roll ahead, on fewer. The positions come from its own games, with slips, so that what people get into
is among them. Of long gammon, which Sage does not know, it keeps its own judgement. The folder has `network.bin`.
"""

import argparse
import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import bgbot_cpp
import numpy as np
from bgsage.weights import bearoff_db_path, default_weights
from tavla_bots.evaluator import OUTPUTS, VALUES, equities, shipped_network
from tavla_bots.features import Counts, Floats
from tavla_bots.network import Network
from tavla_bots.sage import board_of
from tavla_engine.position import Position
from tavla_engine.rules import Variant

from training.learner import Learner
from training.native import after_states, board_features, least
from training.self_play import Tables, evaluate_boards, is_over, new_dice
from training.trainer import BATCH

TABLES = 512  # games side by side
SLIP, WILD = 0.04, 0.12  # points by which a play of a slip is chosen, and how many plays are slips
AT_ONCE = 4096  # positions that Sage is asked about


class Source(NamedTuple):
    """A source of lessons: positions of a game, with the judgement by so many plies of Sage, 0 = by the house."""

    variant: Variant
    positions: int
    plies: int


class Stage(NamedTuple):
    """A stage of the training. rates: of learning, at the beginning and at the end."""

    sources: tuple[Source, ...]
    epochs: int
    rates: tuple[float, float]


STAGES = (
    Stage((Source(Variant.STANDARD, 2_400_000, 1),), 28, (6e-4, 1e-5)),
    Stage(
        (
            Source(Variant.STANDARD, 830_000, 2),
            Source(Variant.NACKGAMMON, 180_000, 1),
            Source(Variant.LONGGAMMON, 400_000, 0),
        ),
        19,
        (3e-4, 1e-5),
    ),
)


class Sage:
    """Sage as a judge of many positions. plies: as it counts them, the network alone being one."""

    def __init__(self, plies: int) -> None:
        weights = default_weights()
        self._strategy = bgbot_cpp.create_multipy(
            weights.strategy_type, weights.weight_paths_list, weights.hidden_sizes_list, n_plies=plies
        )
        self._bearoff = bgbot_cpp.BearoffDB()
        self._bearoff.load(bearoff_db_path())
        bgbot_cpp.multipy_set_bearoff_db(self._strategy, self._bearoff)

    def judgements(self, boards: Counts) -> Floats:
        """A row of OUTPUTS probabilities for each board."""
        positions = (Position(bytes(one[:26]), bytes(one[26:])) for one in boards)
        asked = [(board_of(one), 1, bgbot_cpp.CubeOwner.CENTERED) for one in positions]
        found = bgbot_cpp.batch_evaluate_positions(asked, self._strategy, 1, False, False)
        self._strategy.clear_cache()
        return np.array([list(one["probs"])[:OUTPUTS] for one in found], np.float32)


def positions(network: Network, source: Source, rng: np.random.Generator) -> Counts:
    """Different positions, of games of a network with slips; none in which the bear-off says all."""
    tables, found, count = Tables.new(TABLES, source.variant), list[Counts](), 0
    while count < source.positions:
        boards, starts = after_states(tables.boards, new_dice(rng, tables.boards, tables.start))
        hopes = equities(evaluate_boards(network, boards), VALUES)
        best, slip = least(hopes, starts), least(hopes - rng.gumbel(0, SLIP, len(hopes)).astype(np.float32), starts)
        for some in (boards[best], boards[slip]):
            found.append(some[~is_over(some) & some[:, 1:26].any(axis=1)])
            count += len(found[-1])
        tables.go_on(boards[np.where(rng.random(TABLES) < WILD, slip, best)])
    return np.unique(np.concatenate(found), axis=0)


def lessons(network: Network, source: Source, rng: np.random.Generator) -> tuple[Counts, Floats]:
    """Boards, and the judgement that each should have."""
    boards = positions(network, source, rng)
    if not source.plies:
        return boards, evaluate_boards(network, boards)
    sage = Sage(source.plies)
    parts = [sage.judgements(boards[start : start + AT_ONCE]) for start in range(0, len(boards), AT_ONCE)]
    return boards, np.concatenate(parts)


def train(network: Network, stage: Stage, rng: np.random.Generator) -> Iterator[tuple[Network, float]]:
    """The network after each epoch, with the root of its mean square error in the epoch."""
    taught = [lessons(shipped_network(), source, rng) for source in stage.sources]
    boards, targets = (np.concatenate(part) for part in zip(*taught, strict=True))
    learner, first, last = Learner(network), *stage.rates
    for epoch in range(stage.epochs):
        order, errors = rng.permutation(len(boards)), list[float]()
        for start in range(0, len(boards), BATCH):
            part = (epoch + start / len(boards)) / stage.epochs
            batch = order[start : start + BATCH]
            rate = first * (last / first) ** part
            errors.append(learner.learn(board_features(boards[batch]), targets[batch], rate))
        yield learner.average, float(np.sqrt(np.mean(errors)))


def main(arguments: Sequence[str] | None = None) -> None:
    """Train. arguments: those of the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--part", type=float, default=1.0, help="of the positions and of the epochs")
    options = parser.parse_args(arguments)
    options.folder.mkdir(parents=True, exist_ok=True)
    network, rng = shipped_network(), np.random.default_rng(options.seed)
    network = Network.decode(network.encode())  # its own weights, to be changed
    for number, stage in enumerate(STAGES):
        fewer = tuple(one._replace(positions=int(one.positions * options.part)) for one in stage.sources)
        here = Stage(fewer, max(1, int(stage.epochs * options.part)), stage.rates)
        for average, error in train(network, here, rng):
            (options.folder / "network.bin").write_bytes(average.encode())
            print(json.dumps({"stage": number, "error": error}), flush=True)
            network = average


if __name__ == "__main__":
    main()
