"""Fan-out: a frame goes to many receivers some at a time, so that others can play meanwhile."""

import asyncio
from collections.abc import Callable
from itertools import islice

from tavla_server.delivery.outbox import Outbox

SLICE = 32  # who are written to before others have their turn: a write takes the kernel 10 to 20 us
SLICES = 256  # of a crowd, at most: all of them are written to within a second, whatever their number
PAUSE_S = 0.002  # until the next ones: time for other processes, too, and for those who read what they were sent
PENDING_LIMIT = 4  # frames that a crowd has yet to get; beyond that it is shown what is newest instead


class FanOut:
    """A fan-out of frames in order, and to whom each has yet to go.

    write: does so. pending: frames that some have yet to get.

    skip: shows what is newest to one of a crowd for which more came than it could be shown; None: that is not sent.
    """

    __slots__ = ("_next", "_skip", "_skipped", "_slice", "_write", "pending")

    def __init__(self, write: Callable[[Outbox, bytes], object], skip: Callable[[Outbox], None] | None = None) -> None:
        self._write, self._skip = write, skip
        self.pending: list[tuple[bytes, dict[Outbox, None]]] = []  # few; a deque takes 600 bytes when empty
        self._skipped: dict[Outbox, None] | None = None  # those that wait for what is newest, if any do
        self._next: asyncio.Handle | None = None
        self._slice = SLICE

    @property
    def idle(self) -> bool:
        """True if all have got everything."""
        return not self.pending and not self._skipped

    def write_by_and_by(self, frame: bytes, crowd: dict[Outbox, None]) -> None:
        """Write a frame to each of a crowd, in its turn. The dict is emptied with time: a copy for a large crowd takes
        a tenth of what it takes to build one.
        """
        if len(self.pending) >= PENDING_LIMIT:
            if self._skip is None:
                return
            late = [outbox for _, rest in self.pending for outbox in rest]
            self._skipped = dict.fromkeys([*(self._skipped or ()), *late])
            self.pending = []
        for outbox in self._skipped or ():
            crowd.pop(outbox, None)
        self.pending.append((frame, crowd))
        self._slice = max(SLICE, len(crowd) // SLICES)
        if self._next is None:
            self._next = asyncio.get_running_loop().call_soon(self._write_some)

    def flush(self) -> None:
        """Write now what is pending, since something comes next that goes another way."""
        while self.pending:
            frame, outboxes = self.pending.pop(0)
            for outbox in outboxes:
                self._write(outbox, frame)

    def hurry(self, outbox: Outbox) -> None:
        """Write now what is pending for one, since something comes next for it that goes another way."""
        for frame, outboxes in self.pending:
            if outbox in outboxes:
                del outboxes[outbox]
                self._write(outbox, frame)
        if self._skipped and outbox in self._skipped and self._skip is not None:
            del self._skipped[outbox]
            self._skip(outbox)

    def skips(self, outbox: Outbox) -> bool:
        """True if it waits for what is newest, and is to get nothing else before that."""
        return bool(self._skipped) and outbox in (self._skipped or ())

    def _write_some(self) -> None:
        self._next = None
        if self._skipped and self._skip is not None:
            for outbox in list(islice(self._skipped, SLICE)):
                del self._skipped[outbox]
                self._skip(outbox)
        elif self.pending:
            frame, outboxes = self.pending[0]
            for _ in range(min(self._slice, len(outboxes))):
                outbox, _ = outboxes.popitem()
                self._write(outbox, frame)
            if not outboxes:
                self.pending.pop(0)
        if not self.idle:
            self._next = asyncio.get_running_loop().call_later(PAUSE_S, self._write_some)
