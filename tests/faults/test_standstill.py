"""A node that stands still hears no player: what a player has done meanwhile was done in time."""

import asyncio
import os
import random
import signal
import threading
from collections.abc import Callable
from pathlib import Path

import pytest
from tavla_engine.events import Ending
from tavla_protocol import messages as m

from tests.support.players.matches import new_match
from tests.support.players.plain import Player
from tests.support.players.turns import choose, waits_for
from tests.support.servers.processes import ServerProcess, assert_no_fault
from tests.support.servers.valkey import Valkey
from tests.support.wire import raw

RESERVE_S = 3
RULES: dict[str, bool | int | str] = {"preset": "tournament", "length": 1, "reserve_s": RESERVE_S, "delay_s": 0}


async def until_black_is_to_act(white: Player, black: Player, match: str, rng: random.Random) -> None:
    """Begin, and play until black's time runs. The opening roll says who plays first."""
    for player in (white, black):
        await player.act(m.Ready, match)
    view = await white.until(match, lambda view: view.phase not in ("ready", "open", "reveal"))
    while not waits_for(view, 1):
        await white.take_turn(match, rng)
        view = white.matches[match].view
    await black.reach(match, white.matches[match].seq)


@pytest.mark.parametrize("stopped_s", [2.0, 3 * RESERVE_S], ids=["shortly", "until the others hold it for dead"])
async def test_who_moved_in_time_does_not_lose_since_the_node_stood_still(
    new_server: Callable[..., ServerProcess], tmp_path: Path, valkey: Valkey, rng: random.Random, stopped_s: float
) -> None:
    nodes = [new_server("--redis", valkey.url, data=tmp_path / str(number)) for number in range(2)]
    await asyncio.gather(*(asyncio.to_thread(node.start) for node in nodes))
    async with Player(nodes[0].url) as white, Player(nodes[1].url) as black:
        match = await new_match(white, black, RULES)
        await until_black_is_to_act(white, black, match, rng)
        seq = black.matches[match].seq
        await asyncio.sleep(RESERVE_S / 2)  # black thinks
        os.kill(nodes[1].pid, signal.SIGSTOP)
        request, fields = choose(black.matches[match].view, 1, rng)
        await black.send(request, match=match, seq=seq, **fields)
        await asyncio.sleep(stopped_s)
        os.kill(nodes[1].pid, signal.SIGCONT)
        for player in (black, white):
            view = await player.reach(match, seq + 1)
            assert view.outcome is None or view.outcome[3] != Ending.TIME
    for node in nodes:
        assert_no_fault(node)


async def test_who_moves_in_time_does_not_lose_since_the_node_is_flooded(
    new_server: Callable[..., ServerProcess], rng: random.Random
) -> None:
    server = new_server("--workers", "2")
    server.start()

    def flood() -> None:
        lines, pings = [raw.Raw(server.port) for _ in range(8)], raw.frame(raw.PING) * 1000
        while not done.is_set():
            for at, line in enumerate(lines):
                line.send(pings)
                line.drain()
                if line.closed:
                    line.close()
                    lines[at] = raw.Raw(server.port)
            done.wait(0.01)
        for line in lines:
            line.close()

    done = threading.Event()
    flooding = asyncio.create_task(asyncio.to_thread(flood))
    async with Player(server.url) as white, Player(server.url) as black:
        match = await new_match(white, black, RULES | {"reserve_s": 20})
        for player in (white, black):
            await player.act(m.Ready, match)
        view = await white.until(match, lambda view: view.phase not in ("ready", "open", "reveal"))
        for _ in range(20):
            if view.phase != "over":
                mover = white if waits_for(view, 0) else black
                await mover.take_turn(match, rng)
                view = await white.reach(match, mover.matches[match].seq)
        assert view.outcome is None or view.outcome[3] != Ending.TIME
    done.set()
    await flooding
    assert_no_fault(server)
