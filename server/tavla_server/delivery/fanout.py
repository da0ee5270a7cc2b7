"""Fan-out: a match's frames go to many receivers some at a time, so that others can play meanwhile."""

import asyncio
from collections.abc import Callable

from tavla_server.delivery.outbox import Outbox

SLICE = 32  # who are written to before others have their turn: a write takes the kernel 10 to 20 us
PAUSE_S = 0.002  # until the next ones: time for other processes, too, and for those who read what they were sent
PENDING_LIMIT = 4  # frames that a crowd has yet to get; beyond that it is shown what is newest instead


class FanOut:
    """Frames in order, and to whom each has yet to go. write: does so. pending: frames that some have yet to get.

    skip: shows what is newest to one of a crowd for which more came than it could be shown; None: that is not sent.
    """

    __slots__ = ("_next", "_skip", "_skipped", "_write", "pending")

    def __init__(self, write: Callable[[Outbox, bytes], object], skip: Callable[[Outbox], None] | None = None) -> None:
        self._write, self._skip = write, skip
        self.pending: list[tuple[bytes, list[Outbox]]] = []  # few; a deque takes 600 bytes when empty
        self._skipped: dict[Outbox, None] | None = None  # those that wait for what is newest, if any do
        self._next: asyncio.Handle | None = None

    @property
    def idle(self) -> bool:
        """True if all have got everything."""
        return not self.pending and not self._skipped

    def write_by_and_by(self, frame: bytes, outboxes: list[Outbox]) -> None:
        """Write a frame to each of them, in its turn. The list becomes ours."""
        if len(self.pending) >= PENDING_LIMIT:
            if self._skip is None:
                return
            late = [outbox for _, rest in self.pending for outbox in rest]
            self._skipped = dict.fromkeys([*(self._skipped or ()), *late])
            self.pending = []
        if self._skipped:
            outboxes = [outbox for outbox in outboxes if outbox not in self._skipped]
        self.pending.append((frame, outboxes))
        if self._next is None:
            self._next = asyncio.get_running_loop().call_soon(self._write_some)

    def flush(self) -> None:
        """Write now what is pending, since something comes next that goes another way."""
        while self.pending:
            frame, outboxes = self.pending.pop(0)
            for outbox in outboxes:
                self._write(outbox, frame)

    def skips(self, outbox: Outbox) -> bool:
        """True if it waits for what is newest, and is to get nothing else before that."""
        return bool(self._skipped) and outbox in (self._skipped or ())

    def _write_some(self) -> None:
        self._next = None
        if self._skipped and self._skip is not None:
            for outbox in list(self._skipped)[:SLICE]:
                del self._skipped[outbox]
                self._skip(outbox)
        elif self.pending:
            frame, outboxes = self.pending[0]
            for outbox in outboxes[:SLICE]:
                self._write(outbox, frame)
            del outboxes[:SLICE]
            if not outboxes:
                self.pending.pop(0)
        if not self.idle:
            self._next = asyncio.get_running_loop().call_later(PAUSE_S, self._write_some)
