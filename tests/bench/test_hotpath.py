"""Cost of an action, counted in instructions: no clock is read, and a busy machine changes nothing."""

import shutil
import tomllib
from pathlib import Path

import pytest

from bench import hotpath
from tests.support.needs import need

CEILINGS = tomllib.loads((Path(__file__).parents[2] / "bench" / "ceilings.toml").read_text(encoding="utf-8"))
ROOM = 1.01  # for another folder, in which objects lie elsewhere in memory


@pytest.mark.long
def test_an_action_costs_no_more_than_what_is_written() -> None:
    need(shutil.which("valgrind"), "valgrind")
    ceiling = CEILINGS["instructions"].get(hotpath.runtime())
    if ceiling is None:
        pytest.skip(f"bench/ceilings.toml has no figure for {hotpath.runtime()}")
    assert hotpath.measure() <= ROOM * ceiling


async def test_the_run_that_is_counted_plays_on() -> None:
    record = hotpath.new_record()
    assert await hotpath.drive(record, hotpath.played(record)[:50]) == 51
