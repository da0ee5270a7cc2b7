"""A master is killed -9 under a match on two servers: its replica takes over, and play goes on by itself."""

import asyncio
import contextlib
import os
import random
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from tavla_server.journal import log_key

from tests.conftest import assert_no_fault
from tests.journals import check_journal
from tests.players import Returning, within
from tests.redises import Cluster, Replicated, SentinelSet, replicated
from tests.servers import ServerProcess

FAILOVERS = int(os.environ.get("TAVLA_TEST_FAILOVERS", "2"))  # of each kind
FAILOVER_S = 30.0  # for play to go on; takes 2 to 4 s, the machine may be busy
KNOWN_DEAD_S = 0.5  # nobody takes over within it: what is still shown then was stored before
LONGEST_PLAY_S = 0.5  # before a kill

KINDS = pytest.mark.parametrize("kind", [SentinelSet, Cluster])


@contextlib.contextmanager
def two_servers(store: Replicated, folder: Path) -> Iterator[tuple[ServerProcess, ServerProcess]]:
    """Two servers on one store."""
    one, two = (ServerProcess(folder / name, "--redis", store.url) for name in ("a", "b"))
    try:
        for server in (one, two):
            server.start()
        yield one, two
    finally:
        for server in (one, two):
            server.clean_up()


@KINDS
async def test_play_goes_on_when_a_master_is_killed(kind: type[Replicated], tmp_path: Path, rng: random.Random) -> None:
    with replicated(kind) as store, two_servers(store, tmp_path) as (one, two):
        played, pauses_s = await play_and_kill(store, one, two, rng)
        print(f"{kind.__name__}: {len(pauses_s)} failovers in {len(played)} matches, play went on after", end=" ")
        print(" ".join(f"{pause:.2f}" for pause in sorted(pauses_s)), "s")
        for match, white, black in played:
            journal = store.serving(log_key(match)).url
            assert check_journal(journal, match, white.matches[match].views, black.matches[match].views).over
            assert white.matches[match].view == black.matches[match].view
        for server in (one, two):
            assert_no_fault(server)


Played = tuple[str, Returning, Returning]


async def play_and_kill(
    store: Replicated, one: ServerProcess, two: ServerProcess, rng: random.Random
) -> tuple[list[Played], list[float]]:
    """Matches between two servers, under which one master after the other is killed; and how long play paused."""
    played: list[Played] = []
    stop, heard = asyncio.Event(), asyncio.Event()
    players = asyncio.create_task(play_matches(one, two, stop, heard, played, rng))
    pauses_s = []
    for _ in range(FAILOVERS):
        heard.clear()
        await first(heard, players)
        await asyncio.sleep(rng.uniform(0, LONGEST_PLAY_S))
        since = time.monotonic()
        await asyncio.to_thread(store.kill_master, log_key(played[-1][0]))
        while time.monotonic() - since < KNOWN_DEAD_S:
            heard.clear()
            await first(heard, players)
        pauses_s.append(time.monotonic() - since)
        await asyncio.to_thread(store.revive)
    stop.set()
    await players
    return played, pauses_s


async def first(heard: asyncio.Event, players: "asyncio.Task[None]") -> None:
    """Wait until something is heard; the players must not end."""
    waiting = asyncio.ensure_future(heard.wait())
    await within(asyncio.wait({waiting, players}, return_when=asyncio.FIRST_COMPLETED), FAILOVER_S)
    if players.done():
        await players
    assert waiting.done(), "the players have ended"


async def play_matches(
    one: ServerProcess,
    two: ServerProcess,
    stop: asyncio.Event,
    heard: asyncio.Event,
    played: list[Played],
    rng: random.Random,
) -> None:
    """One match after the other, each between two servers, the last one to its end."""
    while not stop.is_set():
        white, black = Returning(one.url), Returning(two.url)
        white.heard = black.heard = heard
        await asyncio.gather(white.come_back(), black.come_back())
        match = await white.begin(black, {"preset": "tournament", "length": 9})
        played.append((match, white, black))
        rngs = random.Random(rng.random()), random.Random(rng.random())
        await asyncio.gather(white.play_through(match, rngs[0]), black.play_through(match, rngs[1]))
        await asyncio.gather(white.close(), black.close())
