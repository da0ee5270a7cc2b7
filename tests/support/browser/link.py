"""A wire between a browser and a server, for tests that are not coroutines: it can be slow, or carry nothing."""

import asyncio
import threading
from types import TracebackType
from typing import Self

from tests.support.patience import PATIENCE_S
from tests.support.wire.proxy import Proxy, Streams


class Wire:
    """A proxy to a port of this machine, run beside the test. lag_s: how long each way takes."""

    def __init__(self, port: int, lag_s: float = 0.0) -> None:
        self._target, self._down = port, False
        self._proxy = Proxy(self._dial)
        self._proxy.lag_s = lag_s
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)

    @property
    def url(self) -> str:
        """Address of the server at this end."""
        return f"ws://127.0.0.1:{self._proxy.port}"

    def cut(self) -> None:
        """From now on nothing gets through, and neither side is told."""
        self._down = True
        asyncio.run_coroutine_threadsafe(self._stall(), self._loop).result(PATIENCE_S)

    def mend(self) -> None:
        """New connections get through again."""
        self._down = False

    def __enter__(self) -> Self:
        self._thread.start()
        asyncio.run_coroutine_threadsafe(self._proxy.__aenter__(), self._loop).result(PATIENCE_S)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        asyncio.run_coroutine_threadsafe(self._proxy.__aexit__(kind, error, trace), self._loop).result(PATIENCE_S)
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(PATIENCE_S)
        self._loop.close()

    async def _stall(self) -> None:
        self._proxy.stall()

    async def _dial(self) -> Streams:
        if self._down:
            raise ConnectionRefusedError("the wire is cut")
        return await asyncio.open_connection("127.0.0.1", self._target)
