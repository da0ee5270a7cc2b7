"""Requests that are no handshake and no look at the page: each is answered, once, and the connection ends."""

import contextlib
import re
import socket
import ssl
from pathlib import Path

import pytest
from tavla_server.delivery.handshake import REFUSED_BYTES

from tests.support.patience import PATIENCE_S
from tests.support.servers.processes import NewServer, ServerProcess, assert_no_fault
from tests.support.wire.certificates import Authority

MANY = b"x" * 300_000  # more than the system keeps of what is not read
HIDDEN = b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n"
HEADERS = b"X: " + b"y" * 7000 + b"\r\n"
SHAKE = b"Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
REQUESTS: list[tuple[bytes, int]] = [  # and the status of the answer
    (b"POST / HTTP/1.1\r\nContent-Length: 300000\r\n\r\n" + MANY, 405),
    (b"POST / HTTP/1.1\r\nContent-Length: 44\r\n\r\n" + HIDDEN, 405),
    (b"POST / HTTP/1.1\r\nContent-Length: 0\r\n\r\n" + HIDDEN, 405),
    (b"POST /healthz HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n" + HIDDEN, 405),
    (b"OPTIONS * HTTP/1.1\r\n\r\n", 405),
    (b"TRACE /nothing HTTP/1.1\r\n\r\n", 405),
    (b"POST /ws HTTP/1.1\r\n" + SHAKE + b"\r\n", 405),
    (b"GET / HTTP/1.1\r\nContent-Length: 44\r\n\r\n" + HIDDEN, 413),
    (b"GET / HTTP/1.1\r\nContent-Length: 300000\r\n\r\n" + MANY, 413),
    (b"GET / HTTP/1.1\r\nContent-Length: 0\r\nContent-Length: 44\r\n\r\n" + HIDDEN, 413),
    (b"GET / HTTP/1.1\r\nContent-Length: -1\r\n\r\n", 413),
    (b"GET / HTTP/1.1\r\nContent-Length: 5\r\n" + SHAKE + b"\r\nhello", 413),
    (b"GET / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n2c\r\n" + HIDDEN + b"\r\n0\r\n\r\n", 501),
    (b"GET / HTTP/1.1\r\nTransfer-Encoding: \x0bchunked\r\nContent-Length: 44\r\n\r\n" + HIDDEN, 400),
    (b"GET / HTTP/1.1\r\nContent-Length : 44\r\n\r\n" + HIDDEN, 400),
    (b"GET / HTTP/1.1\r\n Content-Length: 44\r\n\r\n" + HIDDEN, 400),
    (b"GET /\xff HTTP/1.1\r\n\r\n", 400),
    (b"GET / HTTP/1.1\r\nX: a\x01b\r\n\r\n", 400),
    (b"GET / HTTP/1.1\nHost: x\n\n" + HIDDEN, 400),
    (b"GET /\r\n\r\n" + HIDDEN, 400),
    (b"\x16\x03\x01\x02\x00\x01\x00\r\n", 400),
    (b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", 505),
    (b"GET /" + b"y" * 9000 + b" HTTP/1.1\r\n\r\n" + MANY, 414),
    (b"GET / HTTP/1.1\r\n" + b"X: " + b"y" * 9000 + b"\r\n\r\n", 431),
    (b"GET / HTTP/1.1\r\n" + 3 * HEADERS + b"\r\n" + MANY, 431),
    (b"GET / HTTP/1.1\r\n" + 130 * b"X: y\r\n" + b"\r\n" + HIDDEN, 431),
    (b"HEAD / HTTP/1.1\r\nContent-Length: 44\r\n\r\n" + HIDDEN, 413),
    (b"HEAD /healthz HTTP/1.1\r\n\r\n" + HIDDEN, 200),
    (b"HEAD /nothing HTTP/1.1\r\n\r\n" + HIDDEN, 404),
    (HIDDEN + HIDDEN, 200),
]


def whole_answer(line: socket.socket, request: bytes) -> bytes:
    """All that is answered to a request, until the end."""
    with contextlib.suppress(ConnectionError):  # it need not take in all of it
        line.sendall(request)
    answer = b""
    while piece := line.recv(65536):
        answer += piece
    return answer


def first_answer(line: socket.socket, request: bytes) -> bytes:
    """The answer to a request, by the length that it says it has; with TLS the end may be up to us."""
    with contextlib.suppress(ConnectionError, ssl.SSLError):
        line.sendall(request)
    answer, size = b"", 0
    while len(answer.partition(b"\r\n\r\n")[2]) < size or b"\r\n\r\n" not in answer:
        answer += line.recv(65536) or pytest.fail(f"cut after {answer!r}")
        found = re.search(rb"\r\nContent-Length: (\d+)", answer)
        size = int(found[1]) if found and not request.startswith(b"HEAD") else 0
    return answer


def check(answer: bytes, status: int, request: bytes) -> None:
    """Demand one answer, with a sentence unless only the head was asked for."""
    head, _, body = answer.partition(b"\r\n\r\n")
    assert re.match(rb"HTTP/1\.1 (\d+) ", head), answer
    assert int(head[9:12]) == status, answer
    assert b"\r\nConnection: close" in head
    assert (b"\r\nAllow: GET, HEAD" in head) == (status == 405)
    found = re.search(rb"\r\nContent-Length: (\d+)", head)
    assert found is not None
    assert len(body) == (0 if request.startswith(b"HEAD") else int(found[1])), "one answer, and nothing after it"
    assert int(found[1]) > 0


@pytest.mark.parametrize(("request_", "status"), REQUESTS)
def test_each_is_answered_once_and_the_connection_ends(server: ServerProcess, request_: bytes, status: int) -> None:
    with socket.create_connection(("127.0.0.1", server.port), PATIENCE_S) as line:
        check(whole_answer(line, request_), status, request_)


def test_with_tls_too(new_server: NewServer, tmp_path: Path) -> None:
    authority = Authority(tmp_path)
    certificate, key = authority.certified("IP:127.0.0.1")
    context = ssl.create_default_context(cafile=str(authority.file))
    server = new_server("--tls-cert", str(certificate), "--tls-key", str(key))
    server.start()
    for request, status in REQUESTS:
        with (
            socket.create_connection(("127.0.0.1", server.port), PATIENCE_S) as plain,
            context.wrap_socket(plain, server_hostname="127.0.0.1") as line,
        ):
            check(first_answer(line, request), status, request)
    assert_no_fault(server)


@pytest.mark.parametrize("cut", [1, 3, 40])
def test_however_it_is_cut(server: ServerProcess, cut: int) -> None:
    request_ = REQUESTS[1][0]
    with socket.create_connection(("127.0.0.1", server.port), PATIENCE_S) as line:
        line.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        with contextlib.suppress(ConnectionError):
            for at in range(0, len(request_), cut):
                line.sendall(request_[at : at + cut])
        check(whole_answer(line, b""), 405, request_)


def test_who_sends_no_more_is_answered_all_the_same(server: ServerProcess) -> None:
    """As `nc -N` and some proxies do."""
    for request, status in [*REQUESTS, (b"GET / HTTP/1.1\r\n\r\n", 200)]:
        with socket.create_connection(("127.0.0.1", server.port), PATIENCE_S) as line:
            with contextlib.suppress(ConnectionError):
                line.sendall(request)
                line.shutdown(socket.SHUT_WR)
            check(whole_answer(line, b""), status, request)
    assert_no_fault(server)


def test_who_has_said_nothing_is_answered_nothing(server: ServerProcess) -> None:
    with socket.create_connection(("127.0.0.1", server.port), PATIENCE_S) as line:
        line.shutdown(socket.SHUT_WR)
        assert line.recv(1) == b""


def test_who_does_not_hang_up_is_cut(server: ServerProcess) -> None:
    """Also one who sends on and on: no more of it is taken in than a bound."""
    with socket.create_connection(("127.0.0.1", server.port), PATIENCE_S) as line:
        answer = b""
        line.sendall(b"POST / HTTP/1.1\r\nContent-Length: 1000000000\r\n\r\n")
        while piece := line.recv(65536):
            answer += piece
        sent = 0
        with contextlib.suppress(ConnectionError):
            while sent < 100 * REFUSED_BYTES:
                sent += line.send(MANY)
    assert answer.startswith(b"HTTP/1.1 405 ")
    assert sent < 20 * REFUSED_BYTES, "and what the system on both sides keeps"
