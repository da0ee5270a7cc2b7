"""Requests that every scanner makes, through the proxies that we ship: others come in as before."""

import contextlib
import re
import socket
from collections.abc import Iterator

import pytest
from tavla_server.own_addresses import addresses

from tests.support.patience import PATIENCE_S
from tests.support.servers.balancers import ALL, Balancer, Caddy, Nginx, balancing
from tests.support.servers.lifetimes import own_store, started
from tests.support.servers.processes import ServerProcess, assert_no_fault

pytestmark = pytest.mark.long  # each starts a balancer and servers

PER_ADDRESS = 3  # connections; this machine, by loopback, has no limit
BODY = b"x" * 3000
ODD: dict[str, bytes] = {
    "a body": b"POST / HTTP/1.1\r\nHost: %b\r\nContent-Length: 3000\r\n\r\n" + BODY,
    "a body of GET": b"GET /healthz HTTP/1.1\r\nHost: %b\r\nContent-Length: 3000\r\n\r\n" + BODY,
    "in chunks": b"POST /x HTTP/1.1\r\nHost: %b\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n",
    "a request in a body": b"POST / HTTP/1.1\r\nHost: %b\r\nContent-Length: 39\r\n\r\n"
    b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n",
    "to be continued": b"PUT / HTTP/1.1\r\nHost: %b\r\nExpect: 100-continue\r\nContent-Length: 3000\r\n\r\n" + BODY,
    "a bad byte in the path": b"GET /\xff HTTP/1.1\r\nHost: %b\r\n\r\n",
    "a bad byte in a header": b"GET / HTTP/1.1\r\nHost: %b\r\nX: a\x7fb\r\n\r\n",
    "another method": b"PROPFIND / HTTP/1.1\r\nHost: %b\r\n\r\n",
    "a long path": b"GET /" + b"y" * 8100 + b" HTTP/1.1\r\nHost: %b\r\n\r\n",
    "long headers": b"GET / HTTP/1.1\r\nHost: %b\r\n" + 4 * (b"X: " + b"y" * 6000 + b"\r\n") + b"\r\n",
}  # fmt: skip
HANDSHAKE = (
    b"GET / HTTP/1.1\r\nHost: %b\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
    b"Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Protocol: tavla.v1\r\n\r\n"
)


@pytest.fixture(scope="module")
def servers(tmp_path_factory: pytest.TempPathFactory) -> Iterator[list[ServerProcess]]:
    """Two servers on one store."""
    data = tmp_path_factory.mktemp("servers")
    with own_store() as store:
        options = ["--redis", store.url, "--behind-proxy", "--host-name", "play.example"]
        options += ["--max-per-address", str(PER_ADDRESS)]
        servers = [ServerProcess(data / str(number), *options) for number in range(2)]
        with started(*servers):
            yield servers
    for server in servers:
        assert_no_fault(server)


def before(kind: type[Balancer], servers: list[ServerProcess]) -> list[int]:
    """The ports of as many servers as each may take for dead: with one, nginx never does; Caddy does."""
    return [server.port for server in (servers[:1] if kind is Caddy else servers)]


def connected(balancer: Balancer, host: str) -> socket.socket:
    """A connection from an address of this machine to a balancer there."""
    return socket.create_connection((balancer.host, balancer.port), PATIENCE_S, (host, 0))


def send(line: socket.socket, request: bytes, name: str = "127.0.0.1") -> bytes:
    """The beginning of the answer to a request; not of one that only says to go on. name: by which it is asked."""
    with contextlib.suppress(ConnectionError):  # answered before all of it was sent
        line.sendall(request.replace(b"%b", f"{name}:{line.getpeername()[1]}".encode()))
    while (answer := line.recv(65536)).startswith(b"HTTP/1.1 100 "):
        if answer := answer.partition(b"\r\n\r\n")[2]:
            break
    return answer


def status(answer: bytes) -> int:
    """The status of an answer."""
    found = re.match(rb"HTTP/1\.[01] (\d{3}) ", answer)
    assert found is not None, answer
    return int(found[1])


@pytest.mark.parametrize("kind", ALL)
def test_what_a_scanner_sends_takes_no_server_out(kind: type[Balancer], servers: list[ServerProcess]) -> None:
    seen: dict[str, list[int]] = {}
    with balancing(kind, before(kind, servers)) as balancer:
        for what, request in ODD.items():
            for _ in range(3):  # more than there are servers
                with connected(balancer, "127.0.0.1") as line:
                    seen.setdefault(what, []).append(status(send(line, request)))
            with connected(balancer, "127.0.0.1") as line:
                assert status(send(line, HANDSHAKE)) == 101, f"after {what}: {seen[what]}"
    print(kind.name, seen)
    assert not [what for what, codes in seen.items() if not all(400 <= code < 502 for code in codes)], seen


@pytest.mark.parametrize("kind", ALL)
def test_an_address_over_its_limit_keeps_no_other_out(kind: type[Balancer], servers: list[ServerProcess]) -> None:
    (ours, *_) = addresses("0.0.0.0") or pytest.skip("this machine has no address but loopback")
    with balancing(kind, before(kind, servers), "0.0.0.0") as balancer, contextlib.ExitStack() as stack:

        def knock(host: str) -> int:
            line = stack.enter_context(socket.create_connection((host, balancer.port), PATIENCE_S))
            return status(send(line, HANDSHAKE))

        theirs = [knock(ours) for _ in range(PER_ADDRESS * len(servers) + 6)]
        others = [knock("127.0.0.1") for _ in range(4)]
    print(kind.name, theirs, others)
    assert others == [101] * 4


@pytest.mark.parametrize("kind", ALL)
def test_a_server_is_asked_by_the_name_that_it_was_told(kind: type[Balancer], servers: list[ServerProcess]) -> None:
    with balancing(kind, before(kind, servers), "0.0.0.0") as balancer:
        for name, expected in (("play.example", 101), ("evil.example", 421)):
            with connected(balancer, "127.0.0.1") as line:
                assert status(send(line, HANDSHAKE, name)) == expected


def test_who_asks_nginx_without_tls_is_sent_to_its_own_name_alone(servers: list[ServerProcess]) -> None:
    with balancing(Nginx, before(Nginx, servers)) as balancer, socket.socket(socket.AF_UNIX) as line:
        line.settimeout(PATIENCE_S)
        line.connect(str(balancer.folder / "80.sock"))
        line.sendall(b"GET /m/k3v7q2xa?x=1 HTTP/1.1\r\nHost: evil.example\r\n\r\n")
        answer = line.recv(65536)
    assert status(answer) == 301
    assert b"\r\nLocation: https://play.example/m/k3v7q2xa?x=1\r\n" in answer


@pytest.mark.parametrize("kind", [Nginx, Caddy])
def test_a_proxy_tells_browsers_to_come_by_tls_alone(kind: type[Balancer], servers: list[ServerProcess]) -> None:
    with balancing(kind, before(kind, servers)) as balancer, connected(balancer, "127.0.0.1") as line:
        answer = send(line, b"GET /none HTTP/1.1\r\nHost: %b\r\n\r\n")
    assert b"\r\nstrict-transport-security: max-age=31536000\r\n" in answer.lower()
