"""What plain HTTP is answered: whether this node should be given connections (`/healthz`, `/readyz`), and the page."""

import asyncio
import http

from websockets.asyncio.server import ServerConnection
from websockets.http11 import Request, Response

from tavla_server.cluster.lag import Lag
from tavla_server.errors import StoreUnavailable
from tavla_server.gateway.page import Page
from tavla_server.store.client import Client

LAG_LIMIT_S = 0.25  # of the event loop: past it players notice, and more of them would make it worse
REDIS_S = 1.0  # for its answer


class Health:
    """Looks how late the event loop is, and asks Redis, when it is asked.

    draining: connections are being given up, and there will be no new ones.
    """

    def __init__(self, redis: Client, lag: Lag, page: Page) -> None:
        self.draining = False
        self._redis, self._lag, self._page = redis, lag, page

    async def why_not_ready(self) -> str:
        """Why this node should get no connections now, in a few words; "" = it should."""
        if self.draining:
            return "draining"
        if self._lag.lag_s > LAG_LIMIT_S:
            return f"overloaded: {1000 * self._lag.lag_s:.0f} ms late"
        try:
            async with asyncio.timeout(REDIS_S):
                await self._redis.ping()
        except (StoreUnavailable, TimeoutError):
            return "redis does not answer"
        return ""

    async def answer(self, socket: ServerConnection, request: Request) -> Response | None:
        """The answer to plain HTTP; None for a WebSocket that may come in."""
        if (answer := self._page.answer(request)) is not None:
            return answer
        match request.path.partition("?")[0]:
            case "/healthz":
                return socket.respond(http.HTTPStatus.OK, "ok\n")
            case "/readyz":
                reason = await self.why_not_ready()
                status = http.HTTPStatus.SERVICE_UNAVAILABLE if reason else http.HTTPStatus.OK
                return socket.respond(status, f"{reason or 'ready'}\n")
            case "/" | "/ws" if self.draining:
                return socket.respond(http.HTTPStatus.SERVICE_UNAVAILABLE, "this server stops: connect again\n")
            case "/" | "/ws" if not self._page.may_connect(request):
                return socket.respond(
                    http.HTTPStatus.FORBIDDEN, "pages of this origin may not connect: --allow-origin\n"
                )
            case "/" | "/ws":
                return None
        return socket.respond(http.HTTPStatus.NOT_FOUND, "nothing is here: connect a WebSocket to /\n")
