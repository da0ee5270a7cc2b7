"""Many finished matches, and clients that never detach from one: is the memory of a server flat?

`python -m bench.finished [MATCHES]` (10,000). Pairs of players end one match after the other by a forfeit, on one
server, each on a connection of its own that stays; the archive takes them, and they leave the store after GRACE_S.
After each of PARTS parts all rest, until nothing of their matches is kept on purpose any more: those under way at the
same time would hide the rest. A line for each part; then by how many bytes a finished match makes the server grow, by a
line through the parts after the first (least squares).
"""

import asyncio
import contextlib
import sys
import time

from tavla_protocol import messages as m
from tavla_server.timings import DEFAULTS

from bench.processes import Measured
from bench.soak import slope
from tests.support.players.plain import Player, new_match
from tests.support.results import recorded
from tests.support.servers.processes import ServerProcess, folder_in_memory

MATCHES, PAIRS, PARTS = 10_000, 40, 5
PAUSE_S = 1.3  # of a pair, after each match: what is kept for a minute is to be little beside 10,000
GRACE_S = 5.0
REST_S = 1.25 * DEFAULTS.idle_s


async def end_many(white: Player, black: Player, count: int) -> None:
    """Begin and end so many matches."""
    for number in range(count):
        maker, other = (white, black) if number % 2 else (black, white)
        match = await new_match(maker, other, {"length": 1})
        await other.act(m.Forfeit, match)
        await maker.until(match, lambda view: view.phase == "over")
        await asyncio.sleep(PAUSE_S)
        white.log.clear()
        black.log.clear()


async def measured(matches: int) -> None:
    """Print how memory goes with finished matches."""
    print("| finished matches | resident | after |\n|---|---|---|")
    with folder_in_memory() as folder:
        server = ServerProcess(folder / "data", "--archive-grace", str(GRACE_S / 86_400))
        server.start()
        process, each, samples = (
            Measured(server.url, server.pid),
            matches // PAIRS // PARTS,
            list[tuple[float, float]](),
        )
        try:
            async with contextlib.AsyncExitStack() as stack:
                players = [await stack.enter_async_context(Player(server.url)) for _ in range(2 * PAIRS)]
                pairs, began = list(zip(players[::2], players[1::2], strict=True)), time.monotonic()
                for part in range(PARTS + 1):
                    await asyncio.gather(*(end_many(*pair, each if part else 0) for pair in pairs))
                    await asyncio.sleep(REST_S if part else 0.0)
                    ended, rss = part * each * PAIRS, process.rss()
                    samples.append((ended, rss))
                    took_s = time.monotonic() - began
                    print(f"| {ended:,} | {rss / 1e6:.1f} MB | {took_s:.0f} s |", flush=True)
        finally:
            server.clean_up()
    print(f"\n{slope(samples[2:]):.0f} bytes a finished match")


if __name__ == "__main__":
    with recorded("finished"):
        asyncio.run(measured(int(sys.argv[1]) if len(sys.argv) > 1 else MATCHES))
