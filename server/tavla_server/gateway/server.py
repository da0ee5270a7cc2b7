"""The gateway: opens the port, and runs a Connection for every client."""

import asyncio
import random
from functools import partial
from socket import SO_RCVBUF, SOL_SOCKET

import structlog
from tavla_protocol import messages as m
from tavla_protocol.codes import CloseCode

from tavla_server.delivery.handshake import Handshake
from tavla_server.delivery.listener import Listener
from tavla_server.delivery.port import Port
from tavla_server.gateway.client_address import address_of, is_unknown_proxy
from tavla_server.gateway.connection import FAULT_TEXT, Connection, Handlers
from tavla_server.gateway.core import Core
from tavla_server.gateway.http import RESERVED_FILES, Http
from tavla_server.gateway.keepalive import Keepalive
from tavla_server.gateway.tls import Agreeing, Certificate
from tavla_server.telemetry.metrics import RESPONSES

MOVE_PAUSE_S = 0.01  # between two clients that are sent to other nodes; less, if there are many
RECEIVED_BYTES = 16 * 1024  # that the system keeps for each connection, and as much again for its own needs
LISTEN_BACKLOG = 4096  # a whole club that comes back after a restart

log = structlog.get_logger()


class Gateway:
    """The gateway accepts connections.

    One task for each reads, decides and answers; nothing waits for a client to read.
    """

    def __init__(self, core: Core, handlers: Handlers, http: Http) -> None:
        self.connections: set[Connection] = set()
        self._agreeing: set[Agreeing] = set()  # on TLS
        self.keepalive = Keepalive[Connection](core.timings.ping_s)
        self._core, self._handlers = core, handlers
        self._http, self._admission = http, http.admission
        timings = core.timings
        self._port = Port(
            silent=self._admission,
            open_s=timings.handshake_s,
            close_s=timings.close_s,
            limits=core.limits,
            count=RESPONSES.add,
        )
        self._listener = Listener(self._port, self._serve)
        self._knows_proxy = False  # whether it has been said that one comes by a proxy that we were not told of
        self._moving: list[Connection] | None = None  # while clients are sent to other nodes: those on their way

    async def listen(self, host: str, port: int, shared: bool = False, certificate: Certificate | None = None) -> int:
        """Open the port, and tell its number. shared: other processes listen on it too, and each gets its part of the
        connections. certificate: for TLS.

        Raises: OSError when it cannot be had.
        """
        self._shared = shared
        accept = partial(self._accept, certificate)
        number = await self._listener.listen(host, port, accept, backlog=LISTEN_BACKLOG, reuse_port=shared or None)
        for listener in self._listener.sockets:
            listener.setsockopt(SOL_SOCKET, SO_RCVBUF, RECEIVED_BYTES)  # for all that it accepts
        return number

    def refuse_new(self) -> None:
        """Say that connections are better made elsewhere; those who share the port get them from now on."""
        self._http.draining = True
        if self._shared:
            self._listener.refuse_new()

    @property
    def waiting(self) -> dict[str, int]:
        """The numbers of those that wait for their turn, by kind."""
        return self._port.waiting

    def _accept(self, certificate: Certificate | None) -> asyncio.Protocol:
        handshake = self._listener.accept()
        there = len(self._port.connections) + len(self._agreeing)
        handshake.unheard = self._http.is_full(there - RESERVED_FILES // 2)
        if certificate is None:
            return handshake
        agreeing = Agreeing(handshake, certificate.context, self._core.timings.tls_s, self._agreed)
        self._agreeing.add(agreeing)
        return agreeing

    def _agreed(self, agreeing: Agreeing, on: bool) -> None:
        """The handshake of TLS is over. on: with TLS."""
        self._agreeing.discard(agreeing)
        if not on:
            self._admission.count_out(agreeing.handshake)

    async def _serve(self, handshake: Handshake) -> None:
        """Answer a request; if it opens a WebSocket, serve that."""
        answer = await self._http.answer(handshake, len(self._port.connections))
        if answer is not None:
            handshake.respond(answer)
            return
        behind_proxy = self._core.options.behind_proxy
        address, is_by_proxy = address_of(handshake, behind_proxy), is_unknown_proxy(handshake, behind_proxy)
        if (socket := handshake.open()) is None:
            return
        if is_by_proxy and not self._knows_proxy:
            self._knows_proxy = True
            log.warning("proxy_not_declared", what="all its clients are without limits by address: give --behind-proxy")
        connection = Connection(self._core, self._handlers, socket, address)
        connection.on_trial = self._admission.enter(address)
        self.connections.add(connection)
        self.keepalive.add(connection)
        try:
            await connection.run()
            if socket.ended_with == CloseCode.FLOOD:
                log.info("flood_cut", **_who(connection), address=address)
        except Exception:
            log.exception("request_failed", **_who(connection))
            await socket.close(CloseCode.INTERNAL_ERROR, FAULT_TEXT)
        finally:
            self.connections.discard(connection)
            self.keepalive.discard(connection)
            self._admission.leave(address, connection.may_come_back)
            connection.on_closed()
            if self._moving is None:
                connection.leave()
            else:
                self._moving.append(connection)

    async def move_out(self, text: str, over_s: float) -> None:
        """Send all clients to other nodes, one after the other: they do not come there all at once.

        Half of the time is for sending them, half for the last of them to be there.
        Each one's seats are kept meanwhile, so that no client is told of an absence of some tenths of a second.
        """
        self._moving = []
        connections = random.sample(list(self.connections), len(self.connections))
        pause_s = min(MOVE_PAUSE_S, over_s / 2 / max(1, len(connections)))
        for connection in connections:
            connection.end(CloseCode.RESTART, text)
            await asyncio.sleep(pause_s)
        await asyncio.sleep(over_s / 2 if connections else 0.0)
        moved, self._moving = self._moving, None
        for connection in moved:
            connection.leave()

    async def close(self, text: str, retry_after_s: float) -> None:
        """Tell everyone why their connection ends, and end it; they come back one by one after this time."""
        for agreeing in self._agreeing:
            agreeing.handshake.cut()
        for connection in self.connections:
            connection.send(m.Closing(text=text, retry_after=retry_after_s * random.uniform(1, 2)))
        await self._listener.close(CloseCode.RESTART, text)


def _who(connection: Connection) -> dict[str, str]:
    return {"player": connection.player.id, "name": connection.player.name}
