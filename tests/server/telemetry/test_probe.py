"""The loop probe: whose fault it is that the loop is late, and what kept it."""

import asyncio
import gc
import time
from typing import Any

import pytest
from structlog.testing import capture_logs
from tavla_server.telemetry.probe import LATE_S, probing

BUSY_S = 0.06


def work() -> None:
    until = time.thread_time() + BUSY_S
    while time.thread_time() < until:
        pass


def wait() -> None:
    time.sleep(BUSY_S)


async def probed(*steps: Any) -> list[Any]:
    """Log lines of the probe while the loop runs these steps, one after the other."""
    with capture_logs() as lines:
        async with probing():
            for step in steps:
                await asyncio.sleep(0.01)
                step()
            await asyncio.sleep(0.01)
    return list(lines)


async def test_a_step_that_keeps_the_loop_by_its_work_is_told_with_its_stack() -> None:
    *late, summary = await probed(work)
    longest = max(late, key=lambda line: line["own_ms"])
    assert longest["event"] == "loop_late"
    assert 1000 * (BUSY_S - LATE_S) < longest["own_ms"] <= longest["late_ms"] <= summary["late_max_ms"]
    assert "test_probe.py" in longest["stack"], "its innermost frames"
    assert " work < " in longest["stack"]


async def test_a_machine_that_is_busy_with_others_is_no_step_of_ours() -> None:
    *late, summary = await probed(wait)
    assert summary["late_max_ms"] > 1000 * (BUSY_S - LATE_S)
    assert not [line for line in late if " wait < " in line["stack"]]


@pytest.mark.slow
async def test_a_collection_is_counted_with_its_generation() -> None:
    *_, summary = await probed(lambda: gc.collect(1), gc.collect)
    assert summary["event"] == "loop_probe"
    assert summary["gc"]["gen1"]["times"] >= 1
    assert summary["gc"]["gen2"]["times"] >= 1
    assert 0 <= summary["gc"]["gen2"]["max_ms"] <= summary["gc"]["gen2"]["ms"]


@pytest.mark.slow
async def test_without_a_probe_nothing_is_left_of_it() -> None:
    callbacks = list(gc.callbacks)
    await probed(gc.collect)
    assert gc.callbacks == callbacks
