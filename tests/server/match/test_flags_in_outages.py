"""Outages of a store and nodes that stand still: they cost nobody time."""

import random

from tavla_engine.rules import preset
from tavla_server.cluster.liveness import SILENT_MS, Liveness
from tavla_server.match.lifecycle import joining, submit_and_wait
from tavla_server.match.lifecycle import opening as opened_table
from tavla_server.match.registry import Registry
from tavla_server.match.session import Session
from tavla_server.record.dice import MatchDice
from tavla_server.record.events import Event, Seated, Terms
from tavla_server.record.state import Record
from tavla_server.store.client import connection_to
from tavla_server.timings import DEFAULTS

from tests.support.players.seeds import COMMITMENTS
from tests.support.servers.handclock import HandClock
from tests.support.servers.nodes import timed_node_on
from tests.support.servers.rooms import until_over
from tests.support.servers.sessions import ADA, BOB, ask
from tests.support.servers.valkey import Valkey


async def test_a_part_of_the_store_that_is_away_costs_nobody_time(own_valkey: Valkey) -> None:
    clock = HandClock()
    async with timed_node_on(own_valkey.url, clock) as (_, liveness):
        await liveness.heartbeat()
        since = clock.now_ms()
        clock.move(1000)
        liveness.note_outage()
        clock.move(500)
        liveness.note_outage()  # another part, too
        assert liveness.credit_ms(since, clock.now_ms()) == 500, "it has not ended"
        clock.move(4500)
        liveness.back()
        assert liveness.credit_ms(since, clock.now_ms()) == 6000, "there was no heartbeat"
        await liveness.heartbeat()
        clock.move(1000)
        assert liveness.credit_ms(since, clock.now_ms()) == 7000, "no moment counts twice, and one is for the return"


async def test_a_node_that_starts_while_a_part_is_away_counts_all_time_before_as_outage(own_valkey: Valkey) -> None:
    clock = HandClock()
    async with connection_to(own_valkey.url) as redis:
        liveness = Liveness(redis, clock, "one")
        liveness.note_outage(since_ms=0)
        await liveness.heartbeat()
        since = clock.now_ms() - 60_000
        clock.move(1000)
        liveness.back()
        clock.move(500)
        assert liveness.credit_ms(since, clock.now_ms()) == 61_000


async def test_after_an_outage_no_node_is_dead_before_it_had_time_for_a_heartbeat(own_valkey: Valkey) -> None:
    async with connection_to(own_valkey.url) as redis:
        clock = HandClock()
        one, two = Liveness(redis, clock, "one"), Liveness(redis, clock, "two")
        for node in (one, two):
            await node.heartbeat()
        clock.move(60_000)
        await one.heartbeat()
        assert one.living == {"one", "two"}
        for _ in range(4):
            clock.move(1000)
            await one.heartbeat()
        assert one.living == {"one"}


async def test_what_a_node_stood_still_counts_for_nobody_who_was_there(own_valkey: Valkey) -> None:
    async with connection_to(own_valkey.url) as redis:
        clock = HandClock()
        one, two = Liveness(redis, clock, "one"), Liveness(redis, clock, "two")
        since, beat = clock.now_ms(), 0
        for second in range(20):
            if second not in range(5, 15):
                await two.heartbeat()
                beat = second if second < 5 else beat
            await one.heartbeat()
            silent_ms = 1000 * (min(second, 15) - beat) if second > beat + DEFAULTS.dead_ms // 1000 else 0
            assert one.credit_ms(since, clock.now_ms(), "two") == silent_ms, f"after {second} s"
            assert one.credit_ms(since, clock.now_ms()) == 0, "who was on another node had all the time"
            clock.move(1000)


async def test_a_player_whose_node_stands_still_is_not_named_for_a_seed_that_cannot_come(
    own_valkey: Valkey, rng: random.Random
) -> None:
    clock = HandClock()
    async with timed_node_on(own_valkey.url, clock) as (sessions, liveness), connection_to(own_valkey.url) as redis:
        elsewhere = Liveness(redis, clock, "elsewhere")
        session = await promised(sessions, rng)
        session.seats.hear("elsewhere", {0: clock.now_ms()})
        session.timers.arm_game()
        for second in range(round(DEFAULTS.reveal_s) + 15):
            assert not session.record.over, f"after {second} s, of which 20 were none"
            if second not in range(5, 25):
                await elsewhere.heartbeat()
            await liveness.heartbeat()
            clock.move(1000)
            await ask(session, nothing)
        for _ in range(15):
            await elsewhere.heartbeat()
            await liveness.heartbeat()
            clock.move(1000)
        await until_over(session)
        assert session.record.missing_seeds == (0,)


async def promised(sessions: Registry, rng: random.Random) -> Session:
    """A match that waits for ada's seed."""
    session = await sessions.get(f"m{rng.randbytes(4).hex()}")
    await submit_and_wait(
        session, opened_table("t", preset("money"), Terms(), Seated(0, ADA, commitment=COMMITMENTS[0]))
    )
    await submit_and_wait(session, joining(BOB, ""))
    return session


def nothing(record: Record, _: MatchDice) -> tuple[list[Event], Record]:
    """Decide nothing: once this is answered, the work under way is done."""
    return [], record


async def test_a_node_that_is_gone_for_good_is_waited_for_as_long_as_its_clients_wait(own_valkey: Valkey) -> None:
    async with connection_to(own_valkey.url) as redis:
        clock = HandClock()
        one, two = Liveness(redis, clock, "one"), Liveness(redis, clock, "two")
        await two.heartbeat()
        since = clock.now_ms()
        for _ in range(60):
            clock.move(1000)
            await one.heartbeat()
        assert one.credit_ms(since, clock.now_ms(), "two") == SILENT_MS
