"""Tournaments that are over are in the archive, once, before they leave the store; whatever dies meanwhile."""

import asyncio
import contextlib
import re
import sqlite3
from asyncio.subprocess import PIPE
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any, cast

import msgspec
import pytest
import sqlalchemy as sa
from msgspec.structs import replace
from structlog.testing import capture_logs
from tavla_engine.mat import import_mat
from tavla_engine.rules import Rules
from tavla_protocol import messages as m
from tavla_protocol.codec import pack
from tavla_protocol.codes import ErrorCode
from tavla_server.cluster.clock import Clock
from tavla_server.errors import JournalUnreadable
from tavla_server.features.accounts.accounts import Accounts
from tavla_server.features.accounts.passwords import Passwords
from tavla_server.features.archive.archive import Archive
from tavla_server.features.archive.database import Database
from tavla_server.features.archive.tournaments import KeptTournament, TournamentArchive
from tavla_server.features.leaving.merges import AccountMerges
from tavla_server.features.lists.listings import TournamentRow, unpack_row
from tavla_server.features.tournaments import events as e
from tavla_server.features.tournaments import files as tournament_files
from tavla_server.features.tournaments.formats import standings
from tavla_server.features.tournaments.journal import TournamentJournal, entries
from tavla_server.features.tournaments.keeper import Keeper
from tavla_server.features.tournaments.record_pages import RecordPages
from tavla_server.features.tournaments.state import Tournament, replay
from tavla_server.features.tournaments.sweeper import TournamentSweeper
from tavla_server.features.tournaments.views import row_of
from tavla_server.player import Player as Person
from tavla_server.store import keys
from tavla_server.store.client import Client
from tavla_server.telemetry.metrics import TOURNAMENTS
from tavla_server.telemetry.snapshots import snapshot
from tavla_server.timings import Timings

from tests.support.patience import PATIENCE_S, PAUSE_S
from tests.support.players.accounts import SECRET, registered
from tests.support.players.plain import Player, guests, refused
from tests.support.players.tournaments import arena_of, direct, one_match, record_of
from tests.support.servers.lifetimes import started
from tests.support.servers.processes import ServerProcess, Valkey, inside, page, script
from tests.support.stores.archiving import until

NOWHERE = "postgresql://nobody@127.0.0.1:1/nothing"
ADA, BOB, EVE, DAN = (Person(f"{name}-000000000000", name, "account", 1500.0) for name in ("ada", "bob", "eve", "dan"))
SOON = Timings(pairing_round_s=0.05)


def journal_of(*events: e.Event, name: str = "friday", closed_ms: int = 9_000) -> list[bytes]:
    """A tournament of three who play each other once, and what else happened."""
    opened = e.Opened(name, ADA, Rules(length=1, reserve_s=60), 0, 5_000, bytes(16))
    told: list[e.Event] = [opened, *(e.Entered(one, "0f") for one in (ADA, BOB, EVE))]
    for number, (one, other) in enumerate(((ADA, BOB), (BOB, EVE), (EVE, ADA))):
        told += [e.Paired((one.id, other.id)), e.Scored(number, 0)]
    rows = [e.TournamentEntry(1_000 + number, (event,)) for number, event in enumerate([*told, *events])]
    return [e.encode_entry(entry) for entry in (*rows, e.TournamentEntry(closed_ms, (e.Closed(),)))]


def rounds_of(*players: Person) -> list[bytes]:
    """A round of a tournament with rounds: the first two play each other, the third has a bye."""
    opened = e.Opened("swiss", ADA, Rules(length=1, reserve_s=60), 0, 5_000, bytes(16), format="swiss", round_ms=60_000)
    one, other, third = (player.id for player in players)
    begun = e.Round(9_000, 1), e.Paired((one, other)), e.Paired((third, ""), absent=(1,)), e.Scored(0, 0)
    told: list[e.Event] = [opened, *(e.Entered(player, "0f") for player in players), *begun]
    return [e.encode_entry(e.TournamentEntry(1, (event,))) for event in told]


def kept_of(tournament: str, journal: list[bytes], ended_ms: int = 9_000) -> KeptTournament:
    state = state_of(journal)
    return KeptTournament(tournament, ended_ms, True, row_of(state), list(state.entrants), journal)


def state_of(journal: list[bytes] | None) -> Tournament:
    """What a journal leads to."""
    assert journal is not None, "it is there"
    return replay(entries("t", journal))


async def test_a_tournament_is_there_once_and_as_it_was_last(archive: Archive) -> None:
    journal, kept = journal_of(), archive.tournaments
    put = await asyncio.gather(*(kept.put(kept_of("t1", journal)) for _ in range(6)))
    assert sum(put) == 1, "the second one finds it there"
    later = [*journal, e.encode_entry(e.TournamentEntry(9_500, (e.Scored(0, None),)))]
    assert await kept.put(kept_of("t1", later, 9_500)), "a match that was ruled on after the end"
    assert not await kept.put(kept_of("t1", journal))
    assert (await kept.count(), await kept.journal("t1")) == (1, later)
    assert await kept.journal("t2") is None


async def test_those_that_are_over_are_listed_in_pages_newest_first(archive_url: str) -> None:
    database = Database(archive_url)
    kept = Archive(database, page=2).tournaments
    for number in range(5):
        await kept.put(kept_of(f"t{number}", journal_of(name=f"n{number}"), 9_000 + number // 2))
    await kept.put(kept_of("private", journal_of())._replace(listed=False))
    found, after = list[str](), ""
    while True:
        page, more = await kept.page(after)
        found += [row.name for row in page.values()]
        assert len(page) <= 2
        if more is None:
            break
        after = more
    assert found == ["n4", "n3", "n2", "n1", "n0"]
    await database.close()


async def test_of_who_is_forgotten_neither_name_nor_id_is_left_and_the_table_stays(
    archive: Archive, redis: Client
) -> None:
    ruled = e.Directed(ADA, "remove", BOB, "so it is", "director")
    other = e.Directed(DAN, "resume", None, "tea is over", "moderator")  # who neither plays in it nor has made it
    halts = [e.Halted(bool(number % 2)) for number in range(30)]
    journal = journal_of(e.Removed(BOB.id), ruled, *halts, other, name="ada-2")
    keeper = Keeper(redis, archive.tournaments)
    assert await keeper.keep("t1", state_of(journal), journal)
    before = state_of(journal)
    assert await archive.tournaments.put(kept_of("t0", rounds_of(ADA, BOB, EVE), 1))
    for gone in (ADA, EVE, EVE, DAN):
        await keeper.forget(gone.id)
    after = await keeper.find("t1")
    assert after is not None
    assert [one.score for one in standings(after)] == [one.score for one in standings(before)]
    assert [pair.scored for pair in after.pairs] == [pair.scored for pair in before.pairs]
    assert len({*after.entrants}) == 3, "two who are forgotten are two"
    data = b"".join(await archive.tournaments.journal("t1") or [])
    assert not [name for name in (b"ada", b"eve", b"dan") if name in data]
    with_bye = await RecordPages().page("t0", state_of(await archive.tournaments.journal("t0")), 0, 9)
    assert [one.players for one in with_bye.pairings] == [("someone", "bob"), ("someone-2",)]
    row = (await keeper.past(""))[0]["t1"]
    assert (row.name, row.by) == ("someone", "someone")
    assert [one.directed.about for one in after.rulings] == [BOB, None]


async def test_who_asks_for_a_page_that_is_being_read_waits_for_that(
    archive: Archive, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept, reads = archive.tournaments, 0
    await kept.put(kept_of("t1", journal_of()))
    reading = archive._database.reading

    def counted() -> Any:
        nonlocal reads
        reads += 1
        return reading()

    monkeypatch.setattr(archive._database, "reading", counted)
    gone = asyncio.create_task(kept.page(""))
    asked = [asyncio.create_task(kept.page("")) for _ in range(100)]
    await asyncio.sleep(0)
    gone.cancel()
    assert all([*page] == ["t1"] for page, _ in await asyncio.gather(*asked))
    await kept.put(kept_of("t2", journal_of(name="new"), 9_500))
    assert [*(await kept.page(""))[0]] == ["t2", "t1"]
    assert reads == 2


async def test_a_row_that_makes_no_sense_costs_nobody_the_others(archive: Archive) -> None:
    kept = archive.tournaments
    for tournament in ("t1", "t2"):
        await kept.put(kept_of(tournament, journal_of()))
    async with archive._database.writing() as connection:
        await connection.execute(sa.text("UPDATE tournaments SET shown = '{', journal = '\x01' WHERE id = 't1'"))
    with capture_logs() as lines:
        assert [*(await kept.page(""))[0]] == ["t2"]
        await Keeper(cast("Client", None), kept).forget(ADA.id)
    assert [line["event"] for line in lines] == ["archive_row_unreadable", "journal_unreadable"]
    with pytest.raises(JournalUnreadable):
        await kept.journal("t1")
    assert b"ada" not in b"".join(await kept.journal("t2") or [])


async def test_an_archive_that_is_away_is_not_asked_again_at_once(redis: Client) -> None:
    database, journal = Database(NOWHERE), journal_of()
    keeper = Keeper(redis, Archive(database).tournaments)
    with capture_logs() as lines:
        for _ in range(2):
            assert not await keeper.keep("t1", state_of(journal), journal)
    assert [line["event"] for line in lines] == ["tournament_not_archived"]
    await database.close()


async def test_a_server_starts_without_its_archive_and_says_of_a_file_that_it_cannot_be_read_now(
    valkey: Valkey,
) -> None:
    with capture_logs() as lines:
        async with inside(valkey.url, archive=NOWHERE) as url:
            assert await asyncio.to_thread(page, url, "/t/nowhere.json") == (
                503,
                "this cannot be read now: ask again later\n",
            )
    assert "archive_away" in [line["event"] for line in lines]


@pytest.mark.slow
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
        await until(lambda: listed_until(own_redis, tournament))
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
        await until(lambda: leaves(own_redis, log))
        await own_redis.delete(log)
        async with inside(own_valkey.url, archive=archive_url) as other, Player(other) as last:
            for player in (dan, last):
                again = await record_of(player, tournament)
                assert (again.players, again.pairings, again.rulings) == (told.players, told.pairings, told.rulings)
                held = await player.get(m.Held, m.PastTournaments)
                assert held.tournaments == {tournament: told.about}
            nowhere = await last.ask(m.TournamentRecord, tournament="nowhere")
            assert refused(nowhere) == ErrorCode.NO_SUCH_TOURNAMENT
            await until(lambda: leaves(own_redis, keys.MATCH_LOG(match)))
            await own_redis.delete(keys.MATCH_LOG(match))
            assert match in (await asyncio.to_thread(page, other, f"/t/{tournament}.mat"))[1], "out of the archive"
            whole = await asyncio.to_thread(file_at, other, f"/t/{tournament}.json")
            assert msgspec.convert(whole["players"], list[tuple[str, m.Standing]]) == told.players
            assert msgspec.convert(whole["pairings"], list[m.Pairing]) == told.pairings
            assert (whole["format"], whole["about"]["name"]) == ("tavla-tournament-1", told.about.name)


@pytest.mark.slow
async def test_all_matches_of_a_tournament_are_one_file(valkey: Valkey, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tournament_files, "PAGE", 1)
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


@pytest.mark.slow
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
                await until(lambda: is_over(own_redis, tournament))
                server.kill()
        assert await listed_until(own_redis, tournament) == 0
    url = f"sqlite:///{file}"
    async with inside(own_valkey.url, SOON, archive=url), inside(own_valkey.url, SOON, archive=url):
        await until(lambda: listed_until(own_redis, tournament))
    database = Database(url)
    assert await Archive(database).tournaments.count() == 1
    assert state_of(await Archive(database).tournaments.journal(tournament)).closed_ms
    await database.close()


async def test_damaged_ones_keep_no_other_from_being_found(own_valkey: Valkey, own_redis: Client) -> None:
    async with inside(own_valkey.url, SOON) as url, Player(url) as eve:
        tournament = await arena_of(eve)
        await direct(eve, tournament, "extend")
        await until(lambda: listed_until(own_redis, tournament))
    await own_redis.hdel(keys.LOBBY_ROWS("tournaments"), tournament)
    for damaged in range(20):  # the store's order is its own: some come before the whole one
        await own_redis.xadd(keys.TOURNAMENT_LOG(f"damaged{damaged}"), {"e": b"1"}, id="1-0")
    with capture_logs() as lines:
        async with inside(own_valkey.url, SOON):
            await until(lambda: is_over(own_redis, tournament))
    assert [line["tournament"] for line in lines if line["event"] == "tournament_found"] == [tournament]
    assert "journal_unreadable" in [line["event"] for line in lines]


@pytest.mark.slow
async def test_what_another_archive_lacks_is_there_before_the_store_forgets_it(
    own_valkey: Valkey, own_redis: Client, tmp_path: Path
) -> None:
    """Another archive is there at the start, or as the store is to forget it; and a row that the store has lost."""
    async with inside(own_valkey.url, SOON) as url, Player(url) as eve:
        tournament = await arena_of(eve)
        log = keys.TOURNAMENT_LOG(tournament)
        await direct(eve, tournament, "extend")
        await until(lambda: listed_until(own_redis, tournament))
    await own_redis.hdel(keys.LOBBY_ROWS("tournaments"), tournament)
    with capture_logs() as lines:
        async with inside(own_valkey.url, SOON) as url:
            await until(lambda: is_over(own_redis, tournament))
            await until(lambda: listed_until(own_redis, tournament))
            async with Player(url) as eve:
                assert refused(await eve.ask(m.PastTournaments)) == ErrorCode.NO_ARCHIVE
    assert "tournament_found" in [line["event"] for line in lines]
    async with archived_at(f"sqlite:///{tmp_path}/1.sqlite3", own_valkey):
        assert not await leaves(own_redis, log), "it is listed for a day"
    await list_until(own_redis, tournament, 1)
    async with archived_at(f"sqlite:///{tmp_path}/2.sqlite3", own_valkey):
        await until(lambda: leaves(own_redis, log))


@pytest.mark.slow
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
        await until(lambda: is_closed(own_redis))
        assert (await snapshot())[TOURNAMENTS.name] == {"coming": [0], "running": [0], "unarchived": [0]}
    await list_until(own_redis, tournament, 1)
    async with inside(own_valkey.url, timings, archive=archive):
        await until(lambda: is_listed_no_more(own_redis, tournament))


async def is_closed(redis: Client) -> bool:
    """True if no account is left to be forgotten by the archive."""
    return not await redis.hlen(keys.ARCHIVE_CLOSING())


async def is_listed_no_more(redis: Client, tournament: str) -> bool:
    return await row_in(redis, tournament) is None


@pytest.mark.slow
async def test_a_match_that_is_ruled_on_after_the_end_changes_the_table_in_the_archive(
    own_valkey: Valkey, tmp_path: Path, own_redis: Client
) -> None:
    archive = f"sqlite:///{tmp_path}/archive.sqlite3"
    async with inside(own_valkey.url, SOON, archive=archive) as url, guests(url, 3) as (ada, bob, eve):
        tournament = await arena_of(eve)
        match = await one_match(tournament, ada, bob)
        await until_scored(eve, tournament)
        await direct(eve, tournament, "extend")
        await until(lambda: listed_until(own_redis, tournament))
        assert isinstance(await eve.ask(m.Adjudicate, match=match, verdict="void", reason="a bot played"), m.Ok)
        database = Database(archive)

        async def is_void() -> bool:
            scored = state_of(await Archive(database).tournaments.journal(tournament)).pairs[0].scored
            return scored is not None and scored.winner is None

        await until(is_void)
        await until(lambda: listed_until(own_redis, tournament))
        assert {row.points for _, row in (await record_of(ada, tournament)).players} == {0}
        await database.close()


@pytest.mark.slow
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
                await until(is_void)
            return is_new

        monkeypatch.setattr(TournamentArchive, "put", put_and_rule)
        await direct(eve, tournament, "extend")
        await until(lambda: listed_until(own_redis, tournament))
        assert ruled.is_set()
        database = Database(archive)
        scored = state_of(await Archive(database).tournaments.journal(tournament)).pairs[0].scored
        assert scored is not None
        assert scored.winner is None
        await database.close()


@pytest.mark.slow
async def test_who_closes_an_account_or_becomes_another_player_is_so_in_running_tournaments_and_past_ones(
    own_valkey: Valkey, own_redis: Client, tmp_path: Path
) -> None:
    archive, timings = f"sqlite:///{tmp_path}/archive.sqlite3", Timings(pairing_round_s=0.05, leftovers_s=0.1)
    async with inside(own_valkey.url, timings, archive=archive) as url, guests(url, 4) as (ada, bob, eve, dan):
        for player in (ada, bob, dan):
            await registered(player)
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
        await until(lambda: listed_until(own_redis, tournament))
        assert isinstance(await dan.ask(m.CloseAccount, password=SECRET), m.Ok)
        database = Database(archive)
        kept = Archive(database).tournaments

        async def has_forgotten() -> bool:
            data = b"".join(await kept.journal(tournament) or [])
            left = await own_redis.hlen(keys.ARCHIVE_CLOSING())
            return not left and not [one for one in (ada, bob, dan) if str(one.name).encode() in data]

        await until(has_forgotten)
        await until_named(eve, tournament, {"someone", "someone-2"})
        (pairing,) = (await record_of(eve, tournament)).pairings
        assert {*pairing.players} == {"someone", "someone-2"}
        await database.close()


async def until_named(player: Player, tournament: str, names: set[Any]) -> None:
    """Until the standings have these names."""
    async with asyncio.timeout(PATIENCE_S):
        while True:
            listing = await player.get(m.Listing, m.List, what="standings", tournament=tournament)
            if {*listing.rows} == names:
                return


def file_at(url: str, path: str) -> Any:
    """The JSON at an address."""
    status, text = page(url, path)
    assert status == 200, text
    return msgspec.json.decode(text)


@contextlib.asynccontextmanager
async def archived_at(url: str, valkey: Valkey) -> AsyncIterator[None]:
    """A server on an empty archive, from when a tournament is there."""
    database = Database(url)
    async with inside(valkey.url, SOON, archive=url):
        await until(Archive(database).tournaments.count)
        yield
    await database.close()


def counted(method: Callable[..., Any], count: list[int]) -> Callable[..., Any]:
    """A method, and how often it was called."""

    def call(*args: Any) -> Any:
        count[0] += 1
        return method(*args)

    return call


async def until_more(count: list[int]) -> None:
    """Until it is more than now, twice."""
    wanted = count[0] + 2
    async with asyncio.timeout(PATIENCE_S):
        while count[0] < wanted:  # noqa: ASYNC110 - it goes up where servers run
            await asyncio.sleep(0)


async def until_scored(player: Player, tournament: str) -> None:
    async with asyncio.timeout(PATIENCE_S):
        while not (await record_of(player, tournament)).pairings[0].over:  # noqa: ASYNC110
            await asyncio.sleep(PAUSE_S)


async def row_in(redis: Client, tournament: str) -> tuple[bytes, TournamentRow] | None:
    """Its row in the list, and the version of that."""
    row = await redis.hget(keys.LOBBY_ROWS("tournaments"), tournament)
    if not isinstance(row, bytes):
        return None
    version, _, data = row.partition(b" ")
    return version, unpack_row(data)


async def listed_until(redis: Client, tournament: str) -> int:
    """Until when it is in the list, in ms since 1970; 0 = something is left to be done for it."""
    found = await row_in(redis, tournament)
    return 0 if found is None else found[1].until_ms


async def list_until(redis: Client, tournament: str, until_ms: int) -> None:
    """Have it in the list so long; no server may run."""
    found = await row_in(redis, tournament)
    assert found is not None, "it is listed"
    version, row = found
    data = version + b" " + pack(replace(row, until_ms=until_ms))
    await redis.hset(keys.LOBBY_ROWS("tournaments"), tournament, data)


async def is_over(redis: Client, tournament: str) -> bool:
    """True if its table is final."""
    found = await row_in(redis, tournament)
    return found is not None and found[1].shown.over


async def leaves(redis: Client, key: str) -> bool:
    """True if a key will go."""
    return await redis.ttl(key) >= 0
