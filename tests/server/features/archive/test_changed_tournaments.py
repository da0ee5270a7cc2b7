"""What changes a tournament after its end, or while it is archived, changes it in the archive."""

import asyncio
from pathlib import Path

import pytest
from tavla_protocol import messages as m
from tavla_server.cluster.clock import Clock
from tavla_server.features.accounts.accounts import Accounts
from tavla_server.features.accounts.passwords import Passwords
from tavla_server.features.archive.archive import Archive
from tavla_server.features.archive.database import Database
from tavla_server.features.archive.tournaments import KeptTournament, TournamentArchive
from tavla_server.features.leaving.merges import AccountMerges
from tavla_server.store import keys
from tavla_server.store.client import Client
from tavla_server.timings import Timings

from tests.support.patience import ask_until
from tests.support.players.accounts import SECRET, registered
from tests.support.players.plain import guests
from tests.support.players.tournaments import arena_of, direct, one_match, record_of
from tests.support.servers.processes import inside
from tests.support.servers.valkey import Valkey
from tests.support.stores.past_tournaments import SOON, listed_until, state_of, until_named, until_scored


async def test_a_match_that_is_ruled_on_after_the_end_changes_the_table_in_the_archive(
    own_valkey: Valkey, tmp_path: Path, own_redis: Client
) -> None:
    archive = f"sqlite:///{tmp_path}/archive.sqlite3"
    async with inside(own_valkey.url, SOON, archive=archive) as url, guests(url, 3) as (ada, bob, eve):
        tournament = await arena_of(eve)
        match = await one_match(tournament, ada, bob)
        await until_scored(eve, tournament)
        await direct(eve, tournament, "extend")
        await ask_until(lambda: listed_until(own_redis, tournament))
        assert isinstance(await eve.ask(m.Adjudicate, match=match, verdict="void", reason="a bot played"), m.Ok)
        database = Database(archive)

        async def is_void() -> bool:
            scored = state_of(await Archive(database).tournaments.journal(tournament)).pairs[0].scored
            return scored is not None and scored.winner is None

        await ask_until(is_void)
        await ask_until(lambda: listed_until(own_redis, tournament))
        assert {row.points for _, row in (await record_of(ada, tournament)).players} == {0}
        await database.close()


async def test_a_match_that_is_ruled_on_while_the_tournament_is_archived_is_so_in_the_archive(
    own_valkey: Valkey, tmp_path: Path, own_redis: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    archive, put, ruled = f"sqlite:///{tmp_path}/archive.sqlite3", TournamentArchive.put, asyncio.Event()
    async with inside(own_valkey.url, SOON, archive=archive) as url, guests(url, 3) as (ada, bob, eve):
        tournament = await arena_of(eve)
        match = await one_match(tournament, ada, bob)
        await until_scored(eve, tournament)

        async def is_void() -> bool:
            return {row.points for _, row in (await record_of(eve, tournament)).players} == {0}

        async def put_and_rule(self: TournamentArchive, kept: KeptTournament) -> bool:
            is_new = await put(self, kept)
            if not ruled.is_set():
                ruled.set()
                await eve.ask(m.Adjudicate, match=match, verdict="void", reason="a bot played")
                await ask_until(is_void)
            return is_new

        monkeypatch.setattr(TournamentArchive, "put", put_and_rule)
        await direct(eve, tournament, "extend")
        await ask_until(lambda: listed_until(own_redis, tournament))
        assert ruled.is_set()
        database = Database(archive)
        scored = state_of(await Archive(database).tournaments.journal(tournament)).pairs[0].scored
        assert scored is not None
        assert scored.winner is None
        await database.close()


async def test_who_closes_an_account_or_becomes_another_player_is_so_in_running_tournaments_and_past_ones(
    own_valkey: Valkey, own_redis: Client, tmp_path: Path
) -> None:
    archive, timings = f"sqlite:///{tmp_path}/archive.sqlite3", Timings(pairing_round_s=0.05, leftovers_s=0.1)
    async with inside(own_valkey.url, timings, archive=archive) as url, guests(url, 4) as (ada, bob, eve, dan):
        await registered(ada, bob, dan)
        tournament = await arena_of(eve)
        await one_match(tournament, ada, bob)
        await until_scored(dan, tournament)
        accounts = Accounts(own_redis, Clock(), Passwords())
        old, into = [await accounts.find(str(player.name)) for player in (bob, dan)]
        assert old is not None
        assert into is not None
        await AccountMerges(own_redis, accounts, None).merge(old, into)
        await until_named(dan, tournament, {ada.name, dan.name})
        assert isinstance(await ada.ask(m.CloseAccount, password=SECRET), m.Ok)
        await until_named(dan, tournament, {"someone", dan.name})
        await direct(eve, tournament, "extend")
        await ask_until(lambda: listed_until(own_redis, tournament))
        assert isinstance(await dan.ask(m.CloseAccount, password=SECRET), m.Ok)
        database = Database(archive)
        kept = Archive(database).tournaments

        async def has_forgotten() -> bool:
            data = b"".join(await kept.journal(tournament) or [])
            left = await own_redis.hlen(keys.ARCHIVE_CLOSING())
            return not left and not [one for one in (ada, bob, dan) if str(one.name).encode() in data]

        await ask_until(has_forgotten)
        await until_named(eve, tournament, {"someone", "someone-2"})
        (pairing,) = (await record_of(eve, tournament)).pairings
        assert {*pairing.players} == {"someone", "someone-2"}
        await database.close()
