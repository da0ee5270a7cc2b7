"""What a server does by itself, beside what is asked of it: tasks that run until they are ended."""

import asyncio
from collections.abc import Coroutine

import structlog

END_S = 1.0  # for what runs by itself to end; takes no time

log = structlog.get_logger()


def begun(chore: Coroutine[None, None, None]) -> asyncio.Task[None]:
    """A chore on its way; it is not to end in silence."""
    return asyncio.create_task(_reported(chore))


async def _reported(chore: Coroutine[None, None, None]) -> None:
    try:
        await chore
    except Exception:
        log.exception("chore_failed")


async def ended(chores: list[asyncio.Task[None]]) -> None:
    """End chores, before what they use is closed."""
    for chore in chores:
        chore.cancel()
    await asyncio.wait(chores, timeout=END_S)
