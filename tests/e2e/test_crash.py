"""kill -9, again and again: nothing that was shown is lost, and play goes on with the same dice."""

import asyncio
import os
import random

from tests.journals import check_journal
from tests.players import Returning
from tests.servers import ServerProcess

KILLS = int(os.environ.get("TAVLA_TEST_KILLS", "50"))  # the store is killed together with the server in half of them
PAIRS = 3
LONGEST_LIFE_S = 0.25  # of a server between start and kill: a few hundred actions


async def test_no_kill_loses_anything_that_was_shown(own_server: ServerProcess, rng: random.Random) -> None:
    stop = asyncio.Event()
    pairs = [play_matches(own_server, stop, random.Random(rng.random())) for _ in range(PAIRS)]
    players = [asyncio.create_task(pair) for pair in pairs]
    with_store = [number % 2 == 0 for number in range(KILLS)]
    rng.shuffle(with_store)
    for store in with_store:
        await asyncio.sleep(rng.uniform(0, LONGEST_LIFE_S))
        await asyncio.to_thread(own_server.kill, store)
        await asyncio.to_thread(own_server.start)
        assert not any(task.done() for task in players), [task.result() for task in players if task.done()]
    stop.set()
    played = [match for matches in await asyncio.gather(*players) for match in matches]
    print(f"{KILLS} kills in {len(played)} matches; {sum(white.returns for _, white, _ in played)} returns")
    for match, white, black in played:
        record = check_journal(own_server.store_url, match, white.matches[match].views, black.matches[match].views)
        assert record.over
        assert white.matches[match].view == black.matches[match].view


async def play_matches(
    server: ServerProcess, stop: asyncio.Event, rng: random.Random
) -> list[tuple[str, Returning, Returning]]:
    """One match after the other between two new players, the last one to its end."""
    played = []
    while not stop.is_set():
        white, black = Returning(server.url), Returning(server.url)
        await asyncio.gather(white.come_back(), black.come_back())
        match = await white.begin(black, {"preset": "tournament", "length": 5})
        first, second = random.Random(rng.random()), random.Random(rng.random())
        await asyncio.gather(white.play_through(match, first), black.play_through(match, second))
        await asyncio.gather(white.close(), black.close())
        played.append((match, white, black))
    return played
