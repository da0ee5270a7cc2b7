"""Conversations about tournaments with rounds: bots play each format to its end."""

import asyncio
import contextlib
from collections import Counter
from collections.abc import AsyncIterator
from typing import Any

import pytest
from tavla_client import Client, Lists, Runner, Summary, in_tournament
from tavla_engine.rules import preset
from tavla_protocol import messages as m
from tavla_protocol.codes import ErrorCode
from tavla_server.cluster.clock import Clock
from tavla_server.features.tournaments import decider
from tavla_server.features.tournaments.journal import TournamentJournal
from tavla_server.features.tournaments.session import TournamentSession
from tavla_server.store.client import connection_to
from tavla_server.timings import Timings

from tests.support.patience import PATIENCE_S
from tests.support.players.accounts import registered
from tests.support.players.clients import Quick, until
from tests.support.players.plain import Player, guests, refused, unique
from tests.support.players.seeds import COMMITMENTS, SEEDS
from tests.support.players.tournaments import direct, entered
from tests.support.servers.processes import ServerProcess, Valkey, inside

pytestmark = pytest.mark.slow

RULES: dict[str, bool | int | str] = {"length": 1, "variant": "hypergammon", "clock": "fast"}
TIMINGS = Timings(pairing_round_s=0.1, reveal_s=1.0, reveal_away_s=1.5, reveal_tournament_s=1.5)


async def made(director: Player, **fields: Any) -> str:
    """A tournament that begins when its director says so."""
    await registered(director)
    organised = await director.ask(m.CreateTournament, name=unique("t"), rules=RULES, starts=3600, **fields)
    assert isinstance(organised, m.Organised), organised
    return organised.tournament


@contextlib.asynccontextmanager
async def playing(url: str, tournament: str, count: int) -> AsyncIterator[list["asyncio.Task[Summary]"]]:
    """So many bots who play it to the end."""
    async with contextlib.AsyncExitStack() as stack:
        clients = [Client(url, name=unique("b"), bot=True) for _ in range(count)]
        for client in clients:
            await stack.enter_async_context(client)
        runners = [asyncio.create_task(Runner(client, Quick, in_tournament(tournament)).run()) for client in clients]
        try:
            yield runners
        finally:
            for runner in runners:
                runner.cancel()
            await asyncio.gather(*runners, return_exceptions=True)


async def played(director: Client, url: str, tournament: str, bots: int, others: int = 0) -> Lists:
    """Its lists when so many bots, and others who have entered, have played it to the end."""
    async with playing(url, tournament, bots) as runners, director.tournaments.rounds(tournament) as lists:
        async with director.lobby.lists("tournaments") as all_:
            await until(all_, lambda: all_.rows["tournaments"][tournament].players == bots + others)
            await director.tournaments.direct(tournament, "begin", "all are here")
            await asyncio.gather(*runners)
            await until(all_, lambda: all_.rows["tournaments"][tournament].over)
        await until(lists, lambda: all_counted(lists))
        return lists


def all_counted(lists: Lists) -> bool:
    """True if all pairings are over, and the standings, which are sent after them, count each for its players."""
    pairings, standings = lists.rows["pairings"].values(), lists.rows["standings"].values()
    results = sum(len(row.players) for row in pairings)
    return all(row.over for row in pairings) and sum(row.matches for row in standings) == results


def of_round(lists: Lists, round_: int, bracket: int = 0) -> list[m.Pairing]:
    """The pairings of a round, in order."""
    rows = sorted(lists.rows["pairings"].items(), key=lambda row: int(row[0]))
    return [row for _, row in rows if (row.round, row.bracket) == (round_, bracket)]


@contextlib.asynccontextmanager
async def directed(url: str, **fields: Any) -> AsyncIterator[tuple[Client, str]]:
    """A director, and the tournament."""
    async with asyncio.timeout(PATIENCE_S), Client(url, name=unique("d")) as director:
        await director.account.register("correct horse")
        yield director, await director.tournaments.create(unique("t"), RULES, starts=3600, **fields)


async def test_a_swiss_of_16_over_5_rounds_with_a_no_show_and_byes(valkey: Valkey) -> None:
    async with (
        inside(valkey.url, TIMINGS) as url,
        directed(url, format="swiss", rounds=5) as (director, id_),
        Player(url) as absent,
    ):
        await entered(absent, id_, COMMITMENTS[0])
        lists = await played(director, url, id_, 15, others=1)
        rows, name = lists.rows["standings"], str(absent.name)
        assert [len(of_round(lists, round_)) for round_ in range(1, 7)] == [8] * 5 + [0]
        byes = [row.players[0] for row in lists.rows["pairings"].values() if len(row.players) == 1]
        assert len({*byes}) == len(byes) == 4, "without the one who did not come they are 15"
        met = Counter(frozenset(row.players) for row in lists.rows["pairings"].values())
        assert max(met.values()) == 1
        assert (rows[name].points, rows[name].matches) == (0, 1)
        assert sum(row.points for row in rows.values()) == 8 * 5
        assert {row.matches for player, row in rows.items() if player != name} == {5}
        assert max(row.tiebreaks for row in rows.values()) > (0, 0)


async def test_a_knock_out_of_13_with_a_consolation(valkey: Valkey) -> None:
    async with inside(valkey.url, TIMINGS) as url, directed(url, format="knock-out") as (director, id_):
        lists = await played(director, url, id_, 13)
        assert [len(of_round(lists, round_)) for round_ in range(1, 5)] == [8, 4, 2, 1]
        assert [len(of_round(lists, round_, 1)) for round_ in range(2, 5)] == [4, 2, 1]
        (final,), (consolation,) = of_round(lists, 4), of_round(lists, 4, 1)
        for row, other in ((final, 0), (consolation, 1)):
            assert row.winner is not None
            winner, loser = (lists.rows["standings"][row.players[seat]] for seat in (row.winner, 1 - row.winner))
            place = [(one.points, *one.tiebreaks)[other] for one in (winner, loser)]
            assert place[0] == place[1] + 1
        assert max(row.points for row in lists.rows["standings"].values()) == 4


async def test_a_round_robin_of_5(valkey: Valkey) -> None:
    async with inside(valkey.url, TIMINGS) as url, directed(url, format="round-robin") as (director, id_):
        lists = await played(director, url, id_, 5)
        met = Counter(frozenset(row.players) for row in lists.rows["pairings"].values())
        assert len(met) == 10 + 5
        assert {*met.values()} == {1}
        assert sum(row.points for row in lists.rows["standings"].values()) == 15
        async with Client(url, name=unique("l")) as late:
            with pytest.raises(Exception, match="over"):
                await late.tournaments.enter(id_)


async def test_when_its_time_is_over_a_match_is_won_by_who_has_taken_less_of_it(valkey: Valkey) -> None:
    async with asyncio.timeout(PATIENCE_S), inside(valkey.url, TIMINGS) as url, guests(url, 3) as (ada, bob, eve):
        id_ = await made(eve, format="swiss")
        await entered(ada, id_, COMMITMENTS[0])
        await entered(bob, id_, COMMITMENTS[1])
        await direct(eve, id_, "begin")
        for player, seed in ((ada, SEEDS[0]), (bob, SEEDS[1])):
            match = (await player.next(m.Matched)).match
            await player.next(m.Snapshot)
            await player.act(m.Reveal, match, seed=seed)
        view = await ada.until(match, lambda view: view.game > 0)
        listing = await bob.get(m.Listing, m.Subscribe, what="tournament", tournament=id_)
        assert (listing.total, listing.rows[id_]["round"]) == (1, 1), "it says until when the round is"
        async with connection_to(valkey.url) as redis:
            clock = Clock()
            session = TournamentSession(id_, TournamentJournal(redis, "test"), clock, lambda *_: None)
            await session.read_on()
            await session.submit(decider.extension(clock.now_ms()))
        over = await ada.until(match, lambda view: view.phase == "over")
        assert over.outcome is not None
        assert over.outcome[0] == 1 - view.turn, "the other one has taken no time"
        assert "adjudicated" in over.outcome
        assert over.used is not None
        assert over.used[1 - view.turn] == 0
        ends = listing.rows[id_]["ends"]
        changes = await bob.find(lambda one: isinstance(one, m.Changes) and one.what == "tournament")
        assert isinstance(changes, m.Changes)
        assert changes.set[id_]["ends"] < ends


async def test_a_round_is_not_shorter_than_the_clocks(server: ServerProcess) -> None:
    async with Player(server.url) as ada:
        await registered(ada)
        rules: dict[str, bool | int | str] = {"length": 11, "clock": "normal"}
        fields: dict[str, Any] = {"name": unique("friday"), "rules": rules, "format": "swiss"}
        least = -(-2 * 11 * preset("tournament", rules).reserve_s // 60)
        assert refused(await ada.ask(m.CreateTournament, minutes=least - 1, **fields)) == ErrorCode.BAD_RULES
        assert isinstance(await ada.ask(m.CreateTournament, minutes=least, **fields), m.Organised)
