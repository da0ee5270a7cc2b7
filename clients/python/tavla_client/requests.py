"""Requests that wait for their answers, and what is to be sent next."""

import asyncio
import random
from typing import Any, NamedTuple

from tavla_protocol import messages as m

from tavla_client.errors import ClientError
from tavla_client.match import Match


class Pending(NamedTuple):
    """A request that waits for its answer. match: what an attach is for. answer: None if nobody waits for it."""

    request: m.Asked
    match: Match | None
    answer: asyncio.Future[Any] | None


class Requests:
    """What was asked of the server and not answered. waiting: by the ids of the requests."""

    def __init__(self, rng: random.Random) -> None:
        self.waiting: dict[int, Pending] = {}
        self._to_send: dict[int, m.Asked] = {}
        self._last_id = rng.randrange(2**52)  # ids stay exact in any client's numbers: below 2**53

    def new_id(self) -> int:
        """An id that this player has not used for a request yet."""
        self._last_id += 1
        return self._last_id

    def ask(self, request: m.Asked, match: Match | None = None) -> asyncio.Future[Any]:
        """Note a request that somebody makes, who waits for the answer and sends it."""
        answer: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
        self.waiting[request.id] = Pending(request, match, answer)
        return answer

    def ask_ourselves(self, request: m.Asked, match: Match | None = None) -> None:
        """Note a request that follows from what has arrived, and is to be sent."""
        self.waiting[request.id] = Pending(request, match, None)
        self.send(request)

    def send(self, request: m.Asked) -> None:
        """Send a request that waits, as soon as that can be."""
        self._to_send[request.id] = request

    def next_to_send(self) -> m.Asked | None:
        """What is to be sent next, if it still waits for an answer."""
        while self._to_send:
            id_ = next(iter(self._to_send))
            request = self._to_send.pop(id_)
            if id_ in self.waiting:
                return request
        return None

    def begin_again(self) -> None:
        """A new connection has heard of nothing: only what somebody waits for is asked again."""
        self.waiting = {id_: pending for id_, pending in self.waiting.items() if pending.answer is not None}
        self._to_send.clear()

    def answer(self, id_: int | None, result: object) -> None:
        """Hand an answer to the one who waits for it. result: what the request returns, or a ClientError to raise."""
        pending = self.waiting.pop(id_, None) if id_ is not None else None
        if pending is None or pending.answer is None or pending.answer.done():
            return
        if isinstance(result, ClientError):
            pending.answer.set_exception(result)
        else:
            pending.answer.set_result(result)
