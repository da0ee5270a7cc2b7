"""The archive of tournaments: each is there once, as it was last, and is found in pages; and when it is away."""

import asyncio
from typing import Any, cast

import pytest
import sqlalchemy as sa
from structlog.testing import capture_logs
from tavla_server.errors import JournalUnreadable
from tavla_server.features.archive.archive import Archive
from tavla_server.features.archive.database import Database
from tavla_server.features.tournaments import events as e
from tavla_server.features.tournaments.formats import standings
from tavla_server.features.tournaments.keeper import Keeper
from tavla_server.features.tournaments.record_pages import RecordPages
from tavla_server.store.client import Client

from tests.support.servers.processes import inside, page
from tests.support.servers.valkey import Valkey
from tests.support.stores.past_tournaments import ADA, BOB, DAN, EVE, NOWHERE, journal_of, kept_of, rounds_of, state_of


async def test_a_tournament_is_there_once_and_as_it_was_last(archive: Archive) -> None:
    journal, kept = journal_of(), archive.tournaments
    put = await asyncio.gather(*(kept.put(kept_of("t1", journal)) for _ in range(6)))
    assert sum(put) == 1, "the second one finds it there"
    later = [*journal, e.encode_entry(e.TournamentEntry(9_500, (e.Scored(0, None),)))]
    assert await kept.put(kept_of("t1", later, 9_500)), "a match that was ruled on after the end"
    assert not await kept.put(kept_of("t1", journal))
    assert (len((await kept.page(""))[0]), await kept.journal("t1")) == (1, later)
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
    row = (await archive.tournaments.page(""))[0]["t1"]
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
