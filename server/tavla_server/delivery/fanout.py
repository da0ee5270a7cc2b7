"""Fan-out: a match's frames go to many receivers some at a time, so that others can play meanwhile."""

import asyncio
from collections.abc import Callable

from tavla_server.delivery.outbox import Outbox

SLICE = 32  # who are written to before others have their turn: a write takes the kernel 10 to 20 us
PAUSE_S = 0.002  # until the next ones: time for other processes, too, and for those who read what they were sent


class FanOut:
    """Frames in order, and to whom each has yet to go. write: does so. pending: frames that some have yet to get."""

    __slots__ = ("_next", "_write", "pending")

    def __init__(self, write: Callable[[Outbox, bytes], None]) -> None:
        self._write = write
        self.pending: list[tuple[bytes, list[Outbox]]] = []  # few; a deque takes 600 bytes when empty
        self._next: asyncio.Handle | None = None

    def write_by_and_by(self, frame: bytes, outboxes: list[Outbox]) -> None:
        """Write a frame to each of them, in its turn. The list becomes ours."""
        self.pending.append((frame, outboxes))
        if self._next is None:
            self._next = asyncio.get_running_loop().call_soon(self._write_some)

    def flush(self) -> None:
        """Write now what is pending, since something comes next that goes another way."""
        while self.pending:
            frame, outboxes = self.pending.pop(0)
            for outbox in outboxes:
                self._write(outbox, frame)

    def _write_some(self) -> None:
        self._next = None
        if self.pending:
            frame, outboxes = self.pending[0]
            for outbox in outboxes[:SLICE]:
                self._write(outbox, frame)
            del outboxes[:SLICE]
            if not outboxes:
                self.pending.pop(0)
        if self.pending:
            self._next = asyncio.get_running_loop().call_later(PAUSE_S, self._write_some)
