"""Work that can wait for its turn: all of it, in order, a few pieces at a time."""

import asyncio
from functools import partial
from itertools import pairwise

import pytest
from tavla_server.delivery.work_queue import WorkQueue


@pytest.mark.parametrize(("pieces", "at_once"), [(1, 4), (4, 4), (5, 4), (100, 1), (100, 16)])
async def test_all_is_done_in_order_and_never_more_than_so_much_in_one_turn(pieces: int, at_once: int) -> None:
    loop, done, by_turn = asyncio.get_running_loop(), list[int](), [0]
    turns = WorkQueue(at_once)

    def look() -> None:
        by_turn.append(len(done))
        if len(done) < pieces:
            loop.call_soon(look)

    for number in range(pieces):
        turns.put(partial(done.append, number))
    assert not done, "it waits"
    loop.call_soon(look)
    while len(done) < pieces:  # noqa: ASYNC110 - a turn of the loop is what this is about
        await asyncio.sleep(0)
    assert done == list(range(pieces))
    assert max(later - sooner for sooner, later in pairwise(by_turn)) <= at_once


async def test_what_is_put_meanwhile_comes_last_and_what_fails_holds_up_nothing() -> None:
    done: list[str] = []
    failed: list[BaseException | None] = []
    asyncio.get_running_loop().set_exception_handler(lambda _, context: failed.append(context.get("exception")))
    turns = WorkQueue(2)
    turns.put(lambda: turns.put(partial(done.append, "meanwhile")))
    turns.put(lambda: 1 / 0)
    turns.put(partial(done.append, "after"))
    while len(done) < 2:  # noqa: ASYNC110 - likewise
        await asyncio.sleep(0)
    assert done == ["after", "meanwhile"]
    assert [type(error) for error in failed] == [ZeroDivisionError]
