"""Matches leave the store for the archive: once, though either is away meanwhile, and watchers do not notice."""

import asyncio
import json
import random
from functools import partial
from pathlib import Path

import pytest
from structlog.testing import capture_logs
from tavla_protocol import messages as m
from tavla_protocol.codes import ErrorCode
from tavla_server.features.archive import archiver as archiver_module
from tavla_server.match import ids as match_ids
from tavla_server.store import keys
from tavla_server.store.client import Client
from tavla_server.timings import Timings

from tests.support.patience import ask_until
from tests.support.players.accounts import until_played
from tests.support.players.plain import Player, refused
from tests.support.servers.processes import NewServer, inside
from tests.support.servers.valkey import Valkey
from tests.support.stores.archiving import archive_at, empty, played
from tests.support.stores.databases import Postgresql
from tests.support.stores.finished import journal_of, match_id, put_into
from tests.support.stores.finished import player as person
from tests.support.stores.journals import entries_of

RATED: dict[str, bool | int | str] = {"length": 1, "rated": True}
DAYS_S = 24 * 3600
GRACE_S = 3.0  # until a match leaves the store: time enough to look at it on a busy machine
SOON = Timings(left_ms=0, leftovers_s=0.1)


async def leaves(redis: Client, match: str) -> bool:
    """True if all of a match's keys that stay while it lives will go."""
    left = [await redis.ttl(key(match)) for key in (keys.MATCH_LOG, keys.MATCH_SNAPSHOT, keys.MATCH_RATED)]
    return left[0] >= 0 and -1 not in left


@pytest.mark.parametrize("rules", [RATED, {"length": 3}], ids=["rated", "guests"])
async def test_a_match_that_is_over_is_archived_and_leaves_the_store(
    own_valkey: Valkey, archive_url: str, rules: dict[str, bool | int | str], own_redis: Client
) -> None:
    async with inside(own_valkey.url, archive=archive_url) as url, archive_at(archive_url) as archive:
        match, white, black = await played(url, rules)
        kept = entries_of(own_valkey.url, match)
        await ask_until(lambda: leaves(own_redis, match))
        assert 6.9 * DAYS_S < await own_redis.ttl(keys.MATCH_LOG(match)) <= 7 * DAYS_S
        await ask_until(lambda: empty(own_redis))
        assert await archive.count() == 1
        answer = await white.get(m.Played, m.History)
        (row,) = answer.matches
        assert (row.match, row.players, row.winner, row.ending) == (match, (white.name, black.name), 0, "forfeit")
        assert (row.started, row.ended) == (kept[1].time_ms, kept[-1].time_ms)
        seen = await black.get(m.Played, m.History, name=white.name)
        assert seen.matches == answer.matches
        before = await black.get(m.Recorded, m.Record, match=match)
        assert isinstance(await black.ask(m.Attach, table=match), m.Snapshot), "who comes back sees it"
        await own_redis.delete(keys.MATCH_LOG(match), keys.MATCH_SNAPSHOT(match), keys.MATCH_RATED(match))
        async with inside(own_valkey.url, archive=archive_url) as other, Player(other) as eve:
            after = await eve.get(m.Recorded, m.Record, match=match)
            assert (after.view, after.events, after.seq) == (before.view, before.events, before.seq)
            rest = await eve.get(m.Recorded, m.Record, match=match, after=1)
            assert rest.events == [event for event in after.events if event[0] > 1]
            assert refused(await eve.ask(m.Attach, table=match)) == ErrorCode.NO_SUCH_MATCH
            assert refused(await eve.ask(m.History, name="nobody-of-this-name"[:20])) == ErrorCode.NO_SUCH_PLAYER


async def test_private_matches_are_shown_to_their_players_and_to_who_has_the_code(
    own_valkey: Valkey, archive_url: str, own_redis: Client
) -> None:
    async with inside(own_valkey.url, archive=archive_url) as url:
        white, black = Player(url), Player(url)
        async with white, black, Player(url) as eve:
            table = await white.get(m.Snapshot, m.Create, private=True, rules={"length": 1})
            code = table.view["code"]
            await black.ask(m.Join, table=table.match, code=code)
            await black.act(m.Forfeit, table.match)
            await ask_until(lambda: leaves(own_redis, table.match))
            own, others = await white.ask(m.History), await eve.ask(m.History, name=white.name)
            assert isinstance(own, m.Played)
            assert isinstance(others, m.Played)
            assert [(row.match, row.private) for row in own.matches] == [(table.match, True)]
            assert others.matches == []
            await own_redis.delete(keys.MATCH_LOG(table.match), keys.MATCH_SNAPSHOT(table.match))
            async with inside(own_valkey.url, archive=archive_url) as other, Player(other) as late:
                assert refused(await late.ask(m.Record, match=table.match)) == ErrorCode.PRIVATE
                assert isinstance(await late.ask(m.Record, match=table.match, code=code), m.Recorded)


async def test_a_match_whose_id_another_one_has_in_the_archive_stays_in_the_store(
    own_valkey: Valkey, own_redis: Client, archive_url: str, rng: random.Random, monkeypatch: pytest.MonkeyPatch
) -> None:
    match = match_id(rng)
    old = journal_of(rng, match, (person(rng, "ada"), person(rng, "bob")))
    monkeypatch.setattr(match_ids, "of_request", lambda player, id_: match)
    async with archive_at(archive_url) as archive:
        await put_into(archive, match, old)
        with capture_logs() as lines:
            async with inside(own_valkey.url, archive=archive_url) as url:
                _, white, _ = await played(url, RATED)
                await until_played(white, white, 1)

                async def told() -> bool:
                    await own_redis.ping()
                    return any(line["event"] == "match_id_taken" and line["match"] == match for line in lines)

                await ask_until(told)
        assert await archive.journal(match) == old
        assert await own_redis.ttl(keys.MATCH_LOG(match)) == -1
        assert await own_redis.zscore(keys.UNARCHIVED("0"), match)


async def test_a_rematch_that_the_store_has_lost_keeps_no_other_one_from_the_archive(
    own_valkey: Valkey, own_redis: Client, tmp_path: Path
) -> None:
    """The store was brought back from before it, with an archive that is newer."""
    url = f"sqlite:///{tmp_path}/archive.sqlite3"
    rematches = []
    async with inside(own_valkey.url, archive=url) as node:
        first, white, black = await played(node, {"length": 1})
    async with archive_at(url) as archive:
        for _ in range(2):
            async with (
                inside(own_valkey.url, archive=url) as node,
                Player(node, token=white.token) as ada,
                Player(node, token=black.token) as bob,
            ):
                await ada.ask(m.Rematch, match=first)
                begun = await bob.get(m.Snapshot, m.Rematch, match=first)
                await bob.act(m.Forfeit, begun.match)
                await ask_until(partial(leaves, own_redis, begun.match))
            rematches.append(begun.match)
            await own_redis.delete(
                *(key(begun.match) for key in (keys.MATCH_LOG, keys.MATCH_SNAPSHOT, keys.MATCH_RATED))
            )
        assert await archive.archived_ids([first, *rematches]) == {first, *rematches}
        assert await archive.count() == 3


async def test_a_match_whose_end_the_store_has_lost_is_left_there(
    own_valkey: Valkey, own_redis: Client, tmp_path: Path, rng: random.Random
) -> None:
    match = match_id(rng)
    for number, entry in enumerate(journal_of(rng, match, (person(rng, "ada"), person(rng, "bob")))[:2], 1):
        await own_redis.xadd(keys.MATCH_LOG(match), {"e": entry}, id=f"{number}-0")
    await own_redis.zadd(keys.UNARCHIVED("0"), {match: 1})
    with capture_logs() as lines:
        async with inside(own_valkey.url, SOON, archive=f"sqlite:///{tmp_path}/archive.sqlite3"):
            await ask_until(lambda: empty(own_redis))
    assert ("nothing_to_archive", match) in [(line["event"], line.get("match")) for line in lines]
    assert await own_redis.ttl(keys.MATCH_LOG(match)) == -1


async def test_without_an_archive_matches_stay_and_wait_for_one(
    own_valkey: Valkey, own_redis: Client, tmp_path: Path
) -> None:
    with capture_logs() as lines:
        async with inside(own_valkey.url, SOON) as url:
            match, white, _ = await played(url, RATED)
            await until_played(white, white, 1)
            assert refused(await white.ask(m.History)) == ErrorCode.NO_ARCHIVE
            await ask_until(lambda: own_redis.zcard(keys.UNARCHIVED("0")))
            assert await own_redis.ttl(keys.MATCH_LOG(match)) == -1
    assert "no_archive" in [line["event"] for line in lines]
    archive_url = f"sqlite:///{tmp_path}/late.sqlite3"
    async with inside(own_valkey.url, SOON, archive=archive_url), archive_at(archive_url) as archive:
        await ask_until(lambda: leaves(own_redis, match))
        assert await archive.count() == 1


async def test_while_the_archive_is_away_play_goes_on_and_then_nothing_is_missing(
    own_valkey: Valkey, own_redis: Client, own_postgresql: Postgresql, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(archiver_module, "AT_ONCE", 1)
    archive_url = own_postgresql.new_database()
    with capture_logs() as lines:
        async with inside(own_valkey.url, SOON, archive=archive_url) as url:
            await played(url, RATED)
            await ask_until(lambda: empty(own_redis))
            own_postgresql.stop()
            matches = [(await played(url, RATED))[0] for _ in range(3)]
            (_, white, _) = await played(url, RATED)
            assert refused(await white.ask(m.History)) == ErrorCode.UNAVAILABLE
            assert (await until_played(white, white, 1)).experience == 1, "ratings are held up by nothing"
            await ask_until(lambda: zcard_is(own_redis, 4))
            own_postgresql.start()
            await ask_until(lambda: empty(own_redis))
            for match in matches:
                assert await leaves(own_redis, match)
            async with archive_at(archive_url) as archive:
                assert await archive.count() == 5
    events = [line["event"] for line in lines]
    assert "archive_away" in events
    assert "archive_back" in events
    assert "archive_failed" not in events


async def zcard_is(redis: Client, count: int) -> bool:
    return int(await redis.zcard(keys.UNARCHIVED("0"))) == count


async def test_who_looks_at_a_match_when_it_leaves_the_store_is_not_disturbed(
    own_valkey: Valkey, own_redis: Client, tmp_path: Path
) -> None:
    """Nothing is given back to the store that has left it on purpose, and no new epoch begins."""
    timings = Timings(fresh_ms=0)
    archive_url, grace = f"sqlite:///{tmp_path}/archive.sqlite3", GRACE_S / DAYS_S
    with capture_logs() as lines:
        async with (
            inside(own_valkey.url, timings, archive=archive_url, archive_grace=grace) as url,
            inside(own_valkey.url, timings, archive=archive_url, archive_grace=grace) as other,
            Player(other) as eve,
        ):
            match, white, black = await played(url, RATED)
            await eve.get(m.Snapshot, m.Attach, table=match)

            async def gone() -> bool:
                return not await own_redis.exists(keys.MATCH_LOG(match))

            await ask_until(gone)
            own_valkey.kill()  # a store that is back makes every node read on
            own_valkey.start()
            again = await eve.ask(m.Attach, table=match, **eve.matches[match].have())
            while isinstance(again, m.Error):
                assert again.code == ErrorCode.UNAVAILABLE
                again = await eve.ask(m.Attach, table=match, **eve.matches[match].have())
            assert isinstance(again, m.Ok)
            rating = (await until_played(white, white, 1)).rating
            assert not await own_redis.exists(keys.MATCH_LOG(match), keys.MATCH_RATED(match))
            assert (await until_played(white, white, 1)).rating == rating
            assert black.matches[match].epoch == 1
    assert not {"match_forked", "journal_restored"} & {line["event"] for line in lines}


async def test_a_match_that_cannot_be_archived_keeps_no_other_from_it(
    own_valkey: Valkey, own_redis: Client, tmp_path: Path
) -> None:
    archive_url = f"sqlite:///{tmp_path}/archive.sqlite3"
    await own_redis.xadd(keys.MATCH_LOG("broken22"), {"e": b"no entry"}, id="1-0")
    await own_redis.zadd(keys.UNARCHIVED("0"), {"broken22": 1, "nowhere2": 2})
    with capture_logs() as lines:
        async with inside(own_valkey.url, SOON, archive=archive_url) as url:
            match, *_ = await played(url, RATED)
            await ask_until(lambda: leaves(own_redis, match))
            await ask_until(lambda: zcard_is(own_redis, 1))
    assert [line["match"] for line in lines if line["event"] == "archive_failed"] == ["broken22"]
    later = await own_redis.zscore(keys.UNARCHIVED("0"), "broken22")
    assert (later or 0) > 10**12, "it is tried again in an hour"


async def test_workers_share_the_archive_of_their_data_folder(new_server: NewServer) -> None:
    server = new_server("--workers", "2")
    await asyncio.to_thread(server.start)
    match, white, black = await played(server.url, {"length": 1})
    async with archive_at(f"sqlite:///{server.data.absolute()}/archive.sqlite3") as archive:
        await ask_until(lambda: archive.journal(match))
    answer = await white.get(m.Played, m.History)
    assert [row.match for row in answer.matches] == [match]
    for player in (white, black):
        await player.close()
    said = [line for line in server.lines if '"no_archive"' in line or '"archive_' in line]
    assert [json.loads(line)["event"] for line in said] == ["archive_created"], "nothing else is to be said"
