"""One WebSocket connection: a message that comes alone, as one small frame, is handed over at once.

What websockets does with each frame costs as much as deciding a whole turn; everything else is left to it.
"""

import asyncio
import math
import socket
import struct
from collections.abc import Callable
from functools import partial
from typing import Any

from websockets.asyncio.server import ServerConnection
from websockets.datastructures import Headers
from websockets.frames import CloseCode, Frame, Opcode
from websockets.http11 import Request
from websockets.protocol import CLOSED, OPEN, Event

from tavla_server.delivery.turns import Turns

try:
    from websockets.speedups import apply_mask
except ImportError:
    from websockets.utils import apply_mask

BACKLOG_BYTES = 64 * 1024  # sent but unread; a client further behind is shown nothing more until it has read that
KERNEL_BYTES = 64 * 1024  # unread beside that; left to itself, Linux keeps megabytes of what is old by then

_BINARY, _PONG = 0x82, 0x8A  # the first byte of a whole binary message, and of a pong
_MASKED, _LONG = 0x80, 126  # the second one: a mask follows, and the length if it is less than that
_HEAD = 6  # bytes before a small message: two, and the mask
_PING = struct.Struct("!d")  # when it was sent
_PING_HEAD = bytes((0x80 | Opcode.PING, _PING.size))

_SHAKEN = Request("/", Headers())  # what is left of a handshake: headers take 3 KiB


class Socket(ServerConnection):
    """A connection that tells when more than BACKLOG_BYTES are unread, and when all of that is read.

    arrivals, departures: where handshakes and ends wait for their turn, if there can be thousands at once.
    on_message: called with a message at once, while no earlier one is under way; False = it has to wait, and comes by
    `recv` as all others do. unfinished: messages that have begun to come so and have not been dealt with; who receives
    them counts it down.
    """

    # More than 30 attributes in a dict, websockets' own among them, would take it 1.5 KiB more.
    __slots__ = (
        "_fed",
        "_parsed",
        "_pinged_s",
        "_queued",
        "arrivals",
        "departures",
        "on_message",
        "on_paused",
        "on_resumed",
        "unfinished",
    )

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self.arrivals: Turns | None = None
        self.departures: Turns | None = None
        self.on_paused: Callable[[], None] | None = None
        self.on_resumed: Callable[[], None] | None = None
        self.on_message: Callable[[bytes], bool] | None = None
        self.unfinished = 0
        self._queued = 0  # chunks that wait for their turn in `arrivals`
        self._fed = 0.0  # bytes given to websockets since the handshake; infinite: a frame came together with that
        self._parsed = 0  # of those, the ones that it has made frames of; equal: it is between two frames
        self._pinged_s = 0.0  # when a ping was sent that has not been answered, by the loop's clock; 0 = all have been
        self.drain_waiters = []  # type: ignore[assignment] # an empty deque takes 600 bytes more than a list

    def forget_handshake(self) -> None:
        """Free what came and went with the handshake, and websockets' own logger for each connection."""
        self.request, self.response = _SHAKEN, None
        if self._fed == self._parsed and self.state is OPEN:
            self.protocol.parser = self.protocol.parse()  # the one that has parsed the request keeps it
            next(self.protocol.parser)
        self.logger = self.protocol.logger = self.server.logger

    def keep_alive(self) -> None:
        """Send a ping; close if the one before has not been answered. To be called at regular intervals.

        websockets has a task, a future and two timers for that of each connection: 1.4 KiB.
        """
        if self.state is not OPEN:
            return
        if self._pinged_s:
            self.protocol.fail(CloseCode.INTERNAL_ERROR, "keepalive ping timeout")
            self.send_data()
            self.loop.call_later(self.close_timeout or 0.0, self.transport.abort)
        else:
            self._pinged_s = self.loop.time()
            self.transport.write(_PING_HEAD + _PING.pack(self._pinged_s))

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        transport.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, KERNEL_BYTES)
        self.write_limit_high, self.write_limit_low = BACKLOG_BYTES, 0
        super().connection_made(transport)

    def data_received(self, data: bytes) -> None:
        size = len(data) - _HEAD
        if (
            0 <= size < _LONG
            and data[0] == _BINARY
            and data[1] == _MASKED + size
            and self._fed == self._parsed
            and not self.unfinished
            and self.on_message is not None
            and self.protocol.state is OPEN
            and self.on_message(apply_mask(data[_HEAD:], data[2:_HEAD]))
        ):
            return
        if (
            size == _PING.size
            and data[0] == _PONG
            and data[1] == _MASKED + size
            and self._fed == self._parsed
            and self.protocol.state is OPEN
            and self._is_answered(apply_mask(data[_HEAD:], data[2:_HEAD]))
        ):
            return
        if self._queued or (self.request is None and self.arrivals is not None):
            assert self.arrivals is not None, "where those wait that are queued"
            self._queued += 1
            self.arrivals.put(partial(self._take_turn, data))
        else:
            self._take(data)

    def _take_turn(self, data: bytes) -> None:
        """A part of the handshake, or what comes behind it, has its turn, unless the client has not waited for that."""
        self._queued -= 1
        if self.protocol.state is not CLOSED:
            self._take(data)

    def _take(self, data: bytes) -> None:
        if self.request is None:
            self._fed = 0 if data.endswith(b"\r\n\r\n") and not self._queued else math.inf
        else:
            self._fed += len(data)
        super().data_received(data)

    def connection_lost(self, exc: Exception | None) -> None:
        self.protocol.receive_eof()  # from now on it is closed, and nothing is written
        if self.departures is None:
            self._end(exc)
        else:
            self.departures.put(partial(self._end, exc))

    def _end(self, exc: Exception | None) -> None:
        super().connection_lost(exc)
        self.on_message = self.on_paused = self.on_resumed = None  # no cycle is left: garbage is looked for rarely
        if (end := self.protocol.parser_exc) is not None:
            end.__traceback__ = None  # which has the protocol, which has the exception

    def process_event(self, event: Event) -> None:
        if isinstance(event, Frame):
            size = len(event.data)  # (What is not in its shortest form is counted short, and so never again equal.)
            self._parsed += _HEAD + size + (0 if size < _LONG else 2 if size < 65536 else 8)
            if event.opcode in (Opcode.BINARY, Opcode.TEXT):
                self.unfinished += 1
            elif event.opcode is Opcode.PONG:
                self._is_answered(event.data)
        super().process_event(event)

    def _is_answered(self, pong: bytes | bytearray | memoryview) -> bool:
        """Whether this is the answer to our ping, which is noted."""
        if not self._pinged_s or pong != _PING.pack(self._pinged_s):
            return False
        self.latency, self._pinged_s = self.loop.time() - self._pinged_s, 0.0
        return True

    def pause_writing(self) -> None:
        super().pause_writing()
        if self.on_paused:
            self.on_paused()

    def resume_writing(self) -> None:
        super().resume_writing()
        if self.on_resumed:
            self.on_resumed()
