"""One WebSocket connection: a message that comes alone, as one small frame, is handed over at once.

What websockets does with each frame costs as much as deciding a whole turn; everything else is left to it.
"""

import asyncio
import socket
from collections.abc import Callable

from websockets.asyncio.server import ServerConnection
from websockets.frames import DATA_OPCODES, Frame
from websockets.protocol import Event, State

try:
    from websockets.speedups import apply_mask
except ImportError:
    from websockets.utils import apply_mask

BACKLOG_BYTES = 64 * 1024  # sent but unread; a client further behind is shown nothing more until it has read that
KERNEL_BYTES = 64 * 1024  # unread beside that; left to itself, Linux keeps megabytes of what is old by then

_BINARY = 0x82  # the first byte of a whole binary message
_MASKED, _LONG = 0x80, 126  # the second one: a mask follows, and the length if it is less than that
_HEAD = 6  # bytes before a small message: two, and the mask


class Socket(ServerConnection):
    """A connection that tells when more than BACKLOG_BYTES are unread, and when all of that is read.

    on_message: called with a message at once, while no earlier one is under way; False = it has to wait, and comes by
    `recv` as all others do. unfinished: messages that came so and have not been dealt with; who receives them counts it
    down.
    """

    on_paused: Callable[[], None] | None = None
    on_resumed: Callable[[], None] | None = None
    on_message: Callable[[bytes], bool] | None = None
    unfinished = 0
    _plain = False  # no frame came together with the handshake
    _fed = 0  # bytes given to websockets since then
    _parsed = 0  # of those, the ones that it has made frames of; equal: it is between two frames
    _fragmented = False  # it is in the middle of a message

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        transport.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, KERNEL_BYTES)
        self.write_limit_high, self.write_limit_low = BACKLOG_BYTES, 0
        super().connection_made(transport)

    def data_received(self, data: bytes) -> None:
        if (
            self.on_message is not None
            and self._plain
            and data[0] == _BINARY
            and _HEAD <= len(data) < _HEAD + _LONG
            and data[1] == _MASKED + len(data) - _HEAD
            and self._fed == self._parsed
            and not self.unfinished
            and not self._fragmented
            and self.protocol.state is State.OPEN
            and self.on_message(apply_mask(data[_HEAD:], data[2:_HEAD]))
        ):
            return
        if self.request is None:
            self._plain = data.endswith(b"\r\n\r\n")
        else:
            self._fed += len(data)
        super().data_received(data)

    def process_event(self, event: Event) -> None:
        if isinstance(event, Frame):
            size = len(event.data)  # (What is not in its shortest form is counted short, and so never again equal.)
            self._parsed += _HEAD + size + (0 if size < _LONG else 2 if size < 65536 else 8)
            if event.opcode in DATA_OPCODES:
                self.unfinished += event.fin
                self._fragmented = not event.fin
        super().process_event(event)

    def pause_writing(self) -> None:
        super().pause_writing()
        if self.on_paused:
            self.on_paused()

    def resume_writing(self) -> None:
        super().resume_writing()
        if self.on_resumed:
            self.on_resumed()
