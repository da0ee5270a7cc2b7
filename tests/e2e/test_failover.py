"""Two servers on masters that take over from each other. `tests/faults` kills and freezes them under a checker."""

import asyncio
import contextlib
import random
import socket
import time
from collections import Counter
from collections.abc import Sequence
from contextlib import AbstractContextManager
from pathlib import Path

import pytest
from redis.crc import key_slot
from tavla_protocol import messages as m
from tavla_protocol.codes import ErrorCode
from tavla_server.store import keys

from tests.support.patience import LATE_S, PAUSE_S
from tests.support.players.accounts import registered, until_played
from tests.support.players.matches import new_match, played_on
from tests.support.players.plain import Player, refused
from tests.support.players.returning import Returning
from tests.support.players.swarm import press
from tests.support.players.turns import waits_for
from tests.support.servers.lifetimes import started
from tests.support.servers.processes import NewServer, ServerProcess, assert_no_fault, ready_in_time, redis_at
from tests.support.stores.cluster import Cluster
from tests.support.stores.journals import check_journal
from tests.support.stores.redises import Instance, Replicated, SentinelSet, replicated, until

pytestmark = pytest.mark.long  # each starts a store of many servers

MOVES_S = (0.3, 0.0, 0.3, 0.0)  # how long the slot is between two masters, each time: longer than a turn, or not
TURNS, TURNS_S = 50, 1.0 + 2 * LATE_S  # if every other one had to be found by looking, 100 s

KINDS = pytest.mark.parametrize("kind", [SentinelSet, Cluster])


def two_servers(store: Replicated, folder: Path) -> AbstractContextManager[tuple[ServerProcess, ...]]:
    """Two servers on one store."""
    return started(*(ServerProcess(folder / name, "--redis", store.url) for name in ("a", "b")))


def kill_with_replica(store: Cluster, master: Instance) -> Instance:
    """kill -9 a master, and who could take over from it."""
    for instance in store.instances:
        if instance.replication().get("master_port") == master.port:
            instance.kill()
    master.kill()
    return master


async def test_what_a_new_master_has_missed_is_given_back_by_both_servers(tmp_path: Path, rng: random.Random) -> None:
    with replicated(Cluster) as store, two_servers(store, tmp_path) as (one, two):
        async with Player(one.url) as white, Player(two.url) as black:
            match = await new_match(white, black)
            master = store.serving(keys.MATCH_LOG(match))
            replica = next(one for one in store.instances if one.replication().get("master_port") == master.port)
            replica.freeze()
            master.ask("CLIENT", "KILL", "TYPE", "REPLICA")  # what is written from now on is on one machine only
            for _ in range(6):
                mover = white if waits_for(white.matches[match].view, 0) else black
                await mover.take_turn(match, rng)
                await asyncio.gather(*(player.reach(match, mover.matches[match].seq) for player in (white, black)))
            shown = white.matches[match].seq
            master.kill()
            replica.thaw()
            while isinstance(await white.act(m.Auto, match, what="play", on=True), m.Error):  # noqa: ASYNC110
                await asyncio.sleep(PAUSE_S)
            for player in (white, black):
                await player.reach(match, shown + 1)
                assert player.matches[match].epoch == 1
            until(lambda: any("journal_restored" in line for line in one.lines + two.lines), "a word of it in a log")
            journal = store.serving(keys.MATCH_LOG(match)).url
            check_journal(journal, match, white.matches[match].views, black.matches[match].views)


async def test_while_one_master_of_a_cluster_is_away_matches_on_the_others_go_on(
    tmp_path: Path, rng: random.Random
) -> None:
    with replicated(Cluster) as store, two_servers(store, tmp_path) as (one, two):
        async with contextlib.AsyncExitStack() as stack:
            pairs: dict[int, tuple[str, Player, Player]] = {}
            while len(pairs) < 3:  # a match on each master
                white = await stack.enter_async_context(Player(one.url))
                black = await stack.enter_async_context(Player(two.url))
                match = await new_match(white, black)
                pairs[store.serving(keys.MATCH_LOG(match)).port] = match, white, black
            match, white, black = pairs.pop(store.serving("{lobby}").port)
            before = len(one.lines)
            gone = kill_with_replica(store, store.serving("{lobby}"))
            await asyncio.to_thread(one.wait_for_event, "store_disconnected", after=before)
            assert refused(await white.act(m.Auto, match, what="play", on=True)) == ErrorCode.UNAVAILABLE
            for other, first, second in pairs.values():
                await asyncio.gather(first.play(other, rng), second.play(other, rng))
                assert first.matches[other].view.phase == "over"
            gone.start()
            while isinstance(await white.act(m.Auto, match, what="play", on=True), m.Error):  # noqa: ASYNC110
                await asyncio.sleep(PAUSE_S)
            await white.reach(match, 3)
            await black.reach(match, 3)


async def two_players_kept_elsewhere(
    stack: contextlib.AsyncExitStack, url: str, store: Cluster, victim: Instance
) -> tuple[Returning, Returning]:
    """Two players of whom one master of a cluster knows nothing."""
    found: list[Returning] = []
    while len(found) < 2:
        player = await stack.enter_async_context(Returning(url))
        if victim not in (store.serving(f"{{p:{player.id}}}"), store.serving(f"name:{player.name}")):
            found.append(player)
    return found[0], found[1]


async def test_a_server_starts_without_one_master_and_serves_the_matches_of_the_others(
    new_server: NewServer, rng: random.Random
) -> None:
    with replicated(Cluster) as store:
        server = new_server("--redis", store.url)
        server.start()
        needed = [store.serving(key) for key in ("{lobby}", "{alive}")]
        victim = next(master for master in store.masters() if master not in needed)
        async with contextlib.AsyncExitStack() as stack:
            pair = await two_players_kept_elsewhere(stack, server.url, store, victim)
            matches: dict[bool, str] = {}
            while len(matches) < 2:
                match = await new_match(*pair)
                matches[store.serving(keys.MATCH_LOG(match)) is victim] = match
            server.kill()
            kill_with_replica(store, victim)
            server.restart()
            assert server.wait_for_event("store_partly_away")["away"] == [f"127.0.0.1:{victim.port}"]
            assert ready_in_time(server.url) == (200, "ready\n")
            seen = [player.matches for player in pair]
            for player in pair:
                player.matches = {matches[False]: player.matches[matches[False]]}
                await player.come_back()
            await asyncio.gather(*(player.play(matches[False], rng) for player in pair))
            answer = await pair[0].ask(m.Attach, table=matches[True])
            assert refused(answer) == ErrorCode.UNAVAILABLE
            victim.start()
            await asyncio.to_thread(server.wait_for_event, "store_reconnected")
            for player, before in zip(pair, seen, strict=True):
                await player.close()
                player.matches = {matches[True]: before[matches[True]]}
                await player.come_back()
            while isinstance(answer := await pair[0].act(m.Auto, matches[True], what="play", on=True), m.Error):  # noqa: ASYNC110
                await asyncio.sleep(PAUSE_S)
            for player in pair:
                await player.reach(matches[True], answer.seq or 0)


@pytest.mark.parametrize("workers", [1, 2])
async def test_a_server_waits_for_the_master_that_it_needs_and_then_starts(
    workers: int, new_server: NewServer, tmp_path: Path
) -> None:
    with replicated(Cluster) as store:
        gone = kill_with_replica(store, store.serving("{lobby}"))
        server = new_server("--redis", store.url, "--workers", str(workers))
        server.spawn()
        waits = await asyncio.to_thread(server.wait_for_event, "waiting_for_store")
        assert waits["away"] == [f"127.0.0.1:{gone.port}"]
        with socket.socket() as probe:
            assert probe.connect_ex(("127.0.0.1", server.port)), "nobody can take it for ready"
        assert await asyncio.to_thread(server.stop) == 0
        assert sum("waiting_for_store" in line for line in server.lines) == 1, "it says so once"
        server.spawn()
        await asyncio.to_thread(server.wait_for_event, "waiting_for_store", after=1)
        gone.start()
        await asyncio.to_thread(server.wait_for_event, "serving")
        assert ready_in_time(server.url) == (200, "ready\n")
        async with Player(server.url) as white, Player(server.url) as black:
            # Each of them is stored at once.
            while store.serving(keys.MATCH_LOG(await new_match(white, black))) is not gone:
                pass


@KINDS
async def test_a_server_may_be_started_while_another_master_takes_over(
    kind: type[Replicated], new_server: NewServer
) -> None:
    with replicated(kind) as store:
        store.kill_master("{lobby}")
        server = new_server("--redis", store.url)
        await asyncio.to_thread(server.start)
        async with Player(server.url) as white, Player(server.url) as black:
            await new_match(white, black)
        assert_no_fault(server)


def move_slot(store: Cluster, key: str, takes_s: float) -> None:
    """Move a key's slot, under those who use it."""
    with store.moving(key) as master:
        time.sleep(takes_s)
    assert store.serving(key) is master


async def take_turns(match: str, players: Sequence[Player], rng: random.Random, turns: int) -> None:
    """So many turns of a match, each seen by both players."""
    for _ in range(turns):
        mover = next(player for seat, player in enumerate(players) if waits_for(player.matches[match].view, seat))
        await mover.take_turn(match, rng)
        await asyncio.gather(*(player.reach(match, mover.matches[match].seq) for player in players))


async def test_a_match_goes_on_when_its_slot_moves_to_another_master(tmp_path: Path, rng: random.Random) -> None:
    with replicated(Cluster) as store, two_servers(store, tmp_path) as (one, two):
        async with Player(one.url) as white, Player(two.url) as black:
            match = await new_match(white, black, {"preset": "money", "length": 0})
            for takes_s in MOVES_S:
                moving = asyncio.ensure_future(asyncio.to_thread(move_slot, store, keys.MATCH_LOG(match), takes_s))
                while not moving.done():
                    await take_turns(match, (white, black), rng, 1)
                await moving
            began = time.monotonic()
            await take_turns(match, (white, black), rng, TURNS)
            assert time.monotonic() - began < TURNS_S
            assert [player.matches[match].epoch for player in (white, black)] == [1, 1]
            journal = store.serving(keys.MATCH_LOG(match)).url
            check_journal(journal, match, white.matches[match].views, black.matches[match].views)
        for server in (one, two):
            assert_no_fault(server)


async def test_a_slot_that_comes_back_before_anybody_has_looked_is_heard_again(
    tmp_path: Path, rng: random.Random
) -> None:
    with replicated(Cluster) as store, two_servers(store, tmp_path) as (one, two):
        async with Player(one.url) as white, Player(two.url) as black:
            match = await new_match(white, black, {"preset": "money", "length": 0})
            slot = key_slot(keys.MATCH_LOG(match).encode())
            with contextlib.closing(redis_at(store.serving(keys.MATCH_LOG(match)).url)) as redis:
                at_once = redis.pipeline(transaction=True)
                at_once.cluster("DELSLOTS", slot)  # ends all subscriptions there
                at_once.cluster("ADDSLOTS", slot)
                at_once.execute()
            began = time.monotonic()
            await take_turns(match, (white, black), rng, TURNS)
            assert time.monotonic() - began < TURNS_S


@KINDS
async def test_the_whole_lobby_works(kind: type[Replicated], tmp_path: Path, rng: random.Random) -> None:
    with replicated(kind) as store, two_servers(store, tmp_path) as (one, two):
        swarm = await press([one, two], 40, rng, None)
        assert set(Counter(presser.match for presser in swarm.pressers).values()) == {2}
        async with Player(one.url) as white, Player(two.url) as black:
            for player in (white, black):
                await registered(player)
            match = await new_match(white, black, {"preset": "tournament", "length": 3, "rated": True})
            await black.get(m.Listing, m.List, what="matches")
            await played_on(match, white, black)
            await black.act(m.Forfeit, match)
            won, lost = await until_played(black, white, 3), await until_played(white, black, 3)
            assert (lost.rating or 0) < 1500 < (won.rating or 0)
            assert isinstance(await white.ask(m.Top), m.Leaders)
        for server in (one, two):
            assert_no_fault(server)
