"""Background tasks of a server, which run until they are cancelled."""

import asyncio
from collections.abc import Awaitable, Callable

import structlog

FIRST_PAUSE_S, LAST_PAUSE_S = 1.0, 60.0  # after a fault: each is a traceback in the log, and disks are not endless
END_S = 1.0  # for cancelled tasks to end; takes no time

log = structlog.get_logger()

Chore = Callable[[], Awaitable[None]]


def spawn(chore: Chore) -> asyncio.Task[None]:
    """Start a background task. One that returns is done.

    A fault of ours in it is logged, and it begins again: else results would wait until the operator restarts the
    server. Pauses double from one fault to the next, unless it has worked for a while in between.
    """
    return asyncio.create_task(_kept_running(chore))


async def _kept_running(chore: Chore) -> None:
    clock = asyncio.get_running_loop().time
    pause_s = FIRST_PAUSE_S
    while True:
        began_s = clock()
        try:
            await chore()
        except Exception:
            if clock() - began_s > LAST_PAUSE_S:
                pause_s = FIRST_PAUSE_S
            log.exception("chore_failed", again_s=pause_s)
        else:
            return
        await asyncio.sleep(pause_s)
        pause_s = min(2 * pause_s, LAST_PAUSE_S)


async def cancel_all(chores: list[asyncio.Task[None]]) -> None:
    """Cancel tasks before what they use is closed."""
    for chore in chores:
        chore.cancel()
    await asyncio.wait(chores, timeout=END_S)
