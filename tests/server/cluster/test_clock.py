"""Machines whose clocks are wrong: all nodes go by the store's."""

import time

from tavla_server.cluster.clock import Clock

from tests.support.patience import LATE_S
from tests.support.servers.nodes import timed_node_on
from tests.support.servers.valkey import Valkey

LATE_MS = 1000 * LATE_S  # far less than these clocks are wrong by


class WrongClock(Clock):
    """The clock of a machine that is so many ms ahead of all others."""

    def __init__(self, ahead_ms: int) -> None:
        super().__init__()
        self.wrong_ms = ahead_ms

    def now_ms(self) -> int:
        return super().now_ms() + self.wrong_ms

    def own_ms(self) -> int:
        return super().own_ms() + self.wrong_ms


async def test_nodes_whose_clocks_differ_know_each_other_alive_and_see_no_outage(own_valkey: Valkey) -> None:
    late, early = WrongClock(-60_000), WrongClock(60_000)
    async with timed_node_on(own_valkey.url, early) as (_, first), timed_node_on(own_valkey.url, late) as (_, second):
        for _ in range(2):
            await first.heartbeat()
            await second.heartbeat()
        assert len(first.living) == 2
        assert second.living == first.living
        assert abs(early.now_ms() - late.now_ms()) < LATE_MS
        now = early.now_ms()
        assert abs(now - 1000 * time.time()) < LATE_MS, "the store is on this machine, whose clock is right"
        assert first.credit_ms(now - 120_000, now) == second.credit_ms(now - 120_000, now) == 0


async def test_a_clock_that_is_set_is_followed(own_valkey: Valkey) -> None:
    clock = WrongClock(0)
    async with timed_node_on(own_valkey.url, clock) as (_, outages):
        for wrong_ms in (60_000, -60_000, 0):
            clock.wrong_ms = wrong_ms
            await outages.heartbeat()
            assert abs(clock.now_ms() - 1000 * time.time()) < LATE_MS


async def test_what_the_way_explains_changes_nothing() -> None:
    clock = WrongClock(0)

    async def shown_late() -> tuple[int, int]:
        seconds, ms = divmod(clock.own_ms() + 5, 1000)
        clock.wrong_ms += 20  # the answer takes so long
        return seconds, 1000 * ms

    await clock.follow(shown_late)
    assert clock.now_ms() - clock.own_ms() == 0


async def test_what_the_store_showed_was_so_half_way_between_the_question_and_the_answer() -> None:
    class Asking(Clock):
        """A clock of its own, at which the answer is 200 ms after the question."""

        shows = iter([1000, 1200])

        def own_ms(self) -> int:
            return next(self.shows)

    clock, real = Asking(), Clock()

    async def store_time() -> tuple[int, int]:
        return 5, 0

    await clock.follow(store_time)
    before_ms, now_ms, after_ms = real.now_ms(), clock.now_ms(), real.now_ms()
    assert before_ms <= now_ms - (5000 - 1100) <= after_ms
