"""Conversations about quick match: seeking, being matched, giving up, and opponents who do not come."""

import asyncio
import random
import time
from collections.abc import Awaitable, Callable
from typing import Any

import pytest
from tavla_engine.rules import preset
from tavla_protocol import messages as m
from tavla_protocol.codes import ErrorCode
from tavla_server.cluster.clock import Clock
from tavla_server.errors import StoreUnavailable
from tavla_server.features.quick_match.match_queue import POOLS_LIMIT, MatchQueue, Ticket, pool_of
from tavla_server.features.quick_match.matchmaker import Matchmaker
from tavla_server.features.quick_match.voids import Voids
from tavla_server.limits import Limits
from tavla_server.match import ids as match_ids
from tavla_server.match.registry import Registry
from tavla_server.match.session import Session
from tavla_server.store import keys
from tavla_server.store.client import Client, connection_to
from tavla_server.timings import DEFAULTS, Timings

from tests.support.patience import PATIENCE_S
from tests.support.players.lobby import until_listed
from tests.support.players.no_shows import NoShow
from tests.support.players.plain import Player, guests, new_match, refused, within
from tests.support.players.seeds import COMMITMENTS, SEEDS
from tests.support.servers.processes import ServerProcess, Valkey, inside
from tests.support.stores.journals import check_journal

Wanted = dict[str, bool | int | str]
NO_POLL = Timings(queue_poll_s=10 * PATIENCE_S, queue_dead_s=11 * PATIENCE_S)


async def seek(player: Player, rules: Wanted, **fields: str) -> None:
    """Seek, and be told that it is so."""
    await player.get(m.Ok, m.Seek, rules=rules, **fields)


async def matched(player: Player) -> m.Snapshot:
    """Wait for the match, which comes before its snapshot."""
    found = await player.next(m.Matched)
    snapshot = await player.next(m.Snapshot)
    assert (snapshot.match, snapshot.id) == (found.match, None)
    assert player.log.index(found) < player.log.index(snapshot)
    assert snapshot.seat is not None
    return snapshot


async def not_matched(*players: Player, for_s: float = 3 * DEFAULTS.queue_poll_s) -> None:
    """Nothing comes, for longer than a poll takes."""
    await asyncio.sleep(for_s)
    for player in players:
        assert not [message for message in await player.sync() if isinstance(message, m.Matched)]


async def pair(one: Player, two: Player, rules: Wanted) -> str:
    """The match of two who seek, when it has begun."""
    await seek(one, rules)
    await seek(two, rules)
    snapshots = [await matched(one), await matched(two)]
    match = snapshots[0].match
    assert match == snapshots[1].match
    assert {snapshot.seat for snapshot in snapshots} == {0, 1}
    for player in (one, two):
        await player.until(match, lambda view: view.game > 0)
    return match


# --- to be matched ---


async def test_a_lost_connection_ends_no_search_of_a_newer_one(
    valkey: Valkey, rules: Wanted, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The store is slow: what a connection asked for comes when its player seeks by another one."""
    flush, held, go_on = Voids.flush, asyncio.Event(), asyncio.Event()
    enqueue, queued = MatchQueue.enqueue, list[str]()
    leave, left = Matchmaker.leave, asyncio.Event()

    async def slow(voids: Voids, player: str) -> None:
        if not held.is_set():
            held.set()
            await go_on.wait()
        await flush(voids, player)

    async def count(queue: MatchQueue, ticket: Ticket, *args: Any) -> Any:
        queued.append(ticket.player.id)
        return await enqueue(queue, ticket, *args)

    def note(matchmaker: Matchmaker, *args: Any) -> None:
        leave(matchmaker, *args)
        left.set()

    async with inside(valkey.url) as url, guests(url, 2) as (ada, bob), Player(url, token=ada.token) as lost:
        monkeypatch.setattr(Voids, "flush", slow)
        monkeypatch.setattr(MatchQueue, "enqueue", count)
        monkeypatch.setattr(Matchmaker, "leave", note)
        await lost.send(m.Seek, rules=rules)
        await within(held.wait())
        lost.socket.transport.abort()
        await seek(ada, rules)
        go_on.set()
        await within(left.wait())
        assert queued == [ada.id], "a second ticket would have replaced the first"
        await seek(bob, rules)
        assert (await matched(ada)).match == (await matched(bob)).match


async def test_two_who_seek_the_same_play_a_match(server: ServerProcess, rng: random.Random) -> None:
    async with Player(server.url) as ada, Player(server.url) as bob:
        match = await pair(ada, bob, {"preset": "tournament", "length": 1, "variant": "hypergammon"})
        view = ada.matches[match].view
        assert view == bob.matches[match].view
        assert (view.name, view.game, view.phase) == (match, 1, "move")
        assert set(view.players) == {ada.name, bob.name}
        assert view.rules["variant"] == "hypergammon"
        async with asyncio.timeout(PATIENCE_S):
            await asyncio.gather(ada.play(match, rng), bob.play(match, random.Random(rng.random())))
        await until_listed(ada, match, None)
        check_journal(server.store_url, match, ada.matches[match].views, bob.matches[match].views)


async def test_both_seeds_go_into_the_dice(server: ServerProcess, rules: Wanted) -> None:
    async with Player(server.url) as ada, Player(server.url) as bob:
        await seek(ada, rules, commitment=COMMITMENTS[0])
        await seek(bob, rules, commitment=COMMITMENTS[1])
        match, _ = (await matched(ada)).match, await matched(bob)
        await ada.until(match, lambda view: view.phase == "reveal")
        for player, seed in ((ada, SEEDS[0]), (bob, SEEDS[1])):
            assert isinstance(await player.act(m.Reveal, match, seed=seed), m.Ok)
        view = await ada.until(match, lambda view: view.game == 1)
        seat = ada.matches[match].seat or 0
        assert (view.seeds[seat], view.seeds[1 - seat]) == SEEDS
        assert (view.commitments[seat], view.commitments[1 - seat]) == COMMITMENTS


async def test_sides_are_drawn(node: str, rules: Wanted) -> None:
    seats: set[int | None] = set()
    async with Player(node) as ada, Player(node) as bob, asyncio.timeout(PATIENCE_S):
        while seats != {0, 1}:
            match = await pair(ada, bob, rules)
            seats.add(ada.matches[match].seat)
            await ada.act(m.Forfeit, match)


async def test_a_pair_on_two_nodes_is_matched_and_sees_each_other(valkey: Valkey, rules: Wanted) -> None:
    async with inside(valkey.url) as first, inside(valkey.url) as second, Player(first) as ada, Player(second) as bob:
        match = await pair(ada, bob, rules)
        await within(both_online(ada, match))
        await within(both_online(bob, match))
        assert ada.matches[match].view == bob.matches[match].view


async def test_a_pair_on_one_node_waits_for_no_poll(valkey: Valkey, rules: Wanted) -> None:
    async with inside(valkey.url, NO_POLL) as url, Player(url) as ada, Player(url) as bob:
        await pair(ada, bob, rules)


async def both_online(player: Player, match: str) -> None:
    """Wait until a player sees both connections."""
    while player.matches[match].online != (True, True):
        await player.receive()


async def test_who_seeks_something_else_waits(node: str, rules: Wanted) -> None:
    async with Player(node) as ada, Player(node) as bob:
        await seek(ada, rules)
        await seek(bob, {**rules, "cube": False})
        await not_matched(ada, bob)


async def test_the_first_match_ends_all_that_one_seeks(node: str, rules: Wanted) -> None:
    async with Player(node) as ada, Player(node) as bob, Player(node) as cy:
        await seek(ada, {**rules, "cube": False})
        await pair(ada, bob, rules)
        await seek(cy, {**rules, "cube": False})
        await not_matched(ada, cy)
        assert not [message for message in ada.log if isinstance(message, m.Seeking)], "matched says it all"


async def test_who_plays_may_seek_another_match(node: str, rules: Wanted) -> None:
    async with Player(node) as ada, Player(node) as bob, Player(node) as cy:
        first = await pair(ada, bob, rules)
        assert await pair(ada, cy, rules) != first


# --- to be refused ---


@pytest.mark.parametrize(
    ("rules", "word"),
    [
        ({"preset": "chess"}, "chess"),
        ({"length": 65}, "points"),
        ({"jacoby": True}, "jacoby"),
        ({"hints": False}, "hints"),
        ({"clock": "sundial"}, "sundial"),
    ],
)
async def test_what_cannot_be_sought_is_refused(server: ServerProcess, rules: Wanted, word: str) -> None:
    async with Player(server.url) as ada:
        answer = await ada.ask(m.Seek, rules=rules)
        assert refused(answer) == ErrorCode.BAD_RULES
        assert isinstance(answer, m.Error)
        assert word in answer.text


async def test_one_player_seeks_a_limited_number_of_things(node: str, rules: Wanted) -> None:
    async with Player(node) as ada:
        for delay_s in range(POOLS_LIMIT):
            await seek(ada, {**rules, "delay_s": delay_s})
        assert refused(await ada.ask(m.Seek, rules={**rules, "delay_s": 60})) == ErrorCode.TOO_MANY
        await seek(ada, {**rules, "delay_s": 0})
        await ada.ask(m.Unseek)
        await seek(ada, {**rules, "delay_s": 60})


@pytest.mark.parametrize("limits", [Limits(tables=1)])
async def test_who_has_too_many_matches_finishes_one_first(node: str, rules: Wanted) -> None:
    async with Player(node) as ada:
        await ada.ask(m.Create)
        assert refused(await ada.ask(m.Seek, rules=rules)) == ErrorCode.TOO_MANY


# --- to give up ---


async def test_who_gives_up_is_not_matched(node: str, rules: Wanted) -> None:
    async with Player(node) as ada, Player(node) as bob:
        await seek(ada, rules)
        for _ in range(2):
            assert isinstance(await ada.ask(m.Unseek), m.Ok)
        await seek(bob, rules)
        await not_matched(ada, bob)
        await seek(ada, rules)
        assert (await matched(ada)).match == (await matched(bob)).match


@pytest.mark.slow
async def test_after_the_answer_to_unseek_no_match_comes(valkey: Valkey, rules: Wanted) -> None:
    """A player that was paired on another node in this moment is told so before."""
    async with inside(valkey.url) as first, inside(valkey.url) as second, Player(first) as ada, Player(second) as bob:
        for _ in range(10):
            await seek(ada, rules)
            await seek(bob, rules)
            answer = await ada.ask(m.Unseek)
            await bob.ask(m.Unseek)
            await ada.sync()
            after = ada.log[ada.log.index(answer) :]
            assert not [message for message in after if isinstance(message, m.Matched)]
            for match in ada.matches:
                await ada.act(m.Forfeit, match)


async def test_who_was_paired_before_giving_up_is_taken_to_the_match(valkey: Valkey, rules: Wanted) -> None:
    async with (
        inside(valkey.url, NO_POLL) as first,
        inside(valkey.url, NO_POLL) as second,
        Player(first) as ada,
        Player(second) as bob,
    ):
        await seek(ada, rules)
        await seek(bob, rules)
        assert isinstance(await ada.ask(m.Unseek), m.Ok)
        assert (await matched(ada)).match == (await matched(bob)).match


async def test_a_closed_connection_is_never_paired(node: str, rules: Wanted) -> None:
    async with Player(node) as bob:
        for _ in range(5):
            async with Player(node) as ada:
                await seek(ada, rules)
        await seek(bob, rules)
        await not_matched(bob)


async def test_a_lost_connection_is_not_paired(node: str, redis: Client, rules: Wanted) -> None:
    async with Player(node) as ada, Player(node) as bob:
        await seek(ada, rules)
        ada.socket.transport.abort()
        async with asyncio.timeout(PATIENCE_S):
            while await redis.zscore(keys.QUEUE_WAITING(pool_of(preset("tournament", rules))), ada.id) is not None:
                pass
        await seek(bob, rules)
        await not_matched(bob)


async def test_the_newest_connection_of_a_player_seeks(node: str, rules: Wanted) -> None:
    async with Player(node) as ada, Player(node) as bob:
        await seek(ada, rules)
        async with Player(node, token=ada.token) as again:
            await seek(again, rules)
            told = await ada.next(m.Seeking)
            assert (told.on, told.match) == (False, None)
            await seek(bob, rules)
            assert (await matched(again)).match == (await matched(bob)).match
            await not_matched(ada)


async def test_a_stopped_server_leaves_no_ticket(valkey: Valkey, rules: Wanted) -> None:
    async with inside(valkey.url) as first:
        ada = Player(first)
        await ada.open()
        await seek(ada, rules)
    async with inside(valkey.url) as second, Player(second) as bob:
        await seek(bob, rules)
        await not_matched(bob)
    await ada.close()


# --- opponents who do not come ---


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
    new_server: Callable[..., ServerProcess], own_valkey: Valkey, rules: Wanted
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


# --- faults ---


async def test_a_match_that_cannot_be_opened_at_once_is_opened_later(
    node: str, rules: Wanted, monkeypatch: pytest.MonkeyPatch
) -> None:
    get, failures = Registry.get, iter(range(3))

    async def fail(self: Registry, match: str) -> Session:
        if next(failures, None) is not None:
            raise StoreUnavailable("away")
        return await get(self, match)

    monkeypatch.setattr(Registry, "get", fail)
    async with Player(node) as ada, Player(node) as bob:
        await pair(ada, bob, rules)


async def test_a_match_id_that_is_in_use_is_not_used_again(
    node: str, rules: Wanted, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with Player(node) as ada, Player(node) as bob, Player(node) as cy, Player(node) as dee:
        old = await new_match(cy, dee)
        ids, drawn = iter([old, old]), match_ids.new_id
        monkeypatch.setattr(match_ids, "new_id", lambda: next(ids, None) or drawn())
        assert await pair(ada, bob, rules) != old


async def test_a_store_that_was_away_pairs_those_who_waited_and_nobody_who_was_refused(
    own_valkey: Valkey, rules: Wanted
) -> None:
    async with inside(own_valkey.url) as node, Player(node) as ada, Player(node) as bob, Player(node) as cy:
        await seek(ada, rules)
        own_valkey.kill()
        assert refused(await cy.ask(m.Seek, rules=rules)) == ErrorCode.UNAVAILABLE
        own_valkey.start()
        async with asyncio.timeout(PATIENCE_S):
            while isinstance(await bob.ask(m.Seek, rules=rules), m.Error):
                pass
        assert (await matched(ada)).match == (await matched(bob)).match
        await not_matched(cy)
