"""kill -9, again and again: nothing that was shown is lost, and play goes on with the same dice."""

import asyncio
import os
import random
from collections.abc import Callable
from pathlib import Path

from tests.journals import check_journal
from tests.players import Returning, within
from tests.servers import ServerProcess

KILLS = int(os.environ.get("TAVLA_TEST_KILLS", "50"))  # the store is killed together with the server in half of them
SERVERS = 2  # side by side, for the time it takes to start one
PAIRS = 2  # of players at each
LONGEST_PLAY_S = 0.15  # between the first frame after a start and the kill: a hundred actions or so

NewServer = Callable[..., ServerProcess]
Played = tuple[str, Returning, Returning]


async def test_no_kill_loses_anything_that_was_shown(new_server: NewServer, tmp_path: Path, rng: random.Random) -> None:
    with_store = [number % 2 == 0 for number in range(KILLS)]
    rng.shuffle(with_store)
    servers = [new_server(data=tmp_path / f"data-{number}") for number in range(SERVERS)]
    rngs = [random.Random(rng.random()) for _ in servers]
    kills = [with_store[number::SERVERS] for number in range(SERVERS)]
    played = await asyncio.gather(*map(play_and_kill, servers, kills, rngs))
    print(f"{KILLS} kills in {sum(map(len, played))} matches")
    for server, matches in zip(servers, played, strict=True):
        for match, white, black in matches:
            record = check_journal(server.store_url, match, white.matches[match].views, black.matches[match].views)
            assert record.over
            assert white.matches[match].view == black.matches[match].view


async def play_and_kill(server: ServerProcess, with_store: list[bool], rng: random.Random) -> list[Played]:
    """Matches on a server that is killed at random moments; those that were played, all of them to the end."""
    await asyncio.to_thread(server.start)
    stop = asyncio.Event()
    heard = asyncio.Event()
    pairs = [play_matches(server, stop, heard, random.Random(rng.random())) for _ in range(PAIRS)]
    players = [asyncio.create_task(pair) for pair in pairs]
    for store in with_store:
        heard.clear()
        await within(heard.wait())
        await asyncio.sleep(rng.uniform(0, LONGEST_PLAY_S))
        await asyncio.to_thread(server.kill, store)
        await asyncio.to_thread(server.start)
        assert not any(task.done() for task in players), [task.result() for task in players if task.done()]
    stop.set()
    return [match for matches in await asyncio.gather(*players) for match in matches]


async def play_matches(
    server: ServerProcess, stop: asyncio.Event, heard: asyncio.Event, rng: random.Random
) -> list[Played]:
    """One match after the other between two new players, the last one to its end."""
    played = []
    while not stop.is_set():
        white, black = Returning(server.url), Returning(server.url)
        white.heard = black.heard = heard
        await asyncio.gather(white.come_back(), black.come_back())
        match = await white.begin(black, {"preset": "tournament", "length": 5})
        first, second = random.Random(rng.random()), random.Random(rng.random())
        await asyncio.gather(white.play_through(match, first), black.play_through(match, second))
        await asyncio.gather(white.close(), black.close())
        played.append((match, white, black))
    return played
