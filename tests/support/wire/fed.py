"""A connection fed with bytes by hand, without a network."""

import asyncio
import contextlib
import types
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any, cast

from tavla_protocol.codec import MAX_FRAME_BYTES
from tavla_server.delivery.handshake import Handshake
from tavla_server.delivery.port import Cuttable, Port
from tavla_server.delivery.socket import Socket
from websockets.asyncio.server import ServerConnection
from websockets.exceptions import ConnectionClosed
from websockets.frames import Frame, Opcode
from websockets.server import ServerProtocol

HANDSHAKE = (
    b"GET / HTTP/1.1\r\nHost: here\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
    b"Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n"
    b"Sec-WebSocket-Protocol: tavla.v1\r\n\r\n"
)


class Wire(asyncio.Transport):
    """A transport that keeps what is written, and ends the connection when it is closed."""

    def __init__(self) -> None:
        super().__init__({"socket": types.SimpleNamespace(setsockopt=lambda *_: None)})
        self.written, self.closed, self.paused = bytearray(), False, False
        self.protocol: asyncio.Protocol | None = None

    def write(self, data: bytes | bytearray | memoryview) -> None:
        self.written += data

    def feed(self, data: bytes) -> None:
        """Let some bytes come, if it is not closed."""
        assert self.protocol is not None
        if not self.closed:
            self.protocol.data_received(data)

    def set_protocol(self, protocol: asyncio.BaseProtocol) -> None:
        self.protocol = cast(asyncio.Protocol, protocol)

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


class Nobody:
    """A limit of silent connections that is never met."""

    def wait_for(self, pending: Cuttable, /) -> None:
        pass

    def count_out(self, pending: Cuttable, /) -> None:
        pass

    def close(self) -> None:
        pass


def new_port(close_s: float = 60.0) -> Port:
    """A port without a listener."""
    return Port(silent=Nobody(), open_s=60.0, close_s=close_s)


@contextlib.asynccontextmanager
async def opened(close_s: float = 60.0) -> AsyncIterator[tuple[Socket, Wire]]:
    """A connection past its handshake, and what it writes from there on."""
    wire = Wire()
    wire.protocol = socket = Socket(new_port(close_s), wire)
    yield socket, wire
    wire.close()
    await socket.wait_closed()


def connected(serve: Callable[[Handshake], Awaitable[None]]) -> tuple[Handshake, Wire]:
    """A new connection. serve: what its request leads to, in a task."""
    wire, tasks = Wire(), set[asyncio.Task[None]]()

    def begin(handshake: Handshake) -> None:
        tasks.add(asyncio.ensure_future(serve(handshake)))

    wire.protocol = handshake = Handshake(new_port(), begin)
    handshake.connection_made(wire)
    return handshake, wire


async def heard(
    chunks: list[bytes], at_once: bool, hurried: bool = False, early: bytes = b"", offered: list[bytes] | None = None
) -> tuple[list[Any], bytes]:
    """Messages that a connection takes out of some chunks, and the bytes that it writes.

    at_once: whether it takes what it is offered. hurried: all chunks come before it can do anything. early: what comes
    together with the handshake. offered: gets what was offered at once.
    """
    messages: list[Any] = []

    async def serve(handshake: Handshake) -> None:
        def take(message: bytes) -> bool:
            if offered is not None:
                offered.append(message)
            return at_once and not messages.append(message)  # type: ignore[func-returns-value]

        socket = handshake.open()
        assert socket is not None
        socket.on_message = take
        del wire.written[:]
        opened.set_result(socket)
        while (message := await socket.recv()) is not None:
            messages.append(message)
            socket.unfinished -= 1
        done.set()

    opened, done = asyncio.get_running_loop().create_future(), asyncio.Event()
    _, wire = connected(serve)
    wire.feed(HANDSHAKE + early)
    socket: Socket = await opened
    await _taken(socket, wire)
    await _feed(wire, chunks, hurried)
    await _taken(socket, wire)
    wire.close()
    await done.wait()
    return messages, bytes(wire.written)


async def _taken(socket: Socket, wire: Wire) -> None:
    """Nothing waits for its turn any more."""
    while socket._pending and not wire.closed:  # noqa: ASYNC110 - nothing tells of it
        await asyncio.sleep(0)


async def heard_by_websockets(chunks: list[bytes], hurried: bool = False) -> tuple[list[Any], bytes]:
    """The same of a connection of websockets' own."""
    messages: list[Any] = []

    async def handler(socket: ServerConnection) -> None:
        await socket.handshake(None, None, None)
        opened.set()
        with contextlib.suppress(ConnectionClosed):
            async for message in socket:
                messages.append(message)  # noqa: PERF401 - it may end with an error
        done.set()

    opened, done, wire = asyncio.Event(), asyncio.Event(), Wire()
    server: Any = types.SimpleNamespace(handler=handler, handler_tasks=set(), is_serving=lambda: True)
    socket = ServerConnection(ServerProtocol(max_size=MAX_FRAME_BYTES), server, ping_interval=None, close_timeout=None)
    wire.protocol = socket
    socket.connection_made(wire)
    wire.feed(HANDSHAKE)
    await opened.wait()
    del wire.written[:]
    await _feed(wire, chunks, hurried)
    wire.close()
    await done.wait()
    return messages, bytes(wire.written)


async def _feed(wire: Wire, chunks: list[bytes], hurried: bool) -> None:
    for chunk in chunks:
        wire.feed(chunk)
        if not hurried:
            await asyncio.sleep(0)


def frame(opcode: int, data: bytes, fin: bool = True, masked: bool = True) -> bytes:
    """A client's frame, as websockets writes it."""
    return Frame(Opcode(opcode), data, fin=fin).serialize(mask=masked)
