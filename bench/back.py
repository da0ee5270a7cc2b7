"""Everyone comes back after the server was killed: `python -m bench.back [CLIENTS [--probe]]`.

Clients sit in matches, two in each. The server is killed with -9 and started on the same store; all connect again as
fast as they can, say hello with their tokens, and attach with what they have. Then some of them vanish at once, and
their opponents are to hear of it. The server and its store have one processor, the clients the other. How long the loop
was held up is what the server's probe says if it is on, CPU of the loop's thread: a busy machine is not counted. `fast`
plays before and after, since what a second of a processor is worth differs from hour to hour.
"""

import asyncio
import json
import os
import signal
import sys
import time
from pathlib import Path
from typing import Any

import uvloop

from bench.load import CONNECTING_AT_ONCE, Match, Pair, Socket, Tally, connect, decode, plain_plays
from bench.processes import Measured, pin
from bench.server import load, server_of
from tests.support.results import recorded
from tests.support.servers.processes import ServerProcess, script, short_folder

CLIENTS = 10_000
VANISH = 2_000  # of them, at once
PLAYED_S = 3.0  # before the kill: some updates in each match
SETTLE_S = 3.0  # after it: what the server does for those who have come or gone
RETRY_S = 0.2  # after a connection that could not be had
YARDSTICK_S = 4.0
GREETING_AT_ONCE = 100  # a client asks to come in as soon as it is connected: for all at once, this process is too slow
ADDRESSES = 12_500  # by which `connect` tells new guests apart; returning clients have others


class Client:
    """A returning client.

    seated_s: when it had its seat again, by perf_counter. refused: how often it was told that the store is away.
    told: how often it heard that its opponent has gone.
    """

    def __init__(self, number: int, token: str, match: Match, gate: asyncio.Semaphore) -> None:
        self.number, self.match, self._gate = number, match, gate
        self.seated_s = 0.0
        self.tries = self.refused = self.told = 0
        self._token = token
        self._opened: list[Socket] = []

    async def come_back(self, url: str) -> None:
        """Connect, say hello and attach."""
        while not self._opened:
            self.tries += 1
            try:
                async with self._gate:
                    socket = await connect(url, ADDRESSES + self.number, "tavla.v1", self._received)
                await socket.opened
                self._opened.append(socket)
            except OSError:
                await asyncio.sleep(RETRY_S)
        await self._insist({"type": "hello", "id": 1, "token": self._token})
        have = {"epoch": self.match.epoch, "seq": self.match.seq}
        await self._insist({"type": "attach", "id": 2, "table": self.match.id, **have})
        self.seated_s = time.perf_counter()

    async def _insist(self, request: dict[str, Any]) -> None:
        """Ask again for as long as the store is away: with a slow disk it may be silent for a moment."""
        while (reply := await self._opened[0].reply_to(request))["type"] == "error":
            assert reply["code"] == "unavailable", (request, reply)
            self.refused += 1
            await asyncio.sleep(RETRY_S)

    def vanish(self) -> None:
        """Be gone without a word."""
        self._opened[0].transport.abort()

    def _received(self, frame: bytes) -> None:
        message = decode(frame)
        if isinstance(message, dict):
            self.told += message["type"] == "presence" and not message["online"] and self.seated_s > 0
            self._opened[0].answered(message)


class Watched:
    """The server, and what its probe has said."""

    def __init__(self, folder: Path, *options: str) -> None:
        # In a session of its own, as a service is: in ours Linux would give server and clients one share of the
        # processor together, and the store now and then none for seconds.
        command = ["setsid", *script("tavla-server")]
        self._probed = "--probe" in options
        self.process = ServerProcess(folder, "--log-level", "info", *options, command=command)

    def start(self) -> None:
        """Start it, and its store, on one processor. To be called in a thread, which stays on that."""
        pin(0)
        self.process.start()

    def cpu_s(self) -> float:
        """CPU seconds of the server's process, without its store's."""
        return Measured("", self.process.pid).cpu_s()

    def lines(self, event: str, after: int) -> list[dict[str, Any]]:
        """The log's lines of a kind after the first `after` lines of all."""
        told = [json.loads(line) for line in list(self.process.lines[after:]) if line.startswith("{")]
        return [line for line in told if line["event"] == event]

    def held_up(self, after: int) -> str:
        """The longest steps of the loop since then, in words."""
        if not self._probed:
            return "not measured"
        late = sorted(self.lines("loop_late", after), key=lambda line: -line["own_ms"])
        for line in late[:5]:
            print(json.dumps(line), file=sys.stderr)
        longest = f"longest {late[0]['own_ms']:.0f} ms" if late else "none"
        return f"{len(late)} above 5 ms, {longest}"


async def seated(url: str, clients: int) -> list[Pair]:
    """Matches that have begun, both players there."""
    tally, number = Tally(), clients // 2
    pairs = [Pair([Match(n, number * PLAYED_S / 3000, tally, plain_plays)], tally) for n in range(number)]
    gate = asyncio.Semaphore(CONNECTING_AT_ONCE)

    async def start(pair: Pair) -> None:
        async with gate:
            await pair.start(url)

    await asyncio.gather(*map(start, pairs))
    for pair in pairs:
        pair.play()
    await asyncio.sleep(PLAYED_S)
    for pair in pairs:
        pair.matches[0].stop()
    await asyncio.sleep(0.5)  # for what is on its way
    return pairs


async def come_back(server: Watched, clients: list[Client]) -> list[str]:
    """All come back; the figures as lines of a table."""
    start, lines, cpu = time.perf_counter(), 0, server.cpu_s()
    await asyncio.gather(*(client.come_back(server.process.url) for client in clients))
    took = [client.seated_s - start for client in clients]
    await asyncio.sleep(SETTLE_S)
    cpu = server.cpu_s() - cpu
    return [
        f"| {len(clients):,} come back: the last one is seated after | {max(took):.1f} s |",
        f"| the half of them after | {sorted(took)[len(took) // 2]:.1f} s |",
        f"| connections that had to be tried again | {sum(client.tries - 1 for client in clients)} |",
        f"| answers `unavailable`, after which they asked again | {sum(client.refused for client in clients)} |",
        f"| CPU of the server for each of them | {1000 * cpu / len(clients):.2f} ms |",
        f"| steps of the loop meanwhile | {server.held_up(lines)} |",
    ]


async def vanish(server: Watched, clients: list[Client], number: int) -> list[str]:
    """Some vanish while the server is frozen for a moment, so that it sees all of it at once."""
    gone, left = clients[1 : 2 * number : 2], clients[0 : 2 * number : 2]
    lines, cpu = len(server.process.lines), server.cpu_s()
    os.kill(server.process.pid, signal.SIGSTOP)
    for client in gone:
        client.vanish()
    await asyncio.sleep(0.5)
    os.kill(server.process.pid, signal.SIGCONT)
    await asyncio.sleep(SETTLE_S)
    cpu = server.cpu_s() - cpu
    told = [client.told for client in left]
    return [
        f"| {len(gone):,} vanish at once: opponents who heard of it once, more often | "
        f"{told.count(1):,}, {len(told) - told.count(1) - told.count(0)} |",
        f"| CPU of the server for each of them | {1000 * cpu / len(gone):.2f} ms |",
        f"| steps of the loop meanwhile | {server.held_up(lines)} |",
    ]


async def run(server: Watched, number: int) -> list[str]:
    """The figures as lines of Markdown."""
    await asyncio.to_thread(server.start)
    pin(-1)
    pairs = await seated(server.process.url, number)
    gate = asyncio.Semaphore(GREETING_AT_ONCE)
    clients = [
        Client(2 * n + seat, token, pair.matches[0], gate)
        for n, pair in enumerate(pairs)
        for seat, token in enumerate(pair.tokens)
    ]
    server.process.kill()
    server.process.lines.clear()
    await asyncio.to_thread(server.start)  # meanwhile the old connections end here, and free their descriptors
    figures = await come_back(server, clients)
    return ["| | |", "|---|---|", *figures, *await vanish(server, clients, min(VANISH, number // 2))]


def yardstick_us() -> float:
    """CPU per action of `fast` now, 100 matches flat out."""
    with server_of("fast") as fast:
        return load(fast, "fast", 100, 0, YARDSTICK_S).cpu_us


def main() -> None:
    number = int(sys.argv[1]) if len(sys.argv) > 1 else CLIENTS
    before_us = yardstick_us()
    with short_folder() as folder:
        server = Watched(folder / "data", *sys.argv[2:])
        try:
            with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
                print("\n".join(runner.run(run(server, number))), flush=True)
        finally:
            server.process.clean_up()
    print(f"| CPU of `fast` for an action, before and after | {before_us:.1f} us, {yardstick_us():.1f} us |")


if __name__ == "__main__":
    with recorded("back"):
        main()
