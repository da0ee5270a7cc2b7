"""A part of the people: players, who play on wherever they come back, and onlookers, who follow a list of the lobby.

Run as a process of its own, `python -m bench.hundred.people URLS FIRST MATCHES ONLOOKERS INTERVAL_S`, driven by lines
on stdin: `play`, `count` (forget what was counted so far), `report` and `stop` (with the versions of all matches). Each
is answered by a line of JSON.
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
from typing import Any

import uvloop

from bench.load import CONNECTING_AT_ONCE, Match, Pair, Socket, Tally, compiled_plays, decode, open_socket, plain_plays

RETRY_S = 0.2  # after a connection that could not be had, and an answer that there is no store
TRY_S = 10.0  # for a connection, and for all that is asked first
LISTS = ("people", "matches", "tables")  # a third of the onlookers each
IN_TIME_S = 0.5  # for what is on its way when all stop


class Crowd:
    """All of them. away: those who have lost a connection and are not back. backs: how long each return took, in
    seconds. failures: tries to come in that did not work, by why.
    """

    def __init__(self, urls: list[str], first: int, matches: int, onlookers: int, interval_s: float) -> None:
        """first: the number of the first person, of all processes."""
        self.urls, self.tally = urls, Tally()
        self.tally.counting = True
        find_play = compiled_plays() or plain_plays
        tables = [Match(first + number, interval_s, self.tally, find_play) for number in range(matches)]
        self.pairs = [Pair([table], self.tally) for table in tables]
        others = 2 * (first + matches)  # the first of them; a number stands for an address, see `connect`
        self.onlookers = range(others, others + onlookers)
        self.away, self.backs, self.lost = 0, list[float](), 0
        self.errors, self.failures = Counter[str](), Counter[str]()
        self.heard_bytes = 0  # by onlookers
        self._returning: set[asyncio.Task[None]] = set()
        self._gate = asyncio.Semaphore(CONNECTING_AT_ONCE)

    async def come(self) -> None:
        """All connect and sit down, or look on."""
        onlookers = (self._until_in(partial(self._look_on, number)) for number in self.onlookers)
        await asyncio.gather(*map(self._seat, self.pairs), *onlookers)

    async def _seat(self, pair: Pair) -> None:
        async with self._gate:
            await pair.start(",".join(self.urls))
        for seat, socket in enumerate(pair.sockets):
            self._watch_over(socket, pair, seat)

    def _watch_over(self, socket: Socket, pair: Pair, seat: int) -> None:
        socket.on_lost = lambda: self._return(partial(self._play_on, pair, seat))
        socket.on_error = partial(self._refused, pair.matches[0])

    def _refused(self, match: Match, reply: dict[str, Any]) -> None:
        code = reply.get("code", reply["type"])
        self.errors[code] += 1
        if code == "unavailable":
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
                self.failures[_why(error)] += 1
            await asyncio.sleep(RETRY_S)

    async def _play_on(self, pair: Pair, seat: int) -> None:
        """Try to take a seat again, on any of the servers. Raises: OSError."""
        match, seq = pair.matches[0], pair.matches[0].seq
        number = 2 * match.number + seat
        socket = await open_socket(random.choice(self.urls), number, "tavla.v1", pair.received(seat))
        pair.sockets[seat], socket.on_error = socket, partial(self._refused, match)  # it may be too early to act
        hello = {"type": "hello", "id": 1, "token": pair.tokens[seat]}
        attach = {"type": "attach", "id": 2, "table": match.id, "epoch": match.epoch, "seq": seq}
        reply = await _agreed(socket, hello, attach)
        self.lost += reply["seq"] < seq or reply.get("epoch", match.epoch) != match.epoch
        if reply["type"] == "snapshot":
            match.take_snapshot(reply)
        self._watch_over(socket, pair, seat)
        match.act()  # what was on its way may be lost

    async def _look_on(self, number: int) -> None:
        """Try to follow a list. Raises: OSError."""

        def received(frame: bytes) -> None:
            self.heard_bytes += len(frame)
            if b"changes" not in frame[:16]:
                socket.answered(decode(frame))

        socket = await open_socket(random.choice(self.urls), number, "tavla.v1", received)
        socket.on_error = lambda reply: None
        hello = {"type": "hello", "id": 1, "watch": True}
        await _agreed(socket, hello, {"type": "subscribe", "id": 2, "what": LISTS[number % 3]})
        socket.on_lost = lambda: self._return(partial(self._look_on, number))

    # --- what the parent asks for ---

    def play(self) -> None:
        """From now on, each match at its time."""
        now = time.perf_counter()
        for pair in self.pairs:
            match = pair.matches[0]
            match.next_at = now + match.interval_s * random.random()
            pair.play()

    def count(self) -> None:
        """Forget what was counted so far."""
        self.tally.actions, self.tally.latencies, self.heard_bytes = 0, [], 0

    def report(self) -> dict[str, Any]:
        """The counts of this client."""
        return {
            "actions": self.tally.actions,
            "latencies_ms": [round(1000 * latency, 1) for latency in self.tally.latencies],
            "heard_bytes": self.heard_bytes,
            "away": self.away,
            "backs_s": [round(back, 2) for back in self.backs],
            "lost": self.lost,
            "errors": self.errors,
            "failures": self.failures,
        }

    async def stop(self) -> dict[str, int]:
        """Play no more. The newest version of each match that one of its players was shown."""
        for pair in self.pairs:
            pair.matches[0].stop()
        await asyncio.sleep(IN_TIME_S)
        return {pair.matches[0].id: pair.matches[0].seq for pair in self.pairs}


async def _agreed(socket: Socket, *requests: dict[str, Any]) -> dict[str, Any]:
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


def _why(error: OSError) -> str:
    """The kind of a failure, without what differs from one to the next."""
    text = str(error)
    status = text.find("HTTP/1.1 ")
    if status >= 0:
        return text[status : status + 12]
    return type(error).__name__ if error.errno or not text else text


async def run(crowd: Crowd) -> None:
    """Do as stdin says until it ends."""
    await crowd.come()
    tell("ready")
    lines = asyncio.StreamReader()
    await asyncio.get_running_loop().connect_read_pipe(lambda: asyncio.StreamReaderProtocol(lines), sys.stdin)
    while line := (await lines.readline()).decode().strip():
        match line:
            case "play":
                crowd.play()
                tell(None)
            case "count":
                crowd.count()
                tell(None)
            case "report":
                tell(crowd.report())
            case "stop":
                tell(await crowd.stop())


def tell(answer: object) -> None:
    """Answer the parent."""
    print(json.dumps(answer), flush=True)


async def main(urls: str, first: str, matches: str, onlookers: str, interval_s: str) -> None:
    await run(Crowd(urls.split(","), int(first), int(matches), int(onlookers), float(interval_s)))


if __name__ == "__main__":
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        runner.run(main(*sys.argv[1:]))
    os._exit(0)  # thousands of connections need not be closed one by one
