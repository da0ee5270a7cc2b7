"""Deadlines, with time passed in: who stood still together with this machine has half of the time afterwards."""

import asyncio

import pytest
from tavla_server.deadline import Deadline, time_limit

from tests.support.servers.handloop import HandLoop

AFTER_S = 4.0
STOOD_S = [0.0, 3.0, 100.0]


def over_s(stands_still_s: float) -> float:
    """The time from the end of a standstill until a deadline is over."""

    async def waited_s() -> float:
        loop, over = asyncio.get_running_loop(), asyncio.Event()
        assert isinstance(loop, HandLoop)
        Deadline(AFTER_S, over.set)
        loop.stand_still(stands_still_s)
        await over.wait()
        return loop.time() - stands_still_s

    with asyncio.Runner(loop_factory=HandLoop) as runner:
        return runner.run(waited_s())


def test_a_standstill_takes_half_of_the_time_at_most() -> None:
    assert [over_s(stood_s) for stood_s in STOOD_S] == pytest.approx([AFTER_S, AFTER_S / 2, AFTER_S / 2])


@pytest.mark.parametrize("stood_s", STOOD_S)
def test_what_comes_after_a_standstill_is_in_time(stood_s: float) -> None:
    async def come(after_s: float) -> None:
        loop = asyncio.get_running_loop()
        assert isinstance(loop, HandLoop)
        try:
            async with time_limit(AFTER_S):
                loop.stand_still(stood_s)
                await asyncio.sleep(after_s)
        finally:
            await asyncio.sleep(2 * AFTER_S)  # it is taken back

    with asyncio.Runner(loop_factory=HandLoop) as runner:
        runner.run(come(AFTER_S / 3))
        with pytest.raises(TimeoutError):
            runner.run(come(AFTER_S + 1))
