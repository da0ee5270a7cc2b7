"""Requests that wait for their answers, and those that wait to be sent. No I/O."""

import asyncio
import contextlib
import random
from typing import Any, NamedTuple

from tavla_protocol import messages as m

from tavla_client.errors import ClientError


class Pending(NamedTuple):
    """A pending request: it waits for its answer. answer: None for a request that the client makes by itself."""

    request: m.RequestBase
    answer: asyncio.Future[Any] | None


class Requests:
    """Requests that the server has not answered. pending: by the ids of the requests."""

    def __init__(self, rng: random.Random) -> None:
        self.pending: dict[int, Pending] = {}
        self._queue: dict[int, m.RequestBase] = {}
        self._last_id = rng.randrange(2**52)  # ids stay exact in any client's numbers: below 2**53

    def new_id(self) -> int:
        """An id that this player has not used for a request yet."""
        self._last_id += 1
        return self._last_id

    def track(self, request: m.RequestBase) -> asyncio.Future[Any]:
        """Expect an answer to a request that the caller sends and waits for."""
        answer: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
        self.pending[request.id] = Pending(request, answer)
        return answer

    def forget(self, id_: int | None) -> Pending | None:
        """Expect no answer any more, and send the request no more. Returns: what was pending."""
        return self.pending.pop(id_, None) if id_ is not None else None

    def issue(self, request: m.RequestBase) -> None:
        """Make a request that follows from what has arrived; no caller waits for its answer."""
        self.pending[request.id] = Pending(request, None)
        self.enqueue(request)

    def enqueue(self, request: m.RequestBase) -> None:
        """Send a pending request as soon as that can be."""
        self._queue[request.id] = request

    def dequeue(self) -> m.RequestBase | None:
        """Next request to be sent, if it still waits for an answer."""
        while self._queue:
            request = self._queue.pop(next(iter(self._queue)))
            if request.id in self.pending:
                return request
        return None

    def reset(self) -> None:
        """Start on a new connection: requests that a caller waits for stay pending, to be sent again."""
        self.pending = {id_: pending for id_, pending in self.pending.items() if pending.answer is not None}
        self._queue.clear()

    def fail(self, error: ClientError) -> None:
        """Fail all that is pending: no answer will come any more."""
        for id_ in list(self.pending):
            self.resolve(id_, error)

    def resolve(self, id_: int | None, result: object) -> None:
        """Hand an answer to the one who waits for it. result: what the request returns, or a ClientError to raise."""
        pending = self.forget(id_)
        if pending is None or pending.answer is None:
            return
        # A look before is too early: asyncio's handler of Ctrl-C may cancel the caller between any two steps.
        with contextlib.suppress(asyncio.InvalidStateError):
            if isinstance(result, ClientError):
                pending.answer.set_exception(result)
            else:
                pending.answer.set_result(result)
