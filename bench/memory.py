"""Memory of the server for a connection and for a match: `python -m bench.memory [MATCHES]`.

The resident memory of the real server with few and with many idle connections, then with few and with many matches
between them, all of which have come as far into their first game, then with all of them further on. The slopes are what
counts: what a server takes by itself, and what is reserved ahead, stand in neither.
"""

import asyncio
import sys

import uvloop

from bench.load import CONNECTING_AT_ONCE, Match, Pair, Tally, compiled_plays, plain_plays
from bench.processes import Measured, tavla_server
from tests.support.results import recorded

MATCHES = 4_000  # and twice as many connections; a quarter of them are there before the others
MIDDLE, LATE = 30, 100  # versions: half-way through a usual game; when what is kept of the past is full
PLAYING_AT_ONCE = 200
SETTLE_S = 3.0  # what follows from the last actions is done


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


async def measure(server: Measured, many: int) -> dict[str, float]:
    """Bytes for each of what the name says."""
    tally, find_play, few = Tally(), compiled_plays() or plain_plays, many // 4
    matches = [Stopping(number, 0.0, tally, find_play) for number in range(many)]
    pairs = [Pair([match], tally) for match in matches]
    connecting, playing = asyncio.Semaphore(CONNECTING_AT_ONCE), asyncio.Semaphore(PLAYING_AT_ONCE)

    async def connect(pair: Pair) -> None:
        async with connecting:
            await pair.connect(server.url)
            for socket in pair.sockets:  # who has asked for nothing yet loses the new name after a minute
                await socket.ask({"type": "list", "id": 2, "what": "chat"})

    async def begin(pair: Pair, match: Stopping) -> None:
        async with playing:
            await pair.sit_down()
            await match.play_until(MIDDLE)

    async def go_on(match: Stopping) -> None:
        async with playing:
            await match.play_until(LATE)

    async def settled() -> int:
        await asyncio.sleep(SETTLE_S)
        return server.rss()

    await asyncio.gather(*map(connect, pairs[:few]))
    connected = await settled()
    await asyncio.gather(*map(connect, pairs[few:many]))
    idle = await settled()
    await asyncio.gather(*map(begin, pairs[:few], matches[:few]))
    begun = await settled()
    await asyncio.gather(*map(begin, pairs[few:many], matches[few:many]))
    middle = await settled()
    await asyncio.gather(*map(go_on, matches[:many]))
    late = await settled()
    match = (middle - begun) / (many - few)
    return {
        "idle connection": (idle - connected) / 2 / (many - few),
        f"match after {MIDDLE} versions": match,
        f"match after {LATE} versions": match + (late - middle) / many,
    }


def run(matches: int = MATCHES) -> list[str]:
    """The figures as lines of Markdown."""
    with tavla_server() as server, asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        figures = runner.run(measure(server, matches))
    return ["| | KiB |", "|---|---|", *(f"| {what} | {size / 1024:.1f} |" for what, size in figures.items())]


if __name__ == "__main__":
    with recorded("memory"):
        print("\n".join(run(*map(int, sys.argv[1:]))))
