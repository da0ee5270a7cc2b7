"""When garbage is looked for, and how little there is."""

import asyncio
import gc

import pytest
from tavla_protocol import messages as m
from tavla_server.garbage import GROWTH, LEAST, most_blocks, rarely_collected
from tavla_server.gateway.connection import Connection

from tests.support.patience import PATIENCE_S
from tests.support.players import Player, new_match


@pytest.mark.parametrize(
    ("kept", "most", "why"),
    [
        (0, LEAST, "little is in use: it may grow by so much"),
        (LEAST // 2, LEAST // 2 + LEAST, "likewise"),
        (10 * LEAST, 10 * LEAST * GROWTH, "much is in use: it may grow by as much"),
    ],
)
def test_garbage_is_looked_for_when_there_is_much_more(kept: int, most: int, why: str) -> None:
    assert most_blocks(kept) == most, why


async def test_it_is_left_to_python_again_afterwards() -> None:
    async with rarely_collected():
        assert not gc.isenabled()
    assert gc.isenabled()
    gc.unfreeze()


async def test_a_connection_that_has_ended_is_no_garbage(node: str) -> None:
    def connections() -> int:
        return sum(type(one) is Connection for one in gc.get_objects())

    gc.collect()
    before = connections()
    gc.disable()
    try:
        async with Player(node) as white, Player(node) as black:
            await new_match(white, black)
            assert connections() == before + 2
            white.socket.transport.abort()
            assert await black.next(m.Presence)
        async with asyncio.timeout(PATIENCE_S):
            while connections() > before:  # noqa: ASYNC110 - nothing tells of an object's end
                await asyncio.sleep(0.01)
    finally:
        gc.enable()
