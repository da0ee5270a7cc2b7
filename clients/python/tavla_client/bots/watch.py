"""Watch over hooks: one that does not return is told of, by a thread, since the event loop may be what stands still."""

import asyncio
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import NamedTuple

from tavla_client.connection import log

LONG_S = 10.0  # after so long it is told; programs that look far ahead take less
TICK_S = 0.5  # between two looks
ANSWER_S = 1.0  # for the loop to answer; after so long it stands still


class _Call(NamedTuple):
    """A hook that has not returned yet. of: what it is asked about. in_loop: it is `async`, as its author chose."""

    hook: str
    of: str
    in_loop: bool
    since: float
    loop: asyncio.AbstractEventLoop


_running: dict[object, _Call] = {}


@contextmanager
def time_watch(hook: str, of: str, in_loop: bool) -> Iterator[None]:
    """While a hook is called: tell once that it takes long."""
    if _thread.ident is None:
        with suppress(RuntimeError):  # another thread has just started it
            _thread.start()
    key = object()
    _running[key] = _Call(hook, of, in_loop, time.monotonic(), asyncio.get_running_loop())
    try:
        yield
    finally:
        _running.pop(key, None)


def _watch() -> None:
    while True:
        time.sleep(TICK_S)
        for key, call in list(_running.items()):
            took_s = time.monotonic() - call.since
            if took_s >= LONG_S and _running.pop(key, None) is not None:
                with suppress(RuntimeError):  # the loop is closed
                    _tell(call, took_s)


def _tell(call: _Call, took_s: float) -> None:
    answered = threading.Event()
    call.loop.call_soon_threadsafe(answered.set)
    stuck = ", and all else stands still, the connection too: write it without `async`, and it runs in a thread"
    rest = stuck if call.in_loop and not answered.wait(ANSWER_S) else "; it is waited for"
    log.warning("%s: %s has not returned for %.0f s%s", call.of, call.hook, took_s, rest)


_thread = threading.Thread(target=_watch, name="tavla bot watch", daemon=True)
