"""Messages handed over past websockets: the same ones in the same order, however the bytes are cut."""

import asyncio
import gc
import weakref
from collections.abc import Callable
from http import HTTPStatus

import pytest
from tavla_protocol.codes import CloseCode
from tavla_server.delivery.handshake import HEAD_BYTES, Handshake
from tavla_server.delivery.inbox import FULL
from tavla_server.delivery.socket import HELD_BYTES, SLICE_BYTES
from websockets.frames import Frame, Opcode
from websockets.http11 import Request

from tests.support.servers.handloop import HandLoop
from tests.support.wire.fed import HANDSHAKE, connected, frame, heard, heard_by_websockets, opened

MASK = b"\x11\x22\x33\x44"


def raw(first: int, second: int, data: bytes) -> bytes:
    """A frame with any head."""
    return bytes((first, second)) + MASK + bytes(byte ^ MASK[at % 4] for at, byte in enumerate(data))


TEXT, BINARY, CONT, CLOSE, PING, PONG = Opcode.TEXT, Opcode.BINARY, Opcode.CONT, Opcode.CLOSE, Opcode.PING, Opcode.PONG
STREAMS = {
    "one message": [frame(BINARY, b"one")],
    "an empty message": [frame(BINARY, b"")],
    "messages in a row": [frame(BINARY, b"one"), frame(BINARY, b"two"), frame(BINARY, b"three")],
    "just short, and just not": [frame(BINARY, bytes(125)), frame(BINARY, bytes(126)), frame(BINARY, b"end")],
    "a long one between": [frame(BINARY, b"one"), frame(BINARY, bytes(300)), frame(BINARY, b"two")],
    "too long": [frame(BINARY, b"one"), frame(BINARY, bytes(5000)), frame(BINARY, b"two")],
    "text": [frame(TEXT, b"one"), frame(BINARY, b"two")],
    "text that is none": [frame(TEXT, b"\xff\xfe"), frame(BINARY, b"two")],
    "a ping between": [frame(BINARY, b"one"), frame(PING, b"?"), frame(BINARY, b"two"), frame(PONG, b"!")],
    "in pieces": [frame(BINARY, b"o", fin=False), frame(PING, b"?"), frame(CONT, b"ne"), frame(BINARY, b"two")],
    "a message within another": [frame(BINARY, b"o", fin=False), frame(BINARY, b"one"), frame(BINARY, b"two")],
    "a piece of nothing": [frame(CONT, b"one"), frame(BINARY, b"two")],
    "not masked": [frame(BINARY, b"one"), frame(BINARY, b"two", masked=False), frame(BINARY, b"three")],
    "a bit too many": [frame(BINARY, b"one"), raw(0xC2, 0x83, b"two"), frame(BINARY, b"three")],
    "an unknown opcode": [frame(BINARY, b"one"), raw(0x83, 0x83, b"two"), frame(BINARY, b"three")],
    "a length in a longer form": [b"\x82\xfe\0\x03" + MASK + bytes(3), frame(BINARY, b"one"), frame(BINARY, b"two")],
    "a message that looks like a frame": [b"\x82\x89" + MASK + b"\x82\x83" + MASK + b"two"],
    "closed in the middle": [frame(BINARY, b"one"), frame(CLOSE, b"\x03\xe8"), frame(BINARY, b"two")],
}


@pytest.mark.parametrize("stream", STREAMS.values(), ids=STREAMS)
async def test_the_same_messages_come_however_the_bytes_are_cut(stream: list[bytes]) -> None:
    whole = b"".join(stream)
    cuts = [[whole], stream, [whole[at : at + 1] for at in range(len(whole))]]
    cuts += [[whole[:at], whole[at:]] for at in range(1, len(whole), 1 if len(whole) < 200 else 17)]
    for chunks in cuts:
        expected = await heard_by_websockets(chunks)
        assert await heard(chunks, at_once=True) == expected
        assert await heard(chunks, at_once=True, hurried=True) == await heard_by_websockets(chunks, hurried=True)
        assert await heard(chunks, at_once=False) == expected


@pytest.mark.parametrize("stream", STREAMS.values(), ids=STREAMS)
async def test_the_same_messages_come_though_some_bytes_come_with_the_handshake(stream: list[bytes]) -> None:
    whole = b"".join(stream)
    expected = await heard([whole], at_once=True)
    for early in (1, 6, 7, len(whole)):
        later = [whole[early:]] if whole[early:] else []
        assert await heard(later, at_once=True, early=whole[:early]) == expected


async def test_a_small_message_that_comes_alone_is_handed_over_at_once() -> None:
    async def taken(*chunks: bytes, early: bytes = b"") -> list[bytes]:
        offered: list[bytes] = []
        await heard(list(chunks), at_once=True, early=early, offered=offered)
        return offered

    one, two = frame(BINARY, b"one"), frame(BINARY, b"two")
    assert await taken(one, two) == [b"one", b"two"]
    assert await taken(one + two, one) == [b"one"], "two that come together are websockets' business"
    assert await taken(one[:5], one[5:], two) == [b"two"], "and so is one that comes in parts"
    assert await taken(one[5:], two, early=one[:5]) == [b"two"], "the first of them with the handshake"
    assert await taken(frame(BINARY, b"o", fin=False), one) == []
    assert await taken(frame(PING, b"?"), one) == [b"one"]


async def test_the_state_machine_of_websockets_is_made_when_it_is_needed() -> None:
    async with opened() as (socket, _):
        socket.data_received(frame(BINARY, b"hello"))
        socket.data_received(frame(PING, b"?"))
        assert await socket.recv() == b"hello"
        assert socket._websocket is None, "it takes a fifth of an idle connection's memory"
        socket.data_received(frame(BINARY, bytes(300)))
        assert await socket.recv() == bytes(300)


@pytest.mark.parametrize("cut", [lambda pong: [pong], lambda pong: [pong[:3], pong[3:]]], ids=["whole", "cut"])
async def test_who_answers_each_ping_stays_and_is_measured(cut: Callable[[bytes], list[bytes]]) -> None:
    async with opened() as (socket, wire):
        for _ in range(3):
            socket.ping.latency_s = 0.0
            socket.keep_alive(b"")
            head, ping = wire.written[:2], bytes(wire.written[2:])
            assert head == bytes((0x80 | PING, len(ping)))
            del wire.written[:]
            for chunk in cut(frame(PONG, ping)):
                assert socket.ping.latency_s == 0.0
                socket.data_received(chunk)
            assert socket.ping.latency_s > 0
            socket.ping.latency_s = 0.0
            socket.data_received(frame(PONG, ping))
            assert socket.ping.latency_s == 0.0, "an answer to no question"
        assert not wire.closed


ANSWERS = {
    "none": b"",
    "a pong to nothing": frame(PONG, b""),
    "a pong to another": frame(PONG, bytes(8)),
    "a message": frame(BINARY, b"I am here"),
}


@pytest.mark.parametrize("answer", ANSWERS.values(), ids=ANSWERS)
async def test_who_does_not_answer_a_ping_is_told_and_cut(answer: bytes) -> None:
    async with opened(close_s=0.0) as (socket, wire):
        socket.keep_alive(b"")
        del wire.written[:]
        if answer:
            socket.data_received(answer)
        socket.keep_alive(b"")
        assert bytes(wire.written).startswith(Frame(CLOSE, b"\x03\xf3keepalive ping timeout").serialize(mask=False))
        await socket.wait_closed()
        socket.keep_alive(b"")
        assert wire.closed


async def test_a_client_that_says_goodbye_and_does_not_hang_up_is_cut(monkeypatch: pytest.MonkeyPatch) -> None:
    async with opened(close_s=0.0) as (socket, wire):
        monkeypatch.setattr(wire, "write_eof", lambda: None)
        socket.data_received(frame(CLOSE, b"\x03\xe8"))
        await socket.wait_closed()
        assert socket.ended_with == 1000


async def test_a_goodbye_waits_for_a_client_that_still_reads() -> None:
    async with opened(close_s=0.0) as (socket, wire):
        socket.pause_writing()
        socket.say_goodbye(CloseCode.TOO_SLOW, "read faster")
        for _ in range(10):
            await asyncio.sleep(0)
        assert not wire.closed
        socket.resume_writing()
        await socket.wait_closed()
        assert socket.ended_with == CloseCode.TOO_SLOW


async def test_nothing_is_left_of_the_handshake() -> None:
    opened = asyncio.Event()

    async def serve(handshake: Handshake) -> None:
        assert handshake.request is not None
        requests.append(weakref.ref(handshake.request))
        assert handshake.open()
        opened.set()

    requests: list[weakref.ref[Request]] = []
    handshake, wire = connected(serve)
    gc.disable()
    try:
        handshake.data_received(HANDSHAKE)
        await opened.wait()
        assert requests[0]() is None
    finally:
        gc.enable()
    wire.close()


async def test_a_handshake_in_pieces_is_answered_in_its_turn() -> None:
    served = asyncio.Event()

    async def serve(handshake: Handshake) -> None:
        handshake.open()
        served.set()

    handshake, wire = connected(serve)
    for at in range(0, len(HANDSHAKE), 20):
        handshake.data_received(HANDSHAKE[at : at + 20])
    assert not handshake.request
    await served.wait()
    assert wire.written.startswith(b"HTTP/1.1 101 ")
    wire.close()


def test_a_node_that_stood_still_cuts_none_whose_request_has_come() -> None:
    async def serve(handshake: Handshake) -> None:
        handshake.respond(handshake.reply(HTTPStatus.OK, "here"))

    async def stood_still(said: bytes) -> bytes:
        loop = asyncio.get_running_loop()
        assert isinstance(loop, HandLoop)
        _, wire = connected(serve)
        wire.feed(said)
        loop.stand_still(100.0)
        await asyncio.sleep(200.0)
        assert wire.closed
        return bytes(wire.written)

    with asyncio.Runner(loop_factory=HandLoop) as runner:
        assert runner.run(stood_still(HANDSHAKE)).startswith(b"HTTP/1.1 200")
        assert runner.run(stood_still(HANDSHAKE[:-1])) == b""


async def test_a_client_that_goes_before_its_turn_gets_no_answer() -> None:
    ended = asyncio.Event()

    async def serve(handshake: Handshake) -> None:
        asked.set()
        await ended.wait()
        assert handshake.open() is None
        handshake.respond(handshake.reply(HTTPStatus.OK, "too late"))
        done.set()

    asked, done = asyncio.Event(), asyncio.Event()
    for is_asked in (False, True):
        handshake, wire = connected(serve)
        handshake.data_received(HANDSHAKE)
        if is_asked:
            await asked.wait()
        wire.closed = True
        handshake.connection_lost(None)
        await asyncio.sleep(0)
        assert asked.is_set() == is_asked, "nothing is read of a client that is gone"
    ended.set()
    await done.wait()
    assert not wire.written


async def test_no_websocket_is_opened_for_a_client_that_sends_nothing_more() -> None:
    async def serve(handshake: Handshake) -> None:
        assert handshake.open() is None
        served.set()

    served = asyncio.Event()
    handshake, wire = connected(serve)
    handshake.data_received(HANDSHAKE)
    assert handshake.eof_received(), "it stays half open for the answer"
    await served.wait()
    assert wire.closed
    assert not wire.written


async def test_what_comes_in_bulk_is_taken_in_order_a_slice_in_each_turn() -> None:
    sent = [bytes((number % 256,)) * (number % 40) for number in range(2000)]
    messages, _ = await heard([b"".join(frame(BINARY, each) for each in sent), frame(BINARY, b"end")], True)
    assert messages == [*sent, b"end"]


async def test_no_more_is_read_than_is_held() -> None:
    async with opened() as (socket, wire):
        message = frame(BINARY, bytes(1000))
        for _ in range(100):
            if wire.paused:
                break
            socket.data_received(message)
        assert len(socket._pending) <= HELD_BYTES + len(message)
        assert wire.paused


@pytest.mark.parametrize("size", [0, 100])
async def test_what_was_sent_before_the_end_is_heard_in_its_turns(size: int) -> None:
    async with opened() as (socket, wire):
        count = HELD_BYTES // (6 + size)
        socket.data_received(frame(BINARY, bytes(size)) * count)
        assert socket.eof_received(), "it stays half open"
        taken = 0
        while not wire.closed:
            before = socket.unfinished
            await asyncio.sleep(0)
            assert socket.unfinished - before <= SLICE_BYTES / (6 + size) + 1, "in one turn of the loop"
            while taken < socket.unfinished:
                assert await socket.recv() == bytes(size)
                taken += 1
        assert taken == count
        assert not socket.is_open


async def test_with_tls_no_more_is_heard_after_the_end_than_there_is_room_for(monkeypatch: pytest.MonkeyPatch) -> None:
    async with opened() as (socket, wire):
        monkeypatch.setattr(wire, "can_write_eof", lambda: False)
        socket.data_received(frame(BINARY, b"") * (HELD_BYTES // 6))
        assert not socket.eof_received()
        assert FULL < socket.unfinished <= FULL + SLICE_BYTES / 6 + 1
        assert not socket.is_open


async def test_who_has_hung_up_and_whose_rest_nobody_takes_is_cut_by_keepalive() -> None:
    async with opened(close_s=0.0) as (socket, wire):
        socket.data_received(frame(BINARY, b"") * (HELD_BYTES // 6))
        assert socket.eof_received()
        socket.keep_alive(b"")
        socket.keep_alive(b"")
        await socket.wait_closed()
        assert wire.closed
        assert not socket._pending


@pytest.mark.parametrize("line", [b"X: y\r\n", b"X: " + b"y" * 8000 + b"\r\n"], ids=["short", "long"])
async def test_a_handshake_with_too_many_headers_is_refused_and_keeps_nothing(line: bytes) -> None:
    async def serve(handshake: Handshake) -> None:
        pytest.fail("there is no end of it")

    handshake, wire = connected(serve)
    head = HANDSHAKE.removesuffix(b"\r\n") + line * 4
    while not wire.written and len(head) < 10 * HEAD_BYTES:
        wire.feed(head)
        head = line * max(1, 1000 // len(line))
        for _ in range(50):
            await asyncio.sleep(0)
    assert wire.written.startswith(b"HTTP/1.1 431 ")
    assert not handshake._came
