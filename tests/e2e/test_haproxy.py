"""The cluster of `deploy/`: HAProxy, with the file that we ship, before three servers on one store."""

import asyncio
import contextlib
import os
import random
import signal
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from tavla_client import Client
from tavla_protocol import messages as m

from tests.support.haproxy import BACK_S, HAProxy, need_haproxy
from tests.support.patience import LATE_S
from tests.support.players import Player, unique, within
from tests.support.rolling import restart_under
from tests.support.servers import ServerProcess, Valkey, assert_no_fault, page
from tests.support.swarm import percentile

NewServer = Callable[..., ServerProcess]
MATCHES = int(os.environ.get("TAVLA_TEST_MATCHES", "20"))  # bench/rolling.py does it with 300
PAUSE_S = 0.3  # of each player, before acting
NOTICED_S = 0.25 + LATE_S  # for everyone to be on another server; the client's own jitter


@pytest.fixture
def servers(new_server: NewServer, own_valkey: Valkey, tmp_path: Path) -> list[ServerProcess]:
    """Three servers on one store."""
    options = ("--redis", own_valkey.url, "--behind-proxy")
    servers = [new_server(*options, data=tmp_path / str(number)) for number in range(3)]
    for server in servers:
        server.start()
    return servers


@pytest.fixture
def haproxy(servers: list[ServerProcess]) -> Iterator[HAProxy]:
    """HAProxy before them."""
    haproxy = HAProxy(need_haproxy(), servers)
    try:
        haproxy.start()
        yield haproxy
    finally:
        haproxy.stop()


async def connect_many(stack: contextlib.AsyncExitStack, url: str, count: int) -> list[Player]:
    """So many players who come one after the other."""
    return [await stack.enter_async_context(Player(url)) for _ in range(count)]


def connections(servers: list[ServerProcess]) -> list[int]:
    """How many WebSockets each server has: those sockets of the process that are connected at its port."""
    return [len(_established(server.port)) for server in servers]


def _established(port: int) -> list[str]:
    rows = Path("/proc/net/tcp").read_text().splitlines()[1:]
    return [row for row in rows if row.split()[1].endswith(f":{port:04X}") and row.split()[3] == "01"]


async def test_players_are_spread_over_all_servers_and_stay(haproxy: HAProxy, servers: list[ServerProcess]) -> None:
    async with contextlib.AsyncExitStack() as stack:
        players = await connect_many(stack, haproxy.url, 9)
        assert min(connections(servers)) >= 2
        for player in players:
            assert isinstance(await player.ask(m.List), m.Listing)
        assert page(haproxy.url, "/readyz") == (200, "ready\n")


async def test_a_server_that_is_killed_or_frozen_gets_nobody(haproxy: HAProxy, servers: list[ServerProcess]) -> None:
    async with contextlib.AsyncExitStack() as stack:
        servers[0].kill()
        began = time.monotonic()
        await connect_many(stack, haproxy.url, 6)
        print(f"six came in within {time.monotonic() - began:.2f} s after a kill")
        os.kill(servers[1].pid, signal.SIGSTOP)
        try:
            clients = [Client(haproxy.url, name=unique("p")) for _ in range(6)]
            await within(asyncio.gather(*map(stack.enter_async_context, clients)))
        finally:
            os.kill(servers[1].pid, signal.SIGCONT)
        print(f"six more after a freeze, {time.monotonic() - began:.2f} s")


async def test_a_server_that_comes_back_is_given_players_again(haproxy: HAProxy, servers: list[ServerProcess]) -> None:
    async with contextlib.AsyncExitStack() as stack:
        await connect_many(stack, haproxy.url, 6)
        servers[0].kill()
        await asyncio.to_thread(servers[0].restart)
        await asyncio.sleep(BACK_S)
        await connect_many(stack, haproxy.url, 3)
        assert connections(servers)[0] >= 2


async def test_a_rolling_restart_ends_no_match_and_no_player_sees_an_error(
    haproxy: HAProxy, servers: list[ServerProcess], own_valkey: Valkey, rng: random.Random
) -> None:
    rolled = await restart_under(servers, haproxy.url, own_valkey.url, MATCHES, PAUSE_S, rng)
    gaps, acts = rolled.gaps_s, rolled.acts_s
    print(f"{len(gaps)} reconnections: {percentile(gaps, 0.5):.3f} s in the median, {gaps[-1]:.3f} s at most")
    print(f"{len(acts)} actions: {percentile(acts, 0.99):.3f} s at the 99th percentile, {acts[-1]:.3f} s at most")
    print(f"servers took {max(rolled.stops_s):.2f} s to stop; {rolled.absences} times someone was shown as away")
    assert len(gaps) >= 2 * MATCHES, "everyone was sent elsewhere once at least, but for rounding"
    assert gaps[-1] < NOTICED_S
    for server in servers:
        assert_no_fault(server)
