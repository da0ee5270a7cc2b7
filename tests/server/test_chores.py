"""Background tasks, from their start to their end."""

import inspect

from tavla_server.chores import cancel_all, spawn


async def test_a_chore_that_is_cancelled_before_it_began_leaves_no_coroutine_behind() -> None:
    async def chore() -> None:
        raise AssertionError("it begins")

    never = chore()
    await cancel_all([spawn(never)])
    assert inspect.getcoroutinestate(never) == inspect.CORO_CLOSED, "else Python warns of it on stderr"
