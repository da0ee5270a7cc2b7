"""A store that lost its last writes: what was shown is given back to it, or everyone starts anew from what is there."""

import asyncio
import contextlib
import random
from collections.abc import Awaitable, Callable
from typing import Any

import pytest
from redis import Redis
from tavla_engine import actions as a
from tavla_protocol import messages as m
from tavla_server.match.history import MILESTONE, RECENT
from tavla_server.match.session import Session
from tavla_server.record.decider import engine_decide
from tavla_server.record.events import Forked
from tavla_server.store import keys

from tests.support.patience import wait_until
from tests.support.players.matches import at_match
from tests.support.players.plain import Player, refused
from tests.support.players.seeds import SEALER
from tests.support.servers.nodes import journal_on, node_on
from tests.support.servers.processes import inside
from tests.support.servers.sessions import ask, ids, opened, toggle
from tests.support.servers.valkey import Valkey
from tests.support.stores.journals import Past, check_journal, entries_of, patch_reading_on


async def toggles(session: Session, count: int) -> None:
    for _ in range(count):
        assert isinstance(await ask(session, toggle), m.Ok)


async def test_a_node_gives_back_what_the_store_forgot(valkey: Valkey, rng: random.Random) -> None:
    async with node_on(valkey.url) as sessions:
        session = await opened(sessions, rng)
        await toggles(session, 5)
        past = Past(valkey.url, session.record.id)
        await toggles(session, 7)
        shown = session.record
        past.bring_back()
        answer = await ask(session, engine_decide(a.SetAuto(1, a.Auto.PLAY, True)), session.seq)
        assert isinstance(answer, m.Ok), "the player notices nothing"
        assert session.seq == 14
        assert shown.epoch == session.record.epoch == 1
        assert len(entries_of(valkey.url, session.record.id)) == 14
        check_journal(valkey.url, session.record.id)


async def test_a_node_that_reads_on_gives_back_too(valkey: Valkey, rng: random.Random) -> None:
    async with node_on(valkey.url) as sessions:
        session = await opened(sessions, rng)
        past = Past(valkey.url, session.record.id)
        await toggles(session, 3)
        past.bring_back()
        session.read_on()
        await toggles(session, 1)  # waits until it has read
        assert len(entries_of(valkey.url, session.record.id)) == session.seq == 5
        check_journal(valkey.url, session.record.id)


async def test_a_node_that_has_begun_with_a_snapshot_gives_back_what_came_before_it(
    valkey: Valkey, rng: random.Random
) -> None:
    async with node_on(valkey.url) as here, node_on(valkey.tcp_url) as there:
        first = await opened(here, rng)
        match = first.record.id
        await toggles(first, 3)
        await here.settle()
        async with journal_on(valkey.url) as journal:
            await journal.save_snapshot(first.seq, first.record)
        second = await there.get(match)
        with contextlib.closing(Redis.from_url(valkey.url)) as redis:
            assert redis.delete(keys.MATCH_LOG(match), keys.MATCH_SNAPSHOT(match)) == 2, (
                "the whole match is younger than a second"
            )
        await second.read_up()
        assert SEALER.unseal(second.record) == SEALER.unseal(first.record) == check_journal(valkey.url, match)
        assert second.record.epoch == 1


async def test_nodes_that_give_back_at_the_same_time_do_not_take_each_other_for_a_fork(
    valkey: Valkey, rng: random.Random
) -> None:
    async with node_on(valkey.url) as here, node_on(valkey.tcp_url) as there:
        for _ in range(10):
            first = await opened(here, rng)
            match = first.record.id
            past = Past(valkey.url, match)
            await toggles(first, 20)
            second = await there.get(match)
            past.bring_back()
            own = engine_decide(a.SetAuto(1, a.Auto.PLAY, True))
            answers = await asyncio.gather(ask(first, toggle), ask(second, own))
            assert all(isinstance(answer, m.Ok) for answer in answers)
            await asyncio.gather(first.read_up(), second.read_up())
            assert SEALER.unseal(first.record) == SEALER.unseal(second.record) == check_journal(valkey.url, match)
            assert (first.seq, first.record.epoch) == (23, 1)


async def test_what_another_node_gives_back_before_it_is_looked_for_is_no_loss(
    valkey: Valkey, rng: random.Random, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with node_on(valkey.url) as sessions:
        session = await opened(sessions, rng)
        past = Past(valkey.url, session.record.id)
        await toggles(session, 3)
        whole = Past(valkey.url, session.record.id)

        async def late(read: Callable[[], Awaitable[Any]]) -> Any:
            whole.bring_back()
            return await read()

        patch_reading_on(monkeypatch, late)
        past.bring_back()
        await toggles(session, 2)
        assert session.seq == 6
        check_journal(valkey.url, session.record.id)


async def test_a_journal_that_lacks_a_part_in_the_middle_is_known_for_broken(
    valkey: Valkey, rng: random.Random
) -> None:
    async with node_on(valkey.url) as sessions:
        session = await opened(sessions, rng)
        await toggles(session, 3)
        with contextlib.closing(Redis.from_url(valkey.url)) as redis:
            assert redis.xdel(keys.MATCH_LOG(session.record.id), "3-0") == 1
        for _ in range(2):
            refusal = await ask(session, toggle)
            assert isinstance(refusal, m.Error)
            assert (refusal.code, refusal.seq) == ("unavailable", 4)
            assert "tell the operator" in refusal.text


async def test_where_another_entry_has_taken_the_place_everyone_starts_anew(valkey: Valkey, rng: random.Random) -> None:
    async with node_on(valkey.url) as here, node_on(valkey.tcp_url) as there:
        first = await opened(here, rng)
        past = Past(valkey.url, first.record.id)
        await toggles(first, 4)
        past.bring_back()
        second = await there.get(first.record.id)
        assert isinstance(await ask(second, engine_decide(a.SetAuto(1, a.Auto.PLAY, True))), m.Ok)
        refusal = await ask(first, toggle, first.seq)
        assert isinstance(refusal, m.Error)
        assert refusal.code == "stale", "the action was meant for another match"
        assert first.record.epoch == 2
        assert first.record.match.auto_play == (False, True)
        assert isinstance(await ask(second, toggle), m.Ok)
        assert isinstance(await ask(first, toggle), m.Ok)
        assert first.record.match == second.record.match or second.seq < first.seq
        check_journal(valkey.url, first.record.id)


async def test_after_a_fork_an_action_that_was_kept_acts_once_when_it_is_sent_again(
    valkey: Valkey, rng: random.Random
) -> None:
    async with node_on(valkey.url) as here, node_on(valkey.tcp_url) as there:
        first = await opened(here, rng)
        id_ = next(ids)
        kept = await ask(first, toggle, id_=id_)
        past = Past(valkey.url, first.record.id)
        await toggles(first, 4)
        past.bring_back()
        second = await there.get(first.record.id)
        assert isinstance(await ask(second, engine_decide(a.SetAuto(1, a.Auto.PLAY, True))), m.Ok)
        assert refused(await ask(first, toggle, first.seq)) == "stale"
        assert first.record.epoch == 2
        seq = first.seq
        assert await ask(first, toggle, id_=id_) == kept
        assert first.seq == seq
        check_journal(valkey.url, first.record.id)


async def test_more_than_a_node_remembers_cannot_be_given_back(valkey: Valkey, rng: random.Random) -> None:
    async with node_on(valkey.url) as sessions:
        session = await opened(sessions, rng)
        past = Past(valkey.url, session.record.id)
        await toggles(session, RECENT + MILESTONE + 5)
        past.bring_back()
        refusal = await ask(session, toggle, session.seq)
        assert isinstance(refusal, m.Error)
        assert session.record.epoch == 2
        assert session.seq == 2, "what is left, and the entry that says so"
        check_journal(valkey.url, session.record.id)


async def test_a_match_of_which_the_store_has_forgotten_everything_is_void(valkey: Valkey) -> None:
    async with inside(valkey.url) as url, at_match(url) as (white, black, match), Player(url) as eve:
        for seq in range(white.matches[match].seq, RECENT + MILESTONE + 2):
            assert isinstance(await white.ask(m.Auto, match=match, seq=seq, what="play", on=seq % 2 == 0), m.Ok)
        await black.reach(match, white.matches[match].seq)
        with contextlib.closing(Redis.from_url(valkey.url)) as redis:
            await wait_until(lambda: redis.exists(keys.MATCH_SNAPSHOT(match)))
            assert redis.delete(keys.MATCH_LOG(match), keys.MATCH_SNAPSHOT(match)) == 2
        await white.send(m.Auto, match=match, seq=0, what="play", on=True)
        for player in (white, black):
            await player.find(lambda message: isinstance(message, m.Snapshot) and message.epoch == 2)
            assert (player.matches[match].seq, player.matches[match].view.phase) == (1, "over")
        assert refused(await eve.ask(m.Join, table=match)) == "table_full"
        (forked,) = entries_of(valkey.url, match)[0].events
        assert isinstance(forked, Forked)
    async with inside(valkey.url) as url, Player(url) as eve:
        assert refused(await eve.ask(m.Join, table=match)) == "table_full"


async def test_a_match_that_was_forked_before_is_void_too_when_all_of_it_is_lost(
    valkey: Valkey, rng: random.Random
) -> None:
    async with node_on(valkey.url) as sessions:
        session = await opened(sessions, rng)
        for _ in range(2):
            past = Past(valkey.url, session.record.id)
            await toggles(session, RECENT + MILESTONE + 5)
            past.bring_back()
            assert isinstance(await ask(session, toggle, session.seq), m.Error)
        assert session.record.epoch == 3
        await toggles(session, RECENT + MILESTONE + 5)
        with contextlib.closing(Redis.from_url(valkey.url)) as redis:
            redis.delete(keys.MATCH_LOG(session.record.id), keys.MATCH_SNAPSHOT(session.record.id))
        await ask(session, toggle, session.seq)
        assert session.record.over
        check_journal(valkey.url, session.record.id)


@pytest.mark.parametrize("further", [0, 5])
async def test_if_nobody_remembers_who_comes_back_late_is_not_shown_a_mixture(valkey: Valkey, further: int) -> None:
    async with inside(valkey.url) as url, at_match(url) as (white, black, match), Player(url) as watcher:
        past = Past(valkey.url, match)
        await watcher.ask(m.Attach, table=match)
        for on in (True, False, True):
            await white.act(m.Auto, match, what="play", on=on)
        seen = watcher.matches[match]
        await watcher.reach(match, 7)
    past.bring_back()
    async with inside(valkey.url) as url, Player(url, token=black.token) as back:
        await back.ask(m.Attach, table=match)
        for seq in range(4, 7 + further):
            await back.act(m.Auto, match, what="play", on=seq % 2 == 0)
            await back.reach(match, seq + 1)
        async with Player(url) as again:
            await again.get(m.Snapshot, m.Attach, table=match, **seen.have())
            assert again.matches[match].view == back.matches[match].view != seen.view


async def test_clients_get_a_snapshot_of_the_new_epoch(valkey: Valkey) -> None:
    async with inside(valkey.url) as url, at_match(url) as (white, black, match):
        past = Past(valkey.url, match)
        for seq in range(RECENT + MILESTONE + 2):
            await white.get(m.Ok, m.Auto, match=match, seq=seq, what="play", on=seq % 2 == 0)
        await black.reach(match, white.matches[match].seq)
        past.bring_back()
        white.matches[match].views.clear()
        black.matches[match].views.clear()
        await white.send(m.Auto, match=match, seq=0, what="play", on=True)
        for player in (white, black):
            snapshot = await player.find(
                lambda message: isinstance(message, m.Snapshot) and message.epoch == 2 and message.id is None
            )
            assert isinstance(snapshot, m.Snapshot)
            assert snapshot.seq == 5


async def test_a_node_that_has_shown_a_seed_which_the_store_lost_shows_it_again_and_burns_its_link(
    valkey: Valkey, rng: random.Random
) -> None:
    async with node_on(valkey.url) as here, node_on(valkey.tcp_url) as there:
        first = await opened(here, rng)
        past = Past(valkey.url, first.record.id)
        for action in (a.Resign(0, 1), a.AcceptResignation(1)):
            assert isinstance(await ask(first, engine_decide(action)), m.Ok)
        seed = first.record.shown.hex()
        await toggles(first, 2)
        past.bring_back()
        second = await there.get(first.record.id)
        assert isinstance(await ask(second, engine_decide(a.SetAuto(1, a.Auto.PLAY, True))), m.Ok)
        assert refused(await ask(first, toggle, first.seq)) == "stale"
        assert (first.record.epoch, first.record.shown.hex(), first.record.match.link) == (2, seed, 2)
        (forked,) = entries_of(valkey.url, first.record.id)[-1].events
        assert isinstance(forked, Forked)
        assert forked.seed == seed
        assert isinstance(await ask(second, toggle), m.Ok)
        check_journal(valkey.url, first.record.id)
