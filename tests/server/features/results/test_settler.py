"""From the last entry of a match to the archive: a node may die at any step, and the next one does the rest, once."""

import asyncio
import random
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

import pytest
from structlog.testing import capture_logs
from tavla_engine import actions as a
from tavla_engine.rules import preset
from tavla_protocol import messages as m
from tavla_protocol.messages import Verdict
from tavla_server.cluster.clock import Clock
from tavla_server.features.archive.archive import Archive
from tavla_server.features.ratings.ratings import Ratings
from tavla_server.features.results.effects import FAULT_MS, MatchEffects
from tavla_server.match import lifecycle
from tavla_server.match.lifecycle import cancellation, ruling
from tavla_server.match.session import Session
from tavla_server.match.unsettled_lists import ListedMatch, UnsettledLists
from tavla_server.player import Player
from tavla_server.record.decider import engine_decide
from tavla_server.record.events import Seated, Terms
from tavla_server.record.state import Record
from tavla_server.store import keys
from tavla_server.store.client import Client
from tavla_server.timings import Timings

from tests.support.patience import PATIENCE_S, PAUSE_S
from tests.support.players.plain import unique, within
from tests.support.servers.nodes import Node, timed_node_on
from tests.support.servers.sessions import ADA, ask, opened, played_on
from tests.support.servers.valkey import Valkey
from tests.support.stores.archiving import archive_at
from tests.support.stores.journals import unsettled

STEPS: list[tuple[type, str]] = [  # in the order in which they are taken
    (Ratings, "apply"),
    (Ratings, "apply_to"),
    (UnsettledLists, "settled"),
    (Archive, "put"),
    (UnsettledLists, "archived"),
]
VOID: Verdict = "void"
AT_ONCE = Timings(left_ms=-1000)  # what was listed just now, too


@pytest.fixture
async def archive(tmp_path: Path) -> AsyncIterator[Archive]:
    async with archive_at(f"sqlite:///{tmp_path}/archive.sqlite3") as archive:
        yield archive


async def account(redis: Client) -> Player:
    """A player whose rating can change."""
    player = Player(unique("i"), unique("p"), "account", 1500.0)
    await redis.hset(keys.PLAYER(player.id), mapping={"name": player.name, "kind": "account"})
    await redis.hset(keys.PLAYER(player.id), mapping={"rating": 1500, "experience": 0})
    return player


async def ended(node: Node, redis: Client, rng: random.Random, **rules: bool | int | str) -> Session:
    """A match that black has given up."""
    white, black = await account(redis), await account(redis)
    session = await opened(node, rng, white, black, length=1, **{"rated": True, **rules})
    await played_on(session, rng)
    assert isinstance(await ask(session, engine_decide(a.Forfeit(1))), m.Ok)
    assert session.record.over
    return session


async def settled_by(node: Node, redis: Client) -> None:
    """A node does what others have left."""
    assert node.archiver.archive is not None
    async with asyncio.timeout(PATIENCE_S):
        while await unsettled(redis):
            await node.settler.sweep()
            await node.archiver.sweep()


async def check_kept(redis: Client, archive: Archive, record: Record) -> None:
    """Ratings have a match once, and so has the archive; it leaves the store."""
    for seat, player in enumerate(record.players):
        assert player is not None
        rating, experience, changes = await redis.hmget(keys.PLAYER(player.id), "rating", "experience", "changes")
        assert float(rating or 0) == pytest.approx(1500 + record.tally.changes[seat])
        assert int(experience or 0) == record.tally.experience
        assert int(changes or 0) == 1
        assert await redis.hget(keys.TOP_CHANGES(), player.id) == changes, "the leaderboard knows of it"
    assert await archive.journal(record.id) is not None
    assert await redis.ttl(keys.MATCH_LOG(record.id)) > 0
    assert await redis.ttl(keys.MATCH_RATED(record.id)) > 0


def hanging(monkeypatch: pytest.MonkeyPatch, where: tuple[type, str], after: bool) -> asyncio.Event:
    """From now on this step does not come to its end, or its caller does not hear that it has; set by then."""
    kind, name = where
    step: Callable[..., Any] = getattr(kind, name)
    reached = asyncio.Event()

    async def hang(*args: Any, **options: Any) -> Any:
        is_first = name == "apply_to" and args[2] == 0  # it dies between the two players
        done = await step(*args, **options) if after or is_first else None
        if not is_first:
            reached.set()
            await asyncio.Event().wait()
        return done

    monkeypatch.setattr(kind, name, hang)
    return reached


@pytest.mark.parametrize("after", [False, True], ids=["before", "after"])
@pytest.mark.parametrize("where", STEPS, ids=[f"{kind.__name__}.{name}" for kind, name in STEPS])
async def test_a_node_that_dies_at_any_step_to_the_archive_is_made_up_for(
    own_valkey: Valkey,
    own_redis: Client,
    archive: Archive,
    rng: random.Random,
    monkeypatch: pytest.MonkeyPatch,
    where: tuple[type, str],
    after: bool,
) -> None:
    with monkeypatch.context() as patch:
        reached = hanging(patch, where, after)
        async with timed_node_on(own_valkey.url, Clock(), AT_ONCE, archive=archive, dies=True) as (node, _):
            session = await ended(node, own_redis, rng)
            await within(reached.wait())
    async with timed_node_on(own_valkey.url, Clock(), AT_ONCE, archive=archive) as (node, _):
        await settled_by(node, own_redis)
        await settled_by(node, own_redis)
    await check_kept(own_redis, archive, session.record)
    assert await archive.count() == 1


async def test_a_node_that_dies_with_the_last_entry_is_made_up_for(
    own_valkey: Valkey, own_redis: Client, archive: Archive, rng: random.Random
) -> None:
    async with timed_node_on(own_valkey.url, Clock(), AT_ONCE, archive=archive, dies=True) as (node, _):
        node.effects.results.put = lambda *_: None  # type: ignore[method-assign]
        rated = await ended(node, own_redis, rng)
        unrated = await ended(node, own_redis, rng, rated=False)
    assert await own_redis.zcard(keys.ENDED("0")) == 2
    async with timed_node_on(own_valkey.url, Clock(), AT_ONCE, archive=archive) as (node, _):
        await settled_by(node, own_redis)
    await check_kept(own_redis, archive, rated.record)
    assert await archive.count() == 2
    assert await own_redis.ttl(keys.MATCH_LOG(unrated.record.id)) > 0


async def test_a_match_that_is_voided_on_its_way_is_settled_again(
    own_valkey: Valkey, own_redis: Client, archive: Archive, rng: random.Random, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patch:
        reached = hanging(patch, (Archive, "put"), after=True)
        async with timed_node_on(own_valkey.url, Clock(), AT_ONCE, archive=archive, dies=True) as (node, _):
            session = await ended(node, own_redis, rng)
            await within(reached.wait())
            await asyncio.sleep(0.002)  # the verdict is of another millisecond
            assert isinstance(await ask(session, ruling(VOID, "mod", "both were one")), m.Ok)
    unsettled_ = UnsettledLists(own_redis)
    match, record = session.record.id, session.record
    assert record.voided
    async with timed_node_on(own_valkey.url, Clock(), AT_ONCE, archive=archive) as (node, _):
        listed = await unsettled_.since(keys.UNARCHIVED, match) or await unsettled_.since(keys.ENDED, match)
        assert listed is not None
        assert not await unsettled_.archived(match, listed - 1, 10**14), "what was archived is not what it is now"
        assert await own_redis.ttl(keys.MATCH_LOG(match)) == -1
        await settled_by(node, own_redis)
    player = record.players[0]
    assert player is not None
    rating = await own_redis.hget(keys.PLAYER(player.id), "rating")
    assert float(rating or 0) == pytest.approx(1500)
    kept = await archive.journal(match)
    assert kept is not None
    assert len(kept) == session.seq


async def test_a_match_that_has_left_the_store_leaves_nothing_there_again(
    own_valkey: Valkey, own_redis: Client, rng: random.Random
) -> None:
    """However late a node is with what it has begun."""
    async with timed_node_on(own_valkey.url, Clock(), AT_ONCE) as (node, _):
        session = await ended(node, own_redis, rng)
        await node.settle()
        match = session.record.id
        of_match = [key(match) for key in (keys.MATCH_LOG, keys.MATCH_RATED, keys.MATCH_SNAPSHOT)]
        assert await own_redis.exists(*of_match) == 3
        await own_redis.delete(*of_match)
        await own_redis.zrem(keys.UNARCHIVED("0"), match)
        node.effects.settle_match(session.record, 7)
        await node._journal.save_snapshot(session.seq, session.record)
        await node.settle()
        assert await own_redis.exists(*of_match) == 0
        assert await unsettled(own_redis) == 0


async def test_a_table_that_was_closed_is_forgotten_whoever_dies(
    own_valkey: Valkey, own_redis: Client, archive: Archive
) -> None:
    match = unique("m")
    async with timed_node_on(own_valkey.url, Clock(), AT_ONCE, archive=archive, dies=True) as (node, _):
        node.effects.results.put = lambda *_: None  # type: ignore[method-assign]
        session = await node.get(match)
        seated = Seated(0, ADA)
        assert isinstance(await ask(session, lifecycle.opening("t", preset("money", {}), Terms(), seated)), m.Ok)
        assert isinstance(await ask(session, cancellation), m.Ok)
    assert await own_redis.ttl(keys.MATCH_LOG(match)) == -1
    async with timed_node_on(own_valkey.url, Clock(), AT_ONCE, archive=archive) as (node, _):
        await settled_by(node, own_redis)
    assert 0 < await own_redis.ttl(keys.MATCH_LOG(match)) <= 600
    assert await archive.count() == 0


async def test_what_cannot_be_read_is_named_and_put_off_and_what_stands_is_told(
    own_valkey: Valkey, own_redis: Client, archive: Archive, rng: random.Random
) -> None:
    await own_redis.xadd(keys.MATCH_LOG("broken22"), {"e": b"no entry"}, id="1-0")
    await UnsettledLists(own_redis).add(keys.ENDED, ListedMatch("broken22", 1), ListedMatch("nowhere2", 2))
    with capture_logs() as lines:
        async with timed_node_on(own_valkey.url, Clock(), AT_ONCE, archive=archive) as (node, _):
            session = await ended(node, own_redis, rng)
            await node.settle()
            for _ in range(2):
                await node.settler.sweep()
    assert await archive.journal(session.record.id) is not None
    assert [line["match"] for line in lines if line["event"] == "journal_unreadable"] == ["broken22"]
    assert (await own_redis.zscore(keys.ENDED("0"), "broken22") or 0) > 10**12, "it is tried again in an hour"
    (told,) = [line for line in lines if line["event"] == "results_wait"]
    assert (told["waiting"] >= 2, told["oldest_s"] > 10**6) == (True, True)


async def test_a_result_that_cannot_be_settled_for_a_fault_of_ours_is_tried_much_later(
    own_valkey: Valkey, own_redis: Client, archive: Archive, rng: random.Random, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(MatchEffects, "_settle", None)
    async with timed_node_on(own_valkey.url, Clock(), AT_ONCE, archive=archive) as (node, _):
        session = await ended(node, own_redis, rng)
        until_ms = Clock().now_ms() + FAULT_MS - 60_000
        async with asyncio.timeout(PATIENCE_S):
            while (await own_redis.zscore(keys.ENDED("0"), session.record.id) or 0) < until_ms:  # noqa: ASYNC110
                await asyncio.sleep(PAUSE_S)
