"""Names that a server is asked by: against pages of strangers whose own name leads to it."""

import http.client
import socket

import pytest
from structlog.testing import capture_logs
from tavla_server.gateway.known_hosts import LOGGED_S, KnownHosts
from tavla_server.options import Options

from tests.support.patience import PATIENCE_S
from tests.support.servers.processes import NewServer, ServerProcess

NAMES = ["play.example", "Club.Example:8765"]
HOSTS: list[tuple[list[str], bool]] = [  # the Host headers of a request, whether it is meant for us
    (["play.example"], True),
    (["PLAY.example:443"], True),
    (["play.example."], True),
    (["club.example"], True),
    (["localhost:8765"], True),
    (["game.localhost"], True),
    (["127.0.0.1:8765"], True),
    (["192.168.1.7"], True),
    (["[::1]:8765"], True),
    (["[2001:db8::1]"], True),
    (["gamebox:8765"], True),  # on the network of a club
    (["gamebox.local:8765"], True),
    ([], True),  # a health check, by HTTP/1.0
    ([""], True),
    (["evil.example"], False),
    (["evil.example:8765"], False),
    (["play.example.evil.example"], False),
    (["sub.play.example"], False),
    (["127.0.0.1.evil.example"], False),
    (["evil.example."], False),
    (["1.2.3.4.5"], False),
    (["play.example", "evil.example"], False),
    (["play.example, evil.example"], False),
    (["\x1b[31m.example"], False),
]


@pytest.mark.parametrize(("hosts", "known"), HOSTS)
def test_a_request_is_meant_for_us_or_not(hosts: list[str], known: bool) -> None:
    assert (KnownHosts(NAMES).why_unknown(hosts) == "") is known
    assert KnownHosts(["*"]).why_unknown(hosts[:1]) == ""


def test_an_operator_is_told_what_to_pass_and_not_too_often() -> None:
    now_s = [0.0]
    hosts = KnownHosts(now=lambda: now_s[0])
    with capture_logs() as lines:
        for host in ("a.example", "b.example:80"):
            assert hosts.why_unknown([host]).endswith(f"start it with --host-name {host.partition(':')[0]}")
        now_s[0] = LOGGED_S
        assert hosts.why_unknown(["\x1b]0;a.example"]).endswith("--host-name NAME"), "nothing else is said again"
    assert [line["host"] for line in lines] == ["a.example", "NAME"]


def test_what_need_not_be_told() -> None:
    own = Options(host="tavla.example").known_names
    assert {"tavla.example", socket.gethostname()} == {*own}


def asked(server: ServerProcess, path: str, host: str, method: str = "GET", **headers: str) -> tuple[int, str]:
    """The answer to a client that takes the server for `host`."""
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=PATIENCE_S)
    connection.request(method, path, headers={"Host": host, "Accept-Encoding": "gzip"} | headers)
    answer = connection.getresponse()
    body = answer.read()
    connection.close()
    return answer.status, "" if answer.headers["Content-Encoding"] else body.decode()


@pytest.mark.parametrize("workers", ["1", "2"])
def test_a_page_of_a_stranger_gets_nothing(new_server: NewServer, workers: str) -> None:
    server = new_server("--host-name", "play.example", "--host-name", "other.example", "--workers", workers)
    server.start()
    handshake = {"Upgrade": "websocket", "Connection": "Upgrade", "Sec-WebSocket-Version": "13",
                 "Sec-WebSocket-Key": "dGhlIHNhbXBsZSBub25jZQ==", "Sec-WebSocket-Protocol": "tavla.v1"}  # fmt: skip
    sentence = (
        "this server does not know this name for itself: its operator may start it with --host-name evil.example\n"
    )
    for path, headers in (("/", {}), ("/m/k3v7q2xa", {}), ("/x", {}), ("/ws", handshake)):
        origin = {"Origin": f"http://evil.example:{server.port}"} if headers else {}
        assert asked(server, path, f"evil.example:{server.port}", **headers, **origin) == (421, sentence), path
    assert asked(server, "/ws", "other.example", **handshake)[0] == 101
    assert asked(server, "/", "play.example")[0] == 200
    assert asked(server, "/healthz", "evil.example")[0] == 200
    assert server.wait_for_event("host_unknown")["host"] == "evil.example"
