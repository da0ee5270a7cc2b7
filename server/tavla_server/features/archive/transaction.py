"""A transaction in a task of its own: whoever asked for it may leave at any time, and leaves nothing open.

To cancel a call to a database is to forget what it was about to bring: a connection that opens, a lock that it is given
a moment later. So the task is never cancelled, and a caller that is only stops waiting for it.
"""

import asyncio
from collections.abc import Awaitable, Callable, Iterable
from contextlib import AbstractAsyncContextManager, AsyncExitStack
from typing import Any, TypeVar

import sqlalchemy as sa
from sqlalchemy.ext.asyncio import AsyncConnection

T = TypeVar("T")


class _Left(Exception):
    """The departure of a caller: what its transaction has done is taken back."""


class Transaction:
    """A transaction as its caller sees it. task: ends when the connection was given back, whatever became of it."""

    def __init__(
        self, turns: Iterable[asyncio.Semaphore], opening: AbstractAsyncContextManager[AsyncConnection]
    ) -> None:
        """turns: to be waited for before it begins. opening: a connection's, in a transaction that its end makes."""
        self._calls: asyncio.Queue[tuple[Callable[[AsyncConnection], Awaitable[Any]], asyncio.Future[Any]] | None]
        self._calls, self.left = asyncio.Queue(), False
        self.task = asyncio.create_task(self._run(turns, opening))
        self.task.add_done_callback(lambda task: task.cancelled() or task.exception())  # if nobody waits, nobody asks

    async def _run(
        self, turns: Iterable[asyncio.Semaphore], opening: AbstractAsyncContextManager[AsyncConnection]
    ) -> None:
        async with AsyncExitStack() as stack:
            for turn in turns:
                await stack.enter_async_context(turn)
            if self.left:
                return
            connection = await stack.enter_async_context(opening)
            while (asked := await self._calls.get()) is not None:
                call, answer = asked
                try:
                    result = await call(connection)
                except Exception as error:
                    if not answer.cancelled():
                        answer.set_exception(error)
                else:
                    if not answer.cancelled():
                        answer.set_result(result)
            if self.left:
                raise _Left

    def leave(self) -> None:
        """Have all taken back, as soon as the call that is under way is done."""
        self.left = True
        self._calls.put_nowait(None)

    async def commit(self) -> None:
        """Have it made."""
        self._calls.put_nowait(None)
        await asyncio.wait([self.task])
        self.task.result()

    async def call(self, call: Callable[[AsyncConnection], Awaitable[T]]) -> T:
        """Do something with the connection, when that is open."""
        answer: asyncio.Future[T] = asyncio.get_running_loop().create_future()
        self._calls.put_nowait((call, answer))
        try:
            await asyncio.wait((answer, self.task), return_when=asyncio.FIRST_COMPLETED)
            if not answer.done():
                self.task.result()  # raises the reason why it could not be opened
            return answer.result()
        finally:
            answer.cancel()

    async def execute(self, statement: sa.Executable, parameters: Any = None) -> sa.CursorResult[*tuple[Any, ...]]:
        """Execute a statement; its rows, all read."""
        return await self.call(lambda connection: connection.execute(statement, parameters))

    async def scalar(self, statement: sa.Executable) -> Any:
        """Execute a statement; the first column of its first row, None without one."""
        return await self.call(lambda connection: connection.scalar(statement))
