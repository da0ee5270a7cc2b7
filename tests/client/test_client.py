"""A client finds its way back: after a lost connection, a restart, a server that is full or silent."""

import asyncio
import contextlib
import http
import random
import socket
from collections.abc import AsyncIterator, Iterator

import pytest
from msgspec.structs import replace
from tavla_client import Client, ConnectionFailed, Link, Refused
from tavla_client import connection as limits
from tavla_client.channel import UNAVAILABLE_RETRY_S, UNAVAILABLE_TRIES
from tavla_client.connection import LEAST_RETRY_S, MAX_RETRY_S, QUICK, QUICK_RETRY_S, retry_delay
from tavla_protocol import messages as m
from tavla_protocol.view import checksum
from websockets.asyncio.server import serve

from tests.support.players.plain import within
from tests.support.servers.processes import ServerProcess
from tests.support.servers.scripted import (
    MATCH,
    TOKEN,
    VIEW,
    ScriptedServer,
    Waits,
    attached,
    change,
    connected,
    scripted,
    snapshot,
)


@pytest.fixture
async def server() -> AsyncIterator[ScriptedServer]:
    async with scripted() as server:
        yield server


# --- the first connection ---


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


async def test_tls_to_a_server_without_is_told_in_one_sentence(server: ServerProcess) -> None:
    with pytest.raises(ConnectionFailed, match=r"does not answer with TLS: .* A server without TLS is ws://"):
        await within(Client(server.url.replace("ws:", "wss:"), name="ada").connect())


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


async def test_another_answer_to_hello_is_told_in_one_sentence(server: ScriptedServer) -> None:
    server.answer_hello = lambda hello: m.Ok(id=hello.id)
    with pytest.raises(ConnectionFailed, match="answers hello with ok"):
        await within(Client(server.url, name="ada").connect())


async def test_a_refused_hello_is_the_callers_to_solve(server: ScriptedServer) -> None:
    server.answer_hello = lambda hello: m.Error(id=hello.id, code="name_taken", text="choose another name")
    with pytest.raises(Refused, match="choose another name") as error:
        await within(Client(server.url, name="ada").connect())
    assert error.value.code == "name_taken"


async def test_a_server_that_closes_says_why(server: ScriptedServer) -> None:
    server.answer_hello = lambda _: m.Closing(text="the server is full", retry_after=30)
    with pytest.raises(ConnectionFailed, match="the server is full"):
        await within(Client(server.url, name="ada").connect())


async def test_the_token_is_handed_over_once_and_used_from_then_on(server: ScriptedServer) -> None:
    tokens: list[str] = []
    async with Client(server.url, name="ada", on_token=tokens.append, sleep=Waits()) as client:
        first = await server.accept()
        first.cut()
        second = await server.accept()
        assert (first.hello.name, first.hello.token) == ("ada", None)
        assert (second.hello.name, second.hello.token) == (None, TOKEN)
        assert (client.me.name, client.me.player, client.me.matches) == ("ada", "p1", [MATCH])
    assert tokens == [TOKEN]


# --- requests ---


class Highest(random.Random):
    """Chance that always gives the highest number."""

    def randrange(self, start: int, stop: int | None = None, step: int = 1) -> int:
        return (start if stop is None else stop) - 1


async def test_ids_never_repeat_and_are_exact_in_any_language(server: ScriptedServer) -> None:
    async with Client(server.url, name="ada", rng=Highest()) as client:
        connection = await server.accept()
        ids = [connection.hello.id]
        for _ in range(100):
            listing = asyncio.create_task(client.lobby.tables())
            ids.append((await connection.expect(m.List)).id)
            await connection.send(m.Listing(id=ids[-1], what="tables", total=0, rows={}))
            await within(listing)
        assert ids == sorted(set(ids))
        assert ids[0] >= 2**52
        assert max(ids) < 2**53 - 2**51, "and a client has many left"


async def test_create_join_and_tables(server: ScriptedServer) -> None:
    async with connected(server) as (client, connection):
        creating = asyncio.create_task(client.create("cup", {"preset": "money", "beavers": 2}, "white"))
        create = await connection.expect(m.Create)
        assert (create.name, create.rules, create.side) == ("cup", {"preset": "money", "beavers": 2}, "white")
        assert len(create.commitment) == 64, "our own share in the dice"
        await connection.send(snapshot(create.id))
        match = await within(creating)
        assert (match.id, match.seat, match.view) == (MATCH, 0, VIEW)

        joining = asyncio.create_task(client.join("cup", seed=""))
        join = await connection.expect(m.Join)
        assert (join.table, join.commitment) == ("cup", ""), "who wants to adds no seed"
        await connection.send(m.Error(id=join.id, code="table_full", text="this table has no free seat"))
        with pytest.raises(Refused, match="no free seat"):
            await within(joining)

        listing = asyncio.create_task(client.lobby.tables())
        rows = {MATCH: {"name": "cup", "players": ["ada", None]}}
        await connection.send(m.Listing(id=(await connection.expect(m.List)).id, what="tables", total=1, rows=rows))
        assert await within(listing) == {MATCH: m.Table(name="cup", players=("ada", None))}


async def test_a_moderator_is_told_of_a_player(server: ScriptedServer) -> None:
    async with connected(server) as (client, connection):
        asking = asyncio.create_task(client.moderation.inspect("bob"))
        inspect = await connection.expect(m.Inspect)
        assert inspect.player == "bob"
        facts = m.Inspected(id=inspect.id, name="bob", kind="guest", role="moderator")
        await connection.send(facts)
        assert await within(asking) == facts


async def test_a_store_that_is_away_is_waited_for(server: ScriptedServer) -> None:
    waits = Waits()
    async with connected(server, waits) as (client, connection):
        match = await attached(client, connection)
        rolling = asyncio.create_task(match.roll())
        ids = set()
        for _ in range(UNAVAILABLE_TRIES - 1):
            roll = await connection.expect(m.Roll)
            ids.add(roll.id)
            await connection.send(m.Error(id=roll.id, code="unavailable", text="try again", seq=5))
        roll = await connection.expect(m.Roll)
        assert ids == {roll.id}, "it may have been stored after all: the same action again"
        await connection.send(m.Error(id=roll.id, code="unavailable", text="try again", seq=5))
        with pytest.raises(Refused, match="try again"):
            await within(rolling)
    assert len(waits.seconds) == UNAVAILABLE_TRIES - 1
    assert 0.5 * UNAVAILABLE_RETRY_S <= min(waits.seconds) < max(waits.seconds) <= 1.5 * UNAVAILABLE_RETRY_S


async def test_what_is_asked_of_a_closed_client_is_refused_at_once(server: ScriptedServer) -> None:
    async with connected(server) as (client, connection):
        match = await attached(client, connection)
        waiting = asyncio.create_task(match.roll())
        await connection.expect(m.Roll)
    with pytest.raises(ConnectionFailed, match="closed"):
        await within(waiting)
    with pytest.raises(ConnectionFailed, match="closed"):
        await within(client.lobby.tables())
    with pytest.raises(ConnectionFailed, match="closed"):
        await within(match.changed())


# --- a lost connection ---


async def test_a_cut_connection_is_taken_up_where_it_was(server: ScriptedServer) -> None:
    async with connected(server) as (client, connection):
        match = await attached(client, connection)
        changes = match.changes()
        await within(anext(changes))
        connection.cut()
        connection = await server.accept()
        request = await connection.expect(m.Attach)
        assert (request.table, request.epoch, request.seq, request.checksum) == (MATCH, 1, 5, checksum(VIEW))
        first, diff_1 = change(VIEW, phase="move", dice=(5, 3), rolls=2)
        second, diff_2 = change(first, phase="roll", dice=(), turn=1)
        await connection.send(m.Ok(id=request.id, seq=7))
        await connection.update(6, diff_1)
        await connection.update(7, diff_2)
        assert [(await within(anext(changes))).view for _ in range(2)] == [first, second]


async def test_what_was_not_answered_is_asked_again_under_the_same_id(server: ScriptedServer) -> None:
    async with connected(server) as (client, connection):
        match = await attached(client, connection)
        rolling = asyncio.create_task(match.roll())
        lost = await connection.expect(m.Roll)
        connection.cut()
        connection = await server.accept()
        attach = await connection.expect(m.Attach)
        again = await connection.expect(m.Roll)
        assert again == lost, "the server knows the action by its id, and acts once"
        await connection.send(m.Ok(id=attach.id, seq=6))
        await connection.update(6, [3, "move", 5, (5, 3)])
        await connection.send(m.Ok(id=again.id, seq=6))
        await within(rolling)
        assert match.view.dice == (5, 3)
        assert await connection.silent()


async def test_what_nobody_waits_for_any_more_is_not_asked_again(server: ScriptedServer) -> None:
    async with connected(server) as (client, connection):
        match = await attached(client, connection)
        rolling = asyncio.create_task(match.roll())
        await connection.expect(m.Roll)
        rolling.cancel()
        await asyncio.wait([rolling])
        connection.cut()
        connection = await server.accept()
        await connection.expect(m.Attach)
        assert await connection.silent()


async def test_what_a_bot_says_of_itself_is_said_on_each_connection(server: ScriptedServer) -> None:
    async with connected(server) as (client, connection):
        saying = asyncio.create_task(client.lobby.available(3, "good", {"variant": ("standard",)}))
        offer = await connection.expect(m.Available)
        assert (offer.places, offer.level, offer.rules) == (3, "good", {"variant": ["standard"]})
        await connection.send(m.Ok(id=offer.id))
        await within(saying)
        connection.cut()
        again = await (await server.accept()).expect(m.Available)
        assert again == replace(offer, id=again.id)
        assert again.id != offer.id


async def test_a_request_made_while_offline_goes_out_when_the_server_is_back(server: ScriptedServer) -> None:
    waits = Waits()
    async with connected(server, waits) as (client, connection):
        match = await attached(client, connection)
        waits.gate.clear()
        connection.cut()
        while client.link.online:  # noqa: ASYNC110 - until the client has noticed
            await asyncio.sleep(0.001)
        asking = (match.roll(), client.archive.top(), client.lobby.tables())
        tasks = [asyncio.create_task(request) for request in asking]
        await asyncio.sleep(0)
        tasks.pop(1).cancel()
        await asyncio.sleep(0)
        waits.gate.set()
        connection = await server.accept()
        await connection.expect(m.Attach)
        await connection.expect(m.Roll)
        await connection.expect(m.List)  # and no caller waits for the leaders
        for task in tasks:
            task.cancel()


async def test_a_resent_action_that_is_stale_is_refused(server: ScriptedServer) -> None:
    async with connected(server) as (client, connection):
        match = await attached(client, connection)
        rolling = asyncio.create_task(match.roll())
        await connection.expect(m.Roll)
        connection.cut()
        connection = await server.accept()
        attach = await connection.expect(m.Attach)
        roll = await connection.expect(m.Roll)
        await connection.send(m.Ok(id=attach.id, seq=6))
        await connection.update(6, [3, "move", 5, (5, 3)])
        await connection.send(m.Error(id=roll.id, code="stale", text="look again", seq=6))
        with pytest.raises(Refused, match="look again"):
            await within(rolling)
        assert await connection.silent()


async def test_a_match_that_is_gone_ends_and_the_others_go_on(server: ScriptedServer) -> None:
    async with connected(server) as (client, connection):
        match = await attached(client, connection)
        connection.cut()
        connection = await server.accept()
        attach = await connection.expect(m.Attach)
        await connection.send(m.Error(id=attach.id, code="no_such_match", text="there is no match m1"))
        with pytest.raises(Refused, match="there is no match m1"):
            await within(match.changed())
        listing = asyncio.create_task(client.lobby.tables())
        await connection.send(m.Listing(id=(await connection.expect(m.List)).id, what="tables", total=0, rows={}))
        assert await within(listing) == {}


async def test_a_match_is_not_given_up_while_the_servers_store_is_away(server: ScriptedServer) -> None:
    async with connected(server) as (client, connection):
        match = await attached(client, connection)
        for _ in range(3):
            connection.cut()
            connection = await server.accept()
            attach = await connection.expect(m.Attach)
            await connection.send(m.Error(id=attach.id, code="unavailable", text="try again in a moment"))
            connection = await server.accept()
            attach = await connection.expect(m.Attach)
        await connection.send(m.Ok(id=attach.id, seq=5))
        await connection.update(6, [8, 7])
        while match.seq < 6:
            await within(match.changed())


async def test_a_replaced_player_learns_from_a_snapshot_whose_seat_it_is(server: ScriptedServer) -> None:
    async with connected(server) as (client, connection):
        match = await attached(client, connection)
        await connection.send(m.Replaced(match=MATCH))
        await within(match.changed())
        connection.cut()
        connection = await server.accept()
        attach = await connection.expect(m.Attach)
        assert (attach.epoch, attach.seq) == (0, 0)
        await connection.send(snapshot(attach.id))
        await within(match.changed())
        assert match.seat == 0


async def test_a_token_that_is_not_known_any_more_ends_everything_with_its_reason(server: ScriptedServer) -> None:
    async with connected(server) as (client, connection):
        match = await attached(client, connection)
        server.answer_hello = lambda hello: m.Error(id=hello.id, code="bad_token", text="say hello with a name")
        connection.cut()
        with pytest.raises(Refused, match="say hello with a name"):
            await within(match.changed())
        with pytest.raises(Refused, match="say hello with a name"):
            await within(client.lobby.tables())


async def test_a_frame_that_is_not_msgpack_is_a_reason_to_connect_again(server: ScriptedServer) -> None:
    async with connected(server) as (client, connection):
        await attached(client, connection)
        await connection.socket.send(b"\xc1")
        assert (await (await server.accept()).expect(m.Attach)).table == MATCH


async def test_a_connection_that_dies_silently_is_noticed(
    server: ScriptedServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert limits.PING_INTERVAL_S + limits.PING_TIMEOUT_S + limits.CLOSE_TIMEOUT_S < 3
    for name in ("PING_INTERVAL_S", "PING_TIMEOUT_S", "CLOSE_TIMEOUT_S"):
        monkeypatch.setattr(limits, name, 0.05)
    async with connected(server) as (_, connection):
        connection.socket.transport.pause_reading()
        assert (await server.accept()).hello.token == TOKEN


# --- waiting ---


async def test_the_link_tells_of_every_attempt_and_the_servers_own_words(server: ScriptedServer) -> None:
    told: asyncio.Queue[Link] = asyncio.Queue()
    waits = Waits()
    async with Client(server.url, name="ada", on_link=told.put_nowait, rng=random.Random(1), sleep=waits) as client:
        connection = await server.accept()
        assert client.link.online
        refusals = iter(["unavailable", "unavailable", "bad_message"])

        def busy(hello: m.Hello) -> m.Message:
            if code := next(refusals, None):
                return m.Error(id=hello.id, code=code, text="not now")
            return m.Welcome(id=hello.id, player="p1", name="ada", token=TOKEN)

        server.answer_hello = busy
        await connection.send(m.Closing(text="the server restarts", retry_after=3.0))
        await connection.socket.close(1012)
        links = [await within(told.get()) for _ in range(6)]
    assert [link.online for link in links] == [True, False, False, False, False, True]
    assert [link.reason for link in links[1:5]] == ["the server restarts", "not now", "not now", "not now"]
    assert [link.retry_s for link in links[1:5]] == waits.seconds
    assert 3.0 <= waits.seconds[0] <= 3.0 + QUICK_RETRY_S
    assert all(wait < 3.0 for wait in waits.seconds[1:]), "asked for once"


class Most(random.Random):
    """Chance that always gives the most."""

    def uniform(self, a: float, b: float) -> float:
        return b


def _delays() -> Iterator[tuple[int, float, float]]:
    yield from [(0, 0, QUICK_RETRY_S), (1, 0, QUICK_RETRY_S), (QUICK, 0, QUICK_RETRY_S)]
    yield from [(QUICK + 1, 0, 2 * QUICK_RETRY_S), (QUICK + 2, 0, 4 * QUICK_RETRY_S)]
    yield from [(50, 0, MAX_RETRY_S), (10**6, 0, MAX_RETRY_S), (0, 5, 5 + QUICK_RETRY_S), (0, -5, QUICK_RETRY_S)]
    yield from [(0, 1e9, 300 + QUICK_RETRY_S)]


@pytest.mark.parametrize(("attempt", "retry_after", "most"), list(_delays()))
def test_waits_are_short_at_first_then_double_up_to_a_limit(attempt: int, retry_after: float, most: float) -> None:
    assert retry_delay(attempt, retry_after, Most()) == most
    delays = [retry_delay(attempt, retry_after, random.Random(seed)) for seed in range(200)]
    assert min(delays) < most - 0.9 * min(most, MAX_RETRY_S, QUICK_RETRY_S - LEAST_RETRY_S)
    assert max(delays) <= most


async def test_a_server_that_drops_every_connection_at_once_is_asked_ever_more_rarely(server: ScriptedServer) -> None:
    waits = Waits()
    async with Client(server.url, name="ada", rng=Most(), sleep=waits):
        for _ in range(QUICK + 3):
            (await server.accept()).cut()
        await server.accept()
    assert waits.seconds == [QUICK_RETRY_S] * (QUICK + 1) + [2 * QUICK_RETRY_S, 4 * QUICK_RETRY_S]


async def test_who_is_cancelled_while_a_client_closes_is_not_held_back() -> None:
    async with scripted() as server:
        client = Client(server.url)
        await client.connect()
        closing = asyncio.create_task(client.close())
        await asyncio.sleep(0)
        closing.cancel()
        with pytest.raises(asyncio.CancelledError):
            await closing
        await client.close()
