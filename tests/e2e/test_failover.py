"""Two servers on masters that take over from each other. `tests/faults` kills and freezes them under a checker."""

import asyncio
import contextlib
import random
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest
from redis.crc import key_slot
from tavla_protocol import messages as m
from tavla_protocol.codes import ErrorCode
from tavla_server.journal import log_key

from tests.conftest import assert_no_fault
from tests.journals import check_journal
from tests.players import Player, new_match, refused, waits_for
from tests.redises import Cluster, Replicated, SentinelSet, replicated, until
from tests.server.test_accounts import registered
from tests.server.test_standings import until_played
from tests.servers import ServerProcess, redis_at
from tests.swarm import press

UNAVAILABLE_S = 3.0
MOVES_S = (0.3, 0.0, 0.3, 0.0)  # how long the slot is between two masters, each time: longer than a turn, or not
TURNS, TURNS_S = 50, 10.0  # take a tenth of that; if every other one had to be found by looking, 100 s

KINDS = pytest.mark.parametrize("kind", [SentinelSet, Cluster])


@contextlib.contextmanager
def two_servers(store: Replicated, folder: Path) -> Iterator[tuple[ServerProcess, ServerProcess]]:
    """Two servers on one store."""
    one, two = (ServerProcess(folder / name, "--redis", store.url) for name in ("a", "b"))
    try:
        for server in (one, two):
            server.start()
        yield one, two
    finally:
        for server in (one, two):
            server.clean_up()


async def test_what_a_new_master_has_missed_is_given_back_by_both_servers(tmp_path: Path, rng: random.Random) -> None:
    with replicated(Cluster) as store, two_servers(store, tmp_path) as (one, two):
        async with Player(one.url) as white, Player(two.url) as black:
            match = await new_match(white, black)
            master = store.serving(log_key(match))
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
            while isinstance(await white.act(m.Auto, match, what="play", on=True), m.Error):
                pass
            for player in (white, black):
                await player.reach(match, shown + 1)
                assert player.matches[match].epoch == 1
            until(lambda: any("journal_restored" in line for line in one.lines + two.lines), "a word of it in a log")
            journal = store.serving(log_key(match)).url
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
                pairs[store.serving(log_key(match)).port] = match, white, black
            match, white, black = pairs.pop(store.serving("{lobby}").port)
            for instance in store.instances:
                if instance.replication().get("master_port") == store.serving("{lobby}").port:
                    instance.kill()  # nobody can take over
            before, began = len(one.lines), time.monotonic()
            gone = store.kill_master("{lobby}")
            await asyncio.to_thread(one.wait_for_event, "redis_lost", after=before)
            assert refused(await white.act(m.Auto, match, what="play", on=True)) == ErrorCode.UNAVAILABLE
            assert time.monotonic() - began < UNAVAILABLE_S
            for other, first, second in pairs.values():
                await asyncio.gather(first.play(other, rng), second.play(other, rng))
                assert first.matches[other].view.phase == "over"
            gone.start()
            while isinstance(await white.act(m.Auto, match, what="play", on=True), m.Error):
                pass
            await white.reach(match, 3)
            await black.reach(match, 3)


def move_slot(store: Cluster, key: str, takes_s: float) -> None:
    """Move a key's slot, under those who use it."""
    with store.moving(key) as master:
        time.sleep(takes_s)
    assert store.serving(key) is master


async def take_turns(match: str, players: tuple[Player, Player], rng: random.Random, turns: int) -> None:
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
                moving = asyncio.ensure_future(asyncio.to_thread(move_slot, store, log_key(match), takes_s))
                while not moving.done():
                    await take_turns(match, (white, black), rng, 1)
                await moving
            began = time.monotonic()
            await take_turns(match, (white, black), rng, TURNS)
            assert time.monotonic() - began < TURNS_S
            assert [player.matches[match].epoch for player in (white, black)] == [1, 1]
            journal = store.serving(log_key(match)).url
            check_journal(journal, match, white.matches[match].views, black.matches[match].views)
        for server in (one, two):
            assert_no_fault(server)


async def test_a_slot_that_comes_back_before_anybody_has_looked_is_heard_again(
    tmp_path: Path, rng: random.Random
) -> None:
    with replicated(Cluster) as store, two_servers(store, tmp_path) as (one, two):
        async with Player(one.url) as white, Player(two.url) as black:
            match = await new_match(white, black, {"preset": "money", "length": 0})
            slot = key_slot(log_key(match).encode())
            with contextlib.closing(redis_at(store.serving(log_key(match)).url)) as redis:
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
        crowd = await press([one, two], 40, rng, None)
        assert set(Counter(presser.match for presser in crowd.pressers).values()) == {2}
        async with Player(one.url) as white, Player(two.url) as black:
            for player in (white, black):
                await registered(player)
            match = await new_match(white, black, {"preset": "tournament", "length": 3, "rated": True})
            tables = await black.ask(m.List, what="matches")
            assert isinstance(tables, m.Listing)
            await black.act(m.Forfeit, match)
            won, lost = await until_played(black, white, 3), await until_played(white, black, 3)
            assert (lost.rating or 0) < 1500 < (won.rating or 0)
            leaders = await white.ask(m.Top)
            assert isinstance(leaders, m.Leaders)
            assert {leader.name for leader in leaders.leaders} == {white.name, black.name}
        for server in (one, two):
            assert_no_fault(server)
