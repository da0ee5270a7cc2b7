"""A server on a store that the last release has written."""

import contextlib
import random
from collections.abc import Callable

from tavla_protocol import messages as m
from tavla_server.store import keys

from tests.support.players.accounts import SECRET, career
from tests.support.players.plain import Player
from tests.support.servers.processes import ServerProcess, assert_no_fault, fails_to_start, redis_at
from tests.support.stores.old_store import STORE_0_1, unpack

NewServer = Callable[..., ServerProcess]


async def test_a_store_of_the_last_release_is_upgraded_and_everything_goes_on(
    new_server: NewServer, rng: random.Random
) -> None:
    server = new_server()
    evening = unpack(STORE_0_1, server.data)
    server.start()
    assert server.wait_for_event("store_upgraded")["version"] == 2
    async with (
        Player(server.url, hello={"name": "ada", "password": SECRET}) as ada,
        Player(server.url, hello={"name": "bob", "password": SECRET}) as bob,
    ):
        for player, rating in zip((ada, bob), evening.ratings, strict=True):
            assert (await career(ada, player)).rating == rating
            await player.ask(m.Attach, table=evening.live)
            assert player.matches[evening.live].seq == evening.live_seq
            played = await player.ask(m.History)
            assert isinstance(played, m.Played)
            assert [row.match for row in played.matches] == [evening.finished]
        assert evening.live in ada.playing
        while ada.matches[evening.live].seq < evening.live_seq + 4:
            assert ada.matches[evening.live].view.to_act, "the match goes on for more than four actions"
            for player in (ada, bob):
                if player.matches[evening.live].seat in ada.matches[evening.live].view.to_act:
                    await player.take_turn(evening.live, rng)
                    await ada.reach(evening.live, player.matches[evening.live].seq)
                    await bob.reach(evening.live, player.matches[evening.live].seq)
    with contextlib.closing(redis_at(server.store_url)) as redis:
        redis.set(keys.VERSION(), 3)
    server.stop()
    assert_no_fault(server)
    assert fails_to_start(server).startswith("tavla-server: the store is of version 3, and this server knows 2 at most")
