"""A connection fed with bytes by hand, without a network."""

import asyncio
import contextlib
import logging
import types
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any

from tavla_server.delivery.socket import Socket
from websockets.asyncio.server import ServerConnection
from websockets.exceptions import ConnectionClosed
from websockets.server import ServerProtocol

HANDSHAKE = (
    b"GET / HTTP/1.1\r\nHost: here\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
    b"Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n"
)


class Wire(asyncio.Transport):
    """A transport that keeps what is written, and ends the connection when it is closed."""

    def __init__(self) -> None:
        super().__init__({"socket": types.SimpleNamespace(setsockopt=lambda *_: None)})
        self.written, self.closed, self.paused = bytearray(), False, False
        self.protocol: asyncio.Protocol | None = None

    def write(self, data: bytes | bytearray | memoryview) -> None:
        self.written += data

    def close(self) -> None:
        if not self.closed:
            self.closed = True
            assert self.protocol is not None
            asyncio.get_running_loop().call_soon(self.protocol.connection_lost, None)

    abort = write_eof = close

    def is_closing(self) -> bool:
        return self.closed

    def can_write_eof(self) -> bool:
        return True

    def get_write_buffer_size(self) -> int:
        return 0

    def set_write_buffer_limits(self, high: int | None = None, low: int | None = None) -> None:
        pass

    def pause_reading(self) -> None:
        self.paused = True

    def resume_reading(self) -> None:
        self.paused = False


def served_by(handler: Callable[[Any], Awaitable[None]]) -> Any:
    """As much of websockets' server as a connection needs."""
    log = logging.getLogger("websockets.server")
    return types.SimpleNamespace(handler=handler, handler_tasks=set(), is_serving=lambda: True, logger=log)


@contextlib.asynccontextmanager
async def opened(close_timeout: float | None = None) -> AsyncIterator[tuple[Socket, Wire]]:
    """A connection past its handshake, and what it writes from there on."""

    async def handler(socket: Socket) -> None:
        await socket.handshake(None, None, None)
        socket.forget_handshake()
        ready.set()
        with contextlib.suppress(ConnectionClosed):
            await socket.recv()

    ready, server = asyncio.Event(), served_by(handler)
    socket = Socket(ServerProtocol(), server, ping_interval=None, close_timeout=close_timeout)
    wire = Wire()
    wire.protocol = socket
    socket.connection_made(wire)
    socket.data_received(HANDSHAKE)
    await ready.wait()
    del wire.written[:]
    yield socket, wire
    wire.close()
    await asyncio.wait(server.handler_tasks)


async def heard(
    kind: type[ServerConnection], chunks: list[bytes], at_once: bool, hurried: bool = False, early: bytes = b""
) -> tuple[list[Any], bytes]:
    """What a connection takes out of some chunks, and what it writes.

    at_once: whether it takes what it is offered. hurried: all chunks come before it can do anything. early: what comes
    together with the handshake.
    """
    messages: list[Any] = []

    async def handler(socket: ServerConnection) -> None:
        await socket.handshake(None, None, None)
        if isinstance(socket, Socket):
            socket.forget_handshake()
            socket.on_message = lambda message: at_once and not messages.append(message)  # type: ignore[func-returns-value]
        opened.set()
        with contextlib.suppress(ConnectionClosed):
            async for message in socket:
                messages.append(message)
                if isinstance(socket, Socket):
                    socket.unfinished -= 1
        done.set()

    opened, done = asyncio.Event(), asyncio.Event()
    server = served_by(handler)
    socket = kind(ServerProtocol(max_size=4096), server, ping_interval=None, close_timeout=None)
    wire = Wire()
    wire.protocol = socket
    socket.connection_made(wire)
    socket.data_received(HANDSHAKE + early)
    await opened.wait()
    del wire.written[:]
    for chunk in chunks:
        if not wire.closed:
            socket.data_received(chunk)
        if not hurried:
            await asyncio.sleep(0)
    for _ in range(len(socket._rest) if isinstance(socket, Socket) else 0):
        await asyncio.sleep(0)
    if not wire.closed:
        wire.close()
    await done.wait()
    return messages, bytes(wire.written)
