"""Groups in which commands travel."""

import asyncio
from collections.abc import AsyncIterator

import pytest
from tavla_server.store import coalescing_window
from tavla_server.store.coalescing_window import CALM
from tavla_server.store.connection import Reply, pack_command
from tavla_server.store.pipeline import Command, Pipeline
from tavla_server.token_bucket import Rate

from tests.support.patience import PATIENCE_S
from tests.support.servers.handloop import HandLoop
from tests.support.servers.valkey import Valkey

FOR_EVER_S = 1e9
MANY = int(CALM.burst)


@pytest.fixture
async def pipe(valkey: Valkey) -> AsyncIterator[Pipeline]:
    pipe = Pipeline(valkey.url, [])
    await pipe.open()
    yield pipe
    pipe.close()


class Echo(Command):
    """A command that says which one it is."""

    def __init__(self, number: int) -> None:
        self.reply: asyncio.Future[Reply] = asyncio.get_running_loop().create_future()
        super().__init__(pack_command(b"ECHO", b"%d" % number), self.reply.set_result)


async def answers(*echoes: Echo) -> list[int]:
    async with asyncio.timeout(PATIENCE_S):
        return [int(reply) for reply in await asyncio.gather(*(echo.reply for echo in echoes))]


@pytest.mark.parametrize("together", [True, False])
async def test_in_a_rush_commands_wait_for_each_other_but_for_none_that_hurries(
    pipe: Pipeline, monkeypatch: pytest.MonkeyPatch, together: bool
) -> None:
    monkeypatch.setattr(coalescing_window, "WINDOW_S", FOR_EVER_S)
    monkeypatch.setattr(coalescing_window, "CALM", Rate(1 / FOR_EVER_S, CALM.burst))
    rush = [Echo(number) for number in range(MANY)]
    for echo in rush:
        pipe.put(echo)
        if not together:
            await answers(echo)
    meanwhile = Echo(MANY)
    rush[-1].reply.add_done_callback(lambda _: pipe.put(meanwhile))
    assert await answers(*rush) == [*range(MANY)]
    later = Echo(MANY + 1)
    pipe.put(later)
    hurried = [Echo(-1), Echo(-2)]
    for echo in hurried:
        pipe.put_at_once(echo)
    assert await answers(*hurried) == [-1, -2], "one leaves at once, one when that is answered"
    assert await answers(meanwhile, later) == [MANY, MANY + 1], "they go with the first of these"


async def test_the_wait_in_a_rush_ends(pipe: Pipeline) -> None:
    for _ in range(3):
        echoes = [Echo(number) for number in range(2 * MANY)]
        for echo in echoes:
            pipe.put(echo)
        assert await answers(*echoes) == [*range(2 * MANY)]


def test_a_standstill_is_not_the_time_in_which_a_lost_connection_comes_back() -> None:
    async def is_reached() -> bool:
        loop, pipe = asyncio.get_running_loop(), Pipeline("redis://nowhere", [])
        assert isinstance(loop, HandLoop)

        def come_back() -> None:
            pipe.connected = True
            pipe.close()  # it tells all who wait

        reaching = asyncio.create_task(pipe.reach(1.0))
        await asyncio.sleep(0)
        loop.stand_still(100.0)
        loop.call_later(0.4, come_back)
        return await reaching

    with asyncio.Runner(loop_factory=HandLoop) as runner:
        assert runner.run(is_reached())
