"""A foreign client: a plain socket that keeps no rule which it does not want to keep."""

import contextlib
import os
import socket
import struct
from collections.abc import Iterable
from typing import Any

import msgpack

from tests.support.patience import PATIENCE_S

LAST_BYTES = 200
OUR_PING = b"\x89\x08"  # a server's, of 8 bytes
CLOSE, PING, PONG, BINARY, CONT = 0x88, 0x89, 0x8A, 0x82, 0x80  # heads of whole frames; BEGUN: of one that goes on
BEGUN, GOES_ON = 0x02, 0x00


def frame(first: int, data: bytes = b"") -> bytes:
    """A client's frame. Its mask is zero, which is as good as any."""
    size = len(data)
    length = bytes((0x80 | size,)) if size < 126 else b"\xfe" + struct.pack("!H", size)
    return bytes((first,)) + length + bytes(4) + data


def request(type_: str, id: int, **fields: Any) -> bytes:  # noqa: A002 - the field's name on the wire
    """A request as a frame."""
    return frame(BINARY, msgpack.packb({"type": type_, "id": id, **fields}))


def handshake(headers: Iterable[str] = ()) -> bytes:
    """The first bytes of a connection."""
    lines = ["GET / HTTP/1.1", "Host: x", "Upgrade: websocket", "Connection: Upgrade", "Sec-WebSocket-Version: 13"]
    lines += ["Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==", "Sec-WebSocket-Protocol: tavla.v1", *headers]
    return ("\r\n".join(lines) + "\r\n\r\n").encode()


class Raw:
    """A connection past its handshake.

    closed: the server has ended it. got: how many bytes came. last: the newest of them.
    """

    def __init__(self, port: int, name: str | None = None, address: str | None = None, bot: bool = False) -> None:
        """name: say hello as this guest, and wait for the welcome. address: what a proxy would tell of us."""
        self.closed, self.got, self.last, self._ids, self._rest = False, 0, b"", 0, b""
        self.socket = socket.create_connection(("127.0.0.1", port), timeout=PATIENCE_S)
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.socket.sendall(handshake([f"X-Forwarded-For: {address}"] if address else []))
        answer = b""
        while b"\r\n\r\n" not in answer and (data := self.socket.recv(4096)):
            answer += data
        if b" 101 " not in answer[:20]:
            self.socket.close()
            raise ConnectionError(answer[:80])
        if name is not None:
            self.welcome = self.ask("hello", name=name, bot=bot)
        self.socket.setblocking(False)

    def ask(self, type_: str, **fields: Any) -> dict[str, Any]:
        """Send a request and wait for the answer to it; answer pings meanwhile."""
        self._ids += 1
        self.socket.setblocking(True)
        self.socket.settimeout(PATIENCE_S)
        self.socket.sendall(request(type_, self._ids, **fields))
        try:
            while True:
                for message in self._messages(self.socket.recv(65536)):
                    if isinstance(message, dict) and message.get("id") == self._ids:
                        return message
        finally:
            self.socket.setblocking(False)

    def tell(self, type_: str, **fields: Any) -> bool:
        """Send a request and wait for nothing."""
        self._ids += 1
        return self.send(request(type_, self._ids, **fields))

    def send(self, data: bytes) -> bool:
        """Send what goes out now; False when nothing did, or the connection is closed."""
        if self.closed:
            return False
        try:
            return self.socket.send(data) > 0
        except BlockingIOError:
            return False
        except OSError:
            self.drain()
            self.closed = True
            return False

    def drain(self) -> None:
        """Read what has come, answer pings, and forget it."""
        with contextlib.suppress(BlockingIOError):
            try:
                while data := self.socket.recv(1 << 20):
                    self.got += len(data)
                    self.last = (self.last + data)[-LAST_BYTES:]
                    if (at := data.find(OUR_PING)) >= 0:
                        self.send(frame(PONG, data[at + 2 : at + 10]))
                self.closed = True
            except BlockingIOError:
                raise
            except OSError:
                self.closed = True

    @property
    def close_code(self) -> int | None:
        """Why the server has closed the connection, if it has told us."""
        _, found, rest = self.last.rpartition(b"\x88")
        return int.from_bytes(rest[1:3], "big") if found else None

    def _messages(self, data: bytes) -> list[Any]:
        if not data:
            raise ConnectionError("closed")
        self._rest += data
        messages = []
        while len(self._rest) >= 2:
            size, at = self._rest[1], 2
            if size == 126:
                size, at = int.from_bytes(self._rest[2:4], "big"), 4
            elif size == 127:
                size, at = int.from_bytes(self._rest[2:10], "big"), 10
            if len(self._rest) < at + size:
                break
            if self._rest[0] == BINARY:
                messages.append(msgpack.unpackb(self._rest[at : at + size], strict_map_key=False))
            elif self._rest[0] == PING:
                self.socket.sendall(frame(PONG, self._rest[at : at + size]))
            elif self._rest[0] == CLOSE:
                raise ConnectionError(f"closed: {self._rest[at : at + size]!r}")
            self._rest = self._rest[at + size :]
        return messages

    def close(self) -> None:
        """Go, without a word."""
        self.socket.close()


def name() -> str:
    """A name that no player has."""
    return f"x{os.urandom(6).hex()}"
