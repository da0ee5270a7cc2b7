"""Background tasks of a server, which run until they are cancelled."""

import asyncio
from collections.abc import Coroutine

import structlog

END_S = 1.0  # for cancelled tasks to end; takes no time

log = structlog.get_logger()


def spawn(chore: Coroutine[None, None, None]) -> asyncio.Task[None]:
    """Start a background task whose failure is logged."""
    task = asyncio.create_task(_logged(chore))
    task.add_done_callback(lambda _: chore.close())  # one that was cancelled before it began has never awaited it
    return task


async def _logged(chore: Coroutine[None, None, None]) -> None:
    try:
        await chore
    except Exception:
        log.exception("chore_failed")


async def cancel_all(chores: list[asyncio.Task[None]]) -> None:
    """Cancel tasks before what they use is closed."""
    for chore in chores:
        chore.cancel()
    await asyncio.wait(chores, timeout=END_S)
