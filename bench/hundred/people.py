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
from collections.abc import Awaitable, Callable
from functools import partial
from typing import Any

import uvloop

from bench.load import CONNECTING_AT_ONCE, Match, Pair, Socket, Tally, compiled_plays, decode, open_socket, plain_plays

RETRY_S = 0.2  # after a connection that could not be had, and an answer that there is no store
LISTS = ("people", "matches", "tables")  # a third of the onlookers each
IN_TIME_S = 0.5  # for what is on its way when all stop


class Crowd:
    """All of them. away: who has lost a connection and is not back. backs: how long each return took, in seconds."""

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
        self.errors: dict[str, int] = {}
        self.heard_bytes = 0  # by onlookers
        self._returning: set[asyncio.Task[None]] = set()
        self._gate = asyncio.Semaphore(CONNECTING_AT_ONCE)

    async def come(self) -> None:
        """All connect and sit down, or look on."""
        await asyncio.gather(*map(self._seat, self.pairs), *map(self._look, self.onlookers))

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
        self.errors[code] = self.errors.get(code, 0) + 1
        if code == "unavailable":
            asyncio.get_running_loop().call_later(RETRY_S, match.act)

    # --- coming back ---

    def _return(self, come: Callable[[], Awaitable[bool]]) -> None:
        """Come back, now and then until it has worked."""
        self.away += 1
        task = asyncio.create_task(self._come_back(come, time.perf_counter()))
        self._returning.add(task)
        task.add_done_callback(self._returning.discard)

    async def _come_back(self, come: Callable[[], Awaitable[bool]], since_s: float) -> None:
        while not await come():  # noqa: ASYNC110 - nothing tells of a server that is there again
            await asyncio.sleep(RETRY_S)
        self.away -= 1
        self.backs.append(time.perf_counter() - since_s)

    async def _play_on(self, pair: Pair, seat: int) -> bool:
        """Try to take a seat again, on any of the servers; whether it has worked."""
        match, seq = pair.matches[0], pair.matches[0].seq
        try:
            async with self._gate:
                number = 2 * match.number + seat
                socket = await open_socket(random.choice(self.urls), number, "tavla.v1", pair.received(seat))
            pair.sockets[seat], socket.on_error = socket, partial(self._refused, match)  # it may be too early to act
            hello = {"type": "hello", "id": 1, "token": pair.tokens[seat]}
            attach = {"type": "attach", "id": 2, "table": match.id, "epoch": match.epoch, "seq": seq}
            reply = await _agreed(socket, hello, attach)
        except OSError:
            return False
        if reply is None:
            return False
        self.lost += reply["seq"] < seq or reply.get("epoch", match.epoch) != match.epoch
        if reply["type"] == "snapshot":
            match.take_snapshot(reply)
        self._watch_over(socket, pair, seat)
        match.act()  # what was on its way may be lost
        return True

    async def _look(self, number: int) -> None:
        while not await self._look_on(number):  # noqa: ASYNC110 - as above
            await asyncio.sleep(RETRY_S)

    async def _look_on(self, number: int) -> bool:
        """Try to follow a list; whether it has worked."""

        def received(frame: bytes) -> None:
            self.heard_bytes += len(frame)
            if b"changes" not in frame[:16]:
                socket.answered(decode(frame))

        try:
            async with self._gate:
                socket = await open_socket(random.choice(self.urls), number, "tavla.v1", received)
                socket.on_error = lambda reply: None
                hello = {"type": "hello", "id": 1, "watch": True}
                if await _agreed(socket, hello, {"type": "subscribe", "id": 2, "what": LISTS[number % 3]}) is None:
                    return False
        except OSError:
            return False
        socket.on_lost = lambda: self._return(partial(self._look_on, number))
        return True

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
        }

    async def stop(self) -> dict[str, int]:
        """Play no more. The newest version of each match that one of its players was shown."""
        for pair in self.pairs:
            pair.matches[0].stop()
        await asyncio.sleep(IN_TIME_S)
        return {pair.matches[0].id: pair.matches[0].seq for pair in self.pairs}


async def _agreed(socket: Socket, *requests: dict[str, Any]) -> dict[str, Any] | None:
    """The last answer to some requests; None, and it is closed, if one is refused: there may be no store now."""
    for request in requests:
        reply = await socket.reply_to(request)
        if reply["type"] == "error":
            socket.transport.abort()
            return None
    return reply


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
