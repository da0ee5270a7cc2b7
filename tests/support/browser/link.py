"""A wire between a browser and a server, for tests that are not coroutines: it can be slow, or carry nothing."""

import asyncio
from typing import Self

from tests.support.browser.loop import LoopBeside
from tests.support.wire.proxy import Proxy, Streams


class Wire(LoopBeside):
    """A proxy to a port of this machine, run beside the test. lag_s: how long each way takes."""

    def __init__(self, port: int, lag_s: float = 0.0) -> None:
        super().__init__()
        self._target, self._down = port, False
        self._proxy = Proxy(self._dial)
        self._proxy.lag_s = lag_s

    @property
    def url(self) -> str:
        """Address of the server at this end."""
        return f"ws://127.0.0.1:{self._proxy.port}"

    def cut(self) -> None:
        """From now on nothing gets through, and neither side is told."""
        self._down = True
        self.run(self._stall())

    def mend(self) -> None:
        """New connections get through again."""
        self._down = False

    def __enter__(self) -> Self:
        super().__enter__()
        self.enter(self._proxy)
        return self

    async def _stall(self) -> None:
        self._proxy.stall()

    async def _dial(self) -> Streams:
        if self._down:
            raise ConnectionRefusedError("the wire is cut")
        return await asyncio.open_connection("127.0.0.1", self._target)
