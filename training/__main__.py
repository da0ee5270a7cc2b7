"""Training of the house bot's network: it plays against itself and learns from the results.

    python -m training build/training --hidden 256,128

Temporal differences (Tesauro, "Temporal difference learning and TD-Gammon", 1995): each position is to be judged as the
mixture of the judgements of those after it, and at last of the result. First the players try to win games, gammons or
not, as at double match point; then points; at last each target is the average over all rolls. No opponent, no book and
no other program's judgement goes into it. It needs a C compiler, `cc`.

The folder keeps `checkpoint.npz`, with which the same command goes on after an interruption; `network.bin`, the network
as it is now; and `log.jsonl`, with its strength in points a game against the network that ships with Tavla.
"""

import argparse
import json
import time
from collections.abc import Sequence
from pathlib import Path

from tavla_bots.evaluator import shipped_network
from tavla_bots.network import Network
from tavla_engine.rules import Variant

from training.duel import duel
from training.trainer import Stage, Trainer, stages


def main(arguments: Sequence[str] | None = None) -> None:
    """Train, or go on with it. arguments: those of the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--variant", type=Variant, choices=Variant, default=Variant.STANDARD, help="the game")
    parser.add_argument("--hidden", default="256,128", help="sizes of the hidden layers")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--tables", type=int, default=1024, help="games side by side")
    parser.add_argument("--match-point", type=int, default=600_000, help="games in which only the win counts")
    parser.add_argument("--money", type=int, default=600_000, help="games for points")
    parser.add_argument("--exact", type=int, default=30_000, help="games with targets from all rolls")
    parser.add_argument("--minutes", type=float, default=5.0, help="between two checkpoints")
    parser.add_argument("--deals", type=int, default=1000, help="of a measurement, each played from both sides")
    parser.add_argument("--against", type=Path, help="the network to measure it with [default: the one that ships]")
    options = parser.parse_args(arguments)
    folder: Path = options.folder
    folder.mkdir(parents=True, exist_ok=True)
    checkpoint = folder / "checkpoint.npz"
    yardstick = Network.decode(options.against.read_bytes()) if options.against else shipped_network()
    trainer = Trainer([int(size) for size in options.hidden.split(",")], options.seed, options.tables, options.variant)
    if checkpoint.exists():
        trainer.restore(checkpoint)
    written = time.monotonic()
    for stage in stages(options.match_point, options.money, options.exact):
        while trainer.is_left(stage):
            error = trainer.step(stage)
            if time.monotonic() - written >= 60 * options.minutes or not trainer.is_left(stage):
                trainer.save(checkpoint)
                (folder / "network.bin").write_bytes(trainer.learner.average.encode())
                log(trainer, stage, error, yardstick, options, folder / "log.jsonl")
                written = time.monotonic()


def log(
    trainer: Trainer, stage: Stage, error: float, yardstick: Network, options: argparse.Namespace, file: Path
) -> None:
    """Measure its strength, and write it down."""
    score = duel(trainer.learner.average, yardstick, options.deals, seed=1, variant=options.variant)
    facts = {"stage": stage.name, "games": sum(trainer.games.values()), "minutes": trainer.minutes, "error": error}
    line = json.dumps({**facts, **score._asdict()})
    with file.open("a") as lines:
        lines.write(line + "\n")
    print(line, flush=True)


if __name__ == "__main__":
    main()
