"""A WebSocket connection: a small message that comes alone is taken in, and a ping is answered.

What websockets does with each frame costs as much as deciding a whole turn; everything else is left to it. Its state
machine is made when it is needed: it takes a fifth of an idle connection's memory.
"""

import asyncio
from collections.abc import Callable
from functools import partial

from tavla_protocol.codec import MAX_FRAME_BYTES
from tavla_protocol.codes import CloseCode
from websockets.exceptions import ConnectionClosed
from websockets.frames import CloseCode as Standard
from websockets.frames import Frame, Opcode
from websockets.protocol import CLOSED, OPEN
from websockets.server import ServerProtocol

from tavla_server.delivery.flood import FLOOD_TEXT, Flood
from tavla_server.delivery.inbox import Inbox, Message
from tavla_server.delivery.ping import Ping
from tavla_server.delivery.port import Port, Sender
from tavla_server.delivery.sansio import apply_mask, release, write_out
from tavla_server.telemetry.metrics import CLOSES

SLICE_BYTES = 512  # of one client in one turn of the loop: 85 empty frames, which take 1 ms
HELD_BYTES = 16 * 1024  # that wait for their turn; beyond that nothing more is read

_BINARY, _PING, _PONG = 0x82, 0x89, 0x8A  # the first byte of a whole binary message, a ping, a pong
_MASKED, _LONG = 0x80, 126  # the second one: a mask follows, and the length if it is less than that
_HEAD = 6  # bytes before a small message: two, and the mask
_MASK, _PAYLOAD = slice(2, _HEAD), slice(_HEAD, None)  # and what stands where in it


class Socket(asyncio.Protocol):
    """A WebSocket that is open, until its end.

    It tells when more than `backlog_bytes` are unread, and when all of that is read. Whatever a client sends, it takes
    SLICE_BYTES of one turn of the loop; a flood of frames that say nothing is cut.

    on_message: called with a message at once, while no earlier one is under way and the client reads; False = it has to
    wait, and comes by `recv` as all others do. unfinished: messages that have begun to come so and have not been dealt
    with; the receiver counts it down. is_open: neither side has said goodbye. backlog_bytes: as in `Limits`. paused:
    more than that are unread. flows: open and not paused. sender: is told of that. ended_with: the code it was closed
    with: ours, if we closed it, whatever the client has answered, or not; None before.
    """

    __slots__ = (
        "_closed",
        "_deadline",
        "_drained",
        "_flood",
        "_has_ended",
        "_inbox",
        "_loop",
        "_pending",
        "_port",
        "_unparsed",
        "_websocket",
        "backlog_bytes",
        "ended_with",
        "flows",
        "is_open",
        "on_message",
        "paused",
        "ping",
        "sender",
        "transport",
        "unfinished",
    )

    def __init__(self, port: Port, transport: asyncio.Transport, early: bytes = b"") -> None:
        """early: what has come after the handshake."""
        self.transport, self._port, self._loop = transport, port, asyncio.get_running_loop()
        self.sender: Sender | None = None
        self.on_message: Callable[[bytes], bool] | None = None
        self.unfinished = 0
        self.is_open, self.flows, self.paused = True, True, False
        self.ended_with: int | None = None
        self._websocket: ServerProtocol | None = None
        self._pending = b""  # what has come and waits for its turn
        self._unparsed = 0  # bytes that have come and were not made frames of; 0 = it is between two frames
        self._has_ended = False  # nothing more comes after what is pending
        self.ping, self._inbox, self._flood = Ping(), Inbox(), Flood()
        self._deadline: asyncio.TimerHandle | None = None  # for its end
        self._drained: asyncio.Future[None] | None = None  # while a task waits for the client to read
        self._closed: asyncio.Future[None] | None = None  # for those who wait for its end
        self.backlog_bytes = port.limits.backlog_bytes
        transport.set_write_buffer_limits(self.backlog_bytes, 0)
        if early:
            self._keep(early)

    @property
    def _protocol(self) -> ServerProtocol:
        """The state machine of websockets, made for the first frame that is not dealt with here."""
        if self._websocket is None:
            self._websocket = ServerProtocol(state=OPEN, max_size=MAX_FRAME_BYTES)
        return self._websocket

    # --- what is received ---

    async def recv(self) -> str | bytes | None:
        """The next message that was not handed over at once; None after the end."""
        was_full = self._inbox.is_full
        message = await self._inbox.get()
        if was_full and not self._inbox.is_full:
            self._read_on()
        if message is None or not message.is_text:
            return message and message.data
        try:
            return message.data.decode()
        except UnicodeDecodeError as error:
            self._fail(Standard.INVALID_DATA, f"{error.reason} at position {error.start}")
        await self.wait_closed()
        return None

    @property
    def has_message(self) -> bool:
        """True if a whole message waits for `recv`."""
        return not self._inbox.is_empty

    def data_received(self, data: bytes) -> None:
        size = len(data) - _HEAD
        if 0 <= size < _LONG and data[1] == _MASKED + size and not self._unparsed:
            first = data[0]
            if first == _BINARY:
                if (
                    self.flows
                    and not self.unfinished
                    and (take := self.on_message) is not None
                    and take(apply_mask(data[_PAYLOAD], data[_MASK]))
                ):
                    return
                if self.is_open and not self._inbox.is_in_pieces:
                    self._let_wait(apply_mask(data[_PAYLOAD], data[_MASK]))
                    return
            elif self.is_open and self._is_settled(first, data):
                return
        if self._pending or len(data) > SLICE_BYTES:
            self._keep(data)
        else:
            self._unparsed += len(data)
            self._take(data)

    def _let_wait(self, data: bytes) -> None:
        """Let a whole message wait for `recv`."""
        self.unfinished += 1
        self._inbox.add(Message(data, False))
        if self._inbox.is_full:
            self.transport.pause_reading()

    def _is_settled(self, first: int, data: bytes) -> bool:
        """Answer a ping, of which our clients send one every 3 s, or note the answer to ours; False = it is neither."""
        if first == _PONG:
            return self.ping.is_answered(apply_mask(data[_PAYLOAD], data[_MASK]), self._loop.time())
        if first != _PING:
            return False
        self._count_extra()
        if not self._flood.is_on:
            self.transport.write(bytes((_PONG, len(data) - _HEAD)) + apply_mask(data[_PAYLOAD], data[_MASK]))
        return True

    def _take(self, data: bytes) -> None:
        """Let websockets read."""
        self._protocol.receive_data(data)
        frames = self._protocol.events_received()
        self._flush()
        for frame in frames:
            assert isinstance(frame, Frame), "its handshake is over"
            self._take_frame(frame)

    def _take_frame(self, frame: Frame) -> None:
        size = len(frame.data)  # (A length in a longer form is counted short: it is never again between frames.)
        self._unparsed -= _HEAD + size + (0 if size < _LONG else 2 if size < 65536 else 8)
        if frame.opcode in (Opcode.BINARY, Opcode.TEXT):
            self.unfinished += 1
            if not frame.fin:
                self._count_extra()
        elif not (frame.opcode is Opcode.PONG and self.ping.is_answered(frame.data, self._loop.time())):
            self._count_extra()
        if frame.opcode in (Opcode.BINARY, Opcode.TEXT, Opcode.CONT):
            self._inbox.put(frame)
            if self._inbox.is_full:
                self.transport.pause_reading()

    def _count_extra(self) -> None:
        """A frame that is no message. Of a flood none is answered, and nothing is read any more."""
        if self._flood.begins(self._loop.time()):
            self._pending = b""
            self.transport.pause_reading()
            if self.is_open:
                self._fail(CloseCode.FLOOD, FLOOD_TEXT)
            else:
                self.transport.abort()

    # --- what comes in bulk, a slice in each turn ---

    def _keep(self, data: bytes) -> None:
        """Take it later."""
        if not self._pending:
            self._port.slices.put(self._take_turn)
        self._pending += data
        self._unparsed += len(data)
        if len(self._pending) > HELD_BYTES:
            self.transport.pause_reading()

    def _take_turn(self) -> None:
        """A slice has its turn, unless the client has gone. More than there is room for waits for `_read_on`."""
        if self._protocol.state is CLOSED:
            self._pending = b""
        elif self._pending:
            self._take_slice()
            if not self._inbox.is_full:
                self._read_on()

    def _take_slice(self) -> None:
        data, self._pending = self._pending[:SLICE_BYTES], self._pending[SLICE_BYTES:]
        self._take(data)

    def _read_on(self) -> None:
        """Go on with what is pending: the reader has room again."""
        if self._pending:
            self._port.slices.put(self._take_turn)
        elif self._has_ended:
            self._take_end()
            self.transport.close()
        elif not (self._flood.is_on or self.transport.is_closing()):
            self.transport.resume_reading()

    # --- what is sent ---

    def keep_alive(self, frames: bytes) -> None:
        """Send a ping after some frames; close if the last one was not answered. To be called at regular intervals."""
        if not self.is_open:
            return
        if self.ping.is_pending:
            self._fail(Standard.INTERNAL_ERROR, "keepalive ping timeout")
        else:
            self.transport.write(frames + self.ping.frame(self._loop.time()))

    def _flush(self) -> None:
        """Write what websockets has to say. Each change of its state says something, so it is seen here."""
        self._refresh_flow()
        write_out(self.transport, self._protocol)
        if self._deadline is None and self._protocol.close_expected():
            self._deadline = self._loop.call_later(self._port.close_s, self._hang_up)

    def _refresh_flow(self) -> None:
        """Keep whether it flows: to ask websockets for its state takes as long as to write a frame."""
        self.is_open = self._websocket is None or self._websocket.state is OPEN
        self.flows = self.is_open and not self.paused
        if self.sender is not None:
            self.sender.on_flow()

    def pause_writing(self) -> None:
        self.paused = True
        self._refresh_flow()
        if self.sender is not None:
            self.sender.on_pause()

    def resume_writing(self) -> None:
        self._resume()
        if self.sender is not None:
            self.sender.on_resume()
        self._refresh_flow()

    def _resume(self) -> None:
        self.paused = False
        if self._drained is not None:
            self._drained.set_result(None)
            self._drained = None

    async def drain(self) -> None:
        """Wait until the client has read what was sent, if that is too much, or is gone."""
        if self.paused:
            self._drained = self._drained or self._loop.create_future()
            await asyncio.shield(self._drained)

    # --- the end ---

    async def close(self, code: int = Standard.NORMAL_CLOSURE, reason: str = "") -> None:
        """Say goodbye, and wait for the end, which comes within `close_s`."""
        self.say_goodbye(code, reason)
        await self.wait_closed()

    def say_goodbye(self, code: int, reason: str) -> None:
        """Begin to close, unless that has begun."""
        if self.is_open:
            self._protocol.send_close(code, reason)
            self._flush()

    def _hang_up(self) -> None:
        """Cut: the goodbye was not answered. While the client still reads what came before, it has more time."""
        if self.paused:
            self._deadline = self._loop.call_later(self._port.close_s, self._hang_up)
        else:
            self.transport.abort()

    async def wait_closed(self) -> None:
        """Wait for the end."""
        await asyncio.shield(self._end_to_come())

    def _end_to_come(self) -> asyncio.Future[None]:
        self._closed = self._closed or self._loop.create_future()
        return self._closed

    def _fail(self, code: int, reason: str) -> None:
        """Close, and read nothing more."""
        if self.is_open:
            self._deadline = self._loop.call_later(self._port.close_s, self.transport.abort)
            self._protocol.fail(code, reason)
            self._flush()

    def eof_received(self) -> bool:
        """Stay half open until what is pending has had its turns. With TLS that cannot be: the inbox is filled."""
        if self._pending and self.transport.can_write_eof():
            self._has_ended = True
            return True
        while self._pending and not self._inbox.is_full:
            self._take_slice()
        self._pending = b""
        self._take_end()
        return False

    def _take_end(self) -> None:
        self._protocol.receive_eof()
        self._flush()

    def connection_lost(self, exc: Exception | None) -> None:
        self._protocol.receive_eof()  # from now on it is closed, and nothing is written
        end = self._protocol.close_exc
        self.ended_with = self._protocol.close_code if end.sent is None or end.rcvd_then_sent else end.sent.code
        if self._deadline is not None:
            self._deadline.cancel()
        self._refresh_flow()
        self._port.departures.put(partial(self._end, end))

    def _end(self, end: ConnectionClosed) -> None:
        CLOSES.add(str(self.ended_with))
        self._resume()
        self._inbox.close()
        self._end_to_come().set_result(None)
        # No cycle is left: garbage is looked for rarely.
        self.on_message = self.sender = None
        release(self._protocol, end)
