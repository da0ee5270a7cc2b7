"""Background tasks: a fault of ours ends none of them for good."""

import asyncio
import itertools
from pathlib import Path

import pytest
import tavla_server.app
from structlog.testing import capture_logs
from tavla_protocol import messages as m
from tavla_server import chores
from tavla_server.chores import Chore, cancel_all, spawn
from tavla_server.store import keys
from tavla_server.store.client import Client

from tests.support.patience import PATIENCE_S, ask_until
from tests.support.players.accounts import until_played
from tests.support.players.plain import Player, within
from tests.support.players.tournaments import arena_of, one_match
from tests.support.servers.handloop import HandLoop
from tests.support.servers.processes import inside
from tests.support.servers.valkey import Valkey
from tests.support.stores.archiving import empty, played

PAUSES_S = [  # seconds that a task works before each fault, and the pauses after them
    ([0, 0, 0], [1, 2, 4]),
    ([0] * 9, [1, 2, 4, 8, 16, 32, 60, 60, 60]),
    ([0, 0, 50, 61, 0], [1, 2, 4, 1, 2]),
]


@pytest.mark.parametrize(("works_s", "pauses_s"), PAUSES_S)
def test_a_chore_that_fails_begins_again_after_a_pause(works_s: list[int], pauses_s: list[int]) -> None:
    left = iter(works_s)

    async def chore() -> None:
        for work_s in left:
            await asyncio.sleep(work_s)
            raise AssertionError("a fault of ours")

    async def took_s() -> float:
        await spawn(chore)
        return asyncio.get_running_loop().time()

    with capture_logs() as lines, asyncio.Runner(loop_factory=HandLoop) as runner:
        assert runner.run(took_s()) == pytest.approx(sum(works_s) + sum(pauses_s))
    assert [(line["event"], line["again_s"]) for line in lines] == [("chore_failed", pause_s) for pause_s in pauses_s]


async def test_a_chore_that_is_cancelled_before_it_began_does_not_begin() -> None:
    async def chore() -> None:
        raise AssertionError("it begins")

    with capture_logs() as lines:
        await cancel_all([spawn(chore)])
    assert lines == []


async def test_where_each_chore_has_failed_all_is_done_as_before(
    own_valkey: Valkey, own_redis: Client, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fault, numbers = asyncio.Event(), itertools.count()
    failed, again = set[int](), set[int]()

    def failing_once(chore: Chore) -> asyncio.Task[None]:
        number = next(numbers)

        async def run() -> None:
            if number in failed:
                again.add(number)
                return await chore()
            work = spawn(chore)
            try:
                await fault.wait()
            finally:
                await cancel_all([work])
            failed.add(number)
            raise AssertionError("a fault of ours")

        return spawn(run)

    monkeypatch.setattr(chores, "FIRST_PAUSE_S", 0.0)
    monkeypatch.setattr(tavla_server.app, "spawn", failing_once)
    with capture_logs() as lines:
        async with inside(own_valkey.url, archive=f"sqlite:///{tmp_path}/archive.sqlite3") as url, Player(url) as eve:
            begun = next(numbers)
            fault.set()
            async with asyncio.timeout(PATIENCE_S):
                while len(again) < begun:  # noqa: ASYNC110 - they begin by themselves
                    await asyncio.sleep(0)
            match, white, black = await played(url, {"length": 1, "rated": True})
            assert (await until_played(eve, white, 1)).experience == 1
            await ask_until(lambda: empty(own_redis))
            assert await own_redis.ttl(keys.MATCH_LOG(match)) >= 0, "it is archived"
            for player in (white, black):
                await player.ask(m.Seek, rules={"length": 7})
            assert (await white.next(m.Matched)).match == (await black.next(m.Matched)).match
            for player in (white, black):
                await player.next(m.Snapshot)
            await one_match(await arena_of(eve), white, black)
            for player in (white, black):
                await within(player.close())
    assert [line["event"] for line in lines if line["log_level"] == "error"] == ["chore_failed"] * begun
