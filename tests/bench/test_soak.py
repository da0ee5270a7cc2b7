"""Verdict of `python -m bench.soak` on memory that grows, and on memory that does not."""

import random

import pytest

from bench.soak import SAMPLE_S, Sample, verdict

MIB = 2**20


@pytest.mark.parametrize(
    ("minutes", "an_hour", "said"),
    [
        (30, 0, ["server: flat", "store: flat"]),
        (30, 3, ["server: flat", "store: flat"]),
        (30, 60, ["server: NOT FLAT", "store: flat"]),
        (30, -60, ["server: flat", "store: flat"]),
        (2, 0, ["no verdict"]),
    ],
)
def test_memory_that_grows_is_not_flat(minutes: int, an_hour: int, said: list[str], rng: random.Random) -> None:
    samples = []
    for number in range(int(60 * minutes / SAMPLE_S)):
        at_s = number * SAMPLE_S
        begun = min(1.0, at_s / 300)  # what a server takes at first does not count
        server = 60 * MIB + int(40 * MIB * begun + an_hour * MIB * at_s / 3600) + rng.randrange(MIB)
        samples.append(Sample(at_s, server, 10 * MIB + rng.randrange(MIB // 4)))
    assert [line.partition(":")[0] + ":" + line.partition(":")[2].partition(":")[0] for line in verdict(samples)] == [
        line if ":" in line else f"{line}: what counts begins after 120 s, and a minute of that is the least"
        for line in said
    ]
