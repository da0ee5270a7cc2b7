"""How a bot's hooks are called: in a thread or in the loop, and never so that their failure is anybody else's."""

import asyncio
import inspect
import threading
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from tavla_client.bot import Bot
from tavla_client.connection import log


async def call(bot: Bot, name: str, argument: Any) -> Any:
    """What a hook answers; when it fails, what the default answers."""
    hook = getattr(bot, name)
    default = getattr(Bot, name)
    if getattr(hook, "__func__", None) is default:
        return hook(argument)  # ours take no time
    try:
        if inspect.iscoroutinefunction(hook):
            return await hook(argument)
        answer = await _in_thread(hook, argument)
        return await answer if inspect.isawaitable(answer) else answer
    except Exception:
        log.exception("%s.%s failed: the default is done instead", type(bot).__name__, name)
        return default(bot, argument)


async def _in_thread(hook: Callable[[Any], Any], argument: Any) -> Any:
    """A plain function in a thread of its own: one that never returns takes no place from others, and ends with us."""
    loop = asyncio.get_running_loop()
    answer: asyncio.Future[Any] = loop.create_future()

    def done(result: Any, error: BaseException | None) -> None:
        if answer.done():
            return  # nobody waits any more
        if error is None:
            answer.set_result(result)
        elif isinstance(error, Exception) and not isinstance(error, StopIteration):
            answer.set_exception(error)
        else:  # SystemExit and the like: this was a hook, not the program
            answer.set_exception(RuntimeError(f"it raised {error!r}"))

    def run() -> None:
        result, error = None, None
        try:
            result = hook(argument)
        except BaseException as raised:
            error = raised
        with suppress(RuntimeError):  # the loop is closed
            loop.call_soon_threadsafe(done, result, error)

    threading.Thread(target=run, name=f"tavla bot {hook.__name__}", daemon=True).start()
    return await answer
