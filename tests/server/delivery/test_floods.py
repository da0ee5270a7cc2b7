"""Floods of frames that say nothing: cut after some, while good manners stay."""

import asyncio

import pytest
from tavla_protocol.codes import CloseCode
from tavla_server.delivery.flood import EXTRAS
from tavla_server.delivery.socket import SLICE_BYTES, Socket
from websockets.frames import Frame, Opcode

from tests.support.wire.fed import frame, opened

FLOODS = {
    "pings": (b"", frame(Opcode.PING, b"")),
    "pongs": (b"", frame(Opcode.PONG, b"")),
    "long pings": (b"", frame(Opcode.PING, bytes(125))),
    "pieces of nothing": (frame(Opcode.BINARY, b"", fin=False), frame(Opcode.CONT, b"", fin=False)),
}


@pytest.mark.parametrize(("begin", "each"), FLOODS.values(), ids=FLOODS)
async def test_a_flood_of_frames_that_say_nothing_is_cut_after_some_of_them(
    begin: bytes, each: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    parsed = 0
    take_frame = Socket._take_frame

    def counted(socket: Socket, frame: Frame) -> None:
        nonlocal parsed
        parsed += 1
        take_frame(socket, frame)

    monkeypatch.setattr(Socket, "_take_frame", counted)
    async with opened() as (socket, wire):
        socket.data_received(begin + each * 10_000)
        while not wire.closed:
            before = parsed
            await asyncio.sleep(0)
            assert parsed - before <= SLICE_BYTES / len(each) + 1, "in one turn of the loop"
        assert EXTRAS.burst < parsed <= EXTRAS.burst + 2 * SLICE_BYTES / len(each) + 2
        assert wire.paused, "what it sends now nobody reads"
    assert socket.ended_with == CloseCode.FLOOD


async def test_a_few_pings_and_messages_in_pieces_are_good_manners() -> None:
    async with opened() as (socket, wire):
        for _ in range(int(EXTRAS.burst)):
            socket.data_received(frame(Opcode.PING, b"here?"))
        assert wire.written.count(b"here?") == EXTRAS.burst
        assert socket.is_open


@pytest.mark.parametrize("size", [0, 4, 125])
async def test_a_ping_is_answered_with_what_it_says_until_it_is_a_flood(size: int) -> None:
    async with opened(close_s=0.0) as (socket, wire):
        said = bytes(range(size))
        socket.data_received(frame(Opcode.PING, said))
        assert wire.written == frame(Opcode.PONG, said, masked=False)
        for _ in range(2 * int(EXTRAS.burst)):
            socket.data_received(frame(Opcode.PING, said))
    assert socket.ended_with == CloseCode.FLOOD


async def test_one_who_answers_our_pings_may_do_so_for_ever() -> None:
    async with opened() as (socket, wire):
        for cut in (1, 9, 14):  # in pieces, and whole
            for _ in range(int(EXTRAS.burst) * 2):
                del wire.written[:]
                socket.keep_alive(b"")
                pong = frame(Opcode.PONG, bytes(wire.written[2:]))
                socket.data_received(pong[:cut])
                if pong[cut:]:
                    socket.data_received(pong[cut:])
        assert socket.is_open
