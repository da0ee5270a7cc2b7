"""The gateway: opens the port, and runs a Connection for every client."""

import asyncio
import random
from functools import partial
from itertools import cycle
from socket import SO_RCVBUF, SOL_SOCKET
from typing import Any

import structlog
from tavla_protocol import SUBPROTOCOL
from tavla_protocol import messages as m
from tavla_protocol.codec import MAX_FRAME_BYTES
from tavla_protocol.codes import CloseCode
from websockets.asyncio.server import ServerConnection, serve
from websockets.exceptions import ConnectionClosed
from websockets.http11 import Request, Response

from tavla_server.delivery.socket import Socket
from tavla_server.delivery.work_queue import WorkQueue
from tavla_server.errors import StoreUnavailable
from tavla_server.gateway.client_address import is_unknown_proxy
from tavla_server.gateway.connection import FAULT_TEXT, Connection
from tavla_server.gateway.handlers import HANDLERS
from tavla_server.gateway.health import RESERVED_FILES, Health
from tavla_server.gateway.keepalive import Keepalive
from tavla_server.gateway.services import Services
from tavla_server.gateway.tls import Agreeing, Certificate
from tavla_server.telemetry.metrics import RESPONSES

TOKENS_AT_ONCE = 50  # looked up in one round trip; each takes 5 to 10 us
RENEWALS = 10  # parts of a round in which all tokens are renewed: those of 10,000 clients at once take 0.1 s
MOVE_PAUSE_S = 0.01  # between two clients that are sent to other nodes; less, if there are many
ARRIVALS_AT_ONCE = 4  # handshakes in one turn of the loop: what follows from each, until it is seated, takes 1 ms
DEPARTURES_AT_ONCE = 16  # each takes 0.1 ms
SLICES_AT_ONCE = 4  # of what clients send in bulk; each takes up to 1 ms
RECEIVED_BYTES = 16 * 1024  # that the system keeps for each connection, and as much again for its own needs
LISTEN_BACKLOG = 4096  # a whole club that comes back after a restart

log = structlog.get_logger()


class Gateway:
    """Accepts connections. One task for each reads, decides and answers; nothing waits for a client to read."""

    def __init__(self, services: Services, health: Health) -> None:
        self.connections: set[Connection] = set()
        self._agreeing: set[Agreeing] = set()  # on TLS
        self.keepalive = Keepalive[Connection](services.timings.ping_s)
        self._services, self._health, self._admission = services, health, health.admission
        self._arrivals, self._departures = WorkQueue(ARRIVALS_AT_ONCE), WorkQueue(DEPARTURES_AT_ONCE)
        self._slices = WorkQueue(SLICES_AT_ONCE)
        self._heard = self._admission.heard  # one for all connections
        self._knows_proxy = False  # whether it has been said that one comes by a proxy that we were not told of
        self._moving: list[Connection] | None = None  # while clients are sent to other nodes: those on their way

    async def listen(self, host: str, port: int, shared: bool = False, certificate: Certificate | None = None) -> int:
        """Open the port, and tell its number. shared: other processes listen on it too, and each gets its part of the
        connections. certificate: for TLS.

        Raises: OSError when it cannot be had.
        """
        timings = self._services.timings
        self._shared = shared
        self._server = await serve(
            self._handle,
            host,
            port,
            create_connection=partial(self._accept, certificate),  # type: ignore[arg-type] # as the type would
            subprotocols=[SUBPROTOCOL],  # type: ignore[list-item] # a NewType of str
            compression=None,  # frames are far too small to gain from it
            max_size=MAX_FRAME_BYTES,
            process_request=self._health.answer,
            process_response=_count,
            server_header=None,
            open_timeout=timings.handshake_s,
            ping_interval=None,  # see Keepalive
            close_timeout=timings.close_s,
            backlog=LISTEN_BACKLOG,
            reuse_port=shared or None,
        )
        for listener in self._server.sockets:
            listener.setsockopt(SOL_SOCKET, SO_RCVBUF, RECEIVED_BYTES)  # for all that it accepts
        return int(self._server.sockets[0].getsockname()[1])

    def refuse_new(self) -> None:
        """Say that connections are better made elsewhere; those who share the port get them from now on."""
        self._health.draining = True
        if self._shared:
            self._server.server.close()

    @property
    def waiting(self) -> dict[str, int]:
        """The numbers of those that wait for their turn, by kind."""
        return {"handshakes": len(self._arrivals), "ends": len(self._departures), "slices": len(self._slices)}

    def _accept(self, certificate: Certificate | None, *given: Any, **options: Any) -> asyncio.Protocol:
        """Somebody has connected."""
        socket = Socket(*given, **options)
        there = len(socket.server.handler_tasks) + len(self._agreeing)
        socket.unheard = self._health.is_full(there - RESERVED_FILES // 2)
        socket.arrivals, socket.departures, socket.slices = self._arrivals, self._departures, self._slices
        socket.on_heard = self._heard
        self._admission.wait_for(socket)
        if certificate is None:
            return socket
        agreeing = Agreeing(socket, certificate.context, self._services.timings.tls_s, self._agreed)
        self._agreeing.add(agreeing)
        return agreeing

    def _agreed(self, agreeing: Agreeing, on: bool) -> None:
        """The handshake of TLS is over. on: with TLS."""
        self._agreeing.discard(agreeing)
        if not on:
            self._admission.heard(agreeing.socket)

    async def _handle(self, socket: ServerConnection) -> None:
        assert isinstance(socket, Socket), "made so"
        connection = Connection(self._services, HANDLERS, socket)
        if not self._knows_proxy and is_unknown_proxy(socket, self._services.behind_proxy):
            self._knows_proxy = True
            log.warning("proxy_not_declared", what="all its clients are without limits by address: give --behind-proxy")
        socket.forget_handshake()
        address = connection.address
        if self._admission.enter(address):
            connection.end_trial = partial(self._admission.end_trial, address)
        self.connections.add(connection)
        self.keepalive.add(connection)
        try:
            await connection.run()
        except ConnectionClosed as closed:
            if closed.sent is not None and closed.sent.code == CloseCode.FLOOD:
                log.info("flood_cut", **_who(connection), address=connection.address)
        except Exception:
            log.exception("request_failed", **_who(connection))
            await socket.close(CloseCode.INTERNAL_ERROR, FAULT_TEXT)
        finally:
            self.connections.discard(connection)
            self.keepalive.discard(connection)
            if connection.end_trial is not None:
                connection.end_trial()
            self._admission.leave(address, connection.may_come_back)
            connection.leave()
            if self._moving is None:
                connection.detach()
            else:
                self._moving.append(connection)

    async def renew_tokens(self) -> None:
        """Renew the tokens in use; close the connections whose token is revoked. Runs until it is cancelled."""
        for part in cycle(range(RENEWALS)):
            await asyncio.sleep(self._services.timings.token_renewal_s / RENEWALS)
            known = [connection for connection in self.keepalive.part(part, RENEWALS) if connection.player.id]
            try:
                for start in range(0, len(known), TOKENS_AT_ONCE):
                    await self._renew(known[start : start + TOKENS_AT_ONCE])
            except StoreUnavailable as error:
                log.warning("tokens_not_renewed", error=str(error))

    async def _renew(self, connections: list[Connection]) -> None:
        held = [(connection.player, connection.token) for connection in connections]
        for connection, good in zip(connections, await self._services.accounts.renew(held), strict=True):
            if not good:
                connection.log_out()

    async def move_out(self, text: str, over_s: float) -> None:
        """Send all clients to other nodes, one after the other: they do not come there all at once.

        Half of the time is for sending them, half for the last of them to be there.
        Each one's seats are kept meanwhile, so that nobody is told of an absence of some tenths of a second.
        """
        self._moving = []
        connections = random.sample(list(self.connections), len(self.connections))
        pause_s = min(MOVE_PAUSE_S, over_s / 2 / max(1, len(connections)))
        for connection in connections:
            connection.send_away(text)
            await asyncio.sleep(pause_s)
        await asyncio.sleep(over_s / 2 if connections else 0.0)
        moved, self._moving = self._moving, None
        for connection in moved:
            connection.detach()

    async def close(self, text: str, retry_after_s: float) -> None:
        """Tell everyone why their connection ends, and end it; they come back one by one after this time."""
        for agreeing in self._agreeing:
            agreeing.socket.cut()
        for connection in self.connections:
            connection.send(m.Closing(text=text, retry_after=retry_after_s * random.uniform(1, 2)))
        self._server.close(code=CloseCode.RESTART, reason=text)
        await asyncio.sleep(0)  # for those that have just come: they have no transport before
        self._admission.close()
        await self._server.wait_closed()


def _who(connection: Connection) -> dict[str, str]:
    return {"player": connection.player.id, "name": connection.player.name}


def _count(socket: ServerConnection, request: Request, response: Response) -> None:
    RESPONSES.add(str(response.status_code))
    if request.method == "HEAD":
        response.body = b""
