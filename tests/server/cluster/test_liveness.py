"""Living nodes, and outages as the store remembers them, at the borders of their times."""

from collections.abc import AsyncIterator

import pytest
from structlog.testing import capture_logs
from tavla_server.cluster.liveness import KEPT_MS, Liveness, evict_all_nodes, note_gone
from tavla_server.store.client import Client, connection_to
from tavla_server.timings import DEFAULTS

from tests.support.servers.handclock import HandClock
from tests.support.servers.valkey import Valkey


@pytest.fixture
async def redis(own_valkey: Valkey) -> AsyncIterator[Client]:
    async with connection_to(own_valkey.url) as client:
        yield client


async def test_nodes_that_were_evicted_with_their_store_do_not_live(redis: Client) -> None:
    clock = HandClock()
    await Liveness(redis, clock, "one").heartbeat()
    await evict_all_nodes(redis)
    two = Liveness(redis, clock, "two")
    await two.heartbeat()
    assert two.living == {"two"}


async def test_what_an_earlier_restore_has_cost_stays_told_with_that_of_the_last_one(redis: Client) -> None:
    clock, starts = HandClock(), list[int]()
    for _ in range(2):
        await Liveness(redis, clock, "one").heartbeat()
        starts.append(clock.now_ms())
        clock.move(600_000)
        await evict_all_nodes(redis)
        await note_gone(redis)
    liveness = Liveness(redis, clock, "two")
    await liveness.heartbeat()
    assert liveness.gone == (starts[0], clock.now_ms())


async def test_an_outage_is_remembered_for_a_day_after_its_end(redis: Client) -> None:
    clock = HandClock()
    liveness = Liveness(redis, clock, "one")
    await liveness.heartbeat()
    since = clock.now_ms()
    clock.move(60_000)
    await liveness.heartbeat()
    end = clock.now_ms()
    for move_ms, credit_ms in ((24 * 3600 * 1000 - 1, 60_000), (1, 0)):
        clock.move(move_ms)
        await liveness.heartbeat()
        assert liveness.credit_ms(since, end) == credit_ms
    assert clock.now_ms() - end == KEPT_MS


async def test_a_clock_that_is_set_back_is_logged_and_a_first_heartbeat_is_not(redis: Client) -> None:
    clock = HandClock()
    liveness = Liveness(redis, clock, "one")
    moves = (1000, 0), (-DEFAULTS.gap_ms, 0), (-DEFAULTS.gap_ms - 1, 1), (1000, 0)
    for move_ms, warnings in ((0, 0), *moves):
        clock.move(move_ms)
        with capture_logs() as logs:
            await liveness.heartbeat()
        assert [line["event"] for line in logs] == ["clock_set_back"] * warnings, f"after {move_ms} ms"


async def test_what_began_in_a_time_that_was_taken_back_began_at_the_first_heartbeat_after(redis: Client) -> None:
    clock = HandClock()
    liveness = Liveness(redis, clock, "one")
    await liveness.heartbeat()
    beat, now = clock.now_ms(), clock.now_ms() - DEFAULTS.gap_ms
    began = now + 60_000
    assert liveness.credit_ms(began, now) == beat - began, "so little is within what a clock may vary"
    assert liveness.credit_ms(began, now - 1) == now - 1 - began, "this was not noticed yet"
