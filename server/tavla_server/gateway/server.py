"""The gateway: opens the port, and runs a Connection for every client."""

import asyncio
import random
from functools import partial
from itertools import cycle
from socket import SO_RCVBUF, SOL_SOCKET

import structlog
from tavla_protocol import messages as m
from tavla_protocol.codes import CloseCode

from tavla_server.delivery.handshake import Handshake
from tavla_server.delivery.listener import Listener
from tavla_server.delivery.port import Port
from tavla_server.errors import StoreUnavailable
from tavla_server.gateway.client_address import address_of, is_unknown_proxy
from tavla_server.gateway.connection import FAULT_TEXT, Connection
from tavla_server.gateway.handlers import HANDLERS
from tavla_server.gateway.health import RESERVED_FILES, Health
from tavla_server.gateway.keepalive import Keepalive
from tavla_server.gateway.services import Services
from tavla_server.gateway.tls import Agreeing, Certificate
from tavla_server.players.account_merges import merge_told
from tavla_server.telemetry.metrics import RESPONSES

TOKENS_AT_ONCE = 50  # looked up in one round trip; each takes 5 to 10 us
RENEWALS = 10  # parts of a round in which all tokens are renewed: those of 10,000 clients at once take 0.1 s
MOVE_PAUSE_S = 0.01  # between two clients that are sent to other nodes; less, if there are many
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
        timings = services.timings
        self._port = Port(
            silent=self._admission,
            open_s=timings.handshake_s,
            close_s=timings.close_s,
            limits=services.limits,
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
        self._health.draining = True
        if self._shared:
            self._listener.refuse_new()

    @property
    def waiting(self) -> dict[str, int]:
        """The numbers of those that wait for their turn, by kind."""
        return self._port.waiting

    def _accept(self, certificate: Certificate | None) -> asyncio.Protocol:
        """A new connection."""
        handshake = self._listener.accept()
        there = len(self._port.connections) + len(self._agreeing)
        handshake.unheard = self._health.is_full(there - RESERVED_FILES // 2)
        if certificate is None:
            return handshake
        agreeing = Agreeing(handshake, certificate.context, self._services.timings.tls_s, self._agreed)
        self._agreeing.add(agreeing)
        return agreeing

    def _agreed(self, agreeing: Agreeing, on: bool) -> None:
        """The handshake of TLS is over. on: with TLS."""
        self._agreeing.discard(agreeing)
        if not on:
            self._admission.heard(agreeing.handshake)

    async def _serve(self, handshake: Handshake) -> None:
        """Answer a request; if it opens a WebSocket, serve that."""
        answer = await self._health.answer(handshake, len(self._port.connections))
        if answer is not None:
            handshake.respond(answer)
            return
        behind_proxy = self._services.behind_proxy
        address, is_by_proxy = address_of(handshake, behind_proxy), is_unknown_proxy(handshake, behind_proxy)
        if (socket := handshake.open()) is None:
            return
        if is_by_proxy and not self._knows_proxy:
            self._knows_proxy = True
            log.warning("proxy_not_declared", what="all its clients are without limits by address: give --behind-proxy")
        connection = Connection(self._services, HANDLERS, socket, address)
        if self._admission.enter(address):
            connection.end_trial = partial(self._admission.end_trial, address)
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
        accounts = self._services.accounts
        held = [(connection.player, connection.token) for connection in connections]
        for connection, good in zip(connections, await accounts.renew(held), strict=True):
            if good:
                continue
            # The order to send it away comes after the merge, or never, if the operator's command was killed.
            if (now := await accounts.become_of(connection.token)) is None:
                connection.log_out()
            else:
                connection.end(CloseCode.REMOVED, merge_told(now))

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
            connection.detach()

    async def close(self, text: str, retry_after_s: float) -> None:
        """Tell everyone why their connection ends, and end it; they come back one by one after this time."""
        for agreeing in self._agreeing:
            agreeing.handshake.cut()
        for connection in self.connections:
            connection.send(m.Closing(text=text, retry_after=retry_after_s * random.uniform(1, 2)))
        await self._listener.close(CloseCode.RESTART, text)


def _who(connection: Connection) -> dict[str, str]:
    return {"player": connection.player.id, "name": connection.player.name}
