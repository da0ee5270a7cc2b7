"""An archive that was lost, or is an older copy, gets again what the store still has; what it does not, is told."""

import asyncio
import operator
import random
import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from structlog.testing import capture_logs
from tavla_server.cluster.clock import Clock
from tavla_server.features.archive import scan as scan_module
from tavla_server.features.archive.archive import Archive
from tavla_server.features.archive.archiver import Archiver
from tavla_server.features.archive.comparison import Comparison
from tavla_server.features.archive.database import Database
from tavla_server.match.unsettled_lists import UnsettledLists
from tavla_server.store import keys
from tavla_server.store.client import Client
from tavla_server.timings import Timings

from tests.support.patience import PATIENCE_S, ask_until
from tests.support.servers.cores import core_of
from tests.support.servers.nodes import journal_on
from tests.support.servers.processes import inside
from tests.support.servers.valkey import Valkey
from tests.support.stores.archiving import archive_at
from tests.support.stores.finished import journal_of, match_id, player, put_into
from tests.support.stores.journals import unsettled

GRACE_S = 1000
SOON = Timings(left_ms=0, leftovers_s=0.1)
OLD, ALL = 9, 20


@pytest.fixture(autouse=True)
def at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(scan_module, "PAUSE_S", 0.001)
    monkeypatch.setattr(scan_module, "AT_ONCE", 7)


async def archived(redis: Client, archive: Archive, rng: random.Random, number: int) -> str:
    """A match that was archived, and waits in the store for the end of its grace."""
    match, journal = await over(redis, rng, number)
    await put_into(archive, match, journal)
    await redis.expire(keys.MATCH_LOG(match), GRACE_S)
    return match


async def over(redis: Client, rng: random.Random, number: int = 0) -> tuple[str, list[bytes]]:
    """A match of the store that is over, and its journal."""
    match = match_id(rng)
    journal = journal_of(rng, match, (player(rng, "ada"), player(rng, "bob")), began_ms=10**12 + number * 10**6, most=9)
    for entry, data in enumerate(journal, 1):
        await redis.xadd(keys.MATCH_LOG(match), {"e": data}, id=f"{entry}-0")
    return match, journal


async def two_archives(redis: Client, file: Path, rng: random.Random) -> list[str]:
    """An archive of ALL matches, and beside it `old`, a copy with the first OLD of them; all ids."""
    database = Database(f"sqlite:///{file}")
    made = [await archived(redis, Archive(database), rng, number) for number in range(OLD)]
    await database.close()
    shutil.copyfile(file, file.with_name("old"))
    made += [await archived(redis, Archive(database), rng, number) for number in range(OLD, ALL)]
    await database.close()
    return made


async def started(valkey: Valkey, redis: Client, file: Path, monkeypatch: pytest.MonkeyPatch) -> list[dict[str, Any]]:
    """Log lines of a server that compares the archive with the store, and archives what is left.

    Without those of an archive that did not answer in time, on a busy machine.
    """
    done, compare = asyncio.Event(), Comparison._compare

    async def compared(self: Comparison) -> bool:
        if await compare(self):
            done.set()
        return done.is_set()

    monkeypatch.setattr(Comparison, "_compare", compared)
    with capture_logs() as lines:
        async with inside(valkey.url, SOON, archive=f"sqlite:///{file}"), asyncio.timeout(PATIENCE_S):
            await done.wait()
            await ask_until(lambda: unsettled(redis), operator.not_)
    monkeypatch.setattr(Comparison, "_compare", compare)
    busy = ("archive_away", "archive_back")
    return [dict(line) for line in lines if line["event"].startswith("archive_") and line["event"] not in busy]


async def left(file: Path, matches: list[str]) -> set[str]:
    async with archive_at(f"sqlite:///{file}") as archive:
        return await archive.archived_ids(matches)


async def test_what_an_older_archive_lacks_comes_back_from_the_store(
    own_valkey: Valkey, own_redis: Client, tmp_path: Path, rng: random.Random, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "archive.sqlite3"
    made = await two_archives(own_redis, file, rng)
    assert await started(own_valkey, own_redis, file, monkeypatch) == []
    shutil.copyfile(tmp_path / "old", file)
    (said,) = await started(own_valkey, own_redis, file, monkeypatch)
    assert said | {"took_s": 0} == {
        "event": "archive_completed",
        "log_level": "warning",
        "had": ALL,
        "has": OLD,
        "newest": said["newest"],
        "archived_anew": ALL - OLD,
        "lost": 0,
        "took_s": 0,
        "what": "the store still had what the archive lacked",
    }
    assert await left(file, made) == set(made)
    for match in made:
        assert await own_redis.ttl(keys.MATCH_LOG(match)) > 0, "it leaves the store again"
    assert await started(own_valkey, own_redis, file, monkeypatch) == [], "all is there"


@pytest.mark.parametrize("emptied", [False, True], ids=["deleted", "emptied"])
async def test_an_archive_that_is_gone_is_told_and_made_anew(
    own_valkey: Valkey,
    own_redis: Client,
    tmp_path: Path,
    rng: random.Random,
    monkeypatch: pytest.MonkeyPatch,
    emptied: bool,
) -> None:
    file = tmp_path / "archive.sqlite3"
    made = await two_archives(own_redis, file, rng)
    await started(own_valkey, own_redis, file, monkeypatch)
    file.unlink()
    if emptied:
        file.touch()
    gone = made[:3]
    await own_redis.delete(*map(keys.MATCH_LOG, gone))
    said = {line["event"]: line for line in await started(own_valkey, own_redis, file, monkeypatch)}
    assert list(said) == ["archive_created", "archive_lost_matches"]
    lost = said["archive_lost_matches"]
    assert (lost["had"], lost["has"], lost["archived_anew"], lost["lost"]) == (ALL, 0, ALL - 3, 3)
    assert "bring back a newer copy" in lost["what"]
    assert await left(file, made) == set(made) - set(gone)


async def test_what_goes_on_or_was_cancelled_is_no_loss(
    own_valkey: Valkey, own_redis: Client, tmp_path: Path, rng: random.Random, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "archive.sqlite3"
    async with archive_at(f"sqlite:///{file}") as archive:
        ended = await archived(own_redis, archive, rng, 0)
    entries: Any = await own_redis.xrange(keys.MATCH_LOG(ended))
    for expires in (0, GRACE_S):
        match = match_id(rng)
        for number, (_, fields) in enumerate(entries[:-1], 1):
            await own_redis.xadd(keys.MATCH_LOG(match), fields, id=f"{number}-0")
        if expires:
            await own_redis.expire(keys.MATCH_LOG(match), expires)
    assert await started(own_valkey, own_redis, file, monkeypatch) == []
    assert await left(file, [ended]) == {ended}


class Busy:
    """An archive into which a match comes, and leaves the store, just after the question for what is there."""

    def __init__(self, archive: Archive, archiver: Archiver, match: str) -> None:
        self._archive, self._archiver, self._match = archive, archiver, match
        self.extent = archive.extent

    async def archived_ids(self, ids: Sequence[str]) -> set[str]:
        found = await self._archive.archived_ids(ids)
        await self._archiver.store(self._match)
        return found


async def test_what_is_archived_while_the_comparison_looks_is_not_lacking(
    own_valkey: Valkey, own_redis: Client, archive: Archive, rng: random.Random
) -> None:
    (lacking, _), (late, _) = await over(own_redis, rng), await over(own_redis, rng)
    await own_redis.expire(keys.MATCH_LOG(lacking), GRACE_S)
    await own_redis.zadd(keys.UNARCHIVED("0"), {late: 1})
    await own_redis.set(keys.ARCHIVE_EXTENT(), b'[9,1,"gone"]')
    async with journal_on(own_valkey.url) as journal:
        core = core_of(node="node", redis=own_redis, clock=Clock(), journal=journal)
        archiver = Archiver(core, archive, GRACE_S)
        busy: Any = Busy(archive, archiver, late)
        with capture_logs() as lines:
            assert await Comparison(core, archiver, busy)._compare()
    assert [line["archived_anew"] for line in lines if "archived_anew" in line] == [1]
    assert [match for match, _ in await UnsettledLists(own_redis).left(keys.UNARCHIVED, 10**14, 9)] == [lacking]
    assert await own_redis.ttl(keys.MATCH_LOG(late)) > 0, "it leaves the store"
