"""Tournaments on several nodes: a node that dies, cannot store, or holds a place, keeps no match from its players."""

import asyncio
import random

import pytest
from tavla_protocol import messages as m
from tavla_server.cluster.clock import Clock
from tavla_server.features.tournaments import boards, caretaker, decider
from tavla_server.features.tournaments.events import Paired
from tavla_server.features.tournaments.journal import TournamentJournal
from tavla_server.features.tournaments.registry import TournamentRegistry
from tavla_server.features.tournaments.session import TournamentSession
from tavla_server.features.tournaments.views import match_of
from tavla_server.match import ids as match_ids
from tavla_server.match.lifecycle import submit_and_wait
from tavla_server.match.session import Session
from tavla_server.player import Player as Person
from tavla_server.record.decider import Decide
from tavla_server.record.events import Terms
from tavla_server.store import keys
from tavla_server.store.client import Client as Store
from tavla_server.timings import Timings

from tests.support.patience import PATIENCE_S, PAUSE_S
from tests.support.players.plain import Player, guests, within
from tests.support.players.seeds import COMMITMENTS
from tests.support.players.tournaments import arena_of, entered, one_match, record_of
from tests.support.servers.handclock import HandClock
from tests.support.servers.processes import inside
from tests.support.servers.valkey import Valkey
from tests.support.stores.finished import journal_of


async def test_a_match_whose_node_died_before_it_opened_it_is_opened_by_another(
    valkey: Valkey, redis: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(caretaker, "OPENED_S", 0.0)
    async with inside(valkey.url, Timings(pairing_round_s=0.05)) as url, Player(url) as eve:
        tournament = await arena_of(eve)
        dead = TournamentSession(tournament, TournamentJournal(redis, "dead"), Clock(), lambda *_: None)
        await dead.read_on()
        for name in ("ada", "bob"):
            await dead.submit(decider.entry(Person(name, name), f"0f-{name}", 9))
        await dead.submit(decider.pairing([Paired(("ada", "bob"))]))
        async with asyncio.timeout(PATIENCE_S):
            while isinstance(await eve.ask(m.Attach, table=match_of(tournament, dead.state, 0)), m.Error):  # noqa: ASYNC110
                await asyncio.sleep(PAUSE_S)


async def test_a_match_whose_node_died_before_it_scored_it_is_scored_by_another(
    valkey: Valkey, redis: Store, monkeypatch: pytest.MonkeyPatch, rng: random.Random
) -> None:
    monkeypatch.setattr(caretaker, "OPENED_S", 0.0)
    async with inside(valkey.url, Timings(pairing_round_s=0.05)) as url, Player(url) as eve:
        tournament = await arena_of(eve)
        players, clock = (Person("ada", "ada"), Person("bob", "bob")), HandClock(Clock().now_ms())
        match, terms = match_ids.of_tournament(tournament, 0, clock.now_ms()), Terms(tournament=(tournament, 0))
        for number, entry in enumerate(journal_of(rng, match, players, terms=terms, most=3), 1):
            await redis.xadd(keys.MATCH_LOG(match), {"e": entry}, id=f"{number}-0")
        dead = TournamentSession(tournament, TournamentJournal(redis, "dead"), clock, lambda *_: None)
        await dead.read_on()
        for player in players:
            await dead.submit(decider.entry(player, f"0f-{player.id}", 9))
        await dead.submit(decider.pairing([Paired(("ada", "bob"))]))
        async with asyncio.timeout(PATIENCE_S):
            while (scored := dead.state.pairs[0].scored) is None:
                await dead.read_on()
        assert scored.winner in (0, 1)


async def test_a_match_that_cannot_be_stored_when_it_is_opened_is_opened_when_it_can_be(
    own_valkey: Valkey, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The store dies between the pairing and the first entry of the match."""
    killed = asyncio.Event()

    async def submit_when_killed(session: Session, decide: Decide) -> None:
        if not killed.is_set():
            own_valkey.kill()
            async with asyncio.timeout(PATIENCE_S):
                while session.reachable:  # noqa: ASYNC110 - no event tells
                    await asyncio.sleep(0)
            killed.set()
        await submit_and_wait(session, decide)

    monkeypatch.setattr(boards, "submit_and_wait", submit_when_killed)
    monkeypatch.setattr(caretaker, "OPENED_S", 3600.0)  # no other node opens it, and leaves out who waits here
    async with inside(own_valkey.url, Timings(pairing_round_s=0.05)) as url, Player(url) as eve:
        tournament = await arena_of(eve)
        async with Player(url) as ada, Player(url) as bob:
            await entered(ada, tournament, COMMITMENTS[0])
            await entered(bob, tournament, COMMITMENTS[1])
            await within(killed.wait())
            await asyncio.to_thread(own_valkey.start)
            (pairing,) = (await record_of(eve, tournament)).pairings
            for player in (ada, bob):
                assert (await player.next(m.Matched)).match == pairing.match


async def test_a_lost_connection_ends_no_wait_of_a_newer_one(valkey: Valkey, monkeypatch: pytest.MonkeyPatch) -> None:
    """The store is slow: what a connection asked for comes when its player waits by another one."""
    find, held, go_on = TournamentRegistry.find, asyncio.Event(), asyncio.Event()

    async def slow(registry: TournamentRegistry, id_: str) -> TournamentSession:
        if not held.is_set():
            held.set()
            await go_on.wait()
        return await find(registry, id_)

    async with inside(valkey.url) as url, Player(url) as ada, Player(url) as eve:
        tournament = await arena_of(eve)
        async with Player(url, token=ada.token) as lost:
            monkeypatch.setattr(TournamentRegistry, "find", slow)
            await lost.send(m.EnterTournament, tournament=tournament, commitment=COMMITMENTS[0])
            await within(held.wait())
            lost.socket.transport.abort()
            await entered(ada, tournament, COMMITMENTS[1])
            go_on.set()
            match = await one_match(tournament, eve, ada)
            assert match in ada.matches
            assert not [message for message in ada.log if isinstance(message, m.Unpaired)]


async def test_who_leaves_at_another_node_is_told_where_the_place_was_held(valkey: Valkey) -> None:
    timings = Timings(pairing_round_s=0.05)
    async with (
        inside(valkey.url, timings) as here,
        inside(valkey.url, timings) as there,
        guests(here, 2) as (eve, ada),
        Player(there, token=ada.token) as again,
    ):
        tournament = await arena_of(eve)
        request = await entered(ada, tournament, COMMITMENTS[0])
        assert isinstance(await again.ask(m.LeaveTournament, tournament=tournament), m.Ok)
        told = await ada.next(m.Unpaired)
        assert (told.enter, told.over, told.text.startswith("you have left this tournament")) == (request, False, True)
