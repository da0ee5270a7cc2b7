"""A match in a collection x all that becomes of accounts and archives: it follows its account, and is in no list."""

import operator
import random
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import sqlalchemy as sa
from alembic.config import Config
from alembic.migration import MigrationContext
from alembic.operations import Operations
from alembic.script import ScriptDirectory
from tavla_protocol import messages as m
from tavla_server.commands.administrator import administrator
from tavla_server.features.archive.analyses import Analyses
from tavla_server.features.archive.archive import Archive
from tavla_server.features.archive.database import MIGRATIONS, Database
from tavla_server.features.archive.judgement import Judgement
from tavla_server.features.archive.mending import mend
from tavla_server.features.archive.public_matches import PublicMatches
from tavla_server.options import Options
from tavla_server.timings import Timings

from tests.support.collections import collected, collection_of, document
from tests.support.patience import ask_until
from tests.support.players.accounts import SECRET, registered
from tests.support.players.plain import Player
from tests.support.servers.processes import inside
from tests.support.servers.valkey import Valkey
from tests.support.stores.archiving import archive_at
from tests.support.stores.finished import journal_of, match_id, player, put_into
from tests.support.stores.first_archive import create_first_tables

ROWS = 9  # journal entries of a match
DOCUMENT = document()
JUDGED = Judgement(by="the house evaluator", ratings=(5.0, 4.0))
SOON = Timings(leftovers_s=0.1)
LATEST_MS = 10**15


def kept(match: str = "mzxw6ytboi2tgnzs", added: int = 1_789_000_000_000) -> m.CollectedMatch:
    return m.CollectedMatch(match=match, players=("cem", "dea"), seat=0, added=added)


@pytest.fixture
async def database(tmp_path: Path) -> AsyncIterator[Database]:
    database = Database(f"sqlite:///{tmp_path}/archive.sqlite3")
    yield database
    await database.close()


@pytest.fixture
async def archive(database: Database, rng: random.Random) -> Archive:
    return await filled(database, rng)


async def filled(database: Database, rng: random.Random) -> Archive:
    """An archive with a match of ada and one that she has collected, both judged."""
    archive = Archive(database)
    ada, bob = (player(rng, name)._replace(id=name) for name in ("ada", "bob"))
    match = match_id(rng)
    journal = journal_of(rng, match, (ada, bob), most=ROWS)
    await put_into(archive, match, journal)
    await archive.collections.add("ada", kept(), DOCUMENT, 10)
    judging = Analyses(database, "one")
    for claim in [await judging.claim(), await judging.claim()]:
        assert claim is not None
        await judging.finish(claim.match, JUDGED)
    return archive


async def listed(archive: Archive, who: str) -> list[m.CollectedMatch]:
    matches, _ = await archive.collections.page(who, "")
    return matches


async def test_who_is_merged_hands_it_on(archive: Archive) -> None:
    await archive.players.merge("ada", "bea")
    assert (await listed(archive, "ada"), len(await listed(archive, "bea"))) == ([], 1)


async def test_who_is_forgotten_takes_it_along_with_its_judgement(archive: Archive, database: Database) -> None:
    await archive.players.forget("ada")
    assert await listed(archive, "ada") == []
    assert await archive.collections.document(kept().match) is None
    assert await archive.judgement(kept().match) is None
    assert await database.read_scalar(sa.text("select count(*) from analyses")) == 1, (
        "that of the match that was played"
    )


async def test_it_is_in_nothing_that_others_see(archive: Archive, database: Database) -> None:
    public = await PublicMatches(database).after((0, ""), LATEST_MS, 100)
    assert kept().match not in [one.id for one in public]
    assert kept().match not in [match for match, _ in await archive.newest_judgements(LATEST_MS, 100)]
    assert [one.match for one in (await archive.history("ada", "", own=True)).matches] != [kept().match]
    await archive.rolls.refresh()
    assert archive.rolls.sums.matches == 1


async def test_its_judge_takes_turns_with_the_matches_that_were_played(database: Database, rng: random.Random) -> None:
    """A folder of files keeps nobody waiting, and a match that is discarded is judged no more."""
    archive = Archive(database)
    for number in range(3):
        await archive.collections.add("ada", kept(f"file{number}", LATEST_MS + number), DOCUMENT, 10)
    match = match_id(rng)
    journal = journal_of(rng, match, (player(rng, "eve", 1500), player(rng, "bob", 1500)), most=ROWS)
    await put_into(archive, match, journal)
    first, second = [await Analyses(database, "one", 60_000 + turn).claim() for turn in range(2)]
    assert first is not None
    assert second is not None
    assert {first.match, second.match} == {"file2", match}
    judging = Analyses(database, "one")
    await archive.collections.remove("ada", "file2")
    assert not await judging.finish("file2", JUDGED)
    assert await archive.judgement("file2") is None
    assert await judging.backlog() == 3


async def test_a_match_that_is_played_again_loses_the_judgement_of_the_first_time(
    archive: Archive, rng: random.Random
) -> None:
    """No key of the database says so any more: a judgement is of either kind of match."""
    match, players = match_id(rng), (player(rng, "ada"), player(rng, "bob"))
    database = archive._database
    for most in (ROWS, 3 * ROWS):
        journal = journal_of(random.Random(1), match, players, most=most)
        assert await put_into(archive, match, journal)
        assert await archive.judgement(match) is None
        claim = await Analyses(database, "one").claim()
        assert claim is not None
        await Analyses(database, "one").finish(claim.match, JUDGED)


def make_first_revision(file: Path) -> None:
    """An archive of revision 0001."""
    config = Config()
    config.set_main_option("script_location", str(MIGRATIONS))
    engine = sa.create_engine(f"sqlite:///{file}")
    with engine.begin() as connection:
        context = MigrationContext.configure(connection)
        create_first_tables(Operations(context))
        context.stamp(ScriptDirectory.from_config(config), "0001")
    engine.dispose()


@pytest.mark.parametrize("was", ["new", "migrated"])
async def test_an_archive_whose_first_page_is_lost_is_mended_with_it(
    tmp_path: Path, rng: random.Random, was: str
) -> None:
    """That page says where all tables are: one of a new archive takes its place."""
    file = tmp_path / "archive.sqlite3"
    if was == "migrated":
        make_first_revision(file)
    database = Database(f"sqlite:///{file}")
    await filled(database, rng)
    await database.close()
    with file.open("r+b") as opened:
        opened.write(bytes(range(256)) * 16)
    mended = await mend(file)
    assert mended is not None
    assert mended.matches == 1
    again = Database(f"sqlite:///{file}")
    archive = Archive(again)
    assert len((await archive.history("ada", "", own=True)).matches) == 1
    (match,) = await listed(archive, "ada")
    assert (await archive.collections.document(match.match), match.players) == (DOCUMENT, kept().players)
    assert (match.analysis is None) == (was == "migrated"), "it is judged anew"
    await again.close()


async def test_it_goes_with_an_account_that_is_closed_and_with_one_that_becomes_another(
    own_valkey: Valkey, tmp_path: Path
) -> None:
    url, options = f"sqlite:///{tmp_path}/archive.sqlite3", Options(redis=own_valkey.url)
    async with inside(own_valkey.url, SOON, archive=url) as node, Player(node) as ada, Player(node) as bea:
        await registered(ada, bea)
        await collected(ada, DOCUMENT)
        async with administrator(options) as admin:
            await admin.merge(str(ada.name), str(bea.name), "one person")
        await ask_until(lambda: collection_of(bea))
        assert isinstance(await bea.ask(m.CloseAccount, password=SECRET), m.Ok)
        async with archive_at(url) as archive:
            await ask_until(lambda: listed(archive, bea.id), operator.not_)
