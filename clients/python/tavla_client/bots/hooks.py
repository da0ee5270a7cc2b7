"""Calls of a bot's hooks, in a thread or in the loop: a hook that fails harms its own decision alone."""

import asyncio
import inspect
import threading
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from tavla_client.bots.bot import Bot, Invitation
from tavla_client.bots.failures import Failures
from tavla_client.bots.watch import time_watch

_YES_NO = "`return True` or `return False`"
WRITE = {  # hook -> what it should end with
    "choose_play": "`return` and one of turn.plays",
    "offer_double": _YES_NO,
    "take_double": _YES_NO,
    "offer_resign": "`return 0`, or 1, 2 or 3 to resign",
    "accept_resign": _YES_NO,
    "accept_challenge": _YES_NO,
}


async def call(bot: Bot, name: str, argument: Any, failures: Failures, in_thread: bool = True) -> Any:
    """Answer of a hook; of the default, when the hook fails or answers None.

    in_thread: plain methods get a thread of their own; else they hold up all else, for those who only measure.
    """
    hook = getattr(bot, name)
    default = getattr(Bot, name)
    if getattr(hook, "__func__", None) is default:
        return hook(argument)  # ours take no time
    is_async = inspect.iscoroutinefunction(hook)
    try:
        with time_watch(hook_name(bot, name), _asked_about(argument), is_async and in_thread):
            answer = hook(argument) if is_async or not in_thread else await _in_thread(hook, argument)
            answer = await answer if inspect.isawaitable(answer) else answer
    except Exception as error:
        failures.add(hook_name(bot, name), f"{type(error).__name__}: {error}", error=error)
    else:
        if answer is not None or name not in WRITE:
            return answer
        failures.add(hook_name(bot, name), f"it answered None: write {WRITE[name]}")
    return default(bot, argument)


def hook_name(bot: Bot, name: str) -> str:
    """A hook as its author knows it."""
    return f"{type(bot).__name__}.{name}"


def meaningless(failures: Failures, bot: Bot, name: str, answer: object) -> None:
    """Count an answer with which nothing can be done."""
    failures.add(hook_name(bot, name), f"its answer means nothing: write {WRITE[name]}", detail=f"{answer!r:.60}")


def _asked_about(argument: Any) -> str:
    if isinstance(argument, Invitation):
        return f"challenge of {argument.opponent}"
    return f"match {argument.match or 'without a server'}"


async def _in_thread(hook: Callable[[Any], Any], argument: Any) -> Any:
    """A plain function in a thread of its own: one that never returns takes no place from others, and ends with us."""
    loop = asyncio.get_running_loop()
    answer: asyncio.Future[Any] = loop.create_future()

    def done(result: Any, error: BaseException | None) -> None:
        if answer.done():
            return  # the caller waits no longer
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
