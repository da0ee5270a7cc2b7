"""A listener: opens a port, and runs a task for each request that comes to it."""

import asyncio
from collections.abc import Awaitable, Callable
from http import HTTPStatus
from typing import Any

import structlog
from websockets.frames import CloseCode

from tavla_server.delivery.handshake import Handshake
from tavla_server.delivery.port import Port

FAULT_TEXT = "a fault of this server: its log says more"

log = structlog.get_logger()


class Listener:
    """A listener accepts connections on one port.

    serve: answers a request, and serves its WebSocket until that ends.
    """

    def __init__(self, port: Port, serve: Callable[[Handshake], Awaitable[None]]) -> None:
        self._port, self._serve = port, serve
        self._served: dict[Handshake, asyncio.Task[None]] = {}
        self._begin_one = self._begin  # one for all: a method is made anew whenever it is looked up

    async def listen(
        self, host: str, port: int, accept: Callable[[], asyncio.Protocol] | None = None, **options: Any
    ) -> int:
        """Open the port, and tell its number. accept: makes each connection, by means of ours. options: the loop's.

        Raises: OSError when it cannot be had.
        """
        loop = asyncio.get_running_loop()
        self._server = await loop.create_server(accept or self.accept, host, port, **options)
        return int(self.sockets[0].getsockname()[1])

    @property
    def sockets(self) -> Any:
        """The sockets on which it listens."""
        return self._server.sockets

    def accept(self) -> Handshake:
        """A new connection."""
        handshake = Handshake(self._port, self._begin_one)
        self._port.silent.wait_for(handshake)
        return handshake

    def _begin(self, handshake: Handshake) -> None:
        task = self._served[handshake] = asyncio.get_running_loop().create_task(self._run(handshake))
        handshake.on_gone = task.cancel
        task.add_done_callback(lambda _: self._served.pop(handshake))

    async def _run(self, handshake: Handshake) -> None:
        try:
            if handshake.request is not None:  # the client has not gone
                await self._serve(handshake)
        except Exception:
            log.exception("request_failed")
            handshake.respond(handshake.reply(HTTPStatus.INTERNAL_SERVER_ERROR, FAULT_TEXT))
        if handshake.socket is not None:
            await handshake.socket.close()
            self._port.connections.discard(handshake)

    def refuse_new(self) -> None:
        """Accept no connection any more."""
        self._server.close()

    async def close(self, code: int = CloseCode.GOING_AWAY, reason: str = "") -> None:
        """End all connections, and wait for their ends."""
        self._port.is_closing = True
        self._server.close()
        for handshake in self._served:
            if handshake.socket is not None:
                handshake.socket.say_goodbye(code, reason)
        await asyncio.sleep(0)  # for those that have just come: they have no transport before
        self._port.silent.close()
        await self._server.wait_closed()
        if self._served:
            await asyncio.wait(self._served.values())
