"""Matches that are over and in no list are rated and archived, without any request."""

import asyncio
import operator
import random
from functools import partial
from pathlib import Path

import pytest
from structlog.testing import capture_logs
from tavla_engine.rules import Rules, preset
from tavla_protocol import messages as m
from tavla_server.cluster.clock import Clock
from tavla_server.features.archive import archiving
from tavla_server.features.archive import scan as scan_module
from tavla_server.features.archive.archive import Archive
from tavla_server.features.archive.database import Database
from tavla_server.features.archive.scan import Scan
from tavla_server.match.unsettled_lists import UnsettledLists
from tavla_server.store import keys
from tavla_server.store.client import Client, connection_to
from tavla_server.store.keys import Key
from tavla_server.timings import Timings

from tests.support.patience import PATIENCE_S, ask_until
from tests.support.players.matches import at_match
from tests.support.servers.cores import core_of
from tests.support.servers.processes import inside
from tests.support.servers.valkey import Valkey
from tests.support.stores.archiving import archive_at
from tests.support.stores.cluster import Cluster
from tests.support.stores.finished import journal_of, match_id, player
from tests.support.stores.journals import unsettled
from tests.support.stores.redises import replicated

pytestmark = pytest.mark.slow

SOON = Timings(left_ms=0, leftovers_s=0.1, leftovers_cluster_s=0.5)
RULES = [Rules(length=1), preset("tournament", {"length": 1, "rated": True})]


@pytest.fixture(autouse=True)
def at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(scan_module, "AT_ONCE", 10)
    monkeypatch.setattr(scan_module, "PAUSE_S", 0.001)


async def left(redis: Client, rng: random.Random, *, over: bool = True, rules: Rules = RULES[0]) -> str:
    """A match of which nothing but its journal is left, which stays."""
    match = match_id(rng)
    journal = journal_of(rng, match, (player(rng, "ada"), player(rng, "bob")), rules, most=30)
    for number, entry in enumerate(journal if over else journal[:-1], 1):
        await redis.xadd(keys.MATCH_LOG(match), {"e": entry}, id=f"{number}-0")
    return match


async def until_archived(archive: Archive, matches: list[str]) -> None:
    async with asyncio.timeout(PATIENCE_S):
        for match in matches:
            await ask_until(partial(archive.journal, match), lambda found: found is not None)


async def scanned(redis: Client) -> None:
    """A look has come to its end."""
    await ask_until(lambda: redis.get(keys.ARCHIVE_SCANNED()))


async def test_what_is_over_and_listed_nowhere_is_found_at_the_next_start(
    own_valkey: Valkey,
    own_redis: Client,
    archive: Archive,
    archive_url: str,
    rng: random.Random,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(scan_module, "PROGRESS_S", 0.0)
    made = [await left(own_redis, rng, rules=RULES[number % 2]) for number in range(12)]
    unfinished = [await left(own_redis, rng, over=False) for _ in range(3)]
    gone = await left(own_redis, rng, over=False)  # what is over is looked for by the comparison, too
    await own_redis.expire(keys.MATCH_LOG(gone), 3600)
    known = await left(own_redis, rng)
    await own_redis.zadd(keys.UNARCHIVED("0"), {known: 1})
    with capture_logs() as lines:
        async with inside(own_valkey.url, SOON, archive=archive_url), inside(own_valkey.url, SOON, archive=archive_url):
            await until_archived(archive, [*made, known])
            await scanned(own_redis)
            await ask_until(lambda: unsettled(own_redis), operator.not_)
    assert await archive.count() == len(made) + 1
    for match in made:
        assert await own_redis.ttl(keys.MATCH_LOG(match)) > 0, "it leaves the store"
    for match in unfinished:
        assert await own_redis.ttl(keys.MATCH_LOG(match)) == -1
    (said,) = [line for line in lines if line["event"] == "results_found"]
    assert said["log_level"] == "warning"
    assert said["matches"] == len(made)
    assert "journals_scan" in [line["event"] for line in lines], "on a large store one sees how far it is"
    assert "nothing_to_archive" not in [line["event"] for line in lines]


class Hasty(UnsettledLists):
    """Has each match archived just before it is asked whether that is listed."""

    async def since(self, key: Key, match: str) -> int | None:
        if key is keys.UNARCHIVED and (known := await super().since(key, match)) is not None:
            assert await self.archived(match, known, 10**14)
        return await super().since(key, match)


@pytest.mark.parametrize("kind", [UnsettledLists, Hasty])
async def test_what_is_listed_or_archived_while_the_scan_looks_is_not_found(
    own_redis: Client, rng: random.Random, kind: type[UnsettledLists]
) -> None:
    known, lost = await left(own_redis, rng), await left(own_redis, rng)
    await own_redis.zadd(keys.UNARCHIVED("0"), {known: 1})
    unsettled_ = kind(own_redis)
    with capture_logs() as lines:
        await Scan(core_of(node="node", redis=own_redis, clock=Clock()), unsettled_).sweep()
    (said,) = [line for line in lines if line["event"] == "results_found"]
    assert (said["journals"], said["matches"]) == (2, 1)
    assert [listed.match for listed in await unsettled_.left(keys.ENDED, 10**14, 9)] == [lost]


async def test_a_node_looks_once_more_unless_another_has_since_it_began(
    own_valkey: Valkey, own_redis: Client, tmp_path: Path, rng: random.Random
) -> None:
    url = f"sqlite:///{tmp_path}/archive.sqlite3"
    late = await left(own_redis, rng)
    async with archive_at(url) as archive:
        async with inside(own_valkey.url, SOON, archive=url):
            await until_archived(archive, [late])
        await own_redis.set(keys.ARCHIVE_SCANNED(), 10**14)
        unseen = await left(own_redis, rng)
        async with inside(own_valkey.url, SOON, archive=url) as node, at_match(node) as (_, black, match):
            await black.act(m.Forfeit, match)
            await until_archived(archive, [match])
    assert await own_redis.ttl(keys.MATCH_LOG(unseen)) == -1


async def test_a_node_that_died_in_the_middle_is_followed_by_another(
    own_valkey: Valkey, own_redis: Client, tmp_path: Path, rng: random.Random, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(scan_module, "HELD_S", 1)
    monkeypatch.setattr(archiving, "HELD_S", 1)
    url = f"sqlite:///{tmp_path}/archive.sqlite3"
    made = [await left(own_redis, rng)]
    await own_redis.set(keys.ARCHIVE_SCANNING(), b"a node that is no more", ex=1)
    database = Database(url)
    async with inside(own_valkey.url, SOON, archive=url):
        await until_archived(Archive(database), made)
    await database.close()


@pytest.mark.long
async def test_of_a_cluster_all_masters_are_looked_through(tmp_path: Path, rng: random.Random) -> None:
    url = f"sqlite:///{tmp_path}/archive.sqlite3"
    with replicated(Cluster) as store:
        async with connection_to(store.url) as redis:
            made = [await left(redis, rng) for _ in range(20)]
        async with archive_at(url) as archive, inside(store.url, SOON, archive=url):
            await until_archived(archive, made)
