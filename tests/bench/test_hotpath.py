"""Cost of an action, counted in instructions: no clock is read, and a busy machine changes nothing."""

import os
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from bench import hotpath
from tests.support.patience import PATIENCE_S

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


@pytest.mark.slow
@pytest.mark.parametrize("stage", hotpath.STAGES)
def test_the_run_without_a_stage_plays_on(stage: str) -> None:
    subprocess.run([sys.executable, "-m", "bench.hotpath", "50", *stage.split()], check=True, timeout=PATIENCE_S)
