"""Conversations about tournaments: made, entered, played at several nodes, and ended."""

import asyncio
import random
from collections.abc import Callable
from functools import partial
from typing import Any

import msgspec
import pytest
from structlog.testing import capture_logs
from tavla_client import Client, Lists, Match, Runner, in_tournament
from tavla_protocol import messages as m
from tavla_protocol.codes import ErrorCode
from tavla_server.cluster.clock import Clock
from tavla_server.features.quick_match.match_queue import MatchQueue, Void
from tavla_server.features.sanctions.audit import Audit
from tavla_server.features.tournaments import decider
from tavla_server.features.tournaments.events import Paired
from tavla_server.features.tournaments.journal import TournamentJournal
from tavla_server.features.tournaments.session import TournamentSession
from tavla_server.limits import DEFAULT_LIMITS
from tavla_server.player import Player as Person
from tavla_server.store.client import Client as Store
from tavla_server.store.client import connection_to
from tavla_server.telemetry import metrics
from tavla_server.telemetry.snapshots import snapshot
from tavla_server.timings import Timings

from tests.support.patience import PATIENCE_S, ask_until, wait_until
from tests.support.players.accounts import registered
from tests.support.players.clients import Quick, play, until
from tests.support.players.lobby import until_listed
from tests.support.players.matches import played_on
from tests.support.players.plain import Player, guests, refused, unique
from tests.support.players.seeds import COMMITMENTS, SEEDS
from tests.support.players.tournaments import arena_of, direct, entered, one_match, record_of, standings_of
from tests.support.servers.processes import ServerProcess, inside
from tests.support.servers.valkey import Valkey

pytestmark = pytest.mark.slow  # most of them wait by the clock


async def arena(url: str) -> str:
    """A tournament that has begun."""
    async with Player(url) as eve:
        return await arena_of(eve)


def settled(lists: Lists, matches: int) -> bool:
    """True if the standings have so many results, of both players each."""
    rows = lists.rows["standings"].values()
    return sum(row.matches for row in rows) >= 2 * matches


async def play_some(client: Client, tournament: str, rng: random.Random, matches: list[Match]) -> None:
    """Play one match after the other."""
    while True:
        match = await client.tournaments.enter(tournament)
        matches.append(match)
        await play(match, rng)


async def until_row(player: Player, tournament: str, name: str, wanted: Callable[[dict[str, Any]], bool]) -> None:
    """Wait until a row of the standings is as wanted."""
    ask = partial(player.get, m.Listing, m.List, what="standings", tournament=tournament)
    await ask_until(ask, lambda found: name in found.rows and wanted(found.rows[name]))


async def test_guests_play_and_make_none_and_nobody_makes_many(server: ServerProcess) -> None:
    async with Player(server.url) as ada, Player(server.url) as bob:
        assert refused(await ada.ask(m.CreateTournament, name="friday")) == ErrorCode.ACCOUNT_NEEDED
        await registered(ada)
        made: list[m.Organised] = []
        names = [unique("friday") for _ in range(DEFAULT_LIMITS.tournaments)]
        for name in names:
            organised = await ada.get(m.Organised, m.CreateTournament, name=name, starts=3600)
            made.append(organised)
        assert refused(await ada.ask(m.CreateTournament, name="friday")) == ErrorCode.TOO_MANY
        again = await ada.ask(m.CreateTournament, name=names[-1], starts=3600, id=made[-1].id)
        assert again == made[-1], "a request that is sent again makes none, and is answered"
        listing = await bob.get(m.Listing, m.List, what="tournaments")
        for tournament, name in zip([one.tournament for one in made], names, strict=True):
            row = msgspec.convert(listing.rows[tournament], m.Tournament)
            assert (row.name, row.by, row.players, row.ends - row.starts) == (name, ada.name, 0, 3600)
        await entered(bob, tournament, COMMITMENTS[0])
        await until_row(bob, tournament, str(bob.name), lambda row: bool(row["waiting"]))
        assert isinstance(await bob.ask(m.LeaveTournament, tournament=tournament), m.Ok)
        await ask_until(lambda: standings_of(bob, tournament), lambda found: bob.name not in found)


async def test_there_is_no_tournament_of_another_name(server: ServerProcess) -> None:
    async with Player(server.url) as ada:
        for request, fields in (
            (m.EnterTournament, {"commitment": COMMITMENTS[0]}),
            (m.LeaveTournament, {}),
            (m.Subscribe, {"what": "standings"}),
        ):
            answer = await ada.ask(request, tournament="abcdefgh2345", **fields)
            assert refused(answer) == ErrorCode.NO_SUCH_TOURNAMENT


async def test_who_does_not_begin_has_lost_and_is_paused_and_nobody_has_a_point_of_it(valkey: Valkey) -> None:
    timings = Timings(
        reveal_s=5, reveal_away_s=5, reveal_tournament_s=5, return_ms=100
    )  # ada is in time on a busy machine, too
    async with inside(valkey.url, timings) as url, Player(url) as ada, Player(url) as bob:
        tournament = await arena(url)
        request = await entered(ada, tournament, COMMITMENTS[0])
        await entered(bob, tournament, COMMITMENTS[1])
        matched = await ada.next(m.Matched)
        assert matched.seek == request
        snapshot = await ada.next(m.Snapshot)
        await ada.act(m.Reveal, matched.match, seed=SEEDS[0])
        about = (await record_of(ada, tournament)).about
        assert about is not None
        assert snapshot.view["name"] == f"{about.name}-1"
        assert snapshot.view["tournament"] == [tournament, 0]
        async with Player(url) as eve:
            assert (await eve.get(m.Snapshot, m.Attach, table=f"{about.name}-1")).match == matched.match
        await ada.until(matched.match, lambda view: view.phase == "over")
        await until_row(ada, tournament, str(bob.name), lambda row: row.get("matches") == 1 and not row.get("waiting"))
        await until_row(ada, tournament, str(ada.name), lambda row: not row.get("points") and not row.get("matches"))


async def test_who_left_matches_is_paired_after_those_who_did_not(valkey: Valkey) -> None:
    async with (
        inside(valkey.url, Timings(pairing_round_s=0.05)) as url,
        connection_to(valkey.url) as redis,
        guests(url, 3) as (ada, bob, eve),
    ):
        tournament = await arena(url)
        for match in ("m1", "m2"):
            void = Void(match, (ada.id, "somebody"), (ada.id,), Clock().now_ms(), left=True)
            await MatchQueue(redis, "test").hold_back(void)
        await entered(ada, tournament, COMMITMENTS[0])
        await until_row(ada, tournament, str(ada.name), lambda row: bool(row["waiting"]))
        for player, commitment in ((bob, COMMITMENTS[1]), (eve, "0f" * 32)):
            await entered(player, tournament, commitment)
        assert (await bob.next(m.Matched)).match == (await eve.next(m.Matched)).match
        counts = await snapshot()
        assert counts[metrics.TOURNAMENTS.name]["running"][0] >= 1
        players = counts[metrics.TOURNAMENT_PLAYERS.name]
        assert (players["waiting"][0] >= 1, players["playing"][0] >= 2) == (True, True)
        assert counts[metrics.PAIRED.name][""][0] >= 1


@pytest.mark.parametrize("format_", ["arena", "swiss"])
async def test_a_player_has_a_match_of_one_tournament_at_a_time(valkey: Valkey, format_: str) -> None:
    """Two that begin in the same moment, looked after by two nodes."""
    soon = Timings(pairing_round_s=0.05)
    async with (
        inside(valkey.url, soon) as here,
        inside(valkey.url, soon) as there,
        guests(here, 2) as (ada, bob),
        guests(there, 2) as (eve, dan),
    ):
        tournaments = [await arena_of(maker, starts=2, format=format_) for maker in (eve, dan)]
        for tournament in tournaments:
            for player, commitment in zip((ada, bob), COMMITMENTS, strict=True):
                await entered(player, tournament, commitment)
        first = (await ada.next(m.Matched)).match
        records = [await record_of(ada, one) for one in tournaments]
        assert {pairing.match for told in records for pairing in told.pairings} == {first}
        (other,) = [one for one, told in zip(tournaments, records, strict=True) if not told.pairings]
        await until_row(ada, other, str(ada.name), lambda row: "waiting" not in row)
        assert (await record_of(ada, other)).pairings == []


async def test_at_the_end_those_who_wait_are_told_and_the_table_is_final(valkey: Valkey) -> None:
    async with inside(valkey.url) as url, Player(url) as ada, Player(url) as bob, Player(url) as eve:
        tournament = await arena_of(eve)
        request = await entered(ada, tournament, COMMITMENTS[0])
        await direct(eve, tournament, "extend")
        assert await ada.next(m.Unpaired) == m.Unpaired(
            tournament=tournament, enter=request, over=True, text="this tournament is over: no more matches are made"
        )
        answer = await bob.ask(m.EnterTournament, tournament=tournament, commitment=COMMITMENTS[1])
        assert refused(answer) == ErrorCode.TOURNAMENT_OVER
        ask = partial(bob.get, m.Listing, m.List, what="tournaments")
        await ask_until(ask, lambda found: found.rows[tournament].get("over"))


async def test_a_director_halts_removes_and_rules_and_all_is_written_down(valkey: Valkey) -> None:
    async with inside(valkey.url) as url, Player(url) as ada, Player(url) as bob, Player(url) as eve:
        tournament = await arena_of(eve)
        answer = await ada.ask(m.DirectTournament, tournament=tournament, what="halt", reason="tired")
        assert refused(answer) == ErrorCode.NOT_ALLOWED
        await entered(ada, tournament, COMMITMENTS[0])
        await entered(bob, tournament, COMMITMENTS[1])
        for player, seed in ((ada, SEEDS[0]), (bob, SEEDS[1])):
            match = (await player.next(m.Matched)).match
            await player.next(m.Snapshot)
            await player.act(m.Reveal, match, seed=seed)
        await direct(eve, tournament, "halt")
        verdict = {"match": match, "verdict": "white", "reason": "eve has seen it"}
        for player in (ada, bob):
            await player.until(match, lambda view: view.game > 0)
        await played_on(match, ada, bob)
        assert refused(await bob.ask(m.Adjudicate, **verdict)) == ErrorCode.NOT_ALLOWED
        assert isinstance(await eve.ask(m.Adjudicate, **verdict), m.Ok)
        winner, loser = (ada, bob) if ada.matches[match].seat == 0 else (bob, ada)
        await until_row(eve, tournament, str(winner.name), lambda row: row.get("points") == 2)
        await eve.ask(m.Adjudicate, **(verdict | {"verdict": "void"}))
        await until_row(eve, tournament, str(winner.name), lambda row: not row.get("points"))
        await direct(eve, tournament, "remove", player=loser.name)
        again = await loser.ask(m.EnterTournament, tournament=tournament, commitment=COMMITMENTS[0])
        assert refused(again) == ErrorCode.NOT_ALLOWED
        await ask_until(lambda: standings_of(eve, tournament), lambda found: set(found) == {winner.name})
        async with connection_to(valkey.url) as redis:
            used = [use.what for use in await Audit(redis, Clock()).last(10) if use.who == eve.name]
        assert used == [], "what a director decides stands in the journals of the tournament and of the match"
        assert [one.what for one in (await record_of(ada, tournament)).rulings] == [
            *("halt", "white", "void", "remove")
        ]


async def test_a_tournament_that_cannot_be_read_or_kept_up_delays_no_other(
    own_valkey: Valkey, own_redis: Store
) -> None:
    timings = Timings(pairing_round_s=0.05)
    async with inside(own_valkey.url, timings) as url, Player(url) as ada, Player(url) as bob, Player(url) as eve:
        broken, whole = [await arena_of(eve) for _ in range(2)]
        journal = TournamentJournal(own_redis, "test")
        with capture_logs() as lines:
            assert await journal.append(broken, 2, b"nonsense")
            await one_match(whole, ada, bob)
            await until_row(eve, whole, str(bob.name), lambda row: row.get("points") == 2)
            own_valkey.kill()
            await wait_until(lambda: "tournament_delayed" in [line["event"] for line in lines])
            await asyncio.to_thread(own_valkey.start)
        unread = [line for line in lines if line["event"] == "journal_unreadable"]
        assert {line["tournament"] for line in unread} == {broken}


async def test_a_table_that_is_called_like_a_match_of_a_tournament_counts_for_nothing(
    valkey: Valkey, redis: Store
) -> None:
    async with inside(valkey.url) as url, Player(url) as ada, Player(url) as bob, Player(url) as eve:
        tournament = await arena_of(eve)
        session = TournamentSession(tournament, TournamentJournal(redis, "node"), Clock(), lambda *_: None)
        await session.read_on()
        for player in (Person("cem", "cem"), Person("dan", "dan")):
            await session.submit(decider.entry(player, f"0f-{player.id}", 9))
        await session.submit(decider.pairing([Paired(("cem", "dan"))]))
        assert session.state.opened is not None
        table = await ada.get(m.Snapshot, m.Create, name=f"{session.state.opened.name}-1", rules={"length": 1})
        await bob.ask(m.Join, table=table.match)
        await bob.act(m.Forfeit, table.match)
        await until_listed(eve, table.match, None)
        await session.read_on()
        assert session.state.pairs[0].scored is None


async def test_what_a_director_decides_is_no_line_of_the_audit(server: ServerProcess, valkey: Valkey) -> None:
    async with Player(server.url) as ada, connection_to(valkey.url) as redis:
        tournament = await arena_of(ada)
        for _ in range(3):
            await direct(ada, tournament, "halt")
            await direct(ada, tournament, "resume")
        assert [ruling.what for ruling in (await record_of(ada, tournament)).rulings] == ["halt", "resume"] * 3
        assert not [use for use in await Audit(redis, Clock()).last(100) if use.who == ada.name]


async def test_the_newest_connection_waits(server: ServerProcess) -> None:
    tournament = await arena(server.url)
    async with Player(server.url) as ada, Player(server.url, token=ada.token) as again:
        request = await entered(ada, tournament, COMMITMENTS[0])
        await entered(again, tournament, COMMITMENTS[0])
        assert (await ada.next(m.Unpaired)).enter == request


async def test_a_bot_plays_a_tournament_until_it_is_over(valkey: Valkey) -> None:
    async with (
        asyncio.timeout(PATIENCE_S),
        inside(valkey.url) as url,
        Client(url, name=unique("b"), bot=True) as one,
        Client(url, name=unique("b"), bot=True) as other,
        Player(url) as eve,
    ):
        tournament = await arena_of(eve)
        async with one.tournaments.standings(tournament) as lists:
            runners = [
                asyncio.create_task(Runner(client, Quick, in_tournament(tournament)).run()) for client in (one, other)
            ]
            await until(lists, lambda: settled(lists, 1))
            await direct(eve, tournament, "extend")
            summaries = [await runner for runner in runners]
        assert len(summaries[0].results) == len(summaries[1].results) > 0
        assert sum(summary.wins for summary in summaries) == len(summaries[0].results)
