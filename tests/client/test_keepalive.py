"""Keepalive of the library's connections: a server that says nothing is noticed, one that answers is not mistaken."""

import asyncio

import pytest
from tavla_client.connection import CLOSE_TIMEOUT_S, PING_INTERVAL_S, PING_TIMEOUT_S, PatientConnection
from websockets.client import ClientProtocol
from websockets.datastructures import Headers
from websockets.frames import Frame, Opcode
from websockets.http11 import Response
from websockets.protocol import OPEN
from websockets.uri import parse_uri

from tests.support.servers.handloop import HandLoop
from tests.support.wire.fed import Wire

PING = bytes((0x80 | Opcode.PING,))


def test_a_program_that_stood_still_takes_no_server_for_silent() -> None:
    async def known_after_s() -> float:
        loop = asyncio.get_running_loop()
        assert isinstance(loop, HandLoop)
        protocol = ClientProtocol(parse_uri("ws://here"), state=OPEN)
        connection = PatientConnection(protocol, close_timeout=CLOSE_TIMEOUT_S)
        connection.response = Response(101, "", Headers())
        wire = Wire()
        wire.protocol = connection
        connection.connection_made(wire)
        connection.start_keepalive()
        for _ in range(3):
            while not wire.written.startswith(PING):  # noqa: ASYNC110 - nothing tells of it
                await asyncio.sleep(0.01)
            ping, mask = bytes(wire.written[6:]), bytes(wire.written[2:6])
            del wire.written[:]
            loop.stand_still(100.0)
            said = bytes(byte ^ mask[at % 4] for at, byte in enumerate(ping))
            wire.feed(Frame(Opcode.PONG, said).serialize(mask=False))
        answered_s = loop.time()
        await connection.wait_closed()
        return loop.time() - answered_s

    with asyncio.Runner(loop_factory=HandLoop) as runner:
        silent_s = runner.run(known_after_s())
    assert silent_s == pytest.approx(PING_INTERVAL_S + PING_TIMEOUT_S + CLOSE_TIMEOUT_S, abs=0.1)
