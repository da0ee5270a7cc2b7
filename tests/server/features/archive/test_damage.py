"""A damaged archive stops no play; it says so, and `repair` saves what can be read of it."""

import asyncio
import os
import random
import shutil
import signal
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
import sqlalchemy as sa
from sqlalchemy.exc import IntegrityError
from structlog.testing import capture_logs
from tavla_protocol import messages as m
from tavla_protocol.codes import ErrorCode
from tavla_server.commands.repair import repair
from tavla_server.errors import ArchiveDamaged, JournalUnreadable, StartError
from tavla_server.features.archive.archive import Archive
from tavla_server.features.archive.copying import check
from tavla_server.features.archive.database import Database
from tavla_server.features.archive.mending import mend
from tavla_server.features.archive.tournaments import KeptTournament
from tavla_server.features.tournaments.events import Halted, TournamentEntry, encode_entry
from tavla_server.options import Options
from tavla_server.player import Player as Person
from tavla_server.store.client import Client
from tavla_server.timings import Timings

from tests.support.patience import PATIENCE_S, ask_until
from tests.support.players.plain import Player, refused
from tests.support.servers.processes import inside, ready_in_time
from tests.support.servers.valkey import Valkey
from tests.support.stores.archiving import archive_at, empty, played
from tests.support.stores.finished import journal_of, match_id, player, put_into, summary_of
from tests.support.stores.journals import unsettled

pytestmark = pytest.mark.slow

MATCHES = 60
DAMAGED = 20  # none of the damages leaves this one readable


def overwrite_the_head(file: Path) -> None:
    with file.open("r+b") as opened:
        opened.write(bytes(range(256)) * 16)


def cut_in_half(file: Path) -> None:
    with file.open("r+b") as opened:
        opened.truncate(file.stat().st_size // 2)


def overwrite_the_middle(file: Path) -> None:
    """A third of its pages: some journals are among them, as the one of match number DAMAGED."""
    size = file.stat().st_size
    with file.open("r+b") as opened:
        opened.seek(size // 3)
        opened.write(random.Random(7).randbytes(size // 3))


DAMAGES: dict[Callable[[Path], None], int] = {
    overwrite_the_head: MATCHES,
    cut_in_half: 10,
    overwrite_the_middle: 15,
}  # and how many can be read then


EVENING = KeptTournament(
    "t1",
    9,
    True,
    m.Tournament(name="friday", by="ada", starts=0, ends=0),
    ["p1"],
    [encode_entry(TournamentEntry(time_ms, (Halted(True),))) for time_ms in (1, 9)],
)


async def filled(file: Path, rng: random.Random, matches: int) -> tuple[Person, dict[str, list[bytes]]]:
    """An archive with some matches of a player; those, by id."""
    database, ada, bob = Database(f"sqlite:///{file}"), player(rng, "ada"), player(rng, "bob")
    made = {}
    await Archive(database).tournaments.put(EVENING)
    for number in range(matches):
        match = match_id(rng)
        made[match] = journal_of(rng, match, (ada, bob), began_ms=1_789_000_000_000 + 60_000 * number, most=40)
        await put_into(Archive(database), match, made[match])
    await database.close()
    return ada, made


Whole = tuple[Path, Person, dict[str, list[bytes]]]
SOON = Timings(left_ms=0, leftovers_s=0.1)


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Whole:
    """An archive that is copied to be damaged, with what `filled` says of it."""
    file = tmp_path_factory.mktemp("whole") / "archive.sqlite3"
    return file, *asyncio.run(filled(file, random.Random(1), MATCHES))


@pytest.mark.parametrize("damage", DAMAGES)
async def test_play_goes_on_without_a_damaged_archive_which_is_mended_then(
    damage: Callable[[Path], None], whole: Whole, own_valkey: Valkey, own_redis: Client, tmp_path: Path
) -> None:
    (original, ada, made), file = whole, tmp_path / "archive.sqlite3"
    url = f"sqlite:///{file}"
    shutil.copy(original, file)
    damage(file)
    asked = list(made)[DAMAGED]
    with capture_logs() as lines:
        async with inside(own_valkey.url, SOON, archive=url) as node, Player(node) as eve:
            for _ in range(2):  # the same connection
                assert refused(await eve.ask(m.Record, match=asked)) in (ErrorCode.UNAVAILABLE, ErrorCode.NO_SUCH_MATCH)
                answer = await eve.get(m.Error, m.History, name="ada")
                assert (answer.code, "damaged" in answer.text) == (ErrorCode.UNAVAILABLE, True)
            match, *_ = await played(node, {"length": 1})
            assert await asyncio.to_thread(ready_in_time, node) == (
                200,
                "ready, but the archive is damaged: stop all servers and run tavla-server repair\n",
            )
            assert await unsettled(own_redis), "it waits in the store"
    assert [line["event"] for line in lines].count("archive_damaged") == 1
    assert [line["event"] for line in lines].count("archive_back") == 0
    (tmp_path / "archive.sqlite3.damaged-1").write_bytes(b"of an earlier time")
    said = await repair(Options(redis=own_valkey.url, archive=url))
    assert "matches could be read" in said[0]
    assert said[1].endswith(".damaged-2")
    assert not [name for name in os.listdir(tmp_path) if "first-page" in name]
    async with inside(own_valkey.url, SOON, archive=url) as node:
        await ask_until(lambda: empty(own_redis))
        assert await asyncio.to_thread(ready_in_time, node) == (200, "ready\n")
    async with archive_at(url) as archive:
        assert await archive.journal(match), "what had waited in the store"
        left = {match: journal for match in made if (journal := await archive.journal(match)) is not None}
        assert left == {match: made[match] for match in left}, "byte for byte, or not at all"
        listed = [row.match for row in (await archive.history(ada.id, "", own=True)).matches]
        assert len(listed) == min(50, len(left))
        assert len(left) >= DAMAGES[damage], f"{len(left)} of {MATCHES}"
        if damage is overwrite_the_head:
            assert await archive.tournaments.journal(EVENING.id) == EVENING.journal


async def test_an_archive_that_is_whole_is_left_alone(whole: Whole) -> None:
    file, *_ = whole
    before = file.read_bytes()
    assert await mend(file) is None
    assert file.read_bytes() == before


CHANGES = "os.rename", "os.remove", "sqlite3.connect"  # what a repair does to its folder, as the interpreter reports it


def killed_at(step: int, file: Path) -> bool:
    """Repair an archive in a process that is killed right before so many changes of its folder; False: it was done."""
    child = os.fork()
    if child == 0:
        left = step

        def count(event: str, args: tuple[object, ...]) -> None:
            nonlocal left
            if event in CHANGES and str(args[0]).startswith(str(file.parent)):
                left -= 1
                if left < 0:
                    os.kill(os.getpid(), signal.SIGKILL)

        sys.addaudithook(count)
        asyncio.run(mend(file))
        os._exit(0)
    return os.WIFSIGNALED(os.waitpid(child, 0)[1])


@pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")
def test_a_repair_that_is_killed_at_any_step_is_done_by_the_next(memory: Path, rng: random.Random) -> None:
    whole, folder, matches = memory / "whole", memory / "data", 5
    whole.mkdir()
    asyncio.run(filled(whole / "archive.sqlite3", rng, matches))
    overwrite_the_head(whole / "archive.sqlite3")
    file, states, step = folder / "archive.sqlite3", set[tuple[str, ...]](), 0
    while True:
        shutil.copytree(whole, folder)
        if not killed_at(step, file):
            break
        if (state := tuple(sorted(os.listdir(folder)))) not in states:
            states.add(state)
            if f"{file.name}.repaired" in state:
                with pytest.raises(StartError, match="interrupted: run tavla-server repair again"):
                    Database(f"sqlite:///{file}")
            said = asyncio.run(repair(Options(redis="redis://localhost", archive=f"sqlite:///{file}")))
            if f"{file.name}.damaged-1" in state and file.name in state:  # it was killed when all was done
                assert said == ["nothing to repair: the archive is whole"]
            else:
                assert said[0].startswith(f"the archive was damaged: {matches} matches could be read"), state
                assert said[1].endswith(".damaged-1")
            assert check(file) == matches
            assert sorted(os.listdir(folder)) == [file.name, f"{file.name}.damaged-1"]
        shutil.rmtree(folder)
        step += 1
    assert len(states) > 5, states


async def test_after_damage_was_seen_nothing_is_written(whole: Whole, tmp_path: Path, rng: random.Random) -> None:
    (original, ada, _), file = whole, tmp_path / "archive.sqlite3"
    shutil.copy(original, file)
    async with archive_at(f"sqlite:///{file}") as archive:
        overwrite_the_middle(file)
        match = match_id(rng)
        journal = journal_of(rng, match, (ada, player(rng, "eve")))
        found = await summary_of(match, journal)
        with pytest.raises(ArchiveDamaged):
            await archive.history(ada.id, "", own=True)
        with pytest.raises(ArchiveDamaged):
            await archive.put(found, journal)
        with pytest.raises(ArchiveDamaged):
            await archive.ping()


async def test_a_fault_of_ours_is_no_damage(tmp_path: Path) -> None:
    database = Database(f"sqlite:///{tmp_path}/archive.sqlite3")
    with pytest.raises(IntegrityError):
        async with database.writing() as connection:
            await connection.execute(sa.text("INSERT INTO matches (id) VALUES ('m')"))
    assert (database.away, database.damage) == ("", "")
    await database.close()


async def test_a_row_that_makes_no_sense_costs_nobody_the_others(whole: Whole, tmp_path: Path) -> None:
    """A disk that gives other bytes back, where no page of SQLite's shows it."""
    (original, ada, made), file = whole, tmp_path / "archive.sqlite3"
    shutil.copy(original, file)
    database = Database(f"sqlite:///{file}")
    archive = Archive(database)
    broken, other, *_ = sorted(made)
    async with database.writing() as connection:
        await connection.execute(sa.text(f"UPDATE matches SET rules = '{{', journal = X'01' WHERE id = '{broken}'"))
    listed = []
    after: str | None = ""
    while after is not None:
        page = await archive.history(ada.id, after, own=True)
        listed += [row.match for row in page.matches]
        after = page.next
    assert sorted(listed) == sorted(set(made) - {broken})
    with pytest.raises(JournalUnreadable):
        await archive.journal(broken)
    assert await archive.journal(other) == made[other]
    assert await put_into(archive, broken, made[broken]), "what the store still has takes its place"
    assert await archive.journal(broken) == made[broken]
    await asyncio.wait_for(database.close(), PATIENCE_S)
