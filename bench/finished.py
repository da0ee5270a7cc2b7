"""Many finished matches, and clients that never detach from one: is the memory of a server flat?

`python -m bench.finished [MATCHES]` (10,000). Pairs of players end one match after the other by a forfeit, on one
server, each on a connection of its own that stays; the archive takes them, and they leave the store after GRACE_S. Ten
lines; then by how many bytes a finished match makes the server grow, by a line through all samples of the second half
(least squares): what is forgotten after a minute has to be so by then.
"""

import asyncio
import sys
import time

from tavla_protocol import messages as m

from bench.processes import Measured
from bench.soak import slope
from tests.support.players import Player, new_match
from tests.support.results import recorded
from tests.support.servers import ServerProcess, folder_in_memory

MATCHES, PAIRS = 10_000, 40
PAUSE_S = 1.3  # of a pair, after each match: what is kept for a minute is to be little beside 10,000
GRACE_S = 5.0
SAMPLES = 60


async def pair(url: str, count: int, ended: list[int]) -> None:
    """Two players, who end so many matches."""
    async with Player(url) as white, Player(url) as black:
        for number in range(count):
            maker, other = (white, black) if number % 2 else (black, white)
            match = await new_match(maker, other, {"length": 1})
            await other.act(m.Forfeit, match)
            await maker.until(match, lambda view: view.phase == "over")
            await asyncio.sleep(PAUSE_S)
            white.log.clear()
            black.log.clear()
            ended[0] += 1
        await asyncio.sleep(1.0)


async def measured(matches: int) -> None:
    """Print how memory goes with finished matches."""
    with folder_in_memory() as folder:
        server = ServerProcess(folder / "data", "--archive-grace", str(GRACE_S / 86_400))
        server.start()
        process, ended, samples = Measured(server.url, server.pid), [0], list[tuple[float, float]]()
        try:
            playing = asyncio.gather(*(pair(server.url, matches // PAIRS, ended) for _ in range(PAIRS)))
            began, next_ = time.monotonic(), 0
            while not playing.done():
                await asyncio.sleep(0.2)
                if ended[0] >= next_:
                    samples.append((ended[0], process.rss()))
                    if next_ % (matches // 10) < matches // SAMPLES:
                        print(
                            f"{ended[0]:6} matches, {process.rss() / 1e6:6.1f} MB, {time.monotonic() - began:5.0f} s",
                            flush=True,
                        )
                    next_ += matches // SAMPLES
            await playing
        finally:
            server.clean_up()
    grown = slope([sample for sample in samples if sample[0] > matches / 2])
    print(f"{grown:.0f} bytes a finished match")


if __name__ == "__main__":
    with recorded("finished"):
        asyncio.run(measured(int(sys.argv[1]) if len(sys.argv) > 1 else MATCHES))
