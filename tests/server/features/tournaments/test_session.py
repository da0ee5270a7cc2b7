"""A tournament on two nodes: the journal lets one entry be the next, and what the store forgets comes back."""

import asyncio
import contextlib
import subprocess
import sys
from collections.abc import AsyncIterator
from subprocess import PIPE

import pytest
from msgspec.msgpack import encode
from structlog.testing import capture_logs
from tavla_engine.rules import Rules
from tavla_server.cluster.clock import Clock
from tavla_server.errors import JournalUnreadable, Refused, StoreUnavailable
from tavla_server.features.tournaments import decider
from tavla_server.features.tournaments.events import Event, Opened, Paired, Scored
from tavla_server.features.tournaments.formats import arena
from tavla_server.features.tournaments.journal import TournamentJournal, entries
from tavla_server.features.tournaments.matching import match
from tavla_server.features.tournaments.pairer import Pairer, PairingFailed
from tavla_server.features.tournaments.session import TournamentSession
from tavla_server.features.tournaments.state import Tournament, replay
from tavla_server.features.tournaments.waiting import HEAD_BYTES, Question, Waiting
from tavla_server.player import Player
from tavla_server.store import keys
from tavla_server.store.client import Client, connection_to

from tests.support.patience import PATIENCE_S
from tests.support.players.plain import unique
from tests.support.servers.valkey import Valkey

PLAYERS = [Player(f"p{number}", f"p{number}") for number in range(40)]


@contextlib.asynccontextmanager
async def two_nodes(url: str) -> AsyncIterator[tuple[TournamentSession, TournamentSession]]:
    """The same tournament, which has begun, on two nodes."""
    clock, id_ = Clock(), unique("t")
    async with asyncio.timeout(PATIENCE_S), connection_to(url) as one, connection_to(url) as other:
        sessions = [
            TournamentSession(id_, TournamentJournal(redis, "test"), clock, lambda *_: None) for redis in (one, other)
        ]
        now_ms = clock.now_ms()
        opened = Opened("friday", PLAYERS[0], Rules(length=1), now_ms, now_ms + 3_600_000, bytes(16))
        await asyncio.gather(*(session.submit(decider.opening(opened)) for session in sessions))
        try:
            yield sessions[0], sessions[1]
        finally:
            await one.delete(keys.TOURNAMENT_LOG(id_))  # a server that starts later would find it


async def forget_last(redis: Client, id_: str) -> None:
    """The store loses the last entry, as one that dies may."""
    journal = TournamentJournal(redis, "test")
    *kept, _ = await journal.read(id_, 0)
    await redis.delete(keys.TOURNAMENT_LOG(id_))
    for number, row in enumerate(kept, 1):
        assert await journal.append(id_, number, row)


async def in_step(*sessions: TournamentSession) -> None:
    """All have read what the journal says, and what it says is what they have."""
    for session in sessions:
        await session.read_on()
    assert len({session.seq for session in sessions}) == 1
    assert all(session.state == sessions[0].state for session in sessions)


def waiting_of(state: Tournament) -> list[Waiting]:
    """The players of an arena who are to be paired now."""
    question = arena.pairing(state, state.waiting(), Clock().now_ms())
    assert isinstance(question, Question)
    return question.waiting


def entry(player: Player) -> decider.Decide:
    """The entry of a player, with a commitment of its own."""
    return decider.entry(player, f"0f-{player.id}", 99)


async def test_whichever_node_acts_one_pairing_happens(valkey: Valkey) -> None:
    async with two_nodes(valkey.url) as (one, other):
        comings = [
            session.submit(decider.entry(player, f"0f-{player.id}", 99))
            for player in PLAYERS
            for session in (one, other)
        ]
        await asyncio.gather(*comings)
        await in_step(one, other)
        assert len(one.state.entrants) == len(PLAYERS)
        assert one.seq < 10, "those who come together are in one entry"
        for _ in range(3):
            rounds = [[*map(Paired, match(waiting_of(session.state)))] for session in (one, other)]
            assert rounds[0] == rounds[1], "a pairing is a function of the journal"
            await asyncio.gather(
                *(session.submit(decider.pairing(pairs)) for session, pairs in zip((one, other), rounds, strict=True))
            )
            await in_step(one, other)
            assert len(one.state.playing) == len(PLAYERS) // 2
            results = [decider.score(Scored(number, number % 2)) for number in one.state.playing]
            await asyncio.gather(*(session.submit(result) for result in results for session in (one, other)))
            await asyncio.gather(*(one.submit(decider.entry(player, f"0f-{player.id}", 99)) for player in PLAYERS))
            await in_step(one, other)
        assert all(len(entrant.results) == 3 for entrant in one.state.entrants.values())
        async with connection_to(valkey.url) as redis:
            rows = await TournamentJournal(redis, "test").read(one.id, 0)
        assert replay(entries(one.id, rows)) == one.state


async def test_a_decision_that_is_refused_keeps_no_other_from_the_journal(valkey: Valkey) -> None:
    async with two_nodes(valkey.url) as (one, _):
        comings = [one.submit(decider.entry(player, f"0f-{player.id}", 3)) for player in PLAYERS[:5]]
        outcomes = await asyncio.gather(*comings, return_exceptions=True)
        assert [isinstance(outcome, Refused) for outcome in outcomes] == [False] * 3 + [True] * 2
        assert len(one.state.entrants) == 3


async def test_what_the_store_forgets_comes_back(valkey: Valkey) -> None:
    async with two_nodes(valkey.url) as (one, other), connection_to(valkey.url) as redis:
        for player in PLAYERS[:4]:
            await one.submit(decider.entry(player, f"0f-{player.id}", 99))
        await other.read_on()
        await forget_last(redis, one.id)
        await other.submit(decider.entry(PLAYERS[9], "0f-9", 99))
        await in_step(one, other)
        assert len(one.state.entrants) == 5


async def test_where_others_have_taken_its_place_a_node_takes_theirs(valkey: Valkey) -> None:
    async with two_nodes(valkey.url) as (one, other), connection_to(valkey.url) as redis:
        await other.read_on()
        await one.submit(decider.entry(PLAYERS[1], "0f", 99))
        await forget_last(redis, one.id)
        await other.submit(decider.entry(PLAYERS[2], "0f-2", 99))
        await in_step(one, other)
        assert set(one.state.entrants) == {PLAYERS[2].id}


async def test_while_the_store_is_away_each_who_asks_is_told_and_then_all_goes_on(own_valkey: Valkey) -> None:
    async with two_nodes(own_valkey.url) as (one, _):
        own_valkey.kill()
        comings = [
            asyncio.create_task(one.submit(decider.entry(player, f"0f-{player.id}", 99))) for player in PLAYERS[:3]
        ]
        await asyncio.sleep(0)
        comings[1].cancel()
        outcomes = await asyncio.gather(*comings, return_exceptions=True)
        assert [type(outcome) for outcome in outcomes] == [StoreUnavailable, asyncio.CancelledError, StoreUnavailable]
        await asyncio.to_thread(own_valkey.start)
        await one.submit(decider.entry(PLAYERS[0], "0f", 99))
        assert [*one.state.entrants] == [PLAYERS[0].id]


def faulty(state: Tournament, now_ms: int) -> list[Event]:
    raise RuntimeError("a fault")


async def test_a_fault_of_ours_in_a_decision_is_told_and_the_next_one_is_made(valkey: Valkey) -> None:
    async with two_nodes(valkey.url) as (one, _):
        with capture_logs() as lines, pytest.raises(RuntimeError, match="a fault"):
            await one.submit(faulty)
        assert [line["event"] for line in lines] == ["tournament_failed"]
        await one.submit(decider.entry(PLAYERS[0], "0f", 99))


async def test_a_journal_that_cannot_be_read_is_told_by_its_tournament(valkey: Valkey) -> None:
    async with two_nodes(valkey.url) as (one, other), connection_to(valkey.url) as redis:
        assert await TournamentJournal(redis, "test").append(one.id, one.seq + 1, b"nonsense")
        with pytest.raises(JournalUnreadable, match=other.id):
            await other.read_on()


async def test_a_pairing_process_that_dies_is_replaced() -> None:
    waiting, pairer = [Waiting(player.id, rank, (), False) for rank, player in enumerate(PLAYERS)], Pairer()
    async with asyncio.timeout(PATIENCE_S):
        pairs = await pairer.pairs(Question(False, waiting))
        assert pairs == match(waiting)
        asked = asyncio.create_task(pairer.pairs(Question(False, waiting)))
        await asyncio.sleep(0)
        asked.cancel()
        await asyncio.wait([asked])
        assert await pairer.pairs(Question(False, waiting[:2])) == match(waiting[:2]), "not the answer to the other one"
        process = pairer.process
        assert process is not None
        process.kill()
        await process.wait()
        with pytest.raises(PairingFailed):
            await pairer.pairs(Question(False, waiting))
        assert await pairer.pairs(Question(False, waiting)) == pairs
        assert pairer.process is not process
        assert pairer.process is not None
        assert pairer.process.stdin is not None
        pairer.process.stdin.close()
        assert await pairer.process.wait() == 0, "it ends with its server"


@pytest.mark.parametrize("dies", ["while it asks", "before the answer"])
def test_a_pairing_process_whose_server_is_killed_says_nothing(dies: str) -> None:
    """Its words would stand in the server's log, between lines of JSON."""
    asked = encode(Question(False, [Waiting(player.id, rank, (), False) for rank, player in enumerate(PLAYERS)]))
    data = len(asked).to_bytes(HEAD_BYTES, "big") + asked
    command = [sys.executable, "-P", "-m", "tavla_server.features.tournaments.matching"]
    with subprocess.Popen(command, stdin=PIPE, stdout=PIPE, stderr=PIPE) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        assert process.stderr is not None
        if dies == "before the answer":
            process.stdout.close()
        process.stdin.write(data if dies == "before the answer" else data[:-1])
        process.stdin.close()
        assert process.stderr.read() == b""
