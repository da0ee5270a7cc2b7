"""Clients that break the rules of the wire: each gets what it deserves, and no other client notices.

All of them meet one real server, which must not write a traceback; the `server` fixture sees to that at the end.
"""

import asyncio
import contextlib
import random
import threading
import time
from typing import Any

import msgpack
import pytest
from tavla_protocol import messages as m
from tavla_protocol.codec import MAX_FRAME_BYTES
from tavla_protocol.codes import CloseCode, ErrorCode
from tavla_server.features.accounts import passwords
from tavla_server.limits import DEFAULT_LIMITS, Limits
from tavla_server.timings import Timings
from websockets.asyncio.client import connect
from websockets.exceptions import ConnectionClosed, InvalidStatus
from websockets.typing import Subprotocol

from tests.support.players.accounts import Held
from tests.support.players.matches import at_match, new_match
from tests.support.players.plain import Player, close_code, refused, unique, within
from tests.support.servers.processes import ServerProcess, assert_no_fault, inside
from tests.support.servers.valkey import Valkey

pytestmark = pytest.mark.slow  # most of them wait by the clock


async def still_serves(server: ServerProcess) -> None:
    """Others play on, and nothing stands in the log."""
    async with at_match(server.url):
        pass
    assert_no_fault(server)


def nested(depth: int) -> bytes:
    """An array in an array in an array ..."""
    return b"\x91" * depth + b"\xc0"


FRAMES: list[tuple[str | bytes, CloseCode]] = [
    ("hello", CloseCode.TEXT_FRAME),
    ("", CloseCode.TEXT_FRAME),
    (b"", CloseCode.NOT_MSGPACK),
    (b"\xc1", CloseCode.NOT_MSGPACK),
    (b"\x81", CloseCode.NOT_MSGPACK),  # a map that ends before its first key
    (msgpack.packb({"type": "list", "id": 1}) + b"\x00", CloseCode.NOT_MSGPACK),  # two values
    (b"\xdd\xff\xff\xff\xff", CloseCode.NOT_MSGPACK),  # an array that says it has 4 billion items
    (b"\xc6\xff\xff\xff\xff", CloseCode.NOT_MSGPACK),  # bytes that say they are 4 GB long
    (b"\xdf\xff\xff\xff\xff", CloseCode.NOT_MSGPACK),
    (b"\xa1\xff", CloseCode.NOT_MSGPACK),  # text that is no UTF-8
    (b"\xd4\x01\x00", CloseCode.NOT_MSGPACK),  # an extension
    (nested(MAX_FRAME_BYTES - 1), CloseCode.NOT_MSGPACK),
    (msgpack.packb(list(range(65))), CloseCode.NOT_MSGPACK),
    (msgpack.packb({"type": "create", "id": 1, "rules": {5: 5}}), CloseCode.NOT_MSGPACK),
    (bytes(MAX_FRAME_BYTES + 1), CloseCode.TOO_BIG),
    (bytes(10 * 1024 * 1024), CloseCode.TOO_BIG),
]


@pytest.mark.parametrize(("frame", "code"), FRAMES, ids=[f"{frame[:6]!r}-{len(frame)}" for frame, _ in FRAMES])
@pytest.mark.parametrize("greeted", [False, True])
async def test_a_frame_that_cannot_be_read_ends_the_connection(
    server: ServerProcess, frame: str | bytes, code: CloseCode, greeted: bool
) -> None:
    player = Player(server.url)
    await (player.open() if greeted else player.connect())
    with contextlib.suppress(ConnectionClosed):
        await within(player.socket.send(frame))
    assert await close_code(player) == code
    await still_serves(server)


async def test_random_bytes_are_answered_or_end_the_connection(server: ServerProcess, rng: random.Random) -> None:
    for _ in range(100):
        async with Player(server.url) as player:
            frame = rng.randbytes(rng.randrange(256))
            await player.socket.send(frame)
            with contextlib.suppress(ConnectionClosed):
                await player.sync()
            assert player.socket.close_code in (None, CloseCode.NOT_MSGPACK), frame
    await still_serves(server)


MESSAGES: list[Any] = [
    None,
    5,
    [],
    {},
    {"type": None},
    {"type": 5, "id": 1},
    {"type": "no such", "id": 1},
    {"type": "List", "id": 1},
    {"type": "list"},
    {"type": "list", "id": "1"},
    {"type": "list", "id": -1},
    {"type": "list", "id": 2**63},
    {"type": "list", "id": 1.5},
    {"type": "hello", "id": 1, "name": "x"},
    {"type": "hello", "id": 1, "name": "a" * 21},
    {"type": "hello", "id": 1, "name": "line\n"},
    {"type": "hello", "id": 1, "name": "<script>"},
    {"type": "hello", "id": 1, "name": b"bytes"},
    {"type": "hello", "id": 1, "token": ""},
    {"type": "create", "id": 1, "rules": 5},
    {"type": "create", "id": 1, "rules": {"length": [1]}},
    {"type": "create", "id": 1, "side": "red"},
    {"type": "create", "id": 1},
    {"type": "create", "id": 1, "commitment": "xyz"},
    {"type": "create", "id": 1, "commitment": "a" * 63},
    {"type": "reveal", "id": 1, "match": "abc", "seq": 2, "seed": "a:b" * 11},
    {"type": "join", "id": 1},
    {"type": "join", "id": 1, "table": "sofa"},
    {"type": "join", "id": 1, "table": "../" * 100, "commitment": "0f" * 32},
    {"type": "seek", "id": 1},
    {"type": "challenge", "id": 1, "player": "ada"},
    {"type": "rematch", "id": 1, "match": "abc"},
    {"type": "answer", "id": 1, "challenge": "abc", "accept": True, "commitment": ""},
    {"type": "attach", "id": 1, "table": "abc", "seq": -1},
    {"type": "move", "id": 1, "match": "abc", "seq": 1, "moves": [[1, 2, 3]]},
    {"type": "move", "id": 1, "match": "abc", "seq": 1, "moves": [[26, 2]]},
    {"type": "move", "id": 1, "match": "abc", "seq": 1, "moves": [[6, 5]] * 5},
    {"type": "move", "id": 1, "match": "abc", "seq": 1, "moves": "6/5"},
    {"type": "roll", "id": 1, "match": "a" * 17, "seq": 1},
    {"type": "resign", "id": 1, "match": "abc", "seq": 1, "value": 4},
    {"type": "auto", "id": 1, "match": "abc", "seq": 1, "what": "win", "on": True},
    {"type": "snapshot", "id": 1, "match": "abc"},
    {"id": 1, "type": ["list"]},
]


@pytest.mark.parametrize("message", MESSAGES, ids=str)
async def test_a_value_that_is_no_request_is_refused_and_the_connection_stays(
    server: ServerProcess, message: Any
) -> None:
    async with Player(server.url) as player:
        await player.socket.send(msgpack.packb(message))
        answer = await player.next(m.Error)
        assert refused(answer) == ErrorCode.BAD_MESSAGE
        assert answer.id in (1, None)
        assert len(answer.text) < 500
        assert isinstance(await player.ask(m.List), m.Listing)


HUGE_RULES: list[dict[str, Any]] = [
    {"length": 10**18},
    {"length": -(2**63)},
    {"length": True},
    {"cube_cap": 2**64 - 1},
    {"preset": "x" * 3000},
    {"x" * 3000: 1},
    {f"option{number}": number for number in range(60)},
]


@pytest.mark.parametrize("rules", HUGE_RULES, ids=lambda rules: str(rules)[:30])
async def test_options_beyond_reason_are_refused(server: ServerProcess, rules: dict[str, Any]) -> None:
    async with Player(server.url) as player:
        answer = await player.ask(m.Create, rules=rules)
        assert refused(answer) == ErrorCode.BAD_RULES


async def test_who_says_nothing_is_sent_away(valkey: Valkey) -> None:
    async with inside(valkey.url, Timings(hello_s=1.0)) as url:
        silent, chatty, polite = Player(url), Player(url), Player(url)
        for player in (silent, chatty, polite):
            await player.connect()
        await polite.ask(m.Hello, name=polite.name)
        assert await close_code(silent) == CloseCode.HELLO_TIMEOUT
        with contextlib.suppress(ConnectionClosed):
            while True:
                assert refused(await chatty.ask(m.List)) == ErrorCode.HELLO_FIRST
        assert await close_code(chatty) == CloseCode.HELLO_TIMEOUT
        assert isinstance(await polite.ask(m.List), m.Listing), "hello stops the clock"
        await polite.close()


async def test_a_hello_that_came_in_time_is_answered_however_long_its_password_waits(
    valkey: Valkey, monkeypatch: pytest.MonkeyPatch
) -> None:
    timings, gate = Timings(hello_s=1.5), threading.Event()
    monkeypatch.setattr(passwords, "HASHER", Held(gate))
    monkeypatch.setattr(passwords, "ADDRESS_WAIT_S", 0.1)

    async def log_in(player: Player) -> str:
        await player.connect()
        return refused(await player.ask(m.Hello, name=unique("p"), password="12345678"))

    async with inside(valkey.url, timings, Limits(address_passwords=1), behind_proxy=True) as url:
        players = [Player(url, headers={"X-Forwarded-For": "192.0.2.77"}) for _ in range(3)]
        asyncio.get_running_loop().call_later(timings.hello_s + 0.5, gate.set)
        codes = await within(asyncio.gather(*map(log_in, players)))
        assert sorted(codes) == [ErrorCode.UNAVAILABLE, ErrorCode.UNAVAILABLE, ErrorCode.WRONG_PASSWORD]
        ends = sorted([await close_code(player) for player in players])
        assert ends == [CloseCode.FULL, CloseCode.FULL, CloseCode.HELLO_TIMEOUT], "since then no hello came"


async def test_a_flood_is_slowed_down_and_others_notice_nothing(server: ServerProcess) -> None:
    async with Player(server.url) as flooder, Player(server.url) as other:
        count = int(DEFAULT_LIMITS.requests.burst) + 50
        began = time.monotonic()
        for _ in range(count):
            await flooder.send(m.List)
        while isinstance(await other.ask(m.List), m.Listing) and len(flooder.log) < 100:
            await flooder.receive()
        for _ in range(20):
            await other.ask(m.List)
        for _ in range(count):
            await flooder.next(m.Listing)
        took = time.monotonic() - began
        assert took > 50 / DEFAULT_LIMITS.requests.per_s * 0.9


@pytest.mark.long
async def test_a_client_that_never_reads_is_cut_and_others_are_not(own_server: ServerProcess) -> None:
    url = own_server.url
    async with Player(url) as white, Player(url) as black, Player(url) as slow:
        for player in (white, black):
            for _ in range(30):
                await player.ask(m.Create, name=unique("t"))
        match = await new_match(white, black)
        await slow.ask(m.Attach, table=match)
        slow.socket.transport.pause_reading()
        requests = 0
        with contextlib.suppress(ConnectionClosed):
            while True:  # the answers fill all buffers on the way
                await slow.send(m.List)
                requests += 1
                await asyncio.sleep(0)  # for the others to answer pings: a send does not wait while there is room
        print(f"cut after {requests} requests")
        assert isinstance(await white.act(m.Auto, match, what="play", on=True), m.Ok)
        await black.reach(match, 3)
    await still_serves(own_server)


@pytest.mark.parametrize("offered", [None, ["chat"], ["tavla.v0", "tavla.v99"]])
async def test_only_our_subprotocol_is_spoken(server: ServerProcess, offered: list[str] | None) -> None:
    protocols = [Subprotocol(name) for name in offered] if offered else None
    with pytest.raises(InvalidStatus, match="400") as refused:
        await connect(server.url, subprotocols=protocols, proxy=None)
    assert refused.value.response.body == b"ask for the WebSocket subprotocol tavla.v1\n"
    await still_serves(server)


async def test_the_paths_are_those_of_the_specification(server: ServerProcess) -> None:
    for path in ("", "/", "/ws", "/ws?from=here"):
        async with connect(f"{server.url}{path}", subprotocols=[Subprotocol("tavla.v1")], proxy=None):
            pass
    with pytest.raises(InvalidStatus, match="404"):
        await connect(f"{server.url}/elsewhere", subprotocols=[Subprotocol("tavla.v1")], proxy=None)


async def test_what_is_no_websocket_frame_ends_the_connection(server: ServerProcess) -> None:
    player = Player(server.url)
    await player.open()
    player.socket.transport.write(b"\xf2\x80\x00\x00\x00\x00")  # reserved bits
    assert await close_code(player) == CloseCode.PROTOCOL_ERROR


async def test_our_subprotocol_may_be_one_of_several(server: ServerProcess) -> None:
    names = [Subprotocol("tavla.v99"), Subprotocol("tavla.v1")]
    async with connect(server.url, subprotocols=names, proxy=None) as socket:
        assert socket.subprotocol == "tavla.v1"


REQUESTS = [
    b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\nhello",
    b"GET / HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n",
    b"GET /nowhere HTTP/1.0\r\n\r\n",
    b"GET " + b"/" * 20_000 + b" HTTP/1.1\r\n\r\n",
    b"GET / HTTP/1.1\r\n" + b"X: y\r\n" * 1000 + b"\r\n",
    b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03",  # a TLS hello
    b"\x00" * 100,
    b"\r\n\r\n",
    b"GET",
    b"",
]


@pytest.mark.parametrize("request_", REQUESTS, ids=lambda request_: repr(request_[:30]))
async def test_whatever_else_comes_to_the_port_is_turned_away(server: ServerProcess, request_: bytes) -> None:
    reader, writer = await asyncio.open_connection("127.0.0.1", server.port)
    with contextlib.suppress(ConnectionError):
        writer.write(request_)
        writer.write_eof()
        answer = await within(reader.read())
        assert answer == b"" or answer.startswith((b"HTTP/1.1 4", b"HTTP/1.1 5"))
    writer.close()
    with contextlib.suppress(ConnectionError):
        await writer.wait_closed()
    await still_serves(server)


async def test_half_a_handshake_is_given_up(valkey: Valkey) -> None:
    async with inside(valkey.url, Timings(handshake_s=1.0)) as url:
        reader, writer = await asyncio.open_connection("127.0.0.1", int(url.rpartition(":")[2]))
        writer.write(b"GET / HTTP/1.1\r\nHost:")
        answer = await within(reader.read())
        assert answer == b"" or answer.startswith((b"HTTP/1.1 4", b"HTTP/1.1 5"))
        writer.close()
        async with Player(url) as player:
            await player.sync()


async def test_connections_that_vanish_leave_nothing(server: ServerProcess) -> None:
    async with at_match(server.url) as (white, black, match):
        for _ in range(20):
            watcher = Player(server.url)
            await watcher.open()
            await watcher.send(m.Attach, table=match)
            watcher.socket.transport.abort()
        await white.act(m.Auto, match, what="play", on=True)
        await black.sync()
    await still_serves(server)


async def test_a_dead_connection_is_dropped(valkey: Valkey) -> None:
    async with inside(valkey.url, Timings(ping_s=1.0)) as url, at_match(url) as (white, black, match):
        black.socket.transport.pause_reading()  # no answer to any ping
        offline = await white.next(m.Presence)
        assert (offline.match, offline.seat, offline.online) == (match, 1, False)
        black.socket.transport.abort()


async def test_the_backlog_limit_is_small() -> None:
    assert DEFAULT_LIMITS.backlog_bytes <= 256 * 1024, "memory that every stuck client holds"
