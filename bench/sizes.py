"""Strength by size: networks that learned from the same seed and as many games, measured in the same way.

`python -m bench.sizes` trains each as `python -m tavla_bots.training` does, in build/bench/sizes; stopped, it goes on.
Strength is in points a game without the cube against the network that ships, each deal played from both sides. Below
are those that shipped, the last one as it is today.
"""

import itertools
import statistics
import time
from concurrent.futures import ProcessPoolExecutor

import numpy as np
from tavla_bots.evaluator import VALUES, probabilities, shipped
from tavla_bots.network import Network
from tavla_bots.training import __main__ as training
from tavla_bots.training.duel import Score, duel
from tavla_bots.training.native import after_states
from tavla_bots.training.self_play import Tables

from bench.earlier import EARLIER, network_after
from bench.kept import kept
from tests.support.results import ROOT, recorded

SIZES = ("40", "80", "160", "256,128")  # hidden units of each layer
GAMES = (20_000, 20_000, 1_000)  # that count as won or lost, for points, with exact targets
DEALS = 2000
FOLDER = ROOT / "build" / "bench" / "sizes"


def train(hidden: str) -> None:
    """Train a network of a size, or go on with it."""
    match_point, money, exact = map(str, GAMES)
    games = ["--match-point", match_point, "--money", money, "--exact", exact]
    training.main([str(FOLDER / hidden), "--hidden", hidden, *games, "--minutes", "10", "--deals", "500"])


def network_of(name: str | int) -> Network:
    """The network of a size that has learned, or one that shipped, by its games."""
    if isinstance(name, int):
        return network_after(name)
    return Network.decode((FOLDER / name / "network.bin").read_bytes())


def measured(name: str | int, deals: int) -> Score:
    """Points a game against the network that ships."""
    return duel(network_of(name), shipped(), deals, seed=2)


def milliseconds(network: Network, decisions: int = 500) -> float:
    """CPU of the judgements for a play in the middle of a game, as a median: a busy machine changes it least."""
    rng, tables = np.random.default_rng(1), Tables.new(decisions)
    tables.play(shipped(), VALUES, rng, 20, 0.0)
    found, starts = after_states(tables.boards, rng.integers(1, 7, (decisions, 2), np.uint8))
    spent = []
    for start, end in itertools.pairwise(starts):
        began = time.process_time()
        probabilities(network, found[start:end, :26], found[start:end, 26:])
        spent.append(time.process_time() - began)
    return 1000 * statistics.median(spent)


def row(name: str | int, points: float, plus_minus: float) -> str:
    """A line of the table."""
    network = network_of(name)
    hidden, games = ",".join(map(str, network.sizes[1:-1])), name if isinstance(name, int) else sum(GAMES)
    facts = f"{len(network.encode()) / 1000:.0f} KB | {milliseconds(network):.2f} ms"
    return f"| {hidden} | {facts} | {games:,} | {points:+.3f} ± {plus_minus:.3f} |"


def main() -> None:
    """Train, play, and write the table."""
    names: list[str | int] = [*SIZES, *(games for games, commit in EARLIER.items() if commit)]
    with ProcessPoolExecutor(2) as pool:
        list(pool.map(train, SIZES))
        scores = kept("sizes", [[name, DEALS] for name in names], measured, pool)
    with recorded("sizes"):
        print(f"| hidden units | file | a play | games learned from | points a game in {2 * DEALS:,} |")
        print("|---|---|---|---|---|")
        for name, score in zip(names, scores, strict=True):
            print(row(name, *score))
        print(row(max(EARLIER), 0, 0))


if __name__ == "__main__":
    main()
