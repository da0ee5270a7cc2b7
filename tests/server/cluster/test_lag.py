"""Times when the event loop stood still, as known afterwards, and at the moment when it goes on."""

import asyncio
import time

from tavla_server.cluster.clock import Clock
from tavla_server.cluster.lag import SAMPLE_S, Lag


async def test_a_standstill_is_known_at_once_and_afterwards() -> None:
    lag = Lag(clock := Clock())
    assert lag.stalls == [], "nobody watches yet"
    watching = asyncio.create_task(lag.run())
    await asyncio.sleep(0)
    began_ms = clock.now_ms()
    time.sleep(0.5)  # noqa: ASYNC251 - the loop stands still
    (at_once,) = lag.stalls
    await asyncio.sleep(SAMPLE_S)  # the sample that was overdue is taken before this ends
    assert lag._stalls
    for start, end in (at_once, lag.stalls[0]):
        assert start < began_ms + 300
        assert began_ms + 500 <= end + 1
    watching.cancel()
