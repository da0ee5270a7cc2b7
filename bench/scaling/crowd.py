"""A match that many watch, on three server processes: what a spectator costs, and how late the last one is."""

import asyncio
import resource
import statistics
import time
from contextlib import ExitStack
from pathlib import Path

import uvloop

from bench.load import CONNECTING_AT_ONCE, Match, Pair, Socket, Tally, compiled_plays, plain_plays, watch
from bench.scaling.costs import Costs, store, table
from tests.support.servers.processes import ServerProcess, short_folder

SERVERS = 3
RATE = 2.0  # actions a second
SECONDS = 8.0
SETTLE_S = 2.0
FIRST_S = 60.0  # for an update to come at all
FEW = 100


class Crowd:
    """The players of one match, on two of the servers, and its spectators, on all of them in turns."""

    def __init__(self, urls: list[str]) -> None:
        self.urls, self.delays, self.bytes = urls, list[float](), 0
        self.match = Match(0, 1 / RATE, Tally(), compiled_plays() or plain_plays)
        self.pair = Pair([self.match], self.match.tally)
        self._sockets: list[Socket] = []

    async def come(self, count: int) -> None:
        """All of them connect; they do not follow the match yet."""
        await self.pair.start(",".join(self.urls))
        gate = asyncio.Semaphore(CONNECTING_AT_ONCE)

        async def one(number: int) -> None:
            async with gate:
                socket = await watch(self.urls[number % len(self.urls)], 10_000 + number, "", self.match.tally)
                usual = socket.received

                def received(frame: bytes) -> None:
                    if frame[0] >> 4 == 9:  # an update
                        self.delays.append(time.perf_counter() - self.match.sent_at)
                        self.bytes += len(frame) + 2
                    else:
                        usual(frame)

                socket.received = received
                self._sockets.append(socket)

        await asyncio.gather(*map(one, range(count)))

    async def attach(self) -> None:
        """From now on they follow it."""
        for socket in self._sockets:
            await socket.ask({"type": "attach", "id": 2, "table": self.match.id})

    async def leave(self) -> None:
        """All are gone."""
        self.match.playing = False
        await asyncio.sleep(2 / RATE)  # the turn that is due has been played
        for socket in [*self._sockets, *self.match.sockets]:
            socket.transport.abort()


def ran_s(pid: int) -> float:
    """CPU seconds of a process, exactly."""
    tasks = Path(f"/proc/{pid}/task").glob("*/schedstat")
    return sum(int(task.read_text().split()[0]) for task in tasks) / 1e9


async def _watched(urls: list[str], pids: list[int], store_url: str, count: int, seconds: float) -> list[object]:
    crowd = Crowd(urls)
    await crowd.come(count)

    async def spent() -> tuple[float, Costs]:
        costs, before = Costs(store_url), sum(map(ran_s, pids))
        costs.start()
        await asyncio.sleep(seconds)
        return sum(map(ran_s, pids)) - before, costs.stop()

    await asyncio.sleep(SETTLE_S)
    crowd.pair.play()
    unwatched, alone = await spent()
    await crowd.attach()
    await asyncio.sleep(SETTLE_S)
    crowd.delays, crowd.bytes = [], 0
    watched, together = await spent()
    async with asyncio.timeout(FIRST_S):
        while not crowd.delays:  # noqa: ASYNC110 - on a busy machine a second may bring none
            await asyncio.sleep(1 / RATE)
    await crowd.leave()
    received, delays = len(crowd.delays), sorted(crowd.delays)
    return [
        f"{count:,}",
        f"{1e6 * (watched - unwatched) / received:.1f} us" if count >= FEW else "",  # less than chance
        f"{crowd.bytes / received:.0f} B",
        f"{1000 * statistics.median(delays):.0f} / {1000 * delays[len(delays) * 99 // 100]:.0f} ms",
        f"{1000 * unwatched / seconds:.0f} ms",
        f"{1000 * (together.store_s - alone.store_s) / seconds:.1f} ms",
    ]


def spectators(sizes: list[int], seconds: float = SECONDS) -> list[str]:
    """Costs of each receiver of an update to the servers, by the number of spectators."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    rows: list[list[object]] = []
    for count in sizes:
        with ExitStack() as stack:
            valkey = stack.enter_context(store())
            folder = stack.enter_context(short_folder())
            servers = [ServerProcess(folder / str(number), "--redis", valkey.url) for number in range(SERVERS)]
            for server in servers:
                stack.callback(server.clean_up)
                server.start()
            urls, pids = [server.url for server in servers], [server.process.pid for server in servers]
            with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
                rows.append(runner.run(_watched(urls, pids, valkey.url, count, seconds)))
    resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
    head = "spectators | CPU of the servers, each update and receiver | bytes | delay, median / 99th percentile"
    return table(f"{head} | the servers unwatched, each second | the store, more than unwatched, each second", rows)
