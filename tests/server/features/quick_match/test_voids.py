"""Matches that are void since no seed came, or that a player left: counted once, told to both, and what quick match
makes of them."""

import asyncio
import json
import sys
import time
from functools import partial

import pytest
from tavla_engine import gameclock
from tavla_protocol import messages as m
from tavla_protocol.codes import ErrorCode
from tavla_server.features.counts import reveals
from tavla_server.features.quick_match.match_queue import HELD_BACK_S
from tavla_server.features.quick_match.voids import Voids
from tavla_server.store import keys
from tavla_server.store.client import connection_to
from tavla_server.telemetry import metrics
from tavla_server.timings import Timings

from tests.support.patience import PATIENCE_S, ask_until
from tests.support.players.moderators import appointed
from tests.support.players.plain import Player, refused
from tests.support.players.seeds import COMMITMENTS, SEEDS, reveal, seated
from tests.support.servers.processes import NewServer, inside
from tests.support.servers.valkey import Valkey
from tests.support.tries import MANY

pytestmark = pytest.mark.slow  # most of them wait by the clock

Wanted = dict[str, bool | int | str]

IMPATIENT = Timings(reveal_s=1.5, reveal_away_s=1.5, lag_ms=100, dead_ms=2001, return_ms=100)
ONE_SECOND: Wanted = {"length": 1, "opening": "seat_0", "delay_s": 0, "reserve_s": 1}  # white is the first, and late
KILLS = 2 if MANY else 1
TRIES = 7  # so many of a victim's matches were void within 200 s


@pytest.fixture(autouse=True)
def soon(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever is late loses at once, in their first turn, too; what other nodes count is known soon."""
    monkeypatch.setattr(gameclock, "FIRST_TURN_MS", 0)
    monkeypatch.setattr(reveals, "REFRESH_S", 0.5)


async def counts_of(asker: Player, *players: Player) -> list[tuple[int, int]]:
    """Counts in the profiles of players: matches void for lack of their seed, and matches for which one was due."""
    careers = [await asker.ask(m.Profile, name=player.name) for player in players]
    assert all(isinstance(career, m.Career) for career in careers)
    return [career.unrevealed for career in careers if isinstance(career, m.Career)]


async def until_counted(asker: Player, player: Player, wanted: tuple[int, int]) -> None:
    """A count is there soon after what it counts, and is right then."""
    await ask_until(lambda: counts_of(asker, player), lambda found: found[0] == wanted)


async def sought(player: Player, rules: Wanted, seed: str) -> m.Ok | m.Error:
    """The answer to a seek that promises a seed."""
    answer = await player.ask(m.Seek, rules=rules, commitment=COMMITMENTS[SEEDS.index(seed)])
    assert isinstance(answer, m.Ok | m.Error)
    return answer


async def void_by(late: Player, victim: Player, rules: Wanted) -> str:
    """A quick match of the two in which one reveals and the other does not."""
    for player, seed in ((victim, SEEDS[0]), (late, SEEDS[1])):
        assert isinstance(await sought(player, rules, seed), m.Ok)
    match = (await victim.next(m.Matched)).match
    await victim.next(m.Snapshot)
    await victim.until(match, lambda view: view.phase == "reveal")
    assert isinstance(await victim.act(m.Reveal, match, seed=SEEDS[0]), m.Ok)
    view = await victim.until(match, lambda view: view.phase == "over")
    assert [view.players[seat] for seat in view.unrevealed] == [late.name]
    await late.next(m.Snapshot)
    await late.until(match, lambda view: view.phase == "over")
    return match


# --- counts ---


async def test_who_did_not_reveal_is_counted_once_for_the_player_and_the_server(own_valkey: Valkey) -> None:
    before = dict(metrics.SEEDED.counts)
    async with (
        inside(own_valkey.url, IMPATIENT) as one,
        inside(own_valkey.url, IMPATIENT) as two,
        Player(one) as ada,
        Player(two) as bob,
    ):
        for number in range(2):
            match = await seated(ada, bob)
            await reveal(ada, match)
            assert (await bob.until(match, lambda view: view.phase == "over")).unrevealed == (1,)
            await until_counted(ada, bob, (number + 1, number + 1))
        match = await seated(bob, ada)
        for player in (ada, bob):
            await reveal(player, match)
        await until_counted(bob, bob, (2, 3))
        await until_counted(bob, ada, (0, 3))
        recorded = await ada.get(m.Recorded, m.Record, match=match)
        assert recorded.unrevealed == ((2, 3), (0, 3)), "by seat"
        assert isinstance(await ada.act(m.Forfeit, match), m.Ok)
        await ask_until(lambda: welcomed(one), lambda found: found.voids == (2, 3))
        assert (await welcomed(two)).voids == (2, 3)
    counted = {how: count - before[how] for how, count in metrics.SEEDED.counts.items()}
    assert counted == {"due": 3, "void": 2}, "by whichever of the two nodes was first"


async def welcomed(url: str) -> m.Welcome:
    async with Player(url) as anybody:
        return next(message for message in anybody.log if isinstance(message, m.Welcome))


async def test_a_table_to_which_nobody_came_owes_none(own_valkey: Valkey) -> None:
    async with inside(own_valkey.url, IMPATIENT) as node, Player(node) as ada, Player(node) as bob:
        match = await seated(ada, bob)
        for player in (ada, bob):
            await reveal(player, match)
        await until_counted(ada, bob, (0, 1))
        table = await ada.get(m.Snapshot, m.Create, commitment=COMMITMENTS[0])
        await ada.ask(m.Cancel, match=table.match)
        assert await counts_of(ada, ada, bob) == [(0, 1), (0, 1)]


async def test_a_match_that_a_moderator_voids_is_the_servers_and_no_players(own_valkey: Valkey) -> None:
    async with inside(own_valkey.url) as node, Player(node) as ada, Player(node) as bob, Player(node) as eve:
        await appointed(eve, own_valkey.url)
        waiting = await seated(ada, bob)
        played = await seated(ada, bob)
        for player in (ada, bob):
            await reveal(player, played)
        for match in (waiting, played):
            await eve.get(m.Ok, m.Adjudicate, match=match, verdict="void", reason="a test")
        await ask_until(lambda: welcomed(node), lambda found: found.voids == (2, 2))
        assert await counts_of(eve, ada, bob) == [(0, 1), (0, 1)]


@pytest.mark.long
async def test_a_void_match_counts_once_whoever_is_killed(new_server: NewServer) -> None:
    """The server is killed as soon as the victim sees the verdict, some times over."""
    server = new_server(command=[sys.executable, "-m", "tests.support.servers.impatient"])
    server.start()
    ada, bob = Player(server.url), Player(server.url)
    for number in range(1, KILLS + 1):
        await ada.open()
        await bob.open()
        match = await seated(ada, bob)
        await reveal(ada, match)
        await ada.until(match, lambda view: view.phase == "over")
        await asyncio.to_thread(server.kill)
        await asyncio.to_thread(server.restart)
        async with Player(server.url) as eve:
            await until_counted(eve, bob, (number, number))
            await until_counted(eve, ada, (0, number))
            assert isinstance(await eve.ask(m.Attach, table=match), m.Snapshot), "read, and so counted, once more"
            async with connection_to(server.store_url) as redis:
                await ask_until(partial(redis.get, keys.MATCH_COUNTED(match)), lambda found: found == b"void")
                await ask_until(partial(redis.ttl, keys.MATCH_LOG(match)), lambda found: found >= 0)
            assert await counts_of(eve, ada, bob) == [(0, number), (number, number)]
            await ask_until(lambda: welcomed(server.url), lambda found: found.voids == (number, number))  # noqa: B023


# --- matches that are left ---


async def left_by(late: Player, victim: Player) -> str:
    """A match of the two in which one lets the time run out."""
    match = await seated(late, victim, rules=ONE_SECOND)
    for player in (late, victim):
        await reveal(player, match)
    view = await victim.until(match, lambda view: view.phase == "over")
    assert view.outcome is not None
    assert view.outcome[3] == "time"
    return match


async def until_left(asker: Player, player: Player, wanted: tuple[int, int]) -> None:
    """The count in the profile is there soon after what it counts, and is right then."""
    async with asyncio.timeout(PATIENCE_S):
        while True:
            career = await asker.get(m.Career, m.Profile, name=player.name)
            assert career.left <= wanted, "never more"
            if career.left == wanted:
                return


async def test_who_leaves_matches_is_told_so_and_waits_longer(own_valkey: Valkey, rules: Wanted) -> None:
    """The first one costs nothing, a resignation neither."""
    async with inside(own_valkey.url, IMPATIENT) as node, Player(node) as ada, Player(node) as bob:
        for number in (1, 2):
            await left_by(bob, ada)
            await until_left(ada, bob, (number, number))
            answer = await sought(bob, rules, SEEDS[1])
            if number == 1:
                assert isinstance(answer, m.Ok)
                await bob.ask(m.Unseek)
        assert refused(answer) == ErrorCode.LEFT_MATCHES
        assert isinstance(answer, m.Error)
        assert 0 < answer.retry_after <= HELD_BACK_S[0]
        assert answer.text.endswith("s: you have left 2 matches, or let your time run out")
        assert isinstance(await sought(ada, rules, SEEDS[0]), m.Ok)
        match = await seated(bob, ada)
        for player in (bob, ada):
            await reveal(player, match)
        assert isinstance(await bob.act(m.Forfeit, match), m.Ok)
        await until_left(ada, bob, (2, 3))
        await until_left(bob, ada, (0, 3))


@pytest.mark.long
async def test_a_match_that_was_left_counts_once_whoever_is_killed(new_server: NewServer) -> None:
    """The server is killed as soon as the victim sees the end."""
    server = new_server(command=[sys.executable, "-m", "tests.support.servers.impatient"])
    server.start()
    ada, bob = Player(server.url), Player(server.url)
    for number in range(1, KILLS + 1):
        await ada.open()
        await bob.open()
        match = await left_by(bob, ada)
        await asyncio.to_thread(server.kill)
        await asyncio.to_thread(server.restart)
        async with Player(server.url) as eve:
            await until_left(eve, bob, (number, number))
            await until_left(eve, ada, (0, number))
            assert isinstance(await eve.ask(m.Attach, table=match), m.Snapshot), "read, and so counted, once more"
            async with connection_to(server.store_url) as redis, asyncio.timeout(PATIENCE_S):
                await ask_until(partial(redis.get, keys.MATCH_COUNTED(match)), lambda found: found == b"left")
            await until_left(eve, bob, (number, number))


# --- quick match ---


@pytest.mark.parametrize("nodes", [1, 2])
async def test_who_never_reveals_has_one_match_of_a_victim_and_is_told_how_long_to_wait(
    valkey: Valkey, rules: Wanted, nodes: int
) -> None:
    async with (
        inside(valkey.url, IMPATIENT) as one,
        inside(valkey.url, IMPATIENT) as two,
        Player(one) as ada,
        Player((one, two)[nodes - 1]) as bob,
        Player(two) as cy,
    ):
        before_ms = round(1000 * time.time())
        await void_by(bob, ada, rules)
        since_ms = round(1000 * time.time())
        assert isinstance(await sought(ada, rules, SEEDS[0]), m.Ok), "the victim seeks on"
        for _ in range(TRIES):
            answer = await sought(bob, rules, SEEDS[1])
            assert refused(answer) == ErrorCode.UNREVEALED
            assert isinstance(answer, m.Error)
            assert 0 < answer.retry_after <= HELD_BACK_S[0]
            assert f" in {-(-answer.retry_after // 1):.0f} s: a match was void" in answer.text
        assert not [message for message in await ada.sync() if isinstance(message, m.Matched)]
        # A later seeker, who would have been the first, finds the victim first.
        assert isinstance(await sought(cy, rules, SEEDS[1]), m.Ok)
        found = await ada.next(m.Matched)
        assert (await cy.next(m.Matched)).match == found.match
        async with connection_to(valkey.url) as redis:
            place = await redis.get(keys.QUEUE_PLACE(ada.id))
            assert place is not None
            assert 0 <= json.loads(place)["since"] - before_ms < 1000 * PATIENCE_S
            assert json.loads(place)["match"] == found.match, "this one's, with the time waited before the first"
            assert json.loads(place)["since"] <= since_ms


async def test_a_player_who_seeks_at_once_is_refused_though_the_store_has_not_heard_of_it(
    valkey: Valkey, rules: Wanted, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Effects of the match are applied in their own time; a seek does not overtake them."""

    async def later(self: Voids, record: object, time_ms: int) -> None:
        await asyncio.Event().wait()

    monkeypatch.setattr(Voids, "settle", later)
    async with inside(valkey.url, IMPATIENT) as node, Player(node) as ada, Player(node) as bob:
        await void_by(bob, ada, rules)
        assert isinstance(await sought(ada, rules, SEEDS[0]), m.Ok)
        assert refused(await sought(bob, rules, SEEDS[1])) == ErrorCode.UNREVEALED


async def test_nobody_leaves_many_waiting_for_a_seed_at_a_time(node: str, rules: Wanted) -> None:
    async with Player(node) as bob:
        for number in range(4):
            async with Player(node) as victim:
                await seated(victim, bob)
            assert number < 3 or refused(await sought(bob, rules, SEEDS[1])) == ErrorCode.UNREVEALED


async def test_open_tables_are_no_way_round(valkey: Valkey, rules: Wanted) -> None:
    """A player who is held back is seated at no table, and no seeker at that player's."""
    async with inside(valkey.url, IMPATIENT) as node, Player(node) as ada, Player(node) as bob, Player(node) as cy:
        await void_by(bob, ada, rules)
        table = await bob.get(m.Snapshot, m.Create, rules={**rules, "clock": "normal"}, commitment=COMMITMENTS[1])
        for seeker in (ada, cy):
            wanted = {**rules, "delay_s": 12}
            assert isinstance(await seeker.ask(m.Seek, rules=wanted), m.Ok)
        assert (await ada.next(m.Matched)).match == (await cy.next(m.Matched)).match != table.match
