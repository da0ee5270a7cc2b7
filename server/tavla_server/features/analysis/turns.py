"""Turns of programs that are run for clients: one at a time on a node, as few wait as are soon answered."""

import asyncio
from collections.abc import Awaitable, Callable

from tavla_protocol.codes import ErrorCode

from tavla_server.errors import Refused
from tavla_server.gateway.connection import Connection


class Turns:
    """The turns of one program. What a client waits for ends when it has gone."""

    def __init__(self, waiting: int, retry_s: float) -> None:
        """waiting: clients, at most. retry_s: by then all who wait have been answered."""
        self._waiting, self._retry_s = waiting, retry_s
        self._tasks: dict[asyncio.Task[None], Connection] = {}  # one is under way, the others wait for their turn
        self._turn = asyncio.Lock()

    def check_room(self) -> None:
        """Raises: Refused."""
        if len(self._tasks) > self._waiting:
            raise Refused(ErrorCode.TOO_MANY, "others wait for their turn: try again in a minute", self._retry_s)

    def begin(self, connection: Connection, work: Callable[[], Awaitable[None]]) -> None:
        """Do some work for a client when it is its turn."""
        task = asyncio.create_task(self._take(work))
        self._tasks[task] = connection
        task.add_done_callback(self._tasks.pop)

    async def _take(self, work: Callable[[], Awaitable[None]]) -> None:
        async with self._turn:
            await work()

    def end(self, connection: Connection) -> None:
        """Work no longer for a client that has gone."""
        for task, whose in self._tasks.items():
            if whose is connection:
                task.cancel()

    async def close(self) -> None:
        """Work no longer for anybody."""
        for task in self._tasks:
            task.cancel()
        if self._tasks:
            await asyncio.wait(self._tasks)
