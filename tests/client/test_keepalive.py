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

from tests.support.patience import wait_until
from tests.support.servers.handloop import HandLoop
from tests.support.wire.fed import Wire

PING = bytes((0x80 | Opcode.PING,))


class Server:
    """A server that answers pings, on a wire by hand. connection: the client's."""

    def __init__(self) -> None:
        protocol = ClientProtocol(parse_uri("ws://here"), state=OPEN)
        self.connection = PatientConnection(protocol, close_timeout=CLOSE_TIMEOUT_S)
        self.connection.response = Response(101, "", Headers())
        self._wire = Wire()
        self._wire.protocol = self.connection
        self.connection.connection_made(self._wire)
        self.connection.start_keepalive()

    async def answer(self, still_s: float = 0.0, late_s: float = 0.0) -> None:
        """Answer the next ping. still_s: the client's loop stands still before that. late_s: the answer is late."""
        wire = self._wire
        await wait_until(lambda: wire.written.startswith(PING))
        ping, mask = bytes(wire.written[6:]), bytes(wire.written[2:6])
        del wire.written[:]
        loop = asyncio.get_running_loop()
        assert isinstance(loop, HandLoop)
        loop.stand_still(still_s)
        await asyncio.sleep(late_s)
        said = bytes(byte ^ mask[at % 4] for at, byte in enumerate(ping))
        wire.feed(Frame(Opcode.PONG, said).serialize(mask=False))


def test_a_program_that_stood_still_takes_no_server_for_silent() -> None:
    async def known_after_s() -> float:
        loop, server = asyncio.get_running_loop(), Server()
        for _ in range(3):
            await server.answer(still_s=100.0)
        answered_s = loop.time()
        await server.connection.wait_closed()
        return loop.time() - answered_s

    with asyncio.Runner(loop_factory=HandLoop) as runner:
        silent_s = runner.run(known_after_s())
    assert silent_s == pytest.approx(PING_INTERVAL_S + PING_TIMEOUT_S + CLOSE_TIMEOUT_S, abs=0.1)


@pytest.mark.parametrize(("still_s", "late_s", "is_steady"), [(0.0, 0.0, True), (5.0, 0.0, False), (0.0, 1.1, False)])
def test_a_line_is_steady_as_long_as_each_ping_is_answered_soon(still_s: float, late_s: float, is_steady: bool) -> None:
    async def is_still_steady() -> bool:
        server = Server()
        assert server.connection.steady_since is None
        await server.answer()
        await server.answer()
        before = server.connection.steady_since
        await server.answer(still_s, late_s)
        await server.answer()
        await server.connection.wait_closed()
        assert before is not None
        return server.connection.steady_since == before

    with asyncio.Runner(loop_factory=HandLoop) as runner:
        assert runner.run(is_still_steady()) is is_steady
