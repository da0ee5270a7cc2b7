"""Time that runs out, players who stay away, and time that is given back."""

import asyncio
import random
from collections.abc import AsyncIterator

import pytest
from msgspec.structs import replace
from tavla_engine import actions as a
from tavla_engine.conditions import to_act
from tavla_engine.events import Ending
from tavla_protocol import messages as m
from tavla_server.cluster.liveness import Liveness
from tavla_server.match.command import MatchCommand
from tavla_server.match.fork import Fork, KnownSeeds
from tavla_server.match.registry import Registry
from tavla_server.match.session import Session
from tavla_server.record.decider import engine_decide
from tavla_server.record.events import encode_entry
from tavla_server.store.client import connection_to
from tavla_server.timings import DEFAULTS, Timings

from tests.support.games.chance import choose_action
from tests.support.players.plain import refused
from tests.support.servers.handclock import HandClock
from tests.support.servers.nodes import timed_node_on
from tests.support.servers.rooms import until_over
from tests.support.servers.sessions import ADA, BOB, ask, ids, opened, toggle
from tests.support.servers.valkey import Valkey
from tests.support.stores.journals import entries_of

FREE_MS, RESERVE_MS = 8_000, 60_000  # the clock "fast", in a game of money play
TICK_MS = 1_000
IDLE_MS = round(1000 * DEFAULTS.idle_s)


class Timed:
    """A node whose time the test moves, with heartbeats as it goes."""

    def __init__(self, sessions: Registry, liveness: Liveness, clock: HandClock) -> None:
        self.sessions, self.liveness, self.clock = sessions, liveness, clock

    async def move(self, ms: int) -> None:
        """Let time pass while the server is there."""
        while ms > 0:
            self.clock.move(min(ms, TICK_MS))
            await self.liveness.heartbeat()
            ms -= TICK_MS

    async def outage(self, ms: int) -> None:
        """Let time pass while it is not."""
        self.clock.move(ms)
        await self.liveness.heartbeat()


@pytest.fixture
async def timed(own_valkey: Valkey) -> AsyncIterator[Timed]:
    clock = HandClock()
    async with timed_node_on(own_valkey.url, clock) as (sessions, liveness):
        await liveness.heartbeat()
        yield Timed(sessions, liveness, clock)


async def act(session: Session, rng: random.Random, lag_ms: int = 0) -> m.Ok | m.Error:
    """Some action of the player whose time runs."""
    answer: asyncio.Future[m.Ok | m.Error] = asyncio.get_running_loop().create_future()
    player = (ADA, BOB)[session.record.clock.seat or 0]
    action = choose_action(session.record.match, rng)
    while isinstance(action, a.SetAuto):  # it may change nothing, and then it costs nothing
        action = choose_action(session.record.match, rng)
    decide = engine_decide(action)
    session.submit(MatchCommand(player.id, next(ids), session.seq, decide, answer, lag_ms))
    return await answer


async def over(session: Session) -> bool:
    """True if the match is over, once all that is under way is done."""
    await ask(session, toggle)
    return session.record.over


async def test_a_flag_falls_to_the_millisecond_and_ends_the_match(timed: Timed, rng: random.Random) -> None:
    session = await opened(timed.sessions, rng, clock="fast")
    loser = session.record.clock.seat
    assert loser is not None
    await timed.move(FREE_MS + RESERVE_MS)
    assert not await over(session), "not a millisecond too much was taken"
    # A flag is looked at a little later, for actions on their way; what counts is when it fell.
    await timed.move(DEFAULTS.lag_ms + 1)
    assert await over(session)
    assert session.record.match.outcome == (1 - loser, 0, 0, Ending.TIME)


async def test_a_flag_falls_when_nobody_asks(timed: Timed, rng: random.Random) -> None:
    session = await opened(timed.sessions, rng, clock="fast")
    assert isinstance(await act(session, rng), m.Ok)
    loser = session.record.clock.seat
    assert loser is not None
    await timed.move(FREE_MS + RESERVE_MS + DEFAULTS.lag_ms + 1)
    await until_over(session)
    assert session.record.match.outcome == (1 - loser, 0, 0, Ending.TIME)


async def test_a_match_that_nobody_follows_is_kept_until_its_flag_has_fallen_and_then_forgotten(
    timed: Timed, rng: random.Random
) -> None:
    session = await opened(timed.sessions, rng, clock="fast")
    await timed.move(IDLE_MS + 1000)
    assert await timed.sessions.get(session.record.id) is session, "else nobody would see the flag fall"
    await timed.move(FREE_MS + RESERVE_MS - IDLE_MS + DEFAULTS.lag_ms)
    await until_over(session)
    await timed.move(2 * IDLE_MS)
    again = await timed.sessions.get(session.record.id)
    assert again is not session
    assert again.record == replace(session.record, seed=b""), "its seed alone stays sealed"


@pytest.mark.parametrize(
    ("late_ms", "lag_ms", "in_time"), [(0, 0, True), (1, 0, False), (250, 250, True), (299, 900, True)]
)
async def test_an_action_counts_if_it_was_sent_in_time(
    timed: Timed, rng: random.Random, late_ms: int, lag_ms: int, in_time: bool
) -> None:
    session = await opened(timed.sessions, rng, clock="fast")
    await timed.move(FREE_MS + RESERVE_MS + late_ms)
    answer = await act(session, rng, lag_ms)
    assert isinstance(answer, m.Ok) == in_time
    if not in_time:
        assert refused(answer) == "stale", "the flag was first"
        assert session.record.over


async def test_an_outage_costs_nobody_any_time(timed: Timed, rng: random.Random) -> None:
    session = await opened(timed.sessions, rng, clock="fast")
    seat = session.record.clock.seat
    assert seat is not None
    await timed.move(10_000)
    await timed.outage(600_000)
    assert not await over(session)
    await timed.move(5_000)
    assert isinstance(await act(session, rng), m.Ok)
    assert session.record.clock.reserve[seat] == RESERVE_MS - (15_000 - DEFAULTS.return_ms - FREE_MS)


async def test_nobodys_time_runs_before_they_are_shown_that_it_does(
    own_valkey: Valkey, timed: Timed, rng: random.Random
) -> None:
    here = await opened(timed.sessions, rng, clock="fast")
    async with timed_node_on(own_valkey.url, timed.clock) as (sessions, _):
        there = await sessions.get(here.record.id)
        for next_acts in (here, there):
            for session, store_ms, thinks_ms in ((here, 900, 0), (next_acts, 0, FREE_MS)):
                await timed.move(thinks_ms)
                asked = asyncio.create_task(act(session, rng))
                await asyncio.sleep(0)
                timed.clock.move(store_ms)  # it answers after that
                assert isinstance(await asked, m.Ok)
                [*_, entry] = entries_of(own_valkey.url, here.record.id)
                for node in (here, there):  # which have heard of it by now, or will
                    node.heard_entry(session.seq, encode_entry(entry))
            assert session.record.clock.reserve == (RESERVE_MS, RESERVE_MS)


async def test_a_node_that_starts_later_knows_the_outage_before_it(own_valkey: Valkey, rng: random.Random) -> None:
    clock = HandClock()
    async with timed_node_on(own_valkey.url, clock) as (sessions, liveness):
        await liveness.heartbeat()
        match = (await opened(sessions, rng, clock="fast")).record.id
    clock.move(30_000)
    async with timed_node_on(own_valkey.url, clock) as (sessions, liveness):
        await liveness.heartbeat()
        session = await sessions.get(match)
        seat = session.record.clock.seat
        assert seat is not None
        assert isinstance(await act(session, rng), m.Ok)
        assert session.record.clock.reserve[seat] == RESERVE_MS


async def test_a_node_that_was_stopped_and_comes_back_soon_has_cost_nobody_any_time(own_valkey: Valkey) -> None:
    async with connection_to(own_valkey.url) as redis:
        clock = HandClock()
        stopped = Liveness(redis, clock, "one")
        await stopped.heartbeat()
        since = clock.now_ms()
        clock.move(1000)
        await stopped.heartbeat()
        await stopped.close()
        clock.move(800)
        for seconds in range(6):
            node = Liveness(redis, clock, "two")
            await node.heartbeat()
            credit_ms = 800 + min(1000 * seconds, DEFAULTS.return_ms)
            assert node.credit_ms(since, clock.now_ms()) == credit_ms, f"{seconds} s later"
            clock.move(1000)


async def test_nobodys_flag_falls_in_a_match_without_a_clock(timed: Timed, rng: random.Random) -> None:
    session = await opened(timed.sessions, rng)
    await timed.move(100_000)
    assert not await over(session)


@pytest.mark.parametrize(
    ("away_ms", "outage_ms", "code"), [(59_000, 0, "no_claim"), (60_000, 0, None), (30_000, 90_000, "no_claim")]
)
async def test_a_player_who_stays_away_may_be_claimed_against(
    timed: Timed, rng: random.Random, away_ms: int, outage_ms: int, code: str | None
) -> None:
    session = await opened(timed.sessions, rng, clock="slow")
    await timed.move(away_ms)
    if outage_ms:
        await timed.outage(outage_ms)
    (absent,) = to_act(session.record.match)
    answer = await ask(session, session.claims.decision(1 - absent))
    if code is None:
        assert isinstance(answer, m.Ok)
        assert session.record.match.outcome == (1 - absent, 0, 0, Ending.ABANDONED)
    else:
        assert refused(answer) == code
        assert not session.record.over


async def test_who_is_to_act_cannot_claim_however_long_the_other_one_is_away(timed: Timed, rng: random.Random) -> None:
    session = await opened(timed.sessions, rng, clock="slow")
    await timed.move(100_000)
    (seat,) = to_act(session.record.match)
    answer = await ask(session, session.claims.decision(seat))
    assert refused(answer) == "no_claim"
    assert isinstance(answer, m.Error)
    assert answer.text == "the match waits for you: play on, then your opponent is to act"


# length, clock -> seconds that a player may be away
ABSENCES = [
    (1, "fast", 30),
    (2, "fast", 40),
    (3, "fast", 60),
    (1, "normal", 60),
    (9, "slow", 60),
    (0, "fast", 60),
    (3, "none", 3 * 24 * 3600),
]


@pytest.mark.parametrize(("length", "clock", "seconds"), ABSENCES)
async def test_a_short_match_may_be_claimed_sooner_and_one_without_a_clock_after_days(
    timed: Timed, rng: random.Random, length: int, clock: str, seconds: int
) -> None:
    session = await opened(timed.sessions, rng, length=length, clock=clock)
    assert [session.claims.absence_s(session.record, seat) for seat in (0, 1)] == [seconds, seconds]
    assert session.claims.after_s(session.record, 0) == seconds


async def test_a_match_without_a_clock_may_be_claimed_after_its_days(own_valkey: Valkey, rng: random.Random) -> None:
    clock, absence_s = HandClock(), 300  # minutes for days: three days of heartbeats would take as many minutes
    async with timed_node_on(own_valkey.url, clock, Timings(absence_s=absence_s)) as (sessions, liveness):
        timed = Timed(sessions, liveness, clock)
        await liveness.heartbeat()
        session = await opened(sessions, rng)
        (absent,) = to_act(session.record.match)
        claim = session.claims.decision(1 - absent)
        assert isinstance(answer := await ask(session, claim), m.Error)
        assert answer.text == "your opponent has 5 min to come back"
        await timed.move(1000 * absence_s - 1)
        assert isinstance(answer := await ask(session, claim), m.Error)
        assert answer.text == "your opponent has 1 s to come back"
        await timed.move(1)
        assert isinstance(await ask(session, claim), m.Ok)
        assert session.record.match.outcome == (1 - absent, 0, 0, Ending.ABANDONED)


async def test_a_program_that_stays_away_frees_its_opponent_without_a_clock(timed: Timed, rng: random.Random) -> None:
    session = await opened(timed.sessions, rng, white=ADA._replace(kind="bot"), black=BOB._replace(kind="bot"))
    (absent,) = to_act(session.record.match)
    await timed.move(59_000)
    assert session.claims.after_s(session.record, absent) == 1
    assert refused(await ask(session, session.claims.decision(1 - absent))) == "no_claim"
    await timed.move(1_000)
    assert isinstance(await ask(session, session.claims.decision(1 - absent)), m.Ok)
    assert session.record.match.outcome == (1 - absent, 0, 0, Ending.ABANDONED)


async def test_no_flag_counts_from_before_a_match_was_put_back_nor_before_both_have_come(
    timed: Timed, rng: random.Random
) -> None:
    session = await opened(timed.sessions, rng, clock="fast")
    await timed.move(FREE_MS + RESERVE_MS - 5 * TICK_MS)
    clock, before = timed.clock, session.record.clock
    assert isinstance(await ask(session, Fork(KnownSeeds(), clock.now_ms(), is_lost=True)), m.Ok)
    assert session.record.clock.reserve == before.reserve, "of the time before it nothing is taken"
    await timed.move(FREE_MS + 2 * RESERVE_MS)
    assert not session.record.over, "nobody has come"
    seat = session.record.clock.seat or 0
    session.seats.hear("other", {1 - seat: clock.now_ms()})
    await timed.move(FREE_MS + 2 * RESERVE_MS)
    assert not session.record.over, "one has come"
    session.seats.hear("third", {seat: clock.now_ms()})
    await timed.move(FREE_MS + RESERVE_MS // 2)
    assert session.timers.elapsed_ms() == FREE_MS + RESERVE_MS // 2
    await timed.move(RESERVE_MS)
    await until_over(session)
    assert session.record.match.outcome is not None
    assert session.record.match.outcome.ending is Ending.TIME
