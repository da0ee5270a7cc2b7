"""The store is away for a while: who asks is told so, nothing is shown, and what was under way comes through."""

import asyncio
import os
import random
import signal

import pytest
from tavla_protocol import messages as m
from tavla_protocol.codes import ErrorCode
from tavla_server.errors import StoreUnavailable
from tavla_server.store.client import connection_to
from tavla_server.telemetry.metrics import STORE_ERRORS
from tavla_server.timings import Timings

from tests.support.patience import PATIENCE_S, wait_until
from tests.support.players.matches import at_match
from tests.support.players.plain import refused
from tests.support.servers.nodes import node_on
from tests.support.servers.processes import inside
from tests.support.servers.sessions import opened
from tests.support.servers.valkey import Valkey

pytestmark = pytest.mark.slow  # most of them wait by the clock


async def test_while_the_store_is_frozen_actions_are_refused_and_the_one_under_way_comes_through(
    own_valkey: Valkey,
) -> None:
    async with inside(own_valkey.url, Timings(reply_s=0.2)) as url, at_match(url) as (white, black, match):
        os.kill(own_valkey.pid, signal.SIGSTOP)
        under_way = await white.send(m.Auto, match=match, seq=4, what="play", on=True)
        for _ in range(2):  # after it, since they come the same way; the second one is answered at once
            answer = await white.ask(m.Auto, match=match, seq=2, what="play", on=True)
            assert refused(answer) == ErrorCode.UNAVAILABLE
        assert white.matches[match].seq == black.matches[match].seq == 4, "nothing is shown that is not stored"
        os.kill(own_valkey.pid, signal.SIGCONT)
        ok = await white.find(lambda message: getattr(message, "id", None) == under_way)
        assert isinstance(ok, m.Ok)
        await black.reach(match, 5)
        again = await black.act(m.Auto, match, what="play", on=True)
        assert isinstance(again, m.Ok)
        assert again.seq == 6


async def test_matches_that_wait_for_the_store_do_not_ask_it_again_and_again(
    own_valkey: Valkey, rng: random.Random
) -> None:
    async with node_on(own_valkey.url) as here, connection_to(own_valkey.url) as store:
        sessions = [await opened(here, rng) for _ in range(20)]
        await here.settle()
        own_valkey.kill()
        await wait_until(lambda: not any(session.reachable for session in sessions))
        before = STORE_ERRORS.counts["unreachable"]
        for session in sessions:
            session.read_on()
        await wait_until(lambda: STORE_ERRORS.counts["unreachable"] >= before + len(sessions))
        for _ in range(2):  # each takes as long as a reading that asks again
            with pytest.raises(StoreUnavailable):
                await store.get("nothing")
        asked = STORE_ERRORS.counts["unreachable"] - before - 2
        own_valkey.start()
        await asyncio.gather(*(session.read_up() for session in sessions))
    assert asked == len(sessions), "once"


async def test_who_comes_while_the_journal_cannot_be_read_is_told_so_and_finds_the_match_later(
    own_valkey: Valkey,
) -> None:
    timings = Timings(reply_s=0.2, read_up_s=0.2)
    async with inside(own_valkey.url, timings) as url, at_match(url) as (white, black, match):
        seen = white.matches[match]
        for player in (white, black):
            await player.ask(m.Detach, match=match)
        own_valkey.kill()
        for _ in range(6):  # longer than one reading tries to reach the store
            answer = await white.ask(m.Attach, table=match, epoch=seen.epoch, seq=seen.seq)
            assert refused(answer) == ErrorCode.UNAVAILABLE
        own_valkey.start()
        async with asyncio.timeout(PATIENCE_S):
            while isinstance(answer := await white.ask(m.Attach, table=match, epoch=seen.epoch, seq=seen.seq), m.Error):
                assert answer.code == ErrorCode.UNAVAILABLE
        assert isinstance(answer, m.Ok | m.Snapshot)
        assert answer.seq == seen.seq
