"""Load balancers with the files of `deploy/`, before three servers on one store."""

import asyncio
import contextlib
import os
import random
import re
import signal
import threading
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from tavla_client import Client
from tavla_protocol import messages as m
from tavla_server.gateway.client_address import whom
from tavla_server.timings import DEFAULTS
from websockets.exceptions import InvalidStatus

from tests.support.patience import LATE_S
from tests.support.players.matches import new_match
from tests.support.players.plain import Player, unique, within
from tests.support.players.swarm import percentile
from tests.support.servers.balancers import ALL, BACK_S, DEPLOY, Balancer, Caddy, HAProxy, Nginx, balancing
from tests.support.servers.lifetimes import own_store, started
from tests.support.servers.processes import ServerProcess, assert_no_fault, page, ready_in_time
from tests.support.servers.rolling import Check, play_under, restart_under
from tests.support.servers.valkey import Valkey
from tests.support.stores.archiving import archive_at
from tests.support.stores.past_tournament import add_tournament

pytestmark = pytest.mark.long  # each starts a balancer and servers

MATCHES = int(os.environ.get("TAVLA_TEST_MATCHES", "20"))  # bench/rolling.py does it with 300
PAUSE_S = 0.3  # of each player, before acting
NOTICED_S = 0.25 + LATE_S  # for everyone to be on another server; the client's own jitter
TIMEOUTS = [  # of a WebSocket that is quiet, in seconds
    ("haproxy.cfg", r"timeout tunnel (\d+)s"),
    ("nginx.conf", r"proxy_read_timeout (\d+)s"),
    ("nginx.conf", r"proxy_send_timeout (\d+)s"),
]


@pytest.fixture(scope="module")
def store() -> Iterator[Valkey]:
    """The servers' store."""
    with own_store() as valkey:
        yield valkey


@pytest.fixture(scope="module")
def servers(store: Valkey, tmp_path_factory: pytest.TempPathFactory) -> Iterator[list[ServerProcess]]:
    """Three servers on one store; a test that kills one starts it again."""
    folder = tmp_path_factory.mktemp("servers")
    servers = [ServerProcess(folder / str(number), "--redis", store.url, "--behind-proxy") for number in range(3)]
    with started(*servers):
        yield servers
    for server in servers:
        assert_no_fault(server)


@pytest.fixture
def haproxy(servers: list[ServerProcess]) -> Iterator[Balancer]:
    """HAProxy before all of them."""
    with balancing(HAProxy, [server.port for server in servers]) as haproxy:
        yield haproxy


async def connect_many(stack: contextlib.AsyncExitStack, url: str, count: int) -> list[Player]:
    """So many players who come one after the other."""
    return [await stack.enter_async_context(Player(url)) for _ in range(count)]


def connections(servers: list[ServerProcess]) -> list[int]:
    """The number of WebSockets of each server: those sockets of the process that are connected at its port."""
    return [len(_established(server.port)) for server in servers]


def _established(port: int) -> list[str]:
    rows = Path("/proc/net/tcp").read_text().splitlines()[1:]
    return [row for row in rows if row.split()[1].endswith(f":{port:04X}") and row.split()[3] == "01"]


async def test_players_are_spread_over_all_servers_and_stay(haproxy: Balancer, servers: list[ServerProcess]) -> None:
    async with contextlib.AsyncExitStack() as stack:
        players = await connect_many(stack, haproxy.url, 9)
        assert min(connections(servers)) >= 2
        for player in players:
            assert isinstance(await player.ask(m.List), m.Listing)
        assert ready_in_time(haproxy.url) == (200, "ready\n")


async def test_a_server_that_is_killed_or_frozen_gets_nobody(haproxy: Balancer, servers: list[ServerProcess]) -> None:
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
    await asyncio.to_thread(servers[0].restart)


async def test_a_server_that_comes_back_is_given_players_again(haproxy: Balancer, servers: list[ServerProcess]) -> None:
    async with contextlib.AsyncExitStack() as stack:
        await connect_many(stack, haproxy.url, 6)
        servers[0].kill()
        await asyncio.to_thread(servers[0].restart)
        await asyncio.sleep(BACK_S)
        await connect_many(stack, haproxy.url, 3)
        assert connections(servers)[0] >= 2


async def test_a_rolling_restart_ends_no_match_and_no_player_sees_an_error(
    haproxy: Balancer, servers: list[ServerProcess], store: Valkey, rng: random.Random
) -> None:
    rolled = await restart_under(servers, haproxy.url, store.url, MATCHES, PAUSE_S, rng)
    gaps, acts = rolled.gaps_s, rolled.acts_s
    print(f"{len(gaps)} reconnections: {percentile(gaps, 0.5):.3f} s in the median, {gaps[-1]:.3f} s at most")
    print(f"{len(acts)} actions: {percentile(acts, 0.99):.3f} s at the 99th percentile, {acts[-1]:.3f} s at most")
    print(f"servers took {max(rolled.stops_s):.2f} s to stop; {rolled.absences} times someone was shown as away")
    assert len(gaps) >= 2 * MATCHES, "everyone was sent elsewhere once at least, but for rounding"
    assert gaps[-1] < NOTICED_S


@pytest.mark.parametrize("kind", ALL)
async def test_a_match_is_played_and_the_page_served_through_it(
    kind: type[Balancer], servers: list[ServerProcess], rng: random.Random
) -> None:
    with balancing(kind, [server.port for server in servers]) as balancer:
        host = balancer.url.removeprefix("ws://")
        status, document = await asyncio.to_thread(page, balancer.url, "/")
        assert (status, document[:15]) == (200, "<!doctype html>")
        ours = {"Origin": f"http://{host}"}  # what the page that was just served says of itself
        async with Player(balancer.url, headers=ours) as white, Player(balancer.url) as black:
            match = await new_match(white, black)
            await asyncio.gather(white.play(match, rng), black.play(match, rng))
        with pytest.raises(InvalidStatus, match="403"):
            await Player(balancer.url, headers={"Origin": "http://elsewhere.example"}).connect()


@pytest.mark.parametrize(("kind", "cuts"), [(Nginx, False), (Caddy, True)])
async def test_a_reload_with_other_servers_ends_no_match(
    kind: type[Balancer], cuts: bool, servers: list[ServerProcess], store: Valkey, rng: random.Random
) -> None:
    before, after = servers[0], servers[1:]
    with balancing(kind, [before.port]) as balancer:

        async def reload(check: Check) -> None:
            assert connections(after) == [0, 0]
            balancer.prepare([server.port for server in after])
            await asyncio.to_thread(balancer.reload)
            async with asyncio.timeout(LATE_S), contextlib.AsyncExitStack() as stack:
                while not any(connections(after)):
                    await connect_many(stack, balancer.url, 1)
            await asyncio.sleep(4 * PAUSE_S)
            check()

        rolled = await play_under(reload, balancer.url, store.url, 3, PAUSE_S, rng)
    print(f"{len(rolled.gaps_s)} reconnections, {rolled.gaps_s[-1:]} s at most, {rolled.absences} times away")
    assert len(rolled.gaps_s) == (6 if cuts else 0)
    assert all(gap < NOTICED_S for gap in rolled.gaps_s)


class Told(BaseHTTPRequestHandler):
    """A server that answers with what it was told of the client: X-Forwarded-For, a line each, and Host."""

    def do_GET(self) -> None:
        """Answer."""
        body = "\n".join([*self.headers.get_all("X-Forwarded-For", []), self.headers.get("Host", "")]).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - its parent's word
        """Say nothing."""


@pytest.fixture(scope="module")
def told() -> Iterator[int]:
    """The port of such a server."""
    with ThreadingHTTPServer(("127.0.0.1", 0), Told) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
        thread.start()
        yield server.server_port
        server.shutdown()
        thread.join()


@pytest.mark.parametrize("kind", ALL)
def test_a_server_is_told_who_has_connected_whatever_the_client_says_of_itself(kind: type[Balancer], told: int) -> None:
    with balancing(kind, [told]) as balancer:
        status, said = page(balancer.url, "/", {"X-Forwarded-For": "203.0.113.9"})
    *forwarded, host = said.splitlines()
    assert (status, host) == (200, balancer.url.removeprefix("ws://"))
    assert forwarded[-1].endswith("127.0.0.1")
    assert whom("192.0.2.1", forwarded, behind_proxy=True) == "", "this machine, as the balancer has seen it"


MANY = 100  # matches of a tournament


@pytest.fixture(scope="module")
def evening(servers: list[ServerProcess], tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[int, str]]:
    """The port of a server whose archive has a tournament of many matches, and its id."""
    folder = tmp_path_factory.mktemp("evening")
    url = f"sqlite:///{folder}/archive.db"

    async def prepare() -> str:
        async with archive_at(url) as archive:
            return await add_tournament(archive, random.Random(1), MANY)

    tournament = asyncio.run(prepare())
    server = ServerProcess(folder / "data", "--behind-proxy", "--archive", url)
    with started(server):
        yield server.port, tournament
    assert_no_fault(server)


@pytest.mark.parametrize("kind", ALL)
def test_a_file_of_many_matches_comes_whole_and_is_asked_for_once(
    kind: type[Balancer], evening: tuple[int, str]
) -> None:
    port, tournament = evening
    with balancing(kind, [port]) as balancer:
        began = time.monotonic()
        status, text = page(balancer.url, f"/t/{tournament}.mat")
        first_s, began = time.monotonic() - began, time.monotonic()
        assert page(balancer.url, f"/t/{tournament}.mat") == (status, text)
        print(f"{kind.name}: {first_s:.2f} s, then {time.monotonic() - began:.3f} s")
        assert page(balancer.url, f"/t/{tournament}.json")[0] == 200
    assert (status, text.count("; [Match ")) == (200, MANY)


@pytest.mark.parametrize(("file", "timeout"), TIMEOUTS)
def test_a_quiet_websocket_outlives_the_pings(file: str, timeout: str) -> None:
    (found,) = re.findall(timeout, (DEPLOY / file).read_text())
    assert int(found) >= 3 * DEFAULTS.ping_s
