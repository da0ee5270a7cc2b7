"""Two servers on masters that take over from each other. `tests/faults` kills and freezes them under a checker."""

import asyncio
import contextlib
import random
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest
from tavla_protocol import messages as m
from tavla_protocol.codes import ErrorCode
from tavla_server.journal import log_key

from tests.conftest import assert_no_fault
from tests.journals import check_journal
from tests.players import Player, new_match, refused, waits_for
from tests.redises import Cluster, Replicated, SentinelSet, replicated, until
from tests.server.test_accounts import registered
from tests.server.test_standings import until_played
from tests.servers import ServerProcess
from tests.swarm import press

UNAVAILABLE_S = 3.0

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
