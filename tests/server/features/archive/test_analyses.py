"""Which match is judged next, and by whom: one at a time, once, on SQLite and on PostgreSQL."""

import asyncio
import random
from collections.abc import Sequence

import pytest
from msgspec.structs import asdict, replace
from tavla_protocol.messages import Analysis, Finding
from tavla_server.features.archive import analyses as analyses_module
from tavla_server.features.archive.analyses import CLAIM_MS, Analyses
from tavla_server.features.archive.archive import Archive
from tavla_server.features.archive.database import Database
from tavla_server.features.archive.judgement import Judgement
from tavla_server.player import Player

from tests.support.stores.finished import journal_of, match_id, player, put_into

LAPSED = -1  # ms: a claim that has lapsed when it is made
FIGURES = Analysis(by="somebody", ratings=(5.0, None), lost=(0.1, 0.0), decisions=(10, 0), luck=(0.2, -0.2))
FOUND = Judgement(**asdict(FIGURES), findings=(Finding(1, 2, 0, "24/20", "24/18", 0.1, "??"),))


@pytest.fixture
def database(archive: Archive) -> Database:
    return archive._database


async def ended(archive: Archive, rng: random.Random, count: int, *who: Player, after: int = 0) -> list[str]:
    """So many matches, the newest first. who: two players, else guests. after: so many others."""
    made: list[str] = []
    for number in range(after, after + count):
        match = match_id(rng)
        players = who or (player(rng, "ada"), player(rng, "bob"))
        journal = journal_of(rng, match, players, began_ms=10**12 + 10**7 * number, most=5)
        await put_into(archive, match, journal)
        made.insert(0, match)
    return made


async def claimed(analyses: Analyses, count: int) -> list[str]:
    """Matches that a node gets by so many claims."""
    claims = [await analyses.claim() for _ in range(count)]
    return [claim.match for claim in claims if claim is not None]


async def test_the_newest_comes_first_and_none_twice(archive: Archive, database: Database, rng: random.Random) -> None:
    made = await ended(archive, rng, 3)
    one, other = Analyses(database, "one"), Analyses(database, "other")
    assert await claimed(one, 2) == made[:2]
    assert await claimed(other, 2) == made[2:]


async def test_players_take_turns(archive: Archive, database: Database, rng: random.Random) -> None:
    """A flood keeps nobody else waiting: not one player's, and not that of ever new guests."""
    eve, ada, bob, house = (player(rng, name, 1500) for name in ("eve", "ada", "bob", "house"))
    before = await ended(archive, rng, 2, ada, bob)
    flood = await ended(archive, rng, 5, eve, house, after=2)
    guests = await ended(archive, rng, 5, after=7)
    turns = [Analyses(database, "one", CLAIM_MS + turn) for turn in range(6)]  # one after the other, by any clock
    found = [match for analyses in turns for match in await claimed(analyses, 1)]
    assert found == [guests[0], flood[0], before[0], guests[1], flood[1], before[1]]


async def test_of_many_at_once_each_gets_another(archive: Archive, database: Database, rng: random.Random) -> None:
    made = await ended(archive, rng, 6)

    async def all_of(analyses: Analyses) -> Sequence[str]:
        return await claimed(analyses, 6)

    found = await asyncio.gather(*(all_of(Analyses(database, str(number))) for number in range(4)))
    assert sorted(match for some in found for match in some) == sorted(made)


async def test_what_is_judged_is_in_the_history_and_stays(
    archive: Archive, database: Database, rng: random.Random
) -> None:
    (match,) = await ended(archive, rng, 1)
    (before,) = (await archive.history_by_name("ada", "")).matches
    assert before.analysis is None
    one = Analyses(database, "one", LAPSED)
    assert await one.claim()
    assert await one.backlog() == 1, "while it is judged, too"
    assert await one.finish(match, FOUND)
    assert await one.backlog() == 0
    assert not await one.finish(match, Judgement(error="too late"))
    assert await one.claim() is None, "judged, though the claim has lapsed"
    (after,) = (await archive.history_by_name("bob", "")).matches
    assert after.analysis == FIGURES
    assert await archive.judgement(match) == (FIGURES, FOUND.findings)


async def test_first_all_are_judged_roughly_and_what_is_rough_is_judged_once_more(
    archive: Archive, database: Database, rng: random.Random
) -> None:
    newest, oldest = await ended(archive, rng, 2)
    one, rough = Analyses(database, "one", LAPSED), replace(FOUND, by="the house", rough=True)
    assert await one.claim() == (newest, 1)
    assert await one.finish(newest, rough)
    assert await one.claim() == (oldest, 1), "which has no figures yet"
    assert await one.finish(oldest, rough)
    assert await one.backlog() == 2
    assert await archive.newest_judgements(2**53, 9) == [], "none is good enough for a puzzle"
    assert await archive.judgement(newest) == (replace(FIGURES, by="the house", rough=True), FOUND.findings)
    again = await one.claim()
    assert again is not None
    assert again.tries == 1, "a try of another judge"
    assert await one.renew(again.match, (179, 311))
    shown = replace(FIGURES, by="the house", rough=True, seen=(179, 311))
    assert await archive.judgement(again.match) == (shown, FOUND.findings)
    assert await one.finish(again.match, FOUND)
    assert await one.backlog() == 1
    assert await archive.judgement(again.match) == (FIGURES, FOUND.findings)
    assert [match for match, _ in await archive.newest_judgements(2**53, 9)] == [again.match]
    assert not await one.finish(again.match, rough), "it is stored for good"


async def test_who_says_nothing_any_more_has_lost_the_match(
    archive: Archive, database: Database, rng: random.Random
) -> None:
    (match,) = await ended(archive, rng, 1)
    one, other = Analyses(database, "one", LAPSED), Analyses(database, "other")
    assert await one.claim() == (match, 1)
    assert await one.renew(match), "nobody else has taken it"
    assert await other.claim() == (match, 2)
    assert not await one.renew(match)
    assert not await one.finish(match, FOUND)
    assert await other.finish(match, FOUND)


async def test_what_is_renewed_or_given_back(archive: Archive, database: Database, rng: random.Random) -> None:
    (match,) = await ended(archive, rng, 1)
    one, other = Analyses(database, "one"), Analyses(database, "other")
    assert await one.claim() == (match, 1)
    assert await one.renew(match)
    assert await other.claim() is None
    await one.release(match)
    assert await other.claim() == (match, 1), "as if it had not been tried"


async def test_the_queue_has_an_end(
    archive: Archive, database: Database, rng: random.Random, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = await ended(archive, rng, 3)
    monkeypatch.setattr(analyses_module, "QUEUE", 2)
    assert await claimed(Analyses(database, "one"), 3) == made[:2]


@pytest.mark.slow
async def test_a_match_that_was_played_again_is_judged_again(
    archive: Archive, database: Database, rng: random.Random
) -> None:
    match, seed, one = match_id(rng), rng.randbytes(32), Analyses(database, "one")
    for began_ms in (10**12, 10**12 + 10**9):
        players = player(rng, "ada"), player(rng, "bob")
        journal = journal_of(rng, match, players, began_ms=began_ms, most=5, seed=seed)
        assert await put_into(archive, match, journal)
        assert await one.claim() == (match, 1)
        assert await one.finish(match, FOUND)
