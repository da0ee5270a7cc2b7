"""Cost of an action, counted in instructions: no clock is read, and a busy machine changes nothing."""

import os
import shutil
import tomllib
from pathlib import Path

import pytest

from bench import hotpath

CEILINGS = tomllib.loads((Path(__file__).parents[2] / "bench" / "ceilings.toml").read_text(encoding="utf-8"))
ROOM = 1.05  # for what differs between two builds of Python and of the libraries


@pytest.mark.slow
def test_an_action_costs_no_more_than_what_is_written() -> None:
    if shutil.which("valgrind") is None:
        missing = "valgrind is not installed: apt-get install valgrind"
        if os.environ.get("CI") == "true":
            pytest.fail(missing)
        pytest.skip(missing)
    ceiling = CEILINGS["instructions"].get(hotpath.runtime())
    if ceiling is None:
        pytest.skip(f"bench/ceilings.toml has no figure for {hotpath.runtime()}")
    assert hotpath.measure() <= ROOM * ceiling


async def test_the_run_that_is_counted_plays_on() -> None:
    record = hotpath.new_record()
    assert await hotpath.drive(record, hotpath.played(record)[:50]) == 51


@pytest.mark.parametrize("stage", hotpath.STAGES)
async def test_the_run_without_a_stage_plays_on(stage: str) -> None:
    record = hotpath.new_record()
    frames = hotpath.played(record)[:50]
    assert await hotpath.drive_without(stage, record, frames, 20) == (1 if stage == "all" else 21)
