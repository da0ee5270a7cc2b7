"""Quick match with the client library, at real servers."""

import asyncio
import random

import pytest
from redis.asyncio import Redis
from tavla_client import Callbacks, Client, ClientError, Counts, Match, Refused
from tavla_engine.rules import preset
from tavla_protocol import messages as m
from tavla_protocol.codes import ErrorCode
from tavla_protocol.view import View
from tavla_server.features.quick_match.match_queue import pool_of
from tavla_server.store import keys
from tavla_server.store.client import Client as Store
from tavla_server.timings import Timings

from tests.support.patience import PATIENCE_S, PAUSE_S, ask_until
from tests.support.players.clients import play
from tests.support.players.no_shows import NoShow
from tests.support.players.plain import Player, refused, unique
from tests.support.players.seeds import COMMITMENTS
from tests.support.servers.processes import NewServer, ServerProcess
from tests.support.servers.valkey import Valkey
from tests.support.wire.proxy import Proxy

Wanted = dict[str, bool | int | str]


def client(url: str) -> Client:
    return Client(url, name=unique("c"))


async def waiting(store_url: str, rules: Wanted, who: Client) -> None:
    """Wait until the store has a ticket of someone who seeks, and knows no opponent."""
    pool = keys.QUEUE_WAITING(pool_of(preset("tournament", rules)))
    async with asyncio.timeout(PATIENCE_S), Redis.from_url(store_url) as redis:
        while who.me.player is None or await redis.zscore(pool, who.me.player) is None:  # noqa: ASYNC110
            await asyncio.sleep(PAUSE_S)


async def both(one: asyncio.Task[Match], two: asyncio.Task[Match]) -> tuple[Match, Match]:
    """The match that two found, as each sees it."""
    async with asyncio.timeout(PATIENCE_S):
        found = await one, await two
    assert found[0].id == found[1].id
    assert {found[0].seat, found[1].seat} == {0, 1}
    assert found[0].view.game == found[1].view.game == 1, "it has begun"
    return found


async def test_two_find_each_other_and_play(server: ServerProcess, rng: random.Random) -> None:
    async with asyncio.timeout(PATIENCE_S), client(server.url) as ada, client(server.url) as bob:
        searches = [
            asyncio.create_task(who.seek({"length": 1}, seed=seed * 32)) for who, seed in ((ada, "aa"), (bob, "bb"))
        ]
        white, black = await both(*searches)
        assert sorted(white.view.seeds) == ["aa" * 32, "bb" * 32]
        ends = await asyncio.gather(play(white, rng), play(black, random.Random(rng.random())))
        assert ends[0] == ends[1]
        assert ends[0].phase == "over"


async def test_a_search_that_is_cancelled_is_given_up(server: ServerProcess, rules: Wanted) -> None:
    async with client(server.url) as ada, client(server.url) as bob:
        search = asyncio.create_task(ada.seek(rules))
        await waiting(server.store_url, rules, ada)
        search.cancel()
        await asyncio.wait([search])
        assert search.cancelled()
        other = asyncio.create_task(bob.seek(rules))
        await waiting(server.store_url, rules, bob)
        other.cancel()
        await asyncio.wait([other])
        assert ada.me.matches == bob.me.matches == []


async def test_several_searches_end_one_by_one(server: ServerProcess, rules: Wanted) -> None:
    async with client(server.url) as ada, client(server.url) as bob, client(server.url) as cy:
        wanted = [{**rules, "delay_s": delay_s} for delay_s in (1, 2, 3)]
        searches = [asyncio.create_task(ada.seek(want)) for want in wanted]
        for want in wanted:
            await waiting(server.store_url, want, ada)
        await both(searches[1], asyncio.create_task(bob.seek(wanted[1])))
        searches[0].cancel()
        await both(searches[2], asyncio.create_task(cy.seek(wanted[2])))


async def test_what_cannot_be_sought_is_refused(server: ServerProcess) -> None:
    async with client(server.url) as ada:
        with pytest.raises(Refused, match="jacoby"):
            await ada.seek({"jacoby": True})


async def test_a_search_goes_on_after_the_server_was_killed(own_server: ServerProcess, rules: Wanted) -> None:
    async with client(own_server.url) as ada, client(own_server.url) as bob:
        search = asyncio.create_task(ada.seek(rules))
        await waiting(own_server.store_url, rules, ada)
        await asyncio.to_thread(own_server.kill)
        await asyncio.to_thread(own_server.start)
        await both(search, asyncio.create_task(bob.seek(rules)))


@pytest.mark.parametrize("timings", [Timings(no_show_s=0.5)], ids=["impatient"])
async def test_a_match_to_which_nobody_came_is_none(node: str, redis: Store, valkey: Valkey, rules: Wanted) -> None:
    async with client(node) as ada, client(node) as bob:
        await NoShow(redis, rules).enqueue()
        search = asyncio.create_task(ada.seek(rules))
        async with asyncio.timeout(PATIENCE_S):
            while not ada.me.matches:
                await ada.lobby.tables()
        void = ada.me.matches[0]
        await waiting(valkey.url, rules, ada)
        assert not search.done()
        match, _ = await both(search, asyncio.create_task(bob.seek(rules)))
        assert match.id != void


async def test_a_search_that_another_window_takes_over_ends(server: ServerProcess, rules: Wanted) -> None:
    async with client(server.url) as ada, client(server.url) as bob:
        search = asyncio.create_task(ada.seek(rules))
        await waiting(server.store_url, rules, ada)
        async with Client(server.url, token=ada.me.token) as again:
            newer = asyncio.create_task(again.seek(rules))
            with pytest.raises(ClientError, match="another connection"):
                await asyncio.wait_for(search, PATIENCE_S)
            await both(newer, asyncio.create_task(bob.seek(rules)))


async def test_a_lost_connection_goes_on_seeking_on_the_next(
    new_server: NewServer, own_valkey: Valkey, rules: Wanted, rng: random.Random
) -> None:
    """Cut again and again, in the middle of being matched, too: each has one match in the end."""
    server = new_server("--redis", own_valkey.url)
    server.start()
    for _ in range(5):
        async with (
            Proxy.to_port(server.port) as proxy,
            client(f"ws://127.0.0.1:{proxy.port}") as ada,
            client(f"ws://127.0.0.1:{proxy.port}") as bob,
        ):
            searches = [asyncio.create_task(who.seek(rules)) for who in (ada, bob)]
            for _ in range(3):
                await asyncio.sleep(rng.uniform(0, 0.02))
                proxy.reset()
            match, _ = await both(*searches)
            await match.forfeit()


@pytest.mark.parametrize("timings", [Timings(reveal_s=1.5, lag_ms=100, return_ms=100)], ids=["impatient"])
async def test_a_victim_is_told_and_seeks_on_and_who_did_not_reveal_is_told_to_wait(node: str, rules: Wanted) -> None:
    """Bob's program promises seeds and never reveals one; ada's and cy's are the library."""
    async with client(node) as ada, client(node) as cy, Player(node) as bob:
        told: list[View] = []
        ada.callbacks = Callbacks(void=lambda match: told.append(match.view))
        searching = asyncio.create_task(ada.seek(rules))
        assert isinstance(await bob.ask(m.Seek, rules=rules, commitment=COMMITMENTS[0]), m.Ok)
        match = (await bob.next(m.Matched)).match
        await bob.next(m.Snapshot)
        await bob.until(match, lambda view: view.phase == "over")
        again = await bob.ask(m.Seek, rules=rules, commitment=COMMITMENTS[0])
        assert refused(again) == ErrorCode.UNREVEALED
        found = await both(searching, asyncio.create_task(cy.seek(rules)))
        assert all(found[0].view.seeds), "with another seed than the one that is known"
        assert (ada.counts, cy.counts) == (Counts(2, no_seed=1), Counts(1)), "nothing was the server's doing"
        assert [[view.players[seat] for seat in view.unrevealed] for view in told] == [[bob.name]]
        await ask_until(lambda: ada.archive.profile(bob.name or ""), lambda found: found.unrevealed == (1, 1))
