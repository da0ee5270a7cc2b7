"""Commands for stores and archives that are damaged or not there: what is mended, and what is said of the rest."""

import os
import pwd
import random
from pathlib import Path

import pytest
from tavla_server.commands.inspect import inspect
from tavla_server.commands.rebuild import rebuild
from tavla_server.commands.repair import repair
from tavla_server.errors import StartError
from tavla_server.features.archive import mending
from tavla_server.match.census import Gap, close_gaps, fork_all
from tavla_server.options import Options
from tavla_server.own_store import embedded_store
from tavla_server.record.events import Forked, decode_entry
from tavla_server.record.state import Record, encode_record
from tavla_server.store import keys
from tavla_server.store.client import Client, connection_to

from tests.support.servers.valkey import Valkey
from tests.support.stores.finished import journal_of, match_id, player


async def test_a_journal_ends_before_its_first_gap(own_redis: Client, rng: random.Random) -> None:
    lost, cut, whole, entered = sorted(match_id(rng) for _ in range(4))
    for match, missing in ((lost, 1), (cut, 5), (whole, 0)):
        entries = journal_of(rng, match, (player(rng, "ada"), player(rng, "bob")), most=6)
        for number, entry in enumerate(entries, 1):
            if number != missing:
                await own_redis.xadd(keys.MATCH_LOG(match), {"e": entry}, id=f"{number}-0")
        await own_redis.set(keys.MATCH_SNAPSHOT(match), encode_record(6, Record(match)))
        if match != whole:
            await own_redis.hset(keys.LOBBY_ROWS("tables"), match, "row")
    behind = {match: len(await own_redis.entries(keys.MATCH_LOG(match))) for match in (lost, cut)}
    count = len(await own_redis.entries(keys.MATCH_LOG(whole)))
    gaps = await close_gaps(own_redis, {entered, whole})
    assert sorted(gaps) == sorted(
        [Gap(lost, 0, behind[lost]), Gap(cut, 4, behind[cut] - 4), Gap(entered, 0, 0), Gap(whole, count, 0)]
    )
    assert len(await own_redis.entries(keys.MATCH_LOG(whole))) == count, "it is over: it stands in no list"
    assert not await own_redis.exists(keys.MATCH_LOG(lost))
    assert not await own_redis.exists(keys.MATCH_SNAPSHOT(cut)), "of a state that is lost"
    assert await own_redis.exists(keys.MATCH_SNAPSHOT(whole))
    last_id, fields = (await own_redis.newest(keys.MATCH_LOG(cut), 1))[0]
    (forked,) = decode_entry(fields[b"e"]).events
    assert (last_id, type(forked)) == (b"5-0", Forked)
    assert await fork_all(own_redis) == (0, 1), "the only one in the list waits for seeds"


async def test_gaps_that_a_killed_repair_has_left_are_closed_by_the_next(memory: Path, rng: random.Random) -> None:
    """It had left out what could not be read, and died before it looked at the journals."""
    match, store = match_id(rng), embedded_store(memory)
    await store.start()
    async with connection_to(store.url) as redis:
        for number, entry in enumerate(journal_of(rng, match, (player(rng, "ada"), player(rng, "bob")), most=6), 1):
            if number != 3:
                await redis.xadd(keys.MATCH_LOG(match), {"e": entry}, id=f"{number}-0")
    await store.stop()
    said = await repair(Options(data=memory))
    assert said[0].startswith(f"match {match} has lost entries and stands as after number 2; ")
    assert said[-1] == "the store has 1 matches with 2 entries"
    assert (await repair(Options(data=memory)))[0].startswith("nothing to repair")


def damage_and_give_away(data: Path, user: int, group: int) -> None:
    """Damage the store and the archive of a folder; all that is there belongs to this user then."""
    (data / "archive.sqlite3").write_bytes(b"nonsense" * 1000)
    (log,) = data.glob("appendonlydir/*.incr.aof")
    log.write_bytes(log.read_bytes()[:-9] + b"x" * 9)
    for path in (data, *data.rglob("*")):
        os.chown(path, user, group)


def owners(data: Path) -> set[int]:
    """The users to whom something in a folder belongs."""
    return {path.stat().st_uid for path in data.rglob("*")}


@pytest.mark.slow
@pytest.mark.skipif(os.geteuid() != 0, reason="only root makes files that the server's user cannot use")
async def test_what_root_repairs_belongs_to_whom_the_folder_belongs(
    memory: Path, rng: random.Random, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(mending, "TRIES", 10)  # nothing can be read of it
    store, (user, group) = embedded_store(memory), pwd.getpwnam("nobody")[2:4]
    await store.start()
    async with connection_to(store.url) as redis:
        entries = journal_of(rng, match_id(rng), (player(rng, "ada"), player(rng, "bob")), most=6)
        for number, entry in enumerate(entries, 1):
            await redis.xadd(keys.MATCH_LOG("k3v7q2xa"), {"e": entry}, id=f"{number}-0")
    await store.stop()
    damage_and_give_away(memory, user, group)
    said = " ".join(await repair(Options(data=memory)))
    assert ("could not be read and are left out" in said, "the archive was damaged" in said) == (True, True), said
    assert owners(memory) == {user}


async def test_what_cannot_be_repaired_is_said(tmp_path: Path) -> None:
    with pytest.raises(StartError, match="there is no store and no archive here that is a file: give --data, or"):
        await repair(Options(redis="redis://localhost"))
    with pytest.raises(StartError, match=r"there is no store in .*/none: give --data"):
        await repair(Options(data=tmp_path / "none"))
    long = tmp_path / ("a" * 250)
    long.write_bytes(b"nonsense" * 1000)
    with pytest.raises(StartError, match=r"cannot repair the archive .*: .*File name too long"):
        await repair(Options(redis="redis://localhost", archive=f"sqlite:///{long}"))


async def test_a_store_that_does_not_answer_or_a_match_that_is_nowhere_is_said(
    own_valkey: Valkey, tmp_path: Path
) -> None:
    archive = f"sqlite:///{tmp_path}/archive.sqlite3"
    assert await rebuild(Options(redis=own_valkey.url, archive=archive)) == [
        "0 ratings made anew from 0 rated matches; 0 of their players were missing"
    ]
    with pytest.raises(StartError, match="there is no match nosuch: give its id, or the name of a table that is not"):
        await inspect("nosuch", Options(redis=own_valkey.url, archive=archive))
    own_valkey.kill()
    with pytest.raises(StartError, match="cannot rebuild: "):
        await rebuild(Options(redis=own_valkey.url, archive=archive))
