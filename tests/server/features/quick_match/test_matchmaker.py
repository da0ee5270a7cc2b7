"""Conversations about quick match: seeking, being matched, giving up, and opponents who do not come."""

import asyncio
import random
from typing import Any

import pytest
from tavla_engine.rules import preset
from tavla_protocol import messages as m
from tavla_protocol.codes import ErrorCode
from tavla_server.errors import StoreUnavailable
from tavla_server.features.quick_match.match_queue import POOLS_LIMIT, MatchQueue, Ticket, pool_of
from tavla_server.features.quick_match.matchmaker import Matchmaker
from tavla_server.features.quick_match.voids import Voids
from tavla_server.limits import Limits
from tavla_server.match import ids as match_ids
from tavla_server.match.registry import Registry
from tavla_server.match.session import Session
from tavla_server.store import keys
from tavla_server.store.client import Client
from tavla_server.timings import Timings

from tests.support.patience import PATIENCE_S, PAUSE_S, ask_until
from tests.support.players.lobby import until_listed
from tests.support.players.matches import at_match
from tests.support.players.plain import Player, guests, refused, within
from tests.support.players.seeds import COMMITMENTS, SEEDS
from tests.support.players.seekers import Wanted, matched, not_matched, pair, seek
from tests.support.servers.processes import ServerProcess, inside
from tests.support.servers.valkey import Valkey
from tests.support.stores.journals import check_journal

pytestmark = pytest.mark.slow  # most of them wait by the clock

NO_POLL = Timings(queue_poll_s=10 * PATIENCE_S, queue_dead_s=11 * PATIENCE_S)


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
            while await redis.zscore(keys.QUEUE_WAITING(pool_of(preset("tournament", rules))), ada.id) is not None:  # noqa: ASYNC110
                await asyncio.sleep(PAUSE_S)
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
    async with Player(node) as ada, Player(node) as bob, at_match(node) as (_, _, old):
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
        await ask_until(lambda: bob.ask(m.Seek, rules=rules), lambda found: not isinstance(found, m.Error))
        assert (await matched(ada)).match == (await matched(bob)).match
        await not_matched(cy)
