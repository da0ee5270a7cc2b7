"""A loop of asyncio beside Playwright, which has that of the tests' thread: for players without a page."""

import asyncio
import threading
from collections.abc import Coroutine
from contextlib import AbstractAsyncContextManager, AsyncExitStack
from types import TracebackType
from typing import Any, Self, TypeVar

from tests.support.patience import PATIENCE_S

T = TypeVar("T")


class LoopBeside:
    """A loop in a thread of its own."""

    def __init__(self) -> None:
        self._loop, self._kept = asyncio.new_event_loop(), AsyncExitStack()
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)

    def run(self, coroutine: Coroutine[Any, Any, T]) -> T:
        """The result of a coroutine there."""
        return asyncio.run_coroutine_threadsafe(coroutine, self._loop).result(PATIENCE_S)

    def enter(self, manager: AbstractAsyncContextManager[T]) -> T:
        """What a context yields, which is left at the end."""
        return self.run(self._kept.enter_async_context(manager))

    def leave(self) -> None:
        """Leave the contexts that were entered."""
        self.run(self._kept.aclose())

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.leave()
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(PATIENCE_S)
        self._loop.close()
