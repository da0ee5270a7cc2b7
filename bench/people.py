"""A part of a crowd, as a process of its own: `python -m bench.people PLAN`; see `bench.crowd`.

It is driven by lines on stdin. Each is answered by a line of JSON, as is, when all have come, the start.
"""

import asyncio
import json
import os
import random
import sys
import time
from collections import Counter
from collections.abc import Awaitable, Callable
from functools import partial
from typing import Any, NamedTuple

import uvloop

from bench.clients import (
    CONNECTING_AT_ONCE,
    START,
    Match,
    Pair,
    Socket,
    Tally,
    decode,
    encode,
    open_socket,
    random_play,
)
from bench.processes import use_all_descriptors

RETRY_S = 0.2  # after a connection that could not be had, and an answer that there is no store
TRY_S = 10.0  # for a connection, and for all that is asked first
LISTS = ("people", "matches", "tables")  # a third of the onlookers each
IN_TIME_S = 0.5  # for what is on its way when all stop

Request = dict[str, Any]


class Plan(NamedTuple):
    """Tasks of a process's people.

    first: the number of its first client; a number stands for an address. rate: actions a second in all its matches, 0
    as many as there can be. together: matches of one pair of connections. watchers: of each match. onlookers: they
    follow a list of the lobby, or, when told to, a match that is named. nice: of the process.
    """

    urls: list[str]
    first: int = 0
    matches: int = 0
    rate: float = 0.0
    together: int = 1
    watchers: int = 0
    onlookers: int = 0
    match: str = ""
    nice: int = 0


class People:
    """Players, who play on wherever they come back, and onlookers.

    away: those who have lost a connection and are not back. backs: how long each return took, in seconds. lost: matches
    that were older than before when a player came back. failures: tries to come in that did not work, by why.
    """

    def __init__(self, plan: Plan) -> None:
        self.urls, self.plan, self.tally = plan.urls, plan, Tally()
        self._interval_s = plan.matches / plan.rate if plan.rate else 0.0
        self.matches = [Match(plan.first // 2 + at, self._interval_s, self.tally) for at in range(plan.matches)]
        shares = [self.matches[at : at + plan.together] for at in range(0, plan.matches, plan.together)]
        self.pairs = [Pair(share, self.tally) for share in shares]
        self.sockets: dict[int, Socket] = {}  # of onlookers, by number
        self.away, self.backs, self.lost = 0, list[float](), 0
        self.errors, self.failures = Counter[str](), Counter[str]()
        self._returning: set[asyncio.Task[None]] = set()
        self._gate = asyncio.Semaphore(CONNECTING_AT_ONCE)

    async def come(self) -> None:
        """All connect and sit down, or look on."""
        plan = self.plan
        await asyncio.gather(*map(self._seat, self.pairs))
        watched = [match.id for match in self.matches for _ in range(plan.watchers)]
        follows: list[Request | None] = [{"type": "attach", "id": 2, "table": match} for match in watched]
        lists: list[Request | None] = [{"type": "subscribe", "id": 2, "what": what} for what in LISTS]
        follows += [None if plan.match else lists[number % len(lists)] for number in range(plan.onlookers)]
        looks = (partial(self._look_on, plan.first + 2 * plan.matches + at, one) for at, one in enumerate(follows))
        await asyncio.gather(*map(self._until_in, looks))

    async def _seat(self, pair: Pair) -> None:
        async with self._gate:
            await pair.start(",".join(self.urls))
        for seat, socket in enumerate(pair.sockets):
            self._watch_over(socket, pair, seat)

    def _watch_over(self, socket: Socket, pair: Pair, seat: int) -> None:
        socket.on_lost = lambda: self._return(partial(self._play_on, pair, seat))
        socket.on_error = partial(self._refused, pair)

    def _refused(self, pair: Pair, reply: Request) -> None:
        code: str = reply.get("code") or reply["type"]
        self.errors[code] += 1
        if code == "unavailable":
            for match in pair.matches:
                asyncio.get_running_loop().call_later(RETRY_S, match.act)

    # --- coming back ---

    def _return(self, come: Callable[[], Awaitable[None]]) -> None:
        """Come back, now and then until it has worked."""
        self.away += 1
        task = asyncio.create_task(self._come_back(come, time.perf_counter()))
        self._returning.add(task)
        task.add_done_callback(self._returning.discard)

    async def _come_back(self, come: Callable[[], Awaitable[None]], since_s: float) -> None:
        await self._until_in(come)
        self.away -= 1
        self.backs.append(time.perf_counter() - since_s)

    async def _until_in(self, come: Callable[[], Awaitable[None]]) -> None:
        """Try to come in until it has worked."""
        while True:
            try:
                async with self._gate, asyncio.timeout(TRY_S):
                    await come()
                return
            except OSError as error:
                self.failures[_reason(error)] += 1
            await asyncio.sleep(RETRY_S)

    async def _play_on(self, pair: Pair, seat: int) -> None:
        """Try to take a seat again, on any of the servers. Raises: OSError."""
        number = 2 * pair.matches[0].number + seat
        socket = await open_socket(random.choice(self.urls), number, pair.received(seat))
        pair.sockets[seat], socket.on_error = socket, partial(self._refused, pair)  # it may be too early to act
        await _agreed(socket, {"type": "hello", "id": 1, "token": pair.tokens[seat]})
        for match in pair.matches:
            seq = match.seq
            have = {"table": match.id, "epoch": match.epoch, "seq": seq}
            reply = await _agreed(socket, {"type": "attach", "id": 2, **have})
            self.lost += reply["seq"] < seq or reply.get("epoch", match.epoch) != match.epoch
            if reply["type"] == "snapshot":
                match.take_snapshot(reply)
        self._watch_over(socket, pair, seat)
        for match in pair.matches:
            match.act()  # what was on its way may be lost

    async def _look_on(self, number: int, follow: Request | None) -> None:
        """Try to follow a list or a match, None = nothing yet. Raises: OSError."""
        tally = self.tally

        def received(frame: bytes) -> None:
            if frame[0] >> 4 == 9:  # an array of three: an update
                tally.received += tally.counting
            elif b"changes" in frame[:16]:
                tally.heard_bytes += len(frame)
            else:
                socket.answered(decode(frame))

        socket = await open_socket(random.choice(self.urls), number, received)
        socket.on_error = lambda reply: None
        await _agreed(socket, {"type": "hello", "id": 1, "watch": True}, *([follow] if follow else []))
        socket.on_lost = lambda: self._return(partial(self._look_on, number, follow))
        self.sockets[number] = socket

    # --- what the parent asks for ---

    def play(self) -> None:
        """From now on, each match at its time."""
        now = time.perf_counter()
        for number, match in enumerate(self.matches):
            match.next_at = now + self._interval_s * number / len(self.matches)
        for pair in self.pairs:
            pair.play()

    def follow(self, on: bool) -> None:
        """All onlookers attach to the match, or detach."""
        asked = {"type": "attach", "table": self.plan.match} if on else {"type": "detach", "match": self.plan.match}
        for socket in self.sockets.values():
            socket.send(encode({**asked, "id": 3}))

    def count(self) -> None:
        """Count from now on."""
        self.tally.clear()
        self.tally.counting = True

    def report(self) -> dict[str, Any]:
        """The counts; see `bench.crowd.Report`."""
        tally = self.tally
        return {
            "actions": tally.actions,
            "received": tally.received,
            "heard_bytes": tally.heard_bytes,
            "latencies": tally.latencies,
            "sizes": tally.sizes,
            "away": self.away,
            "backs": self.backs,
            "lost": self.lost,
            "errors": self.errors,
            "failures": self.failures,
        }

    def versions(self) -> dict[str, int]:
        """The newest version of each match that one of its players was shown."""
        return {match.id: match.seq for match in self.matches}

    async def stop(self) -> dict[str, int]:
        """Play no more; the versions then."""
        for match in self.matches:
            match.stop()
        await asyncio.sleep(IN_TIME_S)
        return self.versions()


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


async def run(people: People) -> None:
    """Do as stdin says until it ends."""
    random_play(START, (2, 1))  # what is compiled at first use is now
    await people.come()
    answer(None)
    lines = asyncio.StreamReader()
    await asyncio.get_running_loop().connect_read_pipe(lambda: asyncio.StreamReaderProtocol(lines), sys.stdin)
    while line := (await lines.readline()).decode().strip():
        result: object = None
        match line:
            case "play":
                people.play()
            case "count":
                people.count()
            case "attach" | "detach":
                people.follow(line == "attach")
            case "report":
                result = people.report()
            case "versions":
                result = people.versions()
            case "stop":
                result = await people.stop()
        answer(result)


def answer(what: object) -> None:
    """Tell the parent."""
    print(json.dumps(what), flush=True)


async def main(plan: Plan) -> None:
    """Be the people of a plan."""
    os.nice(plan.nice)
    use_all_descriptors()
    await run(People(plan))


if __name__ == "__main__":
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        runner.run(main(Plan(**json.loads(sys.argv[1]))))
    os._exit(0)  # thousands of connections need not be closed one by one
