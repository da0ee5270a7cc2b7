"""Costs of those who do nothing: `python -m bench.idle [MATCHES [SECONDS]]`, and twice as many connections.

Memory: the resident memory of the server with few and with many idle connections, then with few and with many matches
between them, all of which have come as far into their first game, then with all of them further on. The slopes are what
counts: what a server takes by itself, and what is reserved ahead, stand in neither. CPU: of server and store in each
second, of SECONDS; without anybody, with all connections, and with all matches, while nobody moves.
"""

import asyncio
from collections.abc import Awaitable, Callable

import uvloop

from bench.clients import CONNECTING_AT_ONCE, Match, Tally
from bench.processes import LAST, LoneServer, cpu_s, lone_server, pin, resident, use_all_descriptors
from tests.support.results import record, table

MATCHES, SECONDS = 4_000, 40
MIDDLE, LATE = 30, 100  # versions: half-way through a usual game; when what is kept of the past is full
SETTLE_S = 12.0  # what follows from the last actions is done, and each has had a ping


class Stopping(Match):
    """A match that is played as far as it is told."""

    until = 0

    def act(self) -> None:
        if self.playing and self.seq >= self.until:
            self.playing = False
            self.arrived.set_result(None)
        super().act()

    async def play_until(self, seq: int) -> None:
        """Play to this version, or a little beyond."""
        self.until, self.playing = seq, True
        self.arrived: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self.act()
        await self.arrived


class Idlers:
    """Matches and their connections, a quarter of which come before the others."""

    def __init__(self, server: LoneServer, number: int) -> None:
        self._server, self.few, self.number = server, number // 4, number
        tally = Tally()
        self._matches = [Stopping(at, 0.0, tally) for at in range(number)]
        self._gate = asyncio.Semaphore(CONNECTING_AT_ONCE)

    async def do(self, step: Callable[[Stopping], Awaitable[None]], first: int, last: int) -> int:
        """A step of some of them; the server's memory when it has settled."""

        async def one(match: Stopping) -> None:
            async with self._gate:
                await step(match)

        await asyncio.gather(*map(one, self._matches[first:last]))
        await asyncio.sleep(SETTLE_S)
        return resident(self._server.pid)

    async def connect(self, match: Stopping) -> None:
        """Say hello, and ask for something: who has asked for nothing loses a new name after a minute."""
        await match.connect([self._server.url])
        for socket in match.sockets:
            await socket.ask({"type": "list", "id": 9, "what": "chat"})

    async def begin(self, match: Stopping) -> None:
        """Play half-way through a game."""
        await match.sit_down()
        await match.play_until(MIDDLE)

    async def cpu_ms(self, seconds: int) -> tuple[float, float]:
        """CPU of the server and of its store from now on, in ms a second."""
        pids = self._server.pid, self._server.store_pid
        before = [cpu_s(pid) for pid in pids]
        await asyncio.sleep(seconds)
        own, store = (1000 * (cpu_s(pid) - was) / seconds for pid, was in zip(pids, before, strict=True))
        return own, store


async def measure(server: LoneServer, number: int, seconds: int) -> list[str]:
    """The figures as lines of Markdown."""
    idlers = Idlers(server, number)
    few, rest = idlers.few, number - idlers.few
    await asyncio.sleep(SETTLE_S)
    nobody = await idlers.cpu_ms(seconds)
    connected = await idlers.do(idlers.connect, 0, few)
    idle = await idlers.do(idlers.connect, few, number)
    alone = await idlers.cpu_ms(seconds)
    begun = await idlers.do(idlers.begin, 0, few)
    middle = await idlers.do(idlers.begin, few, number)
    seated = await idlers.cpu_ms(seconds)
    late = await idlers.do(lambda match: match.play_until(LATE), 0, number)
    match = (middle - begun) / rest
    sizes = {
        "an idle connection": (idle - connected) / 2 / rest,
        f"a match after {MIDDLE} versions": match,
        f"a match after {LATE} versions": match + (late - middle) / number,
    }
    memory = table("memory | KiB", [(what, f"{size / 1024:.1f}") for what, size in sizes.items()])
    connections, rows = 2 * number, list[list[str]]()
    for what, (own, store) in (("nobody", nobody), ("connections", alone), ("connections in matches", seated)):
        each = 1000 * (own - nobody[0]) / connections
        rows.append([what, f"{own:.1f} ms", f"{each:.1f} us", f"{store:.1f} ms"])
    head = f"idle, {connections:,} connections | server, each second | of it each connection | store"
    return [*memory, "", *table(head, rows)]


def run(matches: int = MATCHES, seconds: int = SECONDS) -> list[str]:
    """The figures as lines of Markdown."""
    with lone_server() as server, asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        pin(LAST)
        use_all_descriptors()
        return runner.run(measure(server, matches, seconds))


if __name__ == "__main__":
    record("idle", run)
