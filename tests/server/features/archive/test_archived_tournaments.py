"""A server archives tournaments that are over, once, before they leave the store; whatever dies meanwhile."""

import asyncio
import contextlib
import re
import sqlite3
from asyncio.subprocess import PIPE
from pathlib import Path

import msgspec
import pytest
from structlog.testing import capture_logs
from tavla_engine.mat import import_mat
from tavla_protocol import messages as m
from tavla_protocol.codes import ErrorCode
from tavla_server.features.tournaments import files as tournament_files
from tavla_server.features.tournaments.journal import TournamentJournal
from tavla_server.features.tournaments.sweeper import TournamentSweeper
from tavla_server.store import keys
from tavla_server.store.client import Client
from tavla_server.telemetry.metrics import TOURNAMENTS
from tavla_server.telemetry.snapshots import snapshot
from tavla_server.timings import Timings

from tests.support.patience import PATIENCE_S, PAUSE_S, ask_until
from tests.support.players.accounts import SECRET, registered
from tests.support.players.plain import Player, guests, refused
from tests.support.players.tournaments import arena_of, direct, one_match, record_of
from tests.support.servers.lifetimes import started
from tests.support.servers.processes import ServerProcess, inside, page, script
from tests.support.servers.valkey import Valkey
from tests.support.stores.archiving import archive_at
from tests.support.stores.past_tournaments import (
    SOON,
    archived_at,
    counted,
    file_at,
    is_closed,
    is_listed_no_more,
    is_over,
    leaves,
    list_until,
    listed_until,
    state_of,
    until_more,
    until_scored,
)


async def test_a_tournament_that_is_over_is_archived_read_no_more_and_told_of_for_good(
    own_valkey: Valkey, own_redis: Client, archive_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    reads, rounds = [0], [0]
    monkeypatch.setattr(TournamentJournal, "read", counted(TournamentJournal.read, reads))
    monkeypatch.setattr(TournamentSweeper, "_await_end", counted(TournamentSweeper._await_end, rounds))
    async with inside(own_valkey.url, SOON, archive=archive_url) as url, guests(url, 3) as (ada, bob, eve):
        tournament = await arena_of(eve)
        log = keys.TOURNAMENT_LOG(tournament)
        match = await one_match(tournament, ada, bob)
        await until_scored(ada, tournament)
        await direct(eve, tournament, "extend")
        await ask_until(lambda: listed_until(own_redis, tournament))
        await until_more(rounds)
        before = [*reads]
        await until_more(rounds)
        assert reads == before, "each node has read it in each round"
        assert await own_redis.ttl(log) == -1, "it is listed"
        told = await record_of(ada, tournament)
        assert told.about is not None
        assert (told.about.over, told.closed > 0) == (True, True)
        assert [(name, row.points) for name, row in told.players] == [(bob.name, 2), (ada.name, 0)]
        (pairing,) = told.pairings
        assert (pairing.match, {*pairing.players}) == (match, {ada.name, bob.name})
        assert pairing.winner == pairing.players.index(str(bob.name))
        assert [(one.by, one.what, one.reason) for one in told.rulings] == [(eve.name, "extend", "so it is")]
    await list_until(own_redis, tournament, 1)
    async with inside(own_valkey.url, SOON, archive=archive_url) as url, Player(url) as dan:
        await ask_until(lambda: leaves(own_redis, log))
        await own_redis.delete(log)
        async with inside(own_valkey.url, archive=archive_url) as other, Player(other) as last:
            for player in (dan, last):
                again = await record_of(player, tournament)
                assert (again.players, again.pairings, again.rulings) == (told.players, told.pairings, told.rulings)
                held = await player.get(m.Held, m.PastTournaments)
                assert held.tournaments == {tournament: told.about}
            nowhere = await last.ask(m.TournamentRecord, tournament="nowhere")
            assert refused(nowhere) == ErrorCode.NO_SUCH_TOURNAMENT
            await ask_until(lambda: leaves(own_redis, keys.MATCH_LOG(match)))
            await own_redis.delete(keys.MATCH_LOG(match))
            assert match in (await asyncio.to_thread(page, other, f"/t/{tournament}.mat"))[1], "out of the archive"
            whole = await asyncio.to_thread(file_at, other, f"/t/{tournament}.json")
            assert msgspec.convert(whole["players"], list[tuple[str, m.Standing]]) == told.players
            assert msgspec.convert(whole["pairings"], list[m.Pairing]) == told.pairings
            assert (whole["format"], whole["about"]["name"]) == ("tavla-tournament-1", told.about.name)


async def test_all_matches_of_a_tournament_are_one_file(valkey: Valkey, monkeypatch: pytest.MonkeyPatch) -> None:
    async with inside(valkey.url, SOON) as url, Player(url) as ada, Player(url) as bob, Player(url) as eve:
        tournament = await arena_of(eve)
        made = [await one_match(tournament, loser, bob) for loser in (ada, eve)]
        async with asyncio.timeout(PATIENCE_S):
            while not all(pairing.over for pairing in (await record_of(eve, tournament)).pairings):  # noqa: ASYNC110
                await asyncio.sleep(PAUSE_S)
        status, text = await asyncio.to_thread(page, url, f"/t/{tournament}.mat")
        assert status == 200
        assert re.findall(r'; \[Match "(.*)"\]', text) == made
        matches = [one for one in re.split(r"(?=; \[.*\n(?!;))", text) if "point match" in one]
        assert len(matches) == 2
        assert {*import_mat(matches[0]).names} == {ada.name, bob.name}
        packed = await asyncio.to_thread(page, url, f"/t/{tournament}.json", {"Accept-Encoding": "gzip"})
        assert [one["match"] for one in msgspec.json.decode(packed[1])["pairings"]] == made
        assert (await asyncio.to_thread(page, url, "/t/nowhere.mat"))[0] == 404
        program = await asyncio.create_subprocess_exec(
            *script("tavla"), "tournament", "export", tournament, "--server", url, stdout=PIPE
        )
        async with asyncio.timeout(PATIENCE_S):
            assert (await program.communicate())[0].decode() == text
        monkeypatch.setattr(tournament_files, "WAITING_LIMIT", 0)
        assert await asyncio.to_thread(page, url, f"/t/{await arena_of(ada)}.mat") == (
            503,
            "too many ask for such files now: ask again in a minute\n",
        )


async def test_a_node_that_is_killed_while_it_archives_leaves_it_to_the_next(
    own_valkey: Valkey, own_redis: Client, tmp_path: Path
) -> None:
    """The archive is held, so that the node is in the middle; what it has begun is not there."""
    file = tmp_path / "archive.sqlite3"
    options = ("--redis", own_valkey.url, "--archive", f"sqlite:///{file}")
    with started(ServerProcess(tmp_path / "data", *options)) as (server,):
        async with Player(server.url) as eve:
            tournament = await arena_of(eve)
            with contextlib.closing(sqlite3.connect(file, isolation_level=None)) as held:
                held.execute("BEGIN EXCLUSIVE")
                await direct(eve, tournament, "extend")
                await ask_until(lambda: is_over(own_redis, tournament))
                server.kill()
        assert await listed_until(own_redis, tournament) == 0
    url = f"sqlite:///{file}"
    async with inside(own_valkey.url, SOON, archive=url), inside(own_valkey.url, SOON, archive=url):
        await ask_until(lambda: listed_until(own_redis, tournament))
    async with archive_at(url) as archive:
        assert len((await archive.tournaments.page(""))[0]) == 1
        assert state_of(await archive.tournaments.journal(tournament)).closed_ms


async def test_damaged_ones_keep_no_other_from_being_found(own_valkey: Valkey, own_redis: Client) -> None:
    async with inside(own_valkey.url, SOON) as url, Player(url) as eve:
        tournament = await arena_of(eve)
        await direct(eve, tournament, "extend")
        await ask_until(lambda: listed_until(own_redis, tournament))
    await own_redis.hdel(keys.LOBBY_ROWS("tournaments"), tournament)
    for damaged in range(20):  # the store's order is its own: some come before the whole one
        await own_redis.xadd(keys.TOURNAMENT_LOG(f"damaged{damaged}"), {"e": b"1"}, id="1-0")
    with capture_logs() as lines:
        async with inside(own_valkey.url, SOON):
            await ask_until(lambda: is_over(own_redis, tournament))
    assert [line["tournament"] for line in lines if line["event"] == "tournament_found"] == [tournament]
    assert "journal_unreadable" in [line["event"] for line in lines]


async def test_what_another_archive_lacks_is_there_before_the_store_forgets_it(
    own_valkey: Valkey, own_redis: Client, tmp_path: Path
) -> None:
    """Another archive is there at the start, or as the store is to forget it; and a row that the store has lost."""
    async with inside(own_valkey.url, SOON) as url, Player(url) as eve:
        tournament = await arena_of(eve)
        log = keys.TOURNAMENT_LOG(tournament)
        await direct(eve, tournament, "extend")
        await ask_until(lambda: listed_until(own_redis, tournament))
    await own_redis.hdel(keys.LOBBY_ROWS("tournaments"), tournament)
    with capture_logs() as lines:
        async with inside(own_valkey.url, SOON) as url:
            await ask_until(lambda: is_over(own_redis, tournament))
            await ask_until(lambda: listed_until(own_redis, tournament))
            async with Player(url) as eve:
                assert refused(await eve.ask(m.PastTournaments)) == ErrorCode.NO_ARCHIVE
    assert "tournament_found" in [line["event"] for line in lines]
    async with archived_at(f"sqlite:///{tmp_path}/1.sqlite3", own_valkey):
        assert not await leaves(own_redis, log), "it is listed for a day"
    await list_until(own_redis, tournament, 1)
    async with archived_at(f"sqlite:///{tmp_path}/2.sqlite3", own_valkey):
        await ask_until(lambda: leaves(own_redis, log))


async def test_one_that_the_store_has_lost_is_in_nobodys_way_and_goes_from_the_list(
    own_valkey: Valkey, own_redis: Client, tmp_path: Path
) -> None:
    archive, timings = f"sqlite:///{tmp_path}/archive.sqlite3", Timings(pairing_round_s=0.05, leftovers_s=0.1)
    async with inside(own_valkey.url, timings) as url, Player(url) as eve:
        tournament = await arena_of(eve)
    await own_redis.delete(keys.TOURNAMENT_LOG(tournament))
    async with inside(own_valkey.url, timings, archive=archive) as url, Player(url) as ada:
        assert refused(await ada.ask(m.TournamentRecord, tournament=tournament)) == ErrorCode.NO_SUCH_TOURNAMENT
        await registered(ada)
        assert isinstance(await ada.ask(m.CloseAccount, password=SECRET), m.Ok)
        await ask_until(lambda: is_closed(own_redis))
        assert (await snapshot())[TOURNAMENTS.name] == {"coming": [0], "running": [0], "unarchived": [0]}
    await list_until(own_redis, tournament, 1)
    async with inside(own_valkey.url, timings, archive=archive):
        await ask_until(lambda: is_listed_no_more(own_redis, tournament))
