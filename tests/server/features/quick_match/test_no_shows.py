"""Opponents who are paired and do not come."""

import time
from collections.abc import Awaitable, Callable

import pytest
from tavla_engine.rules import preset
from tavla_protocol import messages as m
from tavla_server.cluster.clock import Clock
from tavla_server.features.quick_match.match_queue import pool_of
from tavla_server.store import keys
from tavla_server.store.client import Client, connection_to
from tavla_server.timings import Timings

from tests.support.players.lobby import until_listed
from tests.support.players.no_shows import NoShow
from tests.support.players.plain import Player
from tests.support.players.seekers import Wanted, matched, not_matched, pair, seek
from tests.support.servers.processes import NewServer, inside
from tests.support.servers.valkey import Valkey

pytestmark = pytest.mark.slow  # most of them wait by the clock


@pytest.mark.parametrize("timings", [Timings(no_show_s=0.5)], ids=["impatient"])
async def test_when_nobody_comes_the_match_is_void_and_who_came_seeks_as_before(
    node: str, redis: Client, rules: Wanted
) -> None:
    async with Player(node) as ada, Player(node) as bob:
        await NoShow(redis, rules).enqueue()
        before_ms = round(1000 * time.time())
        await seek(ada, rules)
        after_ms = round(1000 * time.time())
        snapshot = await matched(ada)
        match, seat = snapshot.match, snapshot.seat
        assert seat is not None
        assert ada.matches[match].view.phase == "ready"
        view = await ada.until(match, lambda view: view.phase == "over")
        assert (view.outcome, view.ready[seat], view.ready[1 - seat]) == (None, True, False)
        found = next(message for message in ada.log if isinstance(message, m.Matched))
        assert found.seek is not None
        assert await ada.next(m.Seeking) == m.Seeking(seek=found.seek, on=True, match=match)
        since_ms = await redis.zscore(keys.QUEUE_WAITING(pool_of(preset("tournament", rules))), ada.id)
        assert since_ms is not None
        assert before_ms <= since_ms <= after_ms, "and in front of all who came later"
        await until_listed(bob, match, None)
        async with Player(node, token=ada.token) as again:
            assert again.playing == []
        await seek(bob, rules)
        assert (await matched(ada)).match == (await matched(bob)).match != match


@pytest.mark.parametrize("timings", [Timings(no_show_s=0.5, no_show_swept_s=3000, pairing_s=3600)], ids=["impatient"])
async def test_a_clock_that_is_set_back_makes_nobody_wait_longer_for_one_who_does_not_come(
    node: str, redis: Client, rules: Wanted, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with Player(node) as ada:
        await NoShow(redis, rules).enqueue()
        await seek(ada, rules)
        match = (await matched(ada)).match
        now_ms = Clock.now_ms
        monkeypatch.setattr(Clock, "now_ms", lambda clock: now_ms(clock) - 3_600_000)
        assert (await ada.until(match, lambda view: view.phase == "over")).outcome is None
        assert (await ada.next(m.Seeking)).on


@pytest.mark.parametrize("timings", [Timings(no_show_s=0.5)], ids=["impatient"])
async def test_one_who_left_before_the_other_did_not_come_seeks_no_more(
    node: str, redis: Client, rules: Wanted
) -> None:
    async with Player(node) as watcher, Player(node) as bob:
        async with Player(node) as ada:
            await NoShow(redis, rules).enqueue()
            await seek(ada, rules)
            match = (await matched(ada)).match
            await watcher.ask(m.Attach, table=match)
        await watcher.until(match, lambda view: view.phase == "over")
        await seek(bob, rules)
        await not_matched(bob)


@pytest.mark.long
async def test_a_match_to_which_one_did_not_come_is_void_when_the_nodes_of_both_have_died(
    new_server: NewServer, own_valkey: Valkey, rules: Wanted
) -> None:
    """The other node never was one. Who waits at the match, on a third one, is told that it is void."""
    server = new_server("--redis", own_valkey.url)
    server.start()
    ada = Player(server.url)
    await ada.open()
    async with connection_to(own_valkey.url) as redis:
        await NoShow(redis, rules).enqueue()
    await seek(ada, rules)
    match = (await matched(ada)).match
    server.kill()
    async with (
        inside(own_valkey.url, Timings(sweep_s=0.05, sweep_spread_s=0.1, no_show_s=0.4, no_show_swept_s=0.5)) as node,
        Player(node, token=ada.token) as again,
        Player(node) as bob,
    ):
        assert again.playing == [match]
        await again.ask(m.Attach, table=match)
        assert (await again.until(match, lambda view: view.phase == "over")).outcome is None
        await until_listed(again, match, None)
        assert await pair(again, bob, rules) != match


async def comes_by_attach(player: Player, match: str, rules: Wanted) -> None:
    assert isinstance(await player.ask(m.Attach, table=match), m.Snapshot)


async def comes_by_seek(player: Player, match: str, rules: Wanted) -> None:
    await seek(player, rules)
    assert (await matched(player)).match == match


@pytest.mark.parametrize("comes", [comes_by_attach, comes_by_seek])
async def test_a_match_begins_when_the_one_who_is_awaited_comes(
    node: str, redis: Client, rules: Wanted, comes: Callable[[Player, str, Wanted], Awaitable[None]]
) -> None:
    async with Player(node) as ada, Player(node) as bob:
        await NoShow(redis, rules).enqueue(bob)
        await seek(ada, rules)
        match = (await matched(ada)).match
        async with Player(node, token=bob.token) as again:
            assert again.playing == [match], "it is among the matches of the one who comes back"
            await comes(again, match, rules)
            for player in (ada, again):
                await player.until(match, lambda view: view.phase == "move")


async def test_who_was_paired_by_a_node_that_died_before_anyone_opened_the_match_finds_it(
    node: str, redis: Client, rules: Wanted
) -> None:
    elsewhere = NoShow(redis, rules)
    async with Player(node) as ada, Player(node) as bob:
        await elsewhere.enqueue(ada)
        pairing = await elsewhere.enqueue(bob)
        assert pairing is not None
        assert await pair(ada, bob, rules) == pairing.match


async def test_who_has_seen_the_match_seeks_another_one(node: str, rules: Wanted) -> None:
    """A new connection, right after the match was made: only what was done there says that it was seen."""
    async with Player(node) as ada, Player(node) as bob:
        match = await pair(ada, bob, rules)
        async with Player(node, token=ada.token) as again:
            await seek(again, rules)
            assert (await matched(again)).match == match, "ada may not have heard of it"
            await again.act(m.Auto, match, what="play", on=False)
            await again.act(m.Auto, match, what="play", on=True)
            async with Player(node, token=ada.token) as third:
                await seek(third, rules)
                await not_matched(third)


async def test_who_has_left_the_match_on_purpose_seeks_another_one(node: str, rules: Wanted) -> None:
    async with Player(node) as bob:
        async with Player(node) as ada:
            match = await pair(ada, bob, rules)
        async with Player(node, token=ada.token) as again:
            assert again.playing == [match]
            await seek(again, rules)
            await not_matched(again)
            assert await pair(again, bob, rules) != match


async def test_who_has_lost_the_connection_comes_back_to_the_match(node: str, rules: Wanted) -> None:
    async with Player(node) as ada, Player(node) as bob:
        match = await pair(ada, bob, rules)
        ada.socket.transport.abort()
        await bob.next(m.Presence)
        async with Player(node, token=ada.token) as again:
            await seek(again, {**rules, "cube": False})
            assert (await matched(again)).match == match


async def test_after_a_match_is_over_one_seeks_the_next(node: str, rules: Wanted) -> None:
    async with Player(node) as ada, Player(node) as bob:
        first = await pair(ada, bob, rules)
        await ada.act(m.Forfeit, first)
        async with Player(node, token=bob.token) as again:
            assert await pair(ada, again, rules) != first
