"""The main task of a command, and its event loop."""

import asyncio
from collections.abc import Coroutine
from typing import Any

from tavla_cli.crash import log


def run_async(main: Coroutine[Any, Any, None]) -> None:
    """Run a coroutine as `asyncio.run` does, but what fails beside the main task ends it: else a screen would stand
    there, half alive.
    """
    failed: list[BaseException] = []

    async def supervised() -> None:
        loop, task = asyncio.get_running_loop(), asyncio.current_task()
        assert task is not None, "asyncio runs tasks"

        def on_failure(_: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
            error = context.get("exception")
            if error is None or "never retrieved" in context["message"]:  # nobody waits for it any more
                log.warning("%s", context["message"], exc_info=error)
            else:
                failed.append(error)
                task.cancel()

        loop.set_exception_handler(on_failure)
        await main

    try:
        asyncio.run(supervised())
    except BaseException:
        if not failed:
            raise
    if failed:
        raise failed[0]
