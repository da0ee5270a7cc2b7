"""Pings: whether a client is still there, and how far away."""

import struct

from websockets.frames import Opcode

_SENT_S = struct.Struct("!d")  # the payload: when it was sent
_HEAD = bytes((0x80 | Opcode.PING, _SENT_S.size))


class Ping:
    """Our last ping of one connection. All times are of one clock, in seconds.

    latency_s: the round trip that the last answer has measured.
    """

    __slots__ = ("_sent_s", "latency_s")

    def __init__(self) -> None:
        self.latency_s = 0.0
        self._sent_s = 0.0  # 0 = answered

    @property
    def is_pending(self) -> bool:
        """True while the answer has yet to come."""
        return bool(self._sent_s)

    def frame(self, now_s: float) -> bytes:
        """A new ping."""
        self._sent_s = now_s
        return _HEAD + _SENT_S.pack(now_s)

    def is_answered(self, pong: bytes | bytearray | memoryview, now_s: float) -> bool:
        """True if this is the answer, which is noted."""
        if not self._sent_s or pong != _SENT_S.pack(self._sent_s):
            return False
        self.latency_s, self._sent_s = now_s - self._sent_s, 0.0
        return True
