"""The machine's clock is set while people play: no player loses time by it, and time goes on."""

import asyncio
import contextlib
import time
from pathlib import Path
from typing import Any

import pytest
from tavla_protocol import messages as m

from tests.support.patience import PATIENCE_S, wait_until
from tests.support.players.matches import at_match, new_match
from tests.support.players.plain import Player, unique
from tests.support.servers.faketime import FakeTime
from tests.support.servers.processes import NewServer, ServerProcess, redis_at

pytestmark = pytest.mark.long

AWAY_S = 3.0  # longer than `gap_ms`


@pytest.fixture
def clock(tmp_path: Path) -> FakeTime:
    return FakeTime(tmp_path)


@pytest.fixture
def timed_server(new_server: NewServer, clock: FakeTime) -> ServerProcess:
    """A server, and a store, that go by the test's clock."""
    server = new_server(env=clock.env)
    server.start()
    return server


def rules(reserve_s: int) -> dict[str, Any]:
    return {"preset": "tournament", "length": 1, "delay_s": 0, "reserve_s": reserve_s}


async def known(server: ServerProcess, clock: FakeTime, ahead_s: int) -> None:
    """Set the clock, and wait until a heartbeat has told it."""
    clock.set(ahead_s)
    async with asyncio.timeout(PATIENCE_S):
        with contextlib.closing(redis_at(server.store_url)) as redis:
            await wait_until(lambda: abs(float(redis.get("{alive}:last") or 0) / 1000 - time.time() - ahead_s) <= 10)


async def elapsed_s(url: str, player: Player, match: str) -> float:
    """For how long the time of the one who is to act has been running."""
    async with Player(url, token=player.token) as back:
        snapshot = await back.get(m.Snapshot, m.Attach, table=match)
        assert snapshot.elapsed or back.matches[match].view.phase != "over"
        return snapshot.elapsed / 1000


@pytest.mark.parametrize("ahead_s", [-120, 3600], ids=["back", "forward"])
async def test_an_outage_after_the_clock_was_set_costs_nobody_time(
    timed_server: ServerProcess, clock: FakeTime, ahead_s: int, rng: Any
) -> None:
    async with at_match(timed_server.url, rules(300)) as (white, black, match):
        await known(timed_server, clock, ahead_s)
        began = time.monotonic()
        mover = min(white, black, key=lambda player: player.matches[match].view.turn != player.matches[match].seat)
        await mover.take_turn(match, rng)
        timed_server.kill()
    killed = time.monotonic()
    await asyncio.sleep(AWAY_S)  # (it is the time itself that is to pass)
    spawned = time.monotonic()
    timed_server.restart()
    elapsed = await elapsed_s(timed_server.url, mover, match)
    assert elapsed <= time.monotonic() - began - (spawned - killed) + 0.1


async def test_a_clock_that_was_ahead_and_is_set_right_goes_on(timed_server: ServerProcess, clock: FakeTime) -> None:
    await known(timed_server, clock, 3600)
    # Of programs: a person's first turn lasts a minute.
    white, black = (Player(timed_server.url, hello={"name": unique("b"), "bot": True}) for _ in range(2))
    async with white, black:
        match = await new_match(white, black, rules(6))  # begun in an hour that is taken back
        await known(timed_server, clock, 0)
        assert white.matches[match].view.phase != "over"
        await white.until(match, lambda view: view.phase == "over")
        later = await new_match(white, black, rules(2))
        await white.until(later, lambda view: view.phase == "over")
    timed_server.wait_for_event("clock_set_back")
