"""One WebSocket connection: a small message that comes alone is handed over at once, and a ping is answered.

What websockets does with each frame costs as much as deciding a whole turn; everything else is left to it.
"""

import asyncio
import http
import math
import socket
import struct
from collections.abc import Callable
from functools import partial
from typing import Any

from tavla_protocol.codes import CloseCode
from websockets.asyncio.server import ServerConnection
from websockets.datastructures import Headers
from websockets.exceptions import InvalidMessage, RequestLineTooLong
from websockets.frames import Frame, Opcode
from websockets.http11 import Request, Response
from websockets.protocol import CLOSED, CONNECTING, OPEN, Event

from tavla_server.delivery.bad_requests import METHODS, TOO_LONG, Refusal, refusal_of
from tavla_server.delivery.work_queue import WorkQueue
from tavla_server.telemetry.metrics import CLOSES, LIMITS, RESPONSES

try:
    from websockets.speedups import apply_mask
except ImportError:
    from websockets.utils import apply_mask

BACKLOG_BYTES = 64 * 1024  # sent but unread; a client further behind is shown nothing more until it has read that
KERNEL_BYTES = 64 * 1024  # unread beside that; left to itself, Linux keeps megabytes of what is old by then

SLICE_BYTES = 512  # of one client in one turn of the loop: 85 empty frames, which take 1 ms
HELD_BYTES = 16 * 1024  # that wait for their turn; beyond that nothing more is read
HEAD_BYTES = 16 * 1024  # of a handshake, all its headers together
REFUSED_BYTES = 1024 * 1024  # of a request that was refused: read and dropped, or a reset would overtake the answer
REFUSED_S = 2.0  # for its client to read the answer and hang up
EXTRAS_PER_S, EXTRAS_BURST = 5.0, 50.0  # frames of a client that are no whole message: pings, pongs, pieces
FLOOD_TEXT = "too many pings, pongs or pieces of messages: send whole messages"

_EXTRA_S, _EXTRAS_S = 1 / EXTRAS_PER_S, EXTRAS_BURST / EXTRAS_PER_S
_HEAD_END = b"\r\n\r\n"
_METHOD_BYTES = 8  # enough to tell GET and HEAD from all others
_BINARY, _PONG = 0x82, 0x8A  # the first byte of a whole binary message, and of a pong
_CONTROL = (0x89, _PONG)  # of a ping, too
_MASKED, _LONG = 0x80, 126  # the second one: a mask follows, and the length if it is less than that
_HEAD = 6  # bytes before a small message: two, and the mask
_MASK, _PAYLOAD = slice(2, _HEAD), slice(_HEAD, None)  # and what stands where in it
_PING = struct.Struct("!d")  # when it was sent
_PING_HEAD = bytes((0x80 | Opcode.PING, _PING.size))

_SHAKEN = Request("/", Headers())  # what is left of a handshake: headers take 3 KiB


class Socket(ServerConnection):
    """A connection that tells when more than BACKLOG_BYTES are unread, and when all of that is read.

    Whatever a client sends, it takes SLICE_BYTES of one turn of the loop; a flood of frames that say nothing is cut.

    arrivals, departures: where handshakes and ends wait for their turn, if there can be thousands at once.
    slices: where those wait who have sent much. unheard: there is no room for it, it is cut at once.
    on_heard: called when its handshake has come, though it may have to wait for its turn; or when it is gone.
    on_message: called with a message at once, while no earlier one is under way and the client reads; False = it has to
    wait, and comes by `recv` as all others do. unfinished: messages that have begun to come so and have not been dealt
    with; who receives them counts it down. flows: it is open, and no more than BACKLOG_BYTES are unread. on_flow: it
    may have changed.
    """

    # More than 30 attributes in a dict, websockets' own among them, would take it 1.5 KiB more.
    __slots__ = (
        "_begin",
        "_extras_s",
        "_fed",
        "_head",
        "_parsed",
        "_pinged_s",
        "_refused",
        "_rest",
        "arrivals",
        "departures",
        "flows",
        "on_flow",
        "on_heard",
        "on_message",
        "on_paused",
        "on_resumed",
        "slices",
        "unfinished",
        "unheard",
    )

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self.arrivals: WorkQueue | None = None
        self.departures: WorkQueue | None = None
        self.slices: WorkQueue | None = None
        self.unheard = False
        self.on_heard: Callable[[Socket], None] | None = None
        self.on_flow: Callable[[], None] | None = None
        self.on_paused: Callable[[], None] | None = None
        self.on_resumed: Callable[[], None] | None = None
        self.on_message: Callable[[bytes], bool] | None = None
        self.unfinished = 0
        self.flows = False
        self._rest = b""  # what has come and waits for its turn, in `arrivals` or `slices`
        self._head = 0  # bytes of the handshake so far, and of what was dropped after it was refused
        self._begin = b""  # of it, the first _METHOD_BYTES
        self._refused = False  # its request was answered with an error: what still comes is dropped
        self._extras_s = 0.0  # until when the frames that were no messages keep it busy, at EXTRAS_PER_S; infinite: cut
        self._fed = 0.0  # bytes that came since the handshake; infinite: nobody knows where that ended
        self._parsed = 0  # of those, the ones that it has made frames of; equal: it is between two frames
        self._pinged_s = 0.0  # when a ping was sent that has not been answered, by the loop's clock; 0 = all have been
        self.drain_waiters = []  # type: ignore[assignment] # an empty deque takes 600 bytes more than a list

    def forget_handshake(self) -> None:
        """Free what came and went with the handshake, and websockets' own logger for each connection."""
        self.request, self.response, self._begin = _SHAKEN, None, b""
        if self._fed == self._parsed and self.state is OPEN:
            self.protocol.parser = self.protocol.parse()  # the one that has parsed the request keeps it
            next(self.protocol.parser)
        self.logger = self.protocol.logger = self.server.logger

    @property
    def ended_with(self) -> int | None:
        """The code it was closed with: ours, if we closed it, whatever the client has answered, or not."""
        ours = self.protocol.close_sent
        return self.close_code if ours is None or self.protocol.close_rcvd_then_sent else ours.code

    def cut(self) -> None:
        """End it without a word. Before it is made, or while it agrees on TLS, there is nothing here to be ended."""
        if hasattr(self, "transport"):
            self.transport.abort()

    def keep_alive(self, frames: bytes) -> None:
        """Send a ping after some frames; close if the last one was not answered. To be called at regular intervals.

        websockets has a task, a future and two timers for that of each connection: 1.4 KiB.
        """
        if self.protocol.state is not OPEN:
            return
        if self._pinged_s:
            self.protocol.fail(CloseCode.INTERNAL_ERROR, "keepalive ping timeout")
            self.send_data()
            self.loop.call_later(self.close_timeout or 0.0, self.transport.abort)
        else:
            self._pinged_s = self.loop.time()
            self.transport.write(frames + _PING_HEAD + _PING.pack(self._pinged_s))

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        transport.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, KERNEL_BYTES)
        self.write_limit_high, self.write_limit_low = BACKLOG_BYTES, 0
        super().connection_made(transport)
        self.recv_messages.resume = self._read_on
        if self.unheard:
            LIMITS.add("open_files")
            self.transport.abort()

    def data_received(self, data: bytes) -> None:
        size = len(data) - _HEAD
        if (
            0 <= size < _LONG
            and data[0] == _BINARY
            and data[1] == _MASKED + size
            and self._fed == self._parsed
            and self.flows
            and not self.unfinished
            and (take := self.on_message) is not None
            and take(apply_mask(data[_PAYLOAD], data[_MASK]))
        ):
            return
        if (
            0 <= size < _LONG
            and data[0] in _CONTROL
            and data[1] == _MASKED + size
            and self._fed == self._parsed
            and self.protocol.state is OPEN
            and self._is_settled(data[0], apply_mask(data[_PAYLOAD], data[_MASK]))
        ):
            return
        if self._refused:
            self._drop(len(data))
        elif self._rest or len(data) > SLICE_BYTES or (self.request is None and self.arrivals is not None):
            self._keep(data)
        else:
            self._fed += len(data)
            self._take(data)

    def _keep(self, data: bytes) -> None:
        """Take it later, a slice in each turn."""
        if not self._rest:
            self._wait_for_turn()
        self._rest += data
        self._fed += len(data)
        if self.on_heard is not None and _HEAD_END in self._rest:
            self._heard()
        if len(self._rest) > HELD_BYTES:
            self.transport.pause_reading()

    def _heard(self) -> None:
        if (heard := self.on_heard) is not None:
            self.on_heard = None
            heard(self)

    def _wait_for_turn(self) -> None:
        turns = self.arrivals if self.request is None else self.slices
        (turns.put if turns is not None else self.loop.call_soon)(self._take_turn)

    def _take_turn(self) -> None:
        """A slice has its turn, unless the client has gone. More than websockets has room for waits for `_read_on`."""
        if self.protocol.state is CLOSED:
            self._rest = b""
        elif self._rest:
            self._take_slice()
            if not self.recv_messages.paused:
                self._read_on()

    def _read_on(self) -> None:
        """There is room for more."""
        if self._rest:
            self._wait_for_turn()
        elif self._extras_s < math.inf and not self.transport.is_closing():
            self.transport.resume_reading()

    def _take_slice(self) -> None:
        """The whole head of a handshake is taken at once, if it is there."""
        end = self._rest.find(_HEAD_END) if self.request is None else -1
        size = SLICE_BYTES if end < 0 else end + len(_HEAD_END)
        data, self._rest = self._rest[:size], self._rest[size:]
        self._take(data)

    def _take(self, data: bytes) -> None:
        if self.request is None:
            if self._head < _METHOD_BYTES:
                self._begin = (self._begin + data)[:_METHOD_BYTES]
            self._head += len(data)
            self._fed = len(self._rest) if data.endswith(_HEAD_END) else math.inf
            if self._head > HEAD_BYTES and self.protocol.state is CONNECTING and not self.protocol.eof_sent:
                self.protocol.send_response(self.refusal(TOO_LONG))
                self._dismiss(TOO_LONG.status)
                self.send_data()
                return
        super().data_received(data)

    def refusal(self, refusal: Refusal) -> Response:
        """The answer to a request that is refused."""
        answer = self.protocol.reject(refusal.status, f"{refusal.text}\n")
        if refusal.status == http.HTTPStatus.METHOD_NOT_ALLOWED:
            answer.headers["Allow"] = ", ".join(METHODS)
        if self._begin.startswith(b"HEAD "):
            answer.body = b""
        return answer

    def _dismiss(self, status: int) -> None:
        """It has had its answer: wait a little for it to hang up."""
        self._refused, self._rest = True, b""
        self._heard()
        RESPONSES.add(str(status))
        self.loop.call_later(REFUSED_S, self.transport.abort)

    def _drop(self, size: int) -> None:
        self._head += size
        if self._head > REFUSED_BYTES:
            self.transport.pause_reading()

    def eof_received(self) -> None:
        while self._rest:  # it has been sent before the end
            self._take_slice()
        super().eof_received()

    def connection_lost(self, exc: Exception | None) -> None:
        self.protocol.receive_eof()  # from now on it is closed, and nothing is written
        self._see()
        self._heard()
        if self.departures is None:
            self._end(exc)
        else:
            self.departures.put(partial(self._end, exc))

    def _end(self, exc: Exception | None) -> None:
        super().connection_lost(exc)
        if self.request is _SHAKEN:  # a WebSocket
            CLOSES.add(str(self.ended_with))
        # No cycle is left: garbage is looked for rarely.
        self.on_message = self.on_flow = self.on_paused = self.on_resumed = None
        self.recv_messages.resume = _nothing
        for end in (self.protocol.parser_exc, self.protocol.handshake_exc):
            _forget_frames(end)  # they have the protocol, which has the exception
        self.protocol.parser.close()  # likewise

    def process_event(self, event: Event) -> None:
        if isinstance(event, Frame):
            size = len(event.data)  # (What is not in its shortest form is counted short, and so never again equal.)
            self._parsed += _HEAD + size + (0 if size < _LONG else 2 if size < 65536 else 8)
            if event.opcode in (Opcode.BINARY, Opcode.TEXT):
                self.unfinished += 1
                if not event.fin:
                    self._count_extra()
            elif not (event.opcode is Opcode.PONG and self._is_answered(event.data)):
                self._count_extra()
        super().process_event(event)

    def _count_extra(self) -> None:
        """A frame that is no message: some are good manners, of a flood none is answered any more."""
        if self._extras_s == math.inf:  # more of those that came together with the one too many
            return
        now = self.loop.time()
        self._extras_s = max(self._extras_s, now) + _EXTRA_S
        if self._extras_s > now + _EXTRAS_S:
            LIMITS.add("flood")
            self._extras_s, self._rest = math.inf, b""
            if self.protocol.state is OPEN:
                self.protocol.fail(CloseCode.FLOOD, FLOOD_TEXT)
                self.send_data()
                self.transport.pause_reading()
                self.loop.call_later(self.close_timeout or 0.0, self.transport.abort)
            else:
                self.transport.abort()

    def _is_settled(self, first: int, payload: bytes) -> bool:
        """Answer a ping, of which our clients send one every 3 s, or note the answer to ours; False = it is neither."""
        if first == _PONG:
            return self._is_answered(payload)
        self._count_extra()
        if self._extras_s < math.inf:
            self.transport.write(bytes((_PONG, len(payload))) + payload)
        return True

    def _is_answered(self, pong: bytes | bytearray | memoryview) -> bool:
        """Whether this is the answer to our ping, which is noted."""
        if not self._pinged_s or pong != _PING.pack(self._pinged_s):
            return False
        self.latency, self._pinged_s = self.loop.time() - self._pinged_s, 0.0
        return True

    def send_data(self) -> None:
        """What opens or closes it has something to send, so that here alone it can be seen."""
        if self.request is None and self._head and not self._refused and self.protocol.eof_sent:
            self._answer_unread(self.protocol.handshake_exc)
        self._see()
        if self._refused and not self.transport.can_write_eof():  # with TLS, whose only end is to close
            self.transport.writelines([data for data in self.protocol.data_to_send() if data])
        else:
            super().send_data()

    def _answer_unread(self, error: BaseException | None) -> None:
        """Answer what websockets cannot read, before the end that it sends; lines too long it answers itself."""
        if isinstance(error, InvalidMessage):
            refusal = refusal_of(self._begin, error.__cause__)
            self.transport.write(self.refusal(refusal).serialize())
            self._dismiss(refusal.status)
        else:
            self._dismiss(414 if isinstance(error, RequestLineTooLong) else 431)

    def _see(self) -> None:
        """Keep whether it flows: to ask websockets for its state takes as long as to write a frame."""
        self.flows = self.protocol.state is OPEN and not self.paused
        if self.on_flow is not None:
            self.on_flow()

    def pause_writing(self) -> None:
        super().pause_writing()
        self._see()
        if self.on_paused:
            self.on_paused()

    def resume_writing(self) -> None:
        super().resume_writing()
        if self.on_resumed:
            self.on_resumed()
        self._see()


def _nothing() -> None:
    """What follows for one who is gone."""


def _forget_frames(error: BaseException | None) -> None:
    """Let an exception, and those that have led to it, keep none of the frames that they have gone through."""
    errors = [error]
    for one in errors:
        if one is not None:
            one.__traceback__ = None
            errors += [other for other in (one.__cause__, one.__context__) if other not in errors]
