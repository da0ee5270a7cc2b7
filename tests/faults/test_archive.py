"""kill -9 of servers while matches end: each is archived once, as it was played, and nothing else is."""

import asyncio
import random
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from tavla_protocol import messages as m
from tavla_server.features.archive.archive import Archive
from tavla_server.features.archive.database import Database
from tavla_server.store import keys
from tavla_server.store.client import Client, connection_to, text

from tests.support.patience import PATIENCE_S, PAUSE_S
from tests.support.players.returning import Returning
from tests.support.servers.processes import NewServer, ServerProcess, assert_no_fault
from tests.support.servers.valkey import Valkey
from tests.support.stores.databases import Postgresql, new_postgresql
from tests.support.stores.journals import check_journal, unsettled
from tests.support.tries import MANY, first_of

NODES, KILLS = 2, 5 if MANY else 2
RULES: dict[str, bool | int | str] = {"length": 1, "rated": True}


@pytest.fixture(scope="module")
def postgresql() -> Iterator[Postgresql]:
    yield from new_postgresql()


@asynccontextmanager
async def pair(nodes: list[ServerProcess], stop: asyncio.Event, ended: asyncio.Semaphore) -> AsyncIterator[list[str]]:
    """Two players on different nodes, who end one match after the other; those that both know to be over.

    ended: released for each.
    """
    white, black = (Returning(node.url) for node in nodes)
    over: list[str] = []

    async def play() -> None:
        for player in (white, black):
            await player.come_back()
            await player.insist(m.Register, password="correct horse")
        while not stop.is_set():
            match = await white.begin(black, RULES)
            answer = await black.insist(m.Forfeit, match=match, seq=0)
            while isinstance(answer, m.Error) and answer.code in ("not_attached", "not_seated"):
                await black.insist(m.Attach, table=match)
                answer = await black.insist(m.Forfeit, match=match, seq=0)
            assert isinstance(answer, m.Ok) or getattr(answer, "code", "") == "wrong_phase", answer
            over.append(match)
            ended.release()
            for player in (white, black):
                await player.insist(m.Detach, match=match)
                player.matches.pop(match, None)

    playing = asyncio.create_task(play())
    try:
        yield over
        await asyncio.wait_for(playing, 2 * PATIENCE_S)
    finally:
        playing.cancel()
        for player in (white, black):
            await player.close()


@pytest.mark.parametrize("kind", first_of(["postgresql", "sqlite"], 1))
async def test_no_kill_loses_or_doubles_a_match_on_its_way_to_the_archive(
    new_server: NewServer,
    own_valkey: Valkey,
    tmp_path: Path,
    rng: random.Random,
    kind: str,
    request: pytest.FixtureRequest,
) -> None:
    url = f"sqlite:///{tmp_path}/archive.sqlite3"
    if kind == "postgresql":
        url = request.getfixturevalue("postgresql").new_database()
    options = ("--redis", own_valkey.url, "--archive", url)
    nodes = [new_server(*options, data=tmp_path / str(number)) for number in range(NODES)]
    await asyncio.gather(*(asyncio.to_thread(node.start) for node in nodes))
    stop, ended = asyncio.Event(), asyncio.Semaphore(0)
    async with (
        pair(nodes, stop, ended) as one,
        pair(nodes[::-1], stop, ended) as two,
        pair(nodes, stop, ended) as three,
    ):
        for _ in range(KILLS):
            async with asyncio.timeout(PATIENCE_S):
                await ended.acquire()
            await asyncio.sleep(rng.uniform(0.05, 0.5))
            node = rng.choice(nodes)
            node.kill()
            await asyncio.to_thread(node.start)
        stop.set()
    over = [*one, *two, *three]
    async with connection_to(own_valkey.url) as redis, asyncio.timeout(2 * PATIENCE_S):
        while await waiting(redis):  # noqa: ASYNC110
            await asyncio.sleep(PAUSE_S)
        await compare(redis, own_valkey.url, url, over)
    for node in nodes:
        assert_no_fault(node)


async def waiting(redis: Client) -> int:
    """The number of matches that are in the lobby, or not settled."""
    return int(await redis.hlen(keys.LOBBY_ROWS("tables"))) + await unsettled(redis)


async def compare(redis: Client, store: str, url: str, over: list[str]) -> None:
    """Compare the archive with the store's journals, and with what the players know."""
    database = Database(url)
    archive, archived = Archive(database), 0
    async for raw in redis.scan_iter(match=keys.MATCH_LOG("*")):
        match = text(raw).removeprefix("{m:").partition("}")[0]
        record = check_journal(store, match)
        rows: Any = await redis.xrange(raw)
        journal = await archive.journal(match)
        if record.over and not record.cancelled:
            archived += 1
            assert journal == [fields[b"e"] for _, fields in rows], match
            assert await redis.ttl(keys.MATCH_LOG(match)) > 0
            assert await redis.exists(keys.MATCH_RATED(match)), "ratings come first"
        else:
            assert journal is None
            assert match not in over
    assert archived == await archive.count()
    assert archived >= len(set(over))
    await database.close()
