"""Marks of matches that were counted: they leave the store with their matches, whenever they are made."""

import random

import pytest
from msgspec.structs import replace
from tavla_engine.events import Ending
from tavla_engine.match import Outcome, Phase
from tavla_server.cluster.clock import Clock
from tavla_server.features.archive.summary import replay
from tavla_server.features.counts.reveals import Reveals
from tavla_server.record.events import Terms
from tavla_server.store import keys
from tavla_server.store.client import Client

from tests.support.stores.finished import journal_of, match_id, player

HOUR_MS = 3_600_000


@pytest.mark.parametrize(("left_ms", "stays"), [(None, True), (HOUR_MS, True), (0, False)])
async def test_a_mark_stays_as_long_as_the_journal(
    left_ms: int | None, stays: bool, redis: Client, rng: random.Random
) -> None:
    match = match_id(rng)
    journal = journal_of(rng, match, (player(rng, "ada"), player(rng, "bob")), most=5)
    record = await replay(match, journal)
    log, mark = keys.MATCH_LOG(match), keys.MATCH_COUNTED(match)
    reveals = Reveals(redis, Clock())

    async def leave() -> None:
        """The journal is to leave the store: another node has archived the match, while this one counts."""
        await redis.xadd(log, {"e": journal[0]})
        if left_ms is not None:
            await redis.pexpire(log, left_ms)

    count_total = reveals._count_total

    async def counted_late(match: str, void: bool, is_new: bool) -> None:
        await count_total(match, void, is_new)
        await redis.delete(log)
        await leave()

    await redis.xadd(log, {"e": journal[0]})
    reveals._count_total = counted_late  # type: ignore[method-assign]
    await reveals.count(record)
    assert await redis.exists(mark) == stays
    if stays and left_ms is not None:
        assert 0 < await redis.pttl(mark) <= left_ms


async def test_a_match_that_is_left_after_a_day_has_begun_once(redis: Client, rng: random.Random) -> None:
    """By then it is not named any more beside the counts that have it."""
    match, players = match_id(rng), (player(rng, "ada"), player(rng, "bob"))
    journal = journal_of(rng, match, players)
    begun, reveals = await replay(match, journal[:8]), Reveals(redis, Clock())
    await redis.xadd(keys.MATCH_LOG(match), {"e": journal[0]})
    for one in players:
        await redis.hset(keys.PLAYER(one.id), "name", one.name)
    await reveals.count(begun)
    for one in players:
        await redis.delete(keys.PLAYER_COUNTED(one.id))
    over = replace(begun.match, phase=Phase.OVER, outcome=Outcome(0, 0, 0, Ending.ABANDONED))
    for _ in range(2):
        await reveals.count(replace(begun, match=over))
        await redis.delete(keys.MATCH_COUNTED(match))  # as if a node had died before it was marked
        await redis.set(keys.MATCH_COUNTED(match), "begun")
    counts = [await redis.hmget(keys.PLAYER(one.id), ("begun", "left")) for one in players]
    assert counts == [[b"1", None], [b"1", b"1"]]


async def test_a_private_match_is_in_no_count_that_others_see_but_says_that_the_account_is_used(
    redis: Client, rng: random.Random
) -> None:
    match, ada = match_id(rng), player(rng, "ada")
    journal = journal_of(rng, match, (ada, player(rng, "bob")), terms=Terms("abcd2345"))
    await redis.xadd(keys.MATCH_LOG(match), {"e": journal[0]})
    await redis.hset(keys.PLAYER(ada.id), "name", ada.name)
    await Reveals(redis, Clock()).count(await replay(match, journal))
    fields = ("begun", "seeded", "left", "void", "private")
    assert await redis.hmget(keys.PLAYER(ada.id), fields) == [None, None, None, None, b"1"]


async def test_each_node_sees_what_all_together_have_counted(own_redis: Client) -> None:
    await own_redis.hset(keys.REVEALS_TOTALS(), mapping={"void": 2, "seeded": 7})
    reveals = Reveals(own_redis, Clock())
    await reveals.refresh()
    assert reveals.totals == (2, 7)
