"""A wire between two ends that can be slow, or cut: silently, loudly, or after so many bytes."""

import asyncio
import contextlib
import socket
import ssl
import struct
from collections.abc import Awaitable, Callable
from pathlib import Path
from types import TracebackType
from typing import Self

Streams = tuple[asyncio.StreamReader, asyncio.StreamWriter]
CHUNK_BYTES = 64 * 1024


class Proxy:
    """Listens on a Unix socket or on a port, and connects each caller to the real end.

    up_left, down_left: bytes to the real end, and back, until every connection is reset; None = no limit.
    up_bytes, down_bytes: forwarded so far. connections: so far. lag_s: how long whatever is sent is held back.
    """

    def __init__(
        self, dial: Callable[[], Awaitable[Streams]], path: Path | None = None, tls: ssl.SSLContext | None = None
    ) -> None:
        self.up_left: int | None = None
        self.down_left: int | None = None
        self.up_bytes = self.down_bytes = self.connections = 0
        self.port, self.lag_s = 0, 0.0
        self._dial, self._path, self._tls = dial, path, tls
        self._server: asyncio.Server | None = None
        self._writers: set[asyncio.StreamWriter] = set()
        self._stalled: set[asyncio.StreamWriter] = set()
        self._tasks: set[asyncio.Task[None]] = set()

    @classmethod
    def to_unix(cls, target: str, path: Path) -> "Proxy":
        """From a Unix socket at `path` to the one at `target`."""
        return cls(lambda: asyncio.open_unix_connection(target), path)

    @classmethod
    def to_port(cls, port: int, tls: ssl.SSLContext | None = None) -> "Proxy":
        """From a port of its own to this one. tls: what its callers are to speak."""
        return cls(lambda: asyncio.open_connection("127.0.0.1", port), tls=tls)

    async def __aenter__(self) -> Self:
        if self._path:
            self._server = await asyncio.start_unix_server(self._accept, self._path)
        else:
            self._server = await asyncio.start_server(self._accept, "127.0.0.1", 0, ssl=self._tls)
            self.port = self._server.sockets[0].getsockname()[1]
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        assert self._server is not None, "entered"
        self._server.close()
        self.reset()
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    def stall(self) -> None:
        """From now on the connections of this moment carry nothing, and neither side is told; new ones work."""
        self._stalled |= self._writers
        self._writers = set()

    def reset(self) -> None:
        """Cut every connection so that both ends know."""
        for writer in self._writers | self._stalled:
            raw: socket.socket | None = writer.get_extra_info("socket")  # none any more of one that has ended TLS
            with contextlib.suppress(OSError):
                if raw is not None:
                    raw.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))  # RST instead of FIN
            writer.transport.abort()
        self._writers, self._stalled = set(), set()

    async def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.connections += 1
        self._writers.add(writer)
        try:
            far_reader, far_writer = await self._dial()
        except OSError:
            writer.transport.abort()
            return
        if writer not in self._writers | self._stalled:  # it was cut meanwhile
            far_writer.transport.abort()
            return
        (self._writers if writer in self._writers else self._stalled).add(far_writer)
        for direction, source, target in (("up", reader, far_writer), ("down", far_reader, writer)):
            task = asyncio.create_task(self._pump(direction, source, target))
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)

    async def _pump(self, direction: str, source: asyncio.StreamReader, target: asyncio.StreamWriter) -> None:
        with contextlib.suppress(OSError):
            while data := await source.read(CHUNK_BYTES):
                await asyncio.sleep(self.lag_s)
                if target in self._stalled:
                    continue  # swallowed: the sender believes that it has arrived
                data = self._allowed(direction, data)
                target.write(data)
                await target.drain()
                if getattr(self, f"{direction}_left") == 0:
                    break
        if getattr(self, f"{direction}_left") == 0:
            setattr(self, f"{direction}_left", None)
            self.reset()
        elif target not in self._stalled and not target.is_closing():
            target.close()

    def _allowed(self, direction: str, data: bytes) -> bytes:
        left = getattr(self, f"{direction}_left")
        if left is not None:
            data = data[:left]
            setattr(self, f"{direction}_left", left - len(data))
        setattr(self, f"{direction}_bytes", getattr(self, f"{direction}_bytes") + len(data))
        return data
