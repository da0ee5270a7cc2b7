"""Matches put into the archive are there for good, once, and found again; on SQLite and on PostgreSQL."""

import asyncio
import contextlib
import random
import sqlite3
import stat
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from tavla_engine.rules import Rules, preset
from tavla_engine.terms import SOMEONE
from tavla_protocol.messages import Finished
from tavla_server.errors import ArchiveUnavailable, OtherMatch, StartError
from tavla_server.features.archive.archive import Archive
from tavla_server.features.archive.database import Database
from tavla_server.features.archive.database import _prepare as prepare
from tavla_server.features.archive.packing import pack, unpack
from tavla_server.features.archive.summary import NOBODY, is_named_after, replay
from tavla_server.record.events import Terms
from tavla_server.record.projection import view_of

from tests.support.patience import PATIENCE_S
from tests.support.stores.archiving import archive_at
from tests.support.stores.finished import journal_of, match_id, player, put_into, summary_of

DAY_MS = 24 * 3600 * 1000
RATED = preset("tournament", {"length": 1, "rated": True})


async def add(archive: Archive, rng: random.Random, *players: object, **fields: object) -> str:
    """A match in the archive; its id."""
    match = match_id(rng)
    journal = journal_of(rng, match, players, **fields)  # type: ignore[arg-type]
    assert await put_into(archive, match, journal)
    return match


async def all_of(archive: Archive, who: str, own: bool = True) -> list[Finished]:
    found, after = [], ""
    while True:
        page = await archive.history(who, after, own)
        found += page.matches
        if page.next is None:
            return found
        after = page.next


async def test_a_match_is_there_once_however_often_it_is_put(archive: Archive, rng: random.Random) -> None:
    ada, bob = player(rng, "Ada", 1517.321), player(rng, "bob", 1483.0)
    match = match_id(rng)
    journal = journal_of(rng, match, (ada, bob), RATED)
    found = await summary_of(match, journal)
    put = await asyncio.gather(*(archive.put(found, journal) for _ in range(8)))
    assert sum(put) == 1, "whoever is second finds it there"
    assert (await archive.count(), await archive.journal(match)) == (1, journal)
    (row,) = await all_of(archive, ada.id)
    record = found.record
    assert row.score == record.match.score
    assert (row.match, row.table, row.seat) == (match, "sofa", 0)
    assert (row.players, row.kinds) == (("Ada", "bob"), ("account", "account"))
    rules = {"length": 1, "rated": True, "delay_s": RATED.delay_s, "reserve_s": RATED.reserve_s}
    assert (row.rules, row.winner is not None) == (rules, True)
    assert (row.ended - row.started) == 5000 * (len(journal) - 2)
    assert row.ratings == (1517.32, 1483.0)
    assert row.changes == tuple(round(change, 2) for change in record.tally.changes) != (0.0, 0.0)
    (seen,) = await all_of(archive, bob.id)
    assert (seen.seat, seen.players, seen.changes) == (1, row.players, row.changes)


async def test_a_journal_comes_back_byte_for_byte_and_gives_the_same_view(archive: Archive, rng: random.Random) -> None:
    match = match_id(rng)
    journal = journal_of(rng, match, (player(rng, "ada"), player(rng, "bob")), Rules(length=5))
    found = await summary_of(match, journal)
    await archive.put(found, journal)
    back = await archive.journal(match)
    assert back == journal == unpack(pack(journal))
    assert view_of(await replay(match, back)) == view_of(found.record)
    assert await archive.journal("nowhere2") is None


async def test_a_history_has_pages_in_order_without_gaps(archive_url: str, rng: random.Random) -> None:
    database = Database(archive_url)
    archive = Archive(database, page=3)
    ada, bob = player(rng, "ada"), player(rng, "bob")
    times = [1_789_000_000_000 + rng.randint(0, 3) * DAY_MS for _ in range(10)]  # some at the same moment
    made = [await add(archive, rng, ada, bob, began_ms=time, most=5) for time in times]
    found = await all_of(archive, ada.id)
    assert sorted(row.match for row in found) == sorted(made)
    assert [(row.ended, row.match) for row in found] == sorted(((row.ended, row.match) for row in found), reverse=True)
    assert (await archive.history(player(rng, "eve").id, "", own=True)).matches == []
    await database.close()


async def test_what_is_private_is_seen_by_its_players_alone(archive: Archive, rng: random.Random) -> None:
    ada, bob = player(rng, "ada"), player(rng, "bob")
    shown = await add(archive, rng, ada, bob, most=5)
    await add(archive, rng, ada, bob, most=5, terms=Terms(code="abcd2345"))
    await add(archive, rng, ada, bob, most=5, terms=Terms(spectators=False))
    assert sorted(row.private for row in await all_of(archive, ada.id)) == [False, True, True]
    assert [row.match for row in await all_of(archive, ada.id, own=False)] == [shown]


async def test_a_name_that_nobody_has_any_more_still_finds_its_matches(archive: Archive, rng: random.Random) -> None:
    match = await add(archive, rng, player(rng, "Ada"), player(rng, "bob"), most=5)
    assert [row.match for row in (await archive.history_by_name("aDA", "")).matches] == [match]
    assert (await archive.history_by_name("eve", "")).matches == []


async def test_who_is_forgotten_is_someone_everywhere(archive: Archive, rng: random.Random) -> None:
    ada, bob = player(rng, "ada", 1500.0), player(rng, "bob", 1500.0)
    match = await add(archive, rng, ada, bob, rules=RATED, table="ada-2")
    other = await add(archive, rng, bob, ada, most=5, table="ada-lovelace")
    before = {id_: await archive.journal(id_) for id_ in (match, other)}
    assert sorted(await archive.players.opponents(ada.id)) == sorted([(match, bob.id), (other, bob.id)])
    assert sorted(await archive.players.forget(ada.id)) == sorted([match, other])
    assert await all_of(archive, ada.id) == []
    assert {row.table: row.players for row in await all_of(archive, bob.id)} == {
        SOMEONE: (SOMEONE, "bob"),
        "ada-lovelace": ("bob", SOMEONE),
    }
    for id_, known in before.items():
        journal = await archive.journal(id_)
        assert journal is not None
        assert known is not None
        assert ada.id.encode() not in b"".join(journal)
        assert b"\xa3ada" not in b"".join(journal), "a text of three letters"
        old, new = [view_of(await replay(id_, some)) for some in (known, journal)]
        assert (old.points, old.seed, old.rolls, old.outcome) == (new.points, new.seed, new.rolls, new.outcome)
        (found,) = [await summary_of(id_, journal)]
        assert NOBODY in {who.id for who in found.players}


async def test_a_match_that_was_played_again_after_a_loss_takes_the_place_of_the_first(
    archive: Archive, rng: random.Random
) -> None:
    ada, bob, match = player(rng, "ada"), player(rng, "bob"), match_id(rng)
    seed = rng.randbytes(32)
    first = journal_of(rng, match, (ada, bob), most=5, seed=seed)
    again = journal_of(rng, match, (ada, bob), most=9, began_ms=1_789_000_000_000 + DAY_MS, seed=seed)
    for journal, new in ((first, True), (again, True), (first, False), (again, False)):
        assert await put_into(archive, match, journal) is new
    assert (await archive.count(), await archive.journal(match)) == (1, again)


async def test_another_match_of_the_same_id_never_takes_its_place(archive: Archive, rng: random.Random) -> None:
    """Also of one whose player was forgotten since."""
    ada, bob, match = player(rng, "ada"), player(rng, "bob"), match_id(rng)
    first = journal_of(rng, match, (ada, bob), table="ada")
    assert await put_into(archive, match, first)
    for began_ms in (1_789_000_000_000 - DAY_MS, 1_789_000_000_000 + DAY_MS):
        other = journal_of(rng, match, (player(rng, "eve"), player(rng, "dan")), began_ms=began_ms)
        with pytest.raises(OtherMatch):
            await put_into(archive, match, other)
        assert await archive.journal(match) == first
    await archive.players.forget(ada.id)
    assert not await put_into(archive, match, first), "it is the same match"
    assert await archive.count() == 1


async def test_servers_that_start_at_once_make_the_tables_once(archive_url: str) -> None:
    databases = [Database(archive_url) for _ in range(6)]
    await asyncio.gather(*(Archive(database).ping() for database in databases))
    assert await asyncio.gather(*(Archive(database).count() for database in databases)) == [0] * 6
    for database in databases:
        await database.close()


def test_programs_that_open_a_new_file_at_once_wait_for_each_other(tmp_path: Path) -> None:
    """Without waiting, SQLite refused one of six in every twentieth round."""
    programs, rounds = 6, 60
    start = threading.Barrier(programs)

    def opened(path: Path) -> str:
        with contextlib.closing(sqlite3.connect(path)) as connection:
            start.wait(PATIENCE_S)
            prepare(connection, None)
            (mode,) = connection.execute("PRAGMA journal_mode").fetchone()
            return str(mode)

    with ThreadPoolExecutor(programs) as pool:
        for number in range(rounds):
            modes = list(pool.map(opened, [tmp_path / f"{number}.sqlite3"] * programs))
            assert modes == ["wal"] * programs


async def test_a_file_is_its_owners_alone(tmp_path: Path, rng: random.Random) -> None:
    async with archive_at(f"sqlite:///{tmp_path}/new/archive.sqlite3") as archive:
        await add(archive, rng, player(rng, "ada"), player(rng, "bob"), most=5)
        modes = {path.name: stat.S_IMODE(path.stat().st_mode) for path in (tmp_path / "new").iterdir()}
        assert set(modes.values()) == {0o600}, modes
        assert stat.S_IMODE((tmp_path / "new").stat().st_mode) == 0o700


@pytest.mark.parametrize(
    ("url", "says"),
    [
        ("nonsense", "no URL of a database"),
        ("mysql://host/name", "cannot be mysql"),
        ("sqlite://", "cannot be sqlite"),
        ("sqlite:////proc/none/archive", "cannot write to the archive"),
    ],
)
def test_what_is_no_archive_is_said_at_the_start(url: str, says: str) -> None:
    with pytest.raises(StartError, match=says):
        Database(url)


def test_without_its_driver_it_is_said_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "psycopg", None)
    with pytest.raises(StartError, match=r"install tavla\[postgresql\]"):
        Database("postgresql://tavla@127.0.0.1:1/none")


async def test_a_database_that_is_away_is_one_error() -> None:
    async with archive_at("postgresql://tavla@127.0.0.1:1/none") as archive:
        with pytest.raises(ArchiveUnavailable):
            await archive.ping()


@pytest.mark.parametrize(
    ("table", "yes"),
    [
        ("ada", True),
        ("ADA-12", True),
        ("ada_2", True),
        ("ada-x", False),
        ("sofa", False),
        ("ada-", False),
        ("adam", False),
    ],
)
def test_a_table_may_be_called_like_its_maker(table: str, yes: bool) -> None:
    assert is_named_after(table, "Ada") is yes
