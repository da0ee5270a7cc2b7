"""A connection until its request is answered: it becomes a WebSocket, or ends."""

import asyncio
import http
import socket
from collections.abc import Callable
from functools import partial
from typing import Any, cast

from tavla_protocol import SUBPROTOCOL
from websockets.exceptions import InvalidMessage, NegotiationError, RequestLineTooLong
from websockets.http11 import Request, Response
from websockets.protocol import CLOSED
from websockets.server import ServerProtocol
from websockets.typing import Subprotocol

from tavla_server.deadline import Deadline
from tavla_server.delivery.bad_requests import METHODS, TOO_LONG, Refusal, refusal_of
from tavla_server.delivery.port import Port
from tavla_server.delivery.sansio import release, write_out
from tavla_server.delivery.socket import HELD_BYTES, SLICE_BYTES, Socket
from tavla_server.telemetry.metrics import LIMITS

HEAD_BYTES = 16 * 1024  # of a handshake, all its headers together
REFUSED_BYTES = 1024 * 1024  # of a request that was refused: read and dropped, or a reset would overtake the answer
REFUSED_S = 2.0  # for its client to read the answer and hang up

_HEAD_END = b"\r\n\r\n"
_METHOD_BYTES = 8  # enough to tell GET and HEAD from all others
_ENDED = ServerProtocol(state=CLOSED)  # one for all: each takes 2 KiB
_NOTHING = bytearray()  # one for all that are answered: nothing is added to it


def _nothing() -> None:
    """Do nothing."""


class Handshake(asyncio.Protocol):
    """A handshake: a request on its way, and its answer.

    begin: called when the request has come. unheard: there is no room for it, it is cut at once. transport: from when
    it is made. request: None before it has come, and after the end or a WebSocket. socket: this one. on_gone: called
    when the client goes before it has an answer.
    """

    __slots__ = (
        "_begin",
        "_came",
        "_dropped",
        "_has_ended",
        "_is_answered",
        "_is_long",
        "_parsed",
        "_port",
        "_protocol",
        "_timers",
        "on_gone",
        "request",
        "socket",
        "transport",
        "unheard",
    )

    def __init__(self, port: Port, begin: Callable[["Handshake"], None]) -> None:
        self._port, self._begin = port, begin
        self.unheard = False
        self.request: Request | None = None
        self.socket: Socket | None = None
        self.on_gone: Callable[[], object] = _nothing
        self._is_long = False  # the answer takes so long that a client which sends nothing more is taken for gone
        self._protocol = ServerProtocol(subprotocols=[Subprotocol(SUBPROTOCOL)])
        self._came = bytearray()  # the head, and what has come after it
        self._parsed = 0  # bytes of it that websockets has read
        self._has_ended = False  # the client sends nothing more
        self._is_answered = False  # or gone: what still comes is dropped
        self._dropped = 0  # bytes
        self._timers: tuple[Deadline, ...] = ()  # for its end

    def allow(self, seconds: float) -> None:
        """Give an answer more time, to be made and read, than a handshake has. A client that hangs up ends it."""
        self._is_long = True
        for timer in self._timers:
            timer.cancel()
        self._call_later(seconds, self.cut)
        if self._has_ended:  # it hung up as soon as it had asked
            self.cut()

    def cut(self) -> None:
        """End it without a word. Before it is made, or while it agrees on TLS, there is nothing here to be ended."""
        if hasattr(self, "transport"):
            self.transport.abort()

    @property
    def remote_address(self) -> Any:
        """Address and port of the other side."""
        return self.transport.get_extra_info("peername")

    @property
    def local_address(self) -> Any:
        """Address and port of our side."""
        return self.transport.get_extra_info("sockname")

    @property
    def is_encrypted(self) -> bool:
        """True if the connection is of TLS that this server speaks itself."""
        return self.transport.get_extra_info("ssl_object") is not None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self.transport = cast(asyncio.Transport, transport)
        transport.get_extra_info("socket").setsockopt(
            socket.SOL_SOCKET, socket.SO_SNDBUF, self._port.limits.kernel_bytes
        )
        self._port.connections.add(self)
        self._call_later(self._port.open_s, self.cut)
        if self.unheard:
            LIMITS.add("open_files")
            self.transport.abort()

    def _call_later(self, delay_s: float, function: Callable[[], object]) -> None:
        self._timers = (*self._timers, Deadline(delay_s, function))

    # --- the request ---

    def data_received(self, data: bytes) -> None:
        if self._is_answered:
            self._dropped += len(data)
            if self._dropped > REFUSED_BYTES:
                self.transport.pause_reading()
            return
        if self.request is None and self._parsed == len(self._came):
            self._port.arrivals.put(self._take_turn)
        self._came += data
        if _HEAD_END in self._came:
            self._port.silent.count_out(self)
        if len(self._came) - self._parsed > HELD_BYTES:
            self.transport.pause_reading()

    def _take_turn(self) -> None:
        self._feed()
        if self.request is None and not self._is_answered:
            if self._parsed < len(self._came):
                self._port.arrivals.put(self._take_turn)
            else:
                self.transport.resume_reading()

    def _feed(self) -> None:
        """Let websockets read a slice, or the whole head if it is there, and nothing after it."""
        if self.request is not None or self._is_answered:
            return
        end = self._came.find(_HEAD_END)
        until = min(self._parsed + SLICE_BYTES, len(self._came)) if end < 0 else end + len(_HEAD_END)
        if until > HEAD_BYTES:
            self._protocol.send_response(self.refusal(TOO_LONG))
            self._refuse()
            return
        self._protocol.receive_data(self._came[self._parsed : until])
        self._parsed = until
        for request in self._protocol.events_received():
            assert isinstance(request, Request), "the first event of a connection"
            self.request = request
            self._begin(self)
        if self._protocol.handshake_exc is not None:
            self._refuse()

    def eof_received(self) -> bool:
        """Stay half open for the answer, if a request has come. With TLS that cannot be."""
        while self.request is None and not self._is_answered and self._parsed < len(self._came):
            self._feed()  # it has been sent before the end
        if self.request is None and self._came and not self._is_answered:
            self._protocol.receive_eof()
            self._refuse()
        self._has_ended = True
        awaits = self.request is not None and not self._is_answered and not self._is_long
        return awaits and self.transport.can_write_eof()

    # --- the answer ---

    @property
    def whole_request(self) -> Request:
        """The request, for its answer: it has come."""
        assert self.request is not None, "it has come"
        return self.request

    def reply(self, status: http.HTTPStatus, text: str) -> Response:
        """An answer of one line."""
        return self._protocol.reject(status, f"{text}\n")

    def refusal(self, refusal: Refusal) -> Response:
        """The answer to a request that is refused."""
        answer = self.reply(refusal.status, refusal.text)
        if refusal.status == http.HTTPStatus.METHOD_NOT_ALLOWED:
            answer.headers["Allow"] = ", ".join(METHODS)
        return self._without_body(answer)

    def _without_body(self, answer: Response) -> Response:
        """The same answer, without its body if only the head is asked for."""
        if self._came.startswith(b"HEAD "):
            answer.body = b""
        return answer

    def respond(self, response: Response) -> None:
        """Send the answer, and end the connection, unless the client is gone."""
        if self._is_answered or self.transport.is_closing():
            return
        self._protocol.send_response(self._without_body(response))
        write_out(self.transport, self._protocol)
        self._dismiss(response.status_code, self._port.close_s)
        if self._has_ended:
            self.transport.close()

    def open(self) -> Socket | None:
        """Accept the WebSocket. Returns None if it was none, which is answered; or if the client is gone."""
        if self._is_answered or self.request is None or self.transport.is_closing():
            return None
        if self._has_ended:
            self.transport.abort()
            return None
        response = self._protocol.accept(self.request)
        if isinstance(self._protocol.handshake_exc, NegotiationError):
            response = self.reply(http.HTTPStatus.BAD_REQUEST, f"ask for the WebSocket subprotocol {SUBPROTOCOL}")
        if response.status_code == http.HTTPStatus.SWITCHING_PROTOCOLS and self._port.is_closing:
            response = self.reply(http.HTTPStatus.SERVICE_UNAVAILABLE, "this server stops: connect again")
        if response.status_code != http.HTTPStatus.SWITCHING_PROTOCOLS:
            self.respond(response)
            return None
        self._protocol.send_response(response)
        write_out(self.transport, self._protocol)
        self._port.count(str(response.status_code))
        self.socket = Socket(self._port, self.transport, bytes(self._came[self._parsed :]))
        self.transport.set_protocol(self.socket)
        self._forget()
        return self.socket

    def _refuse(self) -> None:
        """Answer what websockets cannot read, before the end that it sends; lines too long it answers itself."""
        error = self._protocol.handshake_exc
        status = 414 if isinstance(error, RequestLineTooLong) else 431
        if isinstance(error, InvalidMessage):
            refusal = refusal_of(bytes(self._came[:_METHOD_BYTES]), error.__cause__)
            status = refusal.status
            self.transport.write(self.refusal(refusal).serialize())
        write_out(self.transport, self._protocol, may_close=False)
        self._dismiss(status, REFUSED_S)

    def _dismiss(self, status: int, wait_s: float) -> None:
        """Wait a little for an answered client to hang up."""
        self._port.count(str(int(status)))
        self._port.silent.count_out(self)
        self._is_answered, self._came = True, _NOTHING
        if not self.transport.is_closing():
            self.transport.resume_reading()
        self._call_later(wait_s, partial(self._hang_up, wait_s))

    def _hang_up(self, wait_s: float) -> None:
        """Cut, unless the client still reads: the time for that is the time of a handshake."""
        if self.transport.get_write_buffer_size():
            self._call_later(wait_s, partial(self._hang_up, wait_s))
        else:
            self.transport.abort()

    # --- the end ---

    def connection_lost(self, exc: Exception | None) -> None:
        self._port.silent.count_out(self)
        self._port.connections.discard(self)
        if not self._is_answered:
            self.on_gone()
        self._forget()

    def _forget(self) -> None:
        """Free what came and went: the headers take 3 KiB."""
        self._is_answered, self.request, self._came = True, None, _NOTHING
        self.on_gone = _nothing
        for timer in self._timers:
            timer.cancel()
        self._timers = ()
        release(self._protocol, self._protocol.handshake_exc)
        self._protocol = _ENDED
