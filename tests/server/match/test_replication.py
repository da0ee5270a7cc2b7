"""Two servers on one store: people on different nodes play and watch as if on one."""

import asyncio
import operator
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgpack
import pytest
from tavla_protocol import messages as m
from tavla_protocol.codes import ErrorCode
from tavla_server.store import keys
from tavla_server.store.client import Client, connection_to
from tavla_server.timings import DEFAULTS

from tests.faults.wires import wired_nodes
from tests.support.patience import PATIENCE_S, ask_until
from tests.support.players.lobby import Watch
from tests.support.players.matches import at_match, new_match
from tests.support.players.plain import Player, guests
from tests.support.players.turns import waits_for
from tests.support.servers.lifetimes import started
from tests.support.servers.processes import ServerProcess, assert_no_fault
from tests.support.servers.valkey import Valkey
from tests.support.stores.journals import check_journal

pytestmark = pytest.mark.long  # each starts two servers

Nodes = tuple[ServerProcess, ServerProcess]


@pytest.fixture
def nodes(tmp_path: Path, valkey: Valkey) -> Iterator[Nodes]:
    """Two server processes on one store."""
    one, two = (ServerProcess(tmp_path / name, "--redis", valkey.url) for name in ("a", "b"))
    with started(one, two):
        yield one, two
    for server in (one, two):
        assert_no_fault(server)


async def test_players_and_watchers_on_two_nodes_see_one_match(nodes: Nodes, rng: random.Random) -> None:
    one, two = nodes
    async with Player(one.url) as white, Player(two.url) as black, Player(one.url) as watcher, Player(two.url) as other:
        match = await new_match(white, black, {"preset": "tournament", "length": 3})
        for spectator in (watcher, other):
            await spectator.get(m.Snapshot, m.Attach, table=match)
        await asyncio.gather(white.play(match, rng), black.play(match, rng))
        last = white.matches[match].seq
        for spectator in (black, watcher, other):
            assert await spectator.reach(match, last) == white.matches[match].view
        assert white.matches[match].view.phase == "over"


async def test_the_newest_connection_holds_the_seat_on_whichever_node(nodes: Nodes) -> None:
    one, two = nodes
    async with at_match(one.url) as (white, black, match), Player(two.url, token=white.token) as newer:
        snapshot = await newer.get(m.Snapshot, m.Attach, table=match)
        assert snapshot.seat == 0
        assert await white.next(m.Replaced) == m.Replaced(match=match, seat=0)
        refusal = await white.get(m.Error, m.Forfeit, match=match, seq=2)
        assert refusal.code == "not_seated"
        assert isinstance(await newer.ask(m.Forfeit, match=match, seq=2), m.Ok)
        assert (await black.until(match, lambda view: view.phase == "over")).outcome == (1, 0, 0, "forfeit")


async def test_presence_crosses_nodes_and_ends_with_a_node_that_is_killed(nodes: Nodes) -> None:
    one, two = nodes
    async with Player(one.url) as white:
        black = Player(two.url)
        await black.open()
        match = await new_match(white, black)
        assert white.matches[match].online == (True, True)
        two.kill()
        lost = await white.next(m.Presence)
        assert (lost.seat, lost.online) == (1, False)
        await black.close()
        black.url = one.url
        await black.open()
        snapshot = await black.get(m.Snapshot, m.Attach, table=match)
        assert snapshot.online == (True, True)
        assert (await white.next(m.Presence)).online
        await black.close()


async def test_who_comes_to_a_match_that_a_dead_node_has_followed_sees_nobody_there(
    nodes: Nodes, redis: Client
) -> None:
    one, two = nodes
    async with Player(one.url) as white:
        black, ada, bob = [Player(two.url) for _ in range(3)]
        for player in (black, ada, bob):
            await player.open()
        await new_match(white, black)
        match = await new_match(ada, bob)
        await ask_until(lambda: redis.exists(keys.MATCH_NODES(match)))
        two.kill()
        assert not (await white.next(m.Presence)).online
        snapshot = await white.get(m.Snapshot, m.Attach, table=match)
        assert snapshot.online == (False, False)
        await ask_until(lambda: redis.hlen(keys.MATCH_NODES(match)), lambda found: found <= 1)
        for player in (black, ada, bob):
            await player.close()


@pytest.mark.parametrize("meant", [True, False], ids=["left", "lost"])
@pytest.mark.parametrize("apart", [True, False], ids=["on another node", "on the same node"])
async def test_who_has_left_has_as_long_to_come_back_as_one_who_was_lost(
    nodes: Nodes, apart: bool, meant: bool
) -> None:
    one, two = nodes
    async with Player(one.url) as white, Player(two.url if apart else one.url) as black:
        match = await new_match(white, black, {"length": 1, "clock": "slow"})
        if meant:
            await black.close()
        else:
            black.socket.transport.abort()
        gone = await white.next(m.Presence)
        assert (gone.seat, gone.online) == (1, False)
        assert gone.claim_after == DEFAULTS.claim_s
        answer = await white.act(m.Claim, match)
        assert isinstance(answer, m.Error)
        assert answer.code == ErrorCode.NO_CLAIM


async def test_one_node_goes_on_where_the_other_was_killed(nodes: Nodes, valkey: Valkey, rng: random.Random) -> None:
    one, two = nodes
    async with Player(one.url) as white:
        black = Player(two.url)
        await black.open()
        match = await new_match(white, black)
        for _ in range(6):
            mover = white if waits_for(white.matches[match].view, 0) else black
            await mover.take_turn(match, rng)
            await asyncio.gather(*(player.reach(match, mover.matches[match].seq) for player in (white, black)))
        two.kill()
        await black.close()
        black.url = one.url
        await black.open()
        assert isinstance(await black.ask(m.Attach, table=match), m.Snapshot)
        await asyncio.gather(white.play(match, rng), black.play(match, rng))
        await asyncio.gather(*(player.reach(match, white.matches[match].seq) for player in (white, black)))
        check_journal(valkey.url, match, white.matches[match].views, black.matches[match].views)
        await black.close()


async def test_people_on_two_nodes_hear_each_other_and_are_seen(nodes: Nodes) -> None:
    one, two = nodes
    async with Player(one.url) as white, Player(two.url) as black, Player(one.url) as eve, Player(two.url) as bob:
        match = await new_match(white, black)
        everyone, names = (white, black, eve, bob), sorted((eve.name or "", bob.name or ""), key=str.lower)
        for watcher in (eve, bob):
            await watcher.ask(m.Attach, table=match)
        for player in everyone:
            await player.find(lambda message: message == m.Watchers(match=match, names=names, count=2))
        await black.ask(m.Ignore, player=eve.name)
        await white.ask(m.Say, match=match, to="players", phrase="hello")
        for player in everyone:
            assert (await player.next(m.Said)).name == white.name
        await eve.ask(m.Say, match=match, to="watchers", text="who wins?")
        await bob.ask(m.Say, match=match, to="watchers", text="white")
        for player in (white, eve, bob):
            assert {(await player.next(m.Said)).text for _ in range(2)} == {"who wins?", "white"}
        assert (await black.next(m.Said)).text == "white"
        two.kill()
        names = [eve.name or ""]
        await white.find(lambda message: message == m.Watchers(match=match, names=names, count=1))


async def test_who_is_ignored_on_one_node_is_not_heard_on_another(nodes: Nodes) -> None:
    one, two = nodes
    async with guests(one.url, 3) as (white, black, eve), Player(two.url, token=eve.token) as again:
        match = await new_match(white, black)
        watch = Watch(again)
        await watch.follow("people")
        await again.ask(m.Attach, table=match)
        for on, heard in ((True, ["gg"]), (False, ["hello", "bye"])):
            assert isinstance(await eve.ask(m.Ignore, player=white.name, on=on), m.Ok)
            async with Player(one.url) as later:  # who is told of after that, on the same way
                await watch.until("people", lambda people, name=later.name: name in people)
            await white.ask(m.Say, match=match, to="players", phrase="hello")
            await black.ask(m.Say, match=match, to="players", phrase="gg" if on else "bye")
            assert [(await again.next(m.Said)).phrase for _ in heard] == heard


async def test_who_watches_on_two_nodes_is_one(nodes: Nodes) -> None:
    one, two = nodes
    async with Player(one.url) as white, Player(two.url) as black, Player(one.url) as eve:
        match = await new_match(white, black)
        async with Player(two.url, token=eve.token) as again:
            for watcher in (eve, again):
                await watcher.ask(m.Attach, table=match)
            for player in (white, black):
                assert (await player.next(m.Watchers)).count == 1
            await again.close()
            await eve.close()
            for player in (white, black):
                await player.find(lambda message: message == m.Watchers(match=match, count=0))


async def test_who_comes_to_another_node_finds_the_opponent_there_at_once(nodes: Nodes) -> None:
    one, two = nodes
    async with Player(one.url) as white, Player(one.url) as black:
        for url in (two.url, one.url) * 10:
            match = await new_match(white, black)
            seen = black.matches[match]
            await black.close()
            black.url = url
            await black.open()
            black.log.clear()
            assert isinstance(await black.ask(m.Attach, table=match, epoch=seen.epoch, seq=seen.seq), m.Ok | m.Snapshot)
            await black.sync()
            shown = [message.online for message in black.log if isinstance(message, m.Snapshot)]
            assert all(online == (True, True) for online in shown)
            assert all(message.online for message in black.log if isinstance(message, m.Presence))
            await white.act(m.Forfeit, match)


async def test_what_a_node_was_not_told_it_finds(nodes: Nodes, redis: Client) -> None:
    one, two = nodes
    async with Player(one.url) as white, Player(two.url) as black:
        match = await new_match(white, black)
        key = f"{{m:{match}}}:nodes"
        rows: Any = await redis.hgetall(key)
        (second,) = [node for node, there in rows.items() if 1 in msgpack.unpackb(there, strict_map_key=False)[0]]
        await redis.hdel(key, second)  # as a node does that takes another one for dead, which only stood still
        answer = await white.act(m.Auto, match, what="play", on=True)
        assert isinstance(answer, m.Ok)
        assert await black.reach(match, answer.seq or 0) == await white.reach(match, answer.seq or 0)
        async with asyncio.timeout(PATIENCE_S):
            while not await redis.hexists(key, second):
                await black.sync()
        await redis.hdel(key, second)
        await white.close()
        await black.find(
            lambda message: isinstance(message, m.Presence) and (message.seat, message.online) == (0, False)
        )


async def test_a_node_whose_connection_for_news_falls_silent_hears_again(valkey: Valkey, redis: Client) -> None:
    async with wired_nodes(valkey, 2) as (one, two), Player(one.url) as white, Player(two.url) as black:
        match = await new_match(white, black)
        channel = f"{{m:{match}}}"
        async with asyncio.timeout(PATIENCE_S):
            while await redis.pubsub_shardnumsub(channel) != [(channel.encode(), 2)]:
                await white.sync()
            two.back.stall()
            while await redis.pubsub_shardnumsub(channel) != [(channel.encode(), 3)]:  # the store has not noticed
                await white.sync()
            # Not in the journal: it must be heard. (On a busy machine the node was taken for dead, and a line is lost.)
            while not any(isinstance(message, m.Said) for message in await black.sync()):
                await white.ask(m.Say, match=match, to="players", phrase="hello")


async def test_who_comes_to_a_node_that_has_not_followed_is_not_thrown_back(nodes: Nodes) -> None:
    one, two = nodes
    async with Player(one.url) as white, Player(two.url) as black:
        match = await new_match(white, black)
        seen = black.matches[match]
        for round_ in range(3):
            await black.close()
            black.url = one.url
            await black.open()
            await black.ask(m.Attach, table=match, epoch=seen.epoch, seq=seen.seq)
            last = await black.send(m.Auto, match=match, seq=seen.seq, what="play", on=round_ % 2 == 0)
            done = await black.find(lambda message, last=last: getattr(message, "id", None) == last)  # type: ignore[misc]
            assert isinstance(done, m.Ok)
            await black.reach(match, done.seq or 0)
            await black.close()
            black.url = two.url
            await black.open()
            answer = await black.ask(m.Attach, table=match, epoch=seen.epoch, seq=seen.seq)
            assert isinstance(answer, m.Ok), "nothing is missing"
            assert answer.seq == seen.seq == done.seq
            again = await black.ask(m.Auto, id=last, match=match, seq=seen.seq - 1, what="play", on=round_ % 2 == 0)
            assert again == done, "the action that was done there is known here"


async def test_who_left_while_a_node_did_not_listen_is_away_there(nodes: Nodes) -> None:
    one, two = nodes
    async with at_match(one.url) as (white, black, match), Player(two.url) as watcher:
        assert isinstance(await watcher.ask(m.Attach, table=match), m.Snapshot)
        assert watcher.matches[match].online == (True, True)
        await watcher.ask(m.Detach, match=match)
        await watcher.sync()
        for player in (white, black):
            await player.ask(m.Detach, match=match)
        assert isinstance(await watcher.ask(m.Attach, table=match), m.Snapshot)
        async with asyncio.timeout(PATIENCE_S):  # their node may have told the store a moment after it answered them
            while watcher.matches[match].online != (False, False):
                await watcher.receive()


async def test_nodes_find_each_other_when_the_store_takes_writes_again(tmp_path: Path, own_valkey: Valkey) -> None:
    one, two = (ServerProcess(tmp_path / name, "--redis", own_valkey.url) for name in ("a", "b"))
    with started(one, two):
        async with Player(one.url) as white, Player(two.url) as black:
            match = await new_match(white, black)
            for player in (white, black):
                await player.ask(m.Detach, match=match)
            async with connection_to(own_valkey.url) as redis, asyncio.timeout(PATIENCE_S):
                await ask_until(lambda: redis.exists(f"{{m:{match}}}:nodes"), operator.not_)
            await white.sync()
            own_valkey.configure("min-replicas-to-write", "1")
            for player in (white, black):
                assert isinstance(await player.ask(m.Attach, table=match), m.Snapshot)
            assert isinstance(await white.act(m.Auto, match, what="play", on=True), m.Error)
            own_valkey.configure("min-replicas-to-write", "0")
            await white.find(lambda seen: seen == m.Presence(match=match, seat=1, online=True))
            assert isinstance(await white.act(m.Auto, match, what="play", on=True), m.Ok)
            await black.reach(match, white.matches[match].seq)
