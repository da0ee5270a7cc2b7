"""The first connection: what stands in its way is told in one sentence."""

import asyncio
import contextlib
import http
import socket

import pytest
from tavla_client import Client, ConnectionFailed, Refused
from tavla_client import connection as limits
from tavla_protocol import messages as m
from websockets.asyncio.server import serve

from tests.support.players.plain import within
from tests.support.servers.scripted import ScriptedServer, scripted


@pytest.mark.parametrize(
    ("url", "sentence"),
    [
        ("ws://127.0.0.1:1", "no server answers at ws://127.0.0.1:1"),
        ("ws://localhost:1", "no server answers at ws://localhost:1"),
        ("http://127.0.0.1:1", "is not the address of a server"),
        ("ws://127.0.0.1:99999", "is not the address of a server"),
        ("ws://[fe80::1%no-such-interface]:1", r"the host name in ws://.* is unknown"),  # asks no name server
    ],
)
async def test_a_server_that_cannot_be_reached_is_told_in_one_sentence(url: str, sentence: str) -> None:
    with pytest.raises(ConnectionFailed, match=sentence):
        await within(Client(url, name="ada").connect())


async def test_tls_to_a_server_without_is_told_in_one_sentence(scripted_server: ScriptedServer) -> None:
    with pytest.raises(ConnectionFailed, match=r"does not answer with TLS: .* A server without TLS is ws://"):
        await within(Client(scripted_server.url.replace("ws:", "wss:"), name="ada").connect())


def test_a_name_server_that_does_not_answer_is_no_unknown_host() -> None:
    assert "is this machine online?" in limits._why("ws://x", socket.gaierror(socket.EAI_AGAIN, "Temporary failure"))


def test_an_error_without_a_text_has_its_name() -> None:
    assert limits._why("ws://x", OSError()) == "ws://x cannot be reached: OSError"


async def test_another_kind_of_server_is_told_in_one_sentence() -> None:
    async with scripted("chat.v1") as chat:
        with pytest.raises(ConnectionFailed, match=r"does not speak tavla\.v1"):
            await within(Client(chat.url, name="ada").connect())


@pytest.mark.parametrize(
    ("status", "sentence"),
    [
        (http.HTTPStatus.NOT_FOUND, "answers with HTTP 404: is it a Tavla server"),
        (http.HTTPStatus.SERVICE_UNAVAILABLE, "no server is ready at ws://"),
        (
            http.HTTPStatus.MISDIRECTED_REQUEST,
            "does not know this name for itself: its operator may give it --host-name",
        ),
        (http.HTTPStatus.TOO_MANY_REQUESTS, "takes no more connections from your address just now"),
    ],
)
async def test_an_answer_without_a_websocket_is_told_in_one_sentence(status: http.HTTPStatus, sentence: str) -> None:
    web = await serve(
        lambda _: asyncio.sleep(0),
        "127.0.0.1",
        0,
        process_request=lambda socket, _: socket.respond(status, "nothing here"),
    )
    async with web:
        url = f"ws://127.0.0.1:{next(iter(web.sockets)).getsockname()[1]}"
        with pytest.raises(ConnectionFailed, match=sentence):
            await within(Client(url, name="ada").connect())


ANSWERS: list[tuple[str, bytes | None, str]] = [  # scheme, what the port says (None: nothing), the sentence
    ("ws", b"SSH-2.0-OpenSSH_9.6\r\n", "answers, but not as a Tavla server"),
    ("ws", b"\x15\x03\x01\x00\x02\x02\x46\r\n", "If it has TLS, write wss://"),
    ("wss", b"HTTP/1.1 400 Bad Request\r\n\r\n", "does not answer with TLS: .* A server without TLS is ws://"),
    ("ws", None, "did not answer within"),
]


@pytest.mark.parametrize(("scheme", "said", "sentence"), ANSWERS)
async def test_a_port_of_something_else_is_told_in_one_sentence(
    monkeypatch: pytest.MonkeyPatch, scheme: str, said: bytes | None, sentence: str
) -> None:
    if said is None:
        monkeypatch.setattr(limits, "OPEN_TIMEOUT_S", 0.05)

    served = asyncio.Event()

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if said is not None:
            await reader.read(1)
            writer.write(said)
        with contextlib.suppress(ConnectionError):
            await reader.read()
        writer.close()
        served.set()

    async with await asyncio.start_server(answer, "127.0.0.1", 0) as port:
        url = f"{scheme}://127.0.0.1:{port.sockets[0].getsockname()[1]}"
        with pytest.raises(ConnectionFailed, match=sentence):
            await within(Client(url, name="ada").connect())
        await within(served.wait())


async def test_a_proxy_that_cannot_be_used_is_told_in_one_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("http_proxy", "gopher://proxy.invalid:70")
    with pytest.raises(ConnectionFailed, match="the proxy in your environment cannot be used"):
        await within(Client("ws://tavla.invalid", name="ada").connect())


async def test_another_answer_to_hello_is_told_in_one_sentence(scripted_server: ScriptedServer) -> None:
    scripted_server.answer_hello = lambda hello: m.Ok(id=hello.id)
    with pytest.raises(ConnectionFailed, match="answers hello with ok"):
        await within(Client(scripted_server.url, name="ada").connect())


async def test_a_refused_hello_is_the_callers_to_solve(scripted_server: ScriptedServer) -> None:
    scripted_server.answer_hello = lambda hello: m.Error(id=hello.id, code="name_taken", text="choose another name")
    with pytest.raises(Refused, match="choose another name") as error:
        await within(Client(scripted_server.url, name="ada").connect())
    assert error.value.code == "name_taken"


async def test_a_server_that_closes_says_why(scripted_server: ScriptedServer) -> None:
    scripted_server.answer_hello = lambda _: m.Closing(text="the server is full", retry_after=30)
    with pytest.raises(ConnectionFailed, match="the server is full"):
        await within(Client(scripted_server.url, name="ada").connect())
