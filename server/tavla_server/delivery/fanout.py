"""What many who watch one match have yet to be shown: some of them at a time, so that others can play meanwhile."""

import asyncio
from collections import deque
from collections.abc import Callable, Collection

from tavla_server.delivery.outbox import Outbox

SLICE = 32  # who are written to before others have their turn: a write takes the kernel 10 to 20 us
PAUSE_S = 0.002  # until the next ones: time for other processes, too, and for those who read what they were sent


def are_many(outboxes: Collection[Outbox]) -> bool:
    """Whether to write to all of them at once would hold up others."""
    return len(outboxes) > SLICE


class FanOut:
    """Frames in order, and to whom each has yet to go. write: does so."""

    def __init__(self, write: Callable[[Outbox, bytes], None]) -> None:
        self._write = write
        self._late: deque[tuple[bytes, list[Outbox]]] = deque()
        self._next: asyncio.Handle | None = None

    @property
    def waits(self) -> bool:
        """Whether some have not been shown the newest yet."""
        return bool(self._late)

    def show(self, frame: bytes, outboxes: list[Outbox]) -> None:
        """Show them something by and by. The list becomes ours."""
        self._late.append((frame, outboxes))
        if self._next is None:
            self._next = asyncio.get_running_loop().call_soon(self._show_some)

    def catch_up(self) -> None:
        """Show now what has not been shown, since something comes next that goes another way."""
        while self._late:
            frame, outboxes = self._late.popleft()
            for outbox in outboxes:
                self._write(outbox, frame)

    def _show_some(self) -> None:
        self._next = None
        if self._late:
            frame, outboxes = self._late[0]
            for outbox in outboxes[:SLICE]:
                self._write(outbox, frame)
            del outboxes[:SLICE]
            if not outboxes:
                self._late.popleft()
        if self._late:
            self._next = asyncio.get_running_loop().call_later(PAUSE_S, self._show_some)
