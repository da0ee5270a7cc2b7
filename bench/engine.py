"""Speed of the rules: `python -m bench.engine`.

All legal plays of 3,000 positions, and a verdict on each of those plays, on one core.
"""

import gzip
import json
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from tavla_engine.dice import Dice
from tavla_engine.plays import check_play, legal_plays
from tavla_engine.position import Position

from tests.support.results import recorded

DATA = Path(__file__).parent.parent / "tests" / "data" / "legal_plays.jsonl.gz"
ROUNDS = 5  # each call counts with its fastest round, so that a busy machine does not blur the figures

Roll = tuple[Position, Dice]


def run() -> list[tuple[str, str]]:
    """Rows of (what, figures)."""
    with gzip.open(DATA, "rt") as lines:
        cases = [json.loads(line) for line in lines]
    rolls: list[Roll] = [
        (Position(bytes(case["mine"]), bytes(case["theirs"])), (case["dice"][0], case["dice"][1])) for case in cases
    ]
    plays = [(position, dice, play) for position, dice in rolls for play in legal_plays(position, dice).values()]
    two_dice = [(position, dice, play) for position, dice, play in plays if len(play) == 2 and dice[0] != dice[1]]
    return [
        ("legal_plays", figures(lambda roll: len(legal_plays(*roll)), rolls)),
        ("check_play", figures(lambda turn: len(check_play(*turn)) // 2, plays)),
        ("check_play, two dice", figures(lambda turn: len(check_play(*turn)) // 2, two_dice)),
    ]


def figures(call: Callable[[Any], int], inputs: Sequence[Any]) -> str:
    """Rates and times of a call that returns its number of results."""
    fastest = [float("inf")] * len(inputs)
    for _ in range(ROUNDS):
        results = 0
        for i, value in enumerate(inputs):
            start = time.perf_counter()
            results += call(value)
            fastest[i] = min(fastest[i], time.perf_counter() - start)
    total = sum(fastest)
    fastest.sort()
    median, p99, worst = (1e6 * fastest[int(len(inputs) * part)] for part in (0.5, 0.99, 1 - 1 / len(inputs)))
    return (
        f"{len(inputs) / total:9,.0f} calls/s {results / total:11,.0f} results/s"
        f"   median {median:5.1f} us   p99 {p99:5.0f} us   worst {worst:5.0f} us"
    )


def main() -> None:
    for what, measured in run():
        print(f"    {what:24} {measured}")


if __name__ == "__main__":
    with recorded("engine"):
        main()
