"""The lobby's feed: a copy of its rows that is right again after whatever the store has lost."""

import asyncio
import contextlib
import random
from collections.abc import AsyncIterator, Sequence
from typing import Any

import pytest
from structlog.testing import capture_logs
from tavla_server.cluster import feed as feed_module
from tavla_server.cluster.feed import ABSENT, LISTS, MODERATION, PEOPLE, Feed, RowUpdate
from tavla_server.errors import StoreUnavailable
from tavla_server.store import keys, stream
from tavla_server.store.client import Client, connection_to
from tavla_server.store.topology import find_topology

from tests.support.patience import PATIENCE_S
from tests.support.players.plain import within
from tests.support.servers.valkey import Valkey

TABLE_CHANGES = 6  # of rows, from a table that is made until it is joined; two who seek each other make seven
Told = asyncio.Queue[tuple[str, bytes | None]]  # key, value after


@contextlib.asynccontextmanager
async def followed(url: str) -> AsyncIterator[tuple[Client, Feed, Told]]:
    """A feed that is up to date, and what it tells of the rows that change."""
    told: Told = asyncio.Queue()
    async with connection_to(url) as redis:
        feed = Feed(redis, await find_topology(url))
        for name in LISTS:
            feed.listen(name, lambda key, _, after: told.put_nowait((key, after)))
        following = asyncio.create_task(feed.follow())
        await within(feed.live.wait())
        yield redis, feed, told
        following.cancel()


def thousand(value: bytes) -> list[RowUpdate]:
    """A change of each of a thousand rows."""
    return [RowUpdate(PEOPLE, f"n:{number}", value) for number in range(1000)]


async def up_to_date(feed: Feed, value: bytes) -> None:
    """Wait until a feed has all of these."""
    async with asyncio.timeout(PATIENCE_S):
        while list(feed.rows(PEOPLE).values()) != [value] * 1000:  # noqa: ASYNC110 - rows that stay are not told of
            await asyncio.sleep(0)


async def test_after_a_change_that_the_stream_has_lost_all_rows_are_read_again(own_valkey: Valkey) -> None:
    async with followed(own_valkey.url) as (redis, feed, told):
        await feed.writer.put(RowUpdate(PEOPLE, "n:ada", b"1"))
        assert await within(told.get()) == ("n:ada", b"1")
        await redis.incr(keys.LOBBY_COUNT())
        await redis.hset(keys.LOBBY_ROWS(PEOPLE), "n:bob", b"0 2")
        with capture_logs() as lines:
            await feed.writer.put(RowUpdate(PEOPLE, "n:cy", b"3"))
            assert {await within(told.get()) for _ in range(2)} == {("n:bob", b"2"), ("n:cy", b"3")}
        assert [line["event"] for line in lines] == ["lobby_feed_reloaded"]
        assert dict(feed.rows(PEOPLE)) == {"n:ada": b"1", "n:bob": b"2", "n:cy": b"3"}


async def test_what_the_store_has_forgotten_goes_here_too(own_valkey: Valkey, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stream, "BLOCK_MS", b"10")
    async with followed(own_valkey.url) as (redis, feed, told):
        await feed.writer.put(RowUpdate(PEOPLE, "n:ada", b"1"))
        assert await within(told.get()) == ("n:ada", b"1")
        await redis.flushall()
        assert await within(told.get()) == ("n:ada", None)


async def test_a_change_right_after_a_read_that_found_none_is_no_gap(
    own_valkey: Valkey, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(stream, "BLOCK_MS", b"10")
    async with followed(own_valkey.url) as (_, busy, __), followed(own_valkey.url) as (redis, ___, told):
        get = redis.get

        async def get_late(key: str) -> Any:
            await busy.writer.put(RowUpdate(PEOPLE, "n:ada", b"1"))
            return await get(key)

        with capture_logs() as lines:
            monkeypatch.setattr(redis, "get", get_late)
            assert await within(told.get()) == ("n:ada", b"1")
        assert lines == []


async def test_a_list_of_a_newer_server_is_passed_over(own_valkey: Valkey) -> None:
    async with followed(own_valkey.url) as (_, feed, told):
        await feed.writer.put(RowUpdate("of-a-newer-server", "t", b"1"), RowUpdate(PEOPLE, "n:ada", b"2"))
        assert await within(told.get()) == ("n:ada", b"2")


async def test_changes_that_come_together_go_together_and_each_is_told_what_became_of_its_own(
    own_valkey: Valkey, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(feed_module, "GROUP", 10)
    async with followed(own_valkey.url) as (redis, feed, told):

        async def commands() -> int:
            return int((await redis.info("commandstats")).get("cmdstat_evalsha", {}).get("calls", 0))

        before = await commands()
        new = [
            feed.writer.put(RowUpdate(PEOPLE, f"n:{number % 20}", b"%d" % number, most=ABSENT)) for number in range(21)
        ]
        many = feed.writer.put(
            *(RowUpdate(PEOPLE, f"m:{number}", b"1") for number in range(30)), RowUpdate(PEOPLE, "n:0", b"new")
        )
        late = feed.writer.put(RowUpdate(PEOPLE, "n:0", b"newer", least=1))
        made = await within(asyncio.gather(*new, many, late))
        assert made == [*[1] * 20, 0, 31, 0], "in order, and all that one asks for in one step"
        assert await commands() - before == 5
        for _ in range(51):
            await within(told.get())
        assert feed.rows(PEOPLE)["n:0"] == b"new"


async def test_all_who_wait_for_a_store_that_is_away_hear_of_it(own_valkey: Valkey) -> None:
    async with connection_to(own_valkey.url) as redis:
        feed = Feed(redis, await find_topology(own_valkey.url))
        own_valkey.kill()
        puts = (feed.writer.put(RowUpdate(PEOPLE, f"n:{number}", b"1")) for number in range(feed_module.GROUP + 1))
        outcomes = await within(asyncio.gather(*puts, return_exceptions=True))
        assert all(isinstance(outcome, StoreUnavailable) for outcome in outcomes)
        own_valkey.start()
        assert await within(feed.writer.put(RowUpdate(PEOPLE, "n:0", b"2"))) == 1


async def test_a_fault_in_a_change_is_told_to_those_who_wait_and_holds_up_no_later_one(
    own_valkey: Valkey, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def make(_: Sequence[RowUpdate]) -> list[int]:
        raise AssertionError("a fault of ours")

    async with followed(own_valkey.url) as (_, feed, __):
        with monkeypatch.context() as patched:
            patched.setattr(feed.writer, "_make", make)
            puts = (feed.writer.put(RowUpdate(PEOPLE, f"n:{number}", b"1")) for number in range(2))
            outcomes = await within(asyncio.gather(*puts, return_exceptions=True))
            assert [str(outcome) for outcome in outcomes] == ["a fault of ours"] * 2
        assert await within(feed.writer.put(RowUpdate(PEOPLE, "n:0", b"2"))) == 1


async def test_old_changes_leave_the_stream_and_no_row_is_missed(
    own_valkey: Valkey, monkeypatch: pytest.MonkeyPatch
) -> None:
    with capture_logs() as lines:
        async with followed(own_valkey.url) as (redis, feed, _):
            monkeypatch.setattr(feed_module, "KEPT_S", 0.0)
            await feed.writer.put(*thousand(b"1"))
            await up_to_date(feed, b"1")
            await feed.trim()
            assert await redis.xlen(keys.LOBBY_STREAM()) == 1000, "what was not read when it last did so stays"
            monkeypatch.undo()
            await feed.trim()
            assert await redis.xlen(keys.LOBBY_STREAM()) == 1000, "and all, until it is time to"
            monkeypatch.setattr(feed_module, "KEPT_S", 0.0)
            await feed.trim()
            assert await redis.xlen(keys.LOBBY_STREAM()) <= 100, "whole nodes of the stream go, of 100 at most"
            async with followed(own_valkey.url) as (_, late, __):
                await up_to_date(late, b"1")
                await feed.writer.put(*thousand(b"2"))
                await up_to_date(late, b"2")
                await up_to_date(feed, b"2")
    assert lines == [], "nobody had to read all rows again"


async def test_what_a_thousand_do_while_a_node_loads_is_no_gap_to_it(own_valkey: Valkey) -> None:
    async with followed(own_valkey.url) as (_, busy, __):
        loads = 0

        class Loading(Feed):
            async def _load(self, stream: stream.Stream) -> None:
                nonlocal loads
                loads += 1
                await super()._load(stream)
                for change in range(TABLE_CHANGES):
                    await busy.writer.put(*thousand(b"%d" % change))

        async with connection_to(own_valkey.url) as redis:
            late = Loading(redis, await find_topology(own_valkey.url))
            following = asyncio.create_task(late.follow())
            await up_to_date(late, b"%d" % (TABLE_CHANGES - 1))
            following.cancel()
        assert loads == 1


async def test_a_node_that_reads_many_rows_does_other_things_meanwhile(
    own_valkey: Valkey, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(feed_module, "AT_ONCE", 10)
    async with followed(own_valkey.url) as (_, feed, __):
        await feed.writer.put(*(RowUpdate(PEOPLE, f"n:{number}", b"1") for number in range(200)))
    async with connection_to(own_valkey.url) as redis:
        feed, turns = Feed(redis, await find_topology(own_valkey.url)), 0
        following = asyncio.create_task(feed.follow())
        while len(feed.rows(PEOPLE)) < 200:
            turns += bool(feed.rows(PEOPLE))
            await asyncio.sleep(0)
        following.cancel()
    assert turns >= 19


async def test_bans_are_known_first_and_rows_that_change_while_others_are_read_end_as_they_should(
    own_valkey: Valkey, rng: random.Random, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(feed_module, "SLICE", 50)
    async with followed(own_valkey.url) as (redis, busy, __):
        await busy.writer.put(*thousand(b"1"), RowUpdate(MODERATION, "moderator:ada", b""))
        partly = 0

        class Slow(Feed):
            async def _apply(self, entries: list[stream.StreamEntry]) -> None:
                nonlocal partly
                await super()._apply(entries)
                read = len(self.rows(PEOPLE))
                if not self.loading or not 0 < read < 1000:
                    return
                partly += 1
                assert self.ready.is_set()
                assert "moderator:ada" in self.rows(MODERATION)
                numbers = rng.sample(range(1100), 20)
                values = (b"%d" % partly, None)
                await busy.writer.put(*(RowUpdate(PEOPLE, f"n:{number}", rng.choice(values)) for number in numbers))
                for number in numbers:
                    now = await self.fetch(PEOPLE, f"n:{number}")
                    assert f"n:{number}" in self.rows(PEOPLE) or await self.find(PEOPLE, f"n:{number}") == now

        late = Slow(redis, await find_topology(own_valkey.url))
        following = asyncio.create_task(late.follow())
        await within(late.live.wait())
        await busy.writer.put(RowUpdate(PEOPLE, "n:last", b"1"))
        async with asyncio.timeout(PATIENCE_S):
            while "n:last" not in late.rows(PEOPLE):  # noqa: ASYNC110 - what it has read before is told of to nobody
                await asyncio.sleep(0)
        following.cancel()
        assert partly > 5
        assert dict(late.rows(PEOPLE)) == await late.fetch_all(PEOPLE)
