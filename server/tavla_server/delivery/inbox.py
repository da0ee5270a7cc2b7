"""Messages of one client that wait to be received."""

import asyncio
from typing import NamedTuple

from websockets.frames import Frame, Opcode

FULL, ROOM = 16, 4  # messages: with more of them nothing is read, until no more than ROOM are left


class Message(NamedTuple):
    """A whole message."""

    data: bytes
    is_text: bool


class Inbox:
    """An inbox makes messages of frames, and keeps them in order. is_full: no more is to be read."""

    __slots__ = ("_closed", "_messages", "_pieces", "_waiter", "is_full")

    def __init__(self) -> None:
        self.is_full = False
        self._closed = False
        self._messages: list[Message] = []  # few; a deque takes 600 bytes when empty
        self._pieces: tuple[bool, bytearray] | None = None  # of a message, and whether it is text
        self._waiter: asyncio.Future[None] | None = None

    def put(self, frame: Frame) -> None:
        """Add a frame of data; the protocol has made sure that it may come now."""
        if frame.opcode is Opcode.CONT:
            assert self._pieces is not None, "a message has begun"
            is_text, data = self._pieces
            data += frame.data
        else:
            is_text, data = frame.opcode is Opcode.TEXT, bytearray(frame.data)
        self._pieces = None if frame.fin else (is_text, data)
        if frame.fin:
            self.add(Message(bytes(data), is_text))

    @property
    def is_in_pieces(self) -> bool:
        """True while a message has begun and not ended."""
        return self._pieces is not None

    @property
    def is_empty(self) -> bool:
        """True if no whole message waits."""
        return not self._messages

    def add(self, message: Message) -> None:
        """Add a whole message."""
        self._messages.append(message)
        self.is_full = self.is_full or len(self._messages) > FULL
        self._wake()

    async def get(self) -> Message | None:
        """The next message; None after the last one."""
        while not self._messages:
            if self._closed:
                return None
            self._waiter = asyncio.get_running_loop().create_future()
            await self._waiter
        message = self._messages.pop(0)
        self.is_full = self.is_full and len(self._messages) > ROOM
        return message

    def close(self) -> None:
        """Let no more come."""
        self._closed = True
        self._wake()

    def _wake(self) -> None:
        if self._waiter is not None and not self._waiter.done():
            self._waiter.set_result(None)
