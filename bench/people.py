"""A part of a crowd, as a process of its own: `python -m bench.people PLAN`; see `bench.crowd`.

It is driven by lines on stdin. Each is answered by a line of JSON, as is, when all have come, the start.
"""

import asyncio
import json
import os
import random
import sys
import time
from collections.abc import Awaitable, Callable
from functools import partial
from typing import Any, NamedTuple

import uvloop
from tavla_engine.rules import STARTS, Variant

from bench.clients import CONNECTING_AT_ONCE, Match, Socket, Tally, decode, encode, open_socket, random_play
from bench.processes import use_all_descriptors

RETRY_S = 0.2  # after a connection that could not be had, and an answer that there is no store
TRY_S = 10.0  # for a connection, and for all that is asked first
LISTS = ("people", "matches", "tables")  # a third of the onlookers each

Request = dict[str, Any]


class Plan(NamedTuple):
    """Tasks of a process's people.

    first: the number of its first client; a number stands for an address. rate: actions a second in all its matches, 0
    as many as there can be. watchers: of each match. onlookers: they follow a list of the lobby, or, when told to, a
    match that is named. nice: of the process.
    """

    urls: list[str]
    first: int = 0
    matches: int = 0
    rate: float = 0.0
    watchers: int = 0
    onlookers: int = 0
    match: str = ""
    nice: int = 0


class People:
    """Players, who play on wherever they come back, and onlookers."""

    def __init__(self, plan: Plan) -> None:
        self.urls, self.plan, self.tally = plan.urls, plan, Tally()
        self._interval_s = plan.matches / plan.rate if plan.rate else 0.0
        self.matches = [Match(plan.first // 2 + at, self._interval_s, self.tally) for at in range(plan.matches)]
        self.sockets: dict[int, Socket] = {}  # of onlookers, by number
        self._returning: set[asyncio.Task[None]] = set()
        self._gate = asyncio.Semaphore(CONNECTING_AT_ONCE)

    async def come(self) -> None:
        """All connect and sit down, or look on."""
        plan = self.plan
        await asyncio.gather(*map(self._seat, self.matches))
        follows: list[Request | None] = [
            {"type": "attach", "id": 2, "table": match.id} for match in self.matches for _ in range(plan.watchers)
        ]
        lists: list[Request | None] = [{"type": "subscribe", "id": 2, "what": what} for what in LISTS]
        follows += [None if plan.match else lists[number % len(lists)] for number in range(plan.onlookers)]
        looks = (partial(self._look_on, plan.first + 2 * plan.matches + at, one) for at, one in enumerate(follows))
        await asyncio.gather(*map(self._until_in, looks))

    async def _seat(self, match: Match) -> None:
        async with self._gate:
            await match.connect(self.urls)
            await match.sit_down()
        for seat in (0, 1):
            self._watch_over(match, seat)

    def _watch_over(self, match: Match, seat: int) -> None:
        socket = match.sockets[seat]
        socket.on_lost = lambda: self._return(partial(self._play_on, match, seat))
        socket.on_error = partial(self._refused, match)

    def _refused(self, match: Match, reply: Request) -> None:
        code: str = reply.get("code") or reply["type"]
        self.tally.errors[code] += 1
        if code == "unavailable":
            asyncio.get_running_loop().call_later(RETRY_S, match.act)

    # --- coming back ---

    def _return(self, come: Callable[[], Awaitable[None]]) -> None:
        """Come back, now and then until it has worked."""
        self.tally.away += 1
        task = asyncio.create_task(self._come_back(come, time.perf_counter()))
        self._returning.add(task)
        task.add_done_callback(self._returning.discard)

    async def _come_back(self, come: Callable[[], Awaitable[None]], since_s: float) -> None:
        await self._until_in(come)
        self.tally.away -= 1
        self.tally.backs.append(time.perf_counter() - since_s)

    async def _until_in(self, come: Callable[[], Awaitable[None]]) -> None:
        """Try to come in until it has worked."""
        while True:
            try:
                async with self._gate, asyncio.timeout(TRY_S):
                    await come()
                return
            except OSError as error:
                self.tally.failures[_reason(error)] += 1
            await asyncio.sleep(RETRY_S)

    async def _play_on(self, match: Match, seat: int) -> None:
        """Try to take a seat again, on any of the servers. Raises: OSError."""
        socket = await open_socket(random.choice(self.urls), 2 * match.number + seat, match.received(seat))
        match.sockets[seat], socket.on_error = socket, partial(self._refused, match)  # it may be too early to act
        await _agreed(socket, {"type": "hello", "id": 1, "token": match.tokens[seat]})
        seq = match.seq
        have = {"table": match.id, "epoch": match.epoch, "seq": seq}
        reply = await _agreed(socket, {"type": "attach", "id": 2, **have})
        self.tally.lost += reply["seq"] < seq or reply.get("epoch", match.epoch) != match.epoch
        if reply["type"] == "snapshot":
            match.take_snapshot(reply)
        self._watch_over(match, seat)
        match.act()  # what was on its way may be lost

    async def _look_on(self, number: int, follow: Request | None) -> None:
        """Try to follow a list or a match, None = nothing yet. Raises: OSError."""
        tally = self.tally

        def received(frame: bytes) -> None:
            if frame[0] >> 4 == 9:  # an array of three: an update
                tally.received += 1
            elif b"changes" not in frame[:16]:  # of the lobby
                socket.answered(decode(frame))

        socket = await open_socket(random.choice(self.urls), number, received)
        socket.on_error = lambda reply: None
        await _agreed(socket, {"type": "hello", "id": 1, "watch": True}, *([follow] if follow else []))
        socket.on_lost = lambda: self._return(partial(self._look_on, number, follow))
        self.sockets[number] = socket

    # --- what the parent asks for: lines with these names ---

    def play(self) -> None:
        """From now on, each match at its time."""
        now = time.perf_counter()
        for number, match in enumerate(self.matches):
            match.next_at = now + self._interval_s * number / len(self.matches)
        for match in self.matches:
            match.play()

    def attach(self) -> None:
        """All onlookers follow the match."""
        self._tell({"type": "attach", "id": 3, "table": self.plan.match})

    def detach(self) -> None:
        """They do no more."""
        self._tell({"type": "detach", "id": 3, "match": self.plan.match})

    def _tell(self, request: Request) -> None:
        for socket in self.sockets.values():
            socket.send(encode(request))

    def count(self) -> None:
        """Count from now on."""
        self.tally.clear()

    def report(self) -> dict[str, Any]:
        """The counts."""
        return vars(self.tally)

    def stop(self) -> None:
        """Play no more."""
        for match in self.matches:
            match.stop()

    def versions(self) -> dict[str, int]:
        """The newest version of each match that one of its players was shown."""
        return {match.id: match.seq for match in self.matches}


async def _agreed(socket: Socket, *requests: Request) -> Request:
    """The last answer to some requests. Raises: OSError, and it is closed, if one is refused: there may be no store."""
    try:
        for request in requests:
            reply = await socket.reply_to(request)
            if reply["type"] == "error":
                raise ConnectionError(reply["code"])
        if socket.lost:
            raise ConnectionError("lost after the answer")
    except BaseException:
        socket.transport.abort()
        raise
    return reply


def _reason(error: OSError) -> str:
    """The kind of a failure, without what differs from one to the next."""
    text = str(error)
    status = text.find("HTTP/1.1 ")
    if status >= 0:
        return text[status : status + 12]
    return type(error).__name__ if error.errno or not text else text


async def main(plan: Plan) -> None:
    """Be the people of a plan, and do as stdin says until it ends."""
    os.nice(plan.nice)
    use_all_descriptors()
    random_play(STARTS[Variant.STANDARD] * 2, (2, 1))  # what is compiled at first use is now
    people = People(plan)
    await people.come()
    answer(None)
    lines = asyncio.StreamReader()
    await asyncio.get_running_loop().connect_read_pipe(lambda: asyncio.StreamReaderProtocol(lines), sys.stdin)
    while line := (await lines.readline()).decode().strip():
        answer(getattr(people, line)())


def answer(what: object) -> None:
    """Tell the parent."""
    print(json.dumps(what), flush=True)


if __name__ == "__main__":
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        runner.run(main(Plan(**json.loads(sys.argv[1]))))
    os._exit(0)  # thousands of connections need not be closed one by one
