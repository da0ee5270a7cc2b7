"""Cost of idle clients: `python -m bench.idle [CONNECTIONS [SECONDS]]`.

CPU of a real server and of its store in each second, by the number of connections: without any; with all of them, past
hello; with two of them in each match, a few turns into its first game, and nobody moving. The clients answer pings.
"""

import asyncio
import sys

import uvloop

from bench.load import CONNECTING_AT_ONCE, Pair, Tally, compiled_plays, plain_plays
from bench.memory import Stopping
from bench.processes import Measured, tavla_server
from tests.support.results import recorded

CONNECTIONS = 10_000
SECONDS = 40
SETTLE_S = 12.0  # what follows from coming is done, and each has had a ping
TURNS = 8  # versions to which the matches are played


async def used(server: Measured, seconds: int) -> tuple[float, float]:
    """CPU of the server and of its store from now on, in ms a second."""
    await asyncio.sleep(SETTLE_S)
    before = server.cpu_s(), server.store_cpu_s()
    await asyncio.sleep(seconds)
    return 1000 * (server.cpu_s() - before[0]) / seconds, 1000 * (server.store_cpu_s() - before[1]) / seconds


async def measure(server: Measured, connections: int, seconds: int) -> dict[str, tuple[float, float]]:
    """CPU of server and store by what there is."""
    tally, find_play = Tally(), compiled_plays() or plain_plays
    matches = [Stopping(number, 0.0, tally, find_play) for number in range(connections // 2)]
    pairs = [Pair([match], tally) for match in matches]
    gate = asyncio.Semaphore(CONNECTING_AT_ONCE)

    async def connect(pair: Pair) -> None:
        async with gate:
            await pair.connect(server.url)
            for socket in pair.sockets:
                await socket.ask({"type": "list", "id": 2, "what": "chat"})

    async def begin(pair: Pair, match: Stopping) -> None:
        async with gate:
            await pair.sit_down()
            await match.play_until(TURNS)

    figures = {"nobody": await used(server, seconds)}
    await asyncio.gather(*map(connect, pairs))
    figures[f"{connections:,} connections"] = await used(server, seconds)
    await asyncio.gather(*map(begin, pairs, matches))
    figures[f"{connections:,} connections in {len(matches):,} matches"] = await used(server, seconds)
    return figures


def run(connections: int = CONNECTIONS, seconds: int = SECONDS) -> list[str]:
    """The figures as lines of Markdown."""
    with tavla_server() as server, asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        figures = runner.run(measure(server, connections, seconds))
    lines = ["| idle | server, each second | of it each connection | store |", "|---|---|---|---|"]
    base = figures["nobody"][0]
    for what, (own, store) in figures.items():
        lines.append(f"| {what} | {own:.1f} ms | {1000 * (own - base) / connections:.1f} us | {store:.1f} ms |")
    return lines


if __name__ == "__main__":
    with recorded("idle"):
        print("\n".join(run(*map(int, sys.argv[1:]))))
