"""The door: it opens the port, and gives every connection a visit."""

import asyncio
import random

import structlog
from redis.exceptions import RedisError
from tavla_protocol import SUBPROTOCOL
from tavla_protocol import messages as m
from tavla_protocol.codec import MAX_FRAME_BYTES, encode
from tavla_protocol.codes import CloseCode
from websockets.asyncio.server import Server, ServerConnection, serve
from websockets.exceptions import ConnectionClosed

from tavla_server.delivery.outbox import Socket, framed
from tavla_server.gateway.connection import Visit
from tavla_server.gateway.health import Health
from tavla_server.gateway.services import Services

HANDSHAKE_TIMEOUT_S = 10.0
PING_S = 9.0  # and as long for the answer: with the time to close, a dead peer is known within 20 s
CLOSE_TIMEOUT_S = 1.5
HEARTBEAT_S = 10.0
BEATS_AT_ONCE = 10
TOKENS_S = 20.0  # a token revoked on another node is out of use so soon; well below accounts.FRESH_S
TOKENS_AT_ONCE = 100  # looked up in one round trip
MOVE_PAUSE_S = 0.01  # between two clients that are sent to other nodes; less, if there are many
LISTEN_BACKLOG = 4096  # a whole club that comes back after a restart

log = structlog.get_logger()


class Gateway:
    """Accepts connections. One task for each reads, decides and answers; nothing waits for a client to read."""

    def __init__(self, services: Services, health: Health) -> None:
        self.visits: set[Visit] = set()
        self._services, self._health = services, health
        self._moving: list[Visit] | None = None  # while clients are sent to other nodes: those who are on their way

    async def listen(self, host: str, port: int, shared: bool = False) -> Server:
        """Open the port. shared: other processes listen on it too, and each gets its part of the connections.

        Raises: OSError when it cannot be had.
        """
        return await serve(
            self._handle,
            host,
            port,
            create_connection=Socket,
            subprotocols=[SUBPROTOCOL],  # type: ignore[list-item] # a NewType of str
            compression=None,  # frames are far too small to gain from it
            max_size=MAX_FRAME_BYTES,
            process_request=self._health.answer,
            server_header=None,
            open_timeout=HANDSHAKE_TIMEOUT_S,
            ping_interval=PING_S,
            ping_timeout=PING_S,
            close_timeout=CLOSE_TIMEOUT_S,
            backlog=LISTEN_BACKLOG,
            reuse_port=shared or None,
        )

    async def _handle(self, socket: ServerConnection) -> None:
        assert isinstance(socket, Socket), "made so"
        visit = Visit(self._services, socket)
        self.visits.add(visit)
        try:
            await visit.run()
        except ConnectionClosed:
            pass
        except Exception:
            log.exception("request_failed", player=visit.peer.player.name)
            await socket.close(CloseCode.INTERNAL_ERROR, "a fault of the server: connect again")
        finally:
            self.visits.discard(visit)
            visit.leave()
            if self._moving is None:
                visit.detach()
            else:
                self._moving.append(visit)

    async def beat(self) -> None:
        """Tell clients the state of their matches, so that nobody stays out of step. Runs until it is cancelled."""
        while True:
            visits = list(self.visits)
            if not visits:
                await asyncio.sleep(HEARTBEAT_S)
            for start in range(0, len(visits), BEATS_AT_ONCE):  # spread, or a thousand of them would hold up all others
                some = visits[start : start + BEATS_AT_ONCE]
                for visit in some:
                    if visit.followed:
                        shown = [session.followers for session in visit.followed.values()]
                        states = [followers.heartbeat() for followers in shown if followers.in_step]
                        visit.peer.write(framed(encode(m.Heartbeat(matches=states))))
                await asyncio.sleep(HEARTBEAT_S * len(some) / len(visits))

    async def look_after_tokens(self) -> None:
        """Keep good the tokens of those who are here; end the visits whose token is not. Runs until it is cancelled."""
        while True:
            await asyncio.sleep(TOKENS_S)
            known = [visit for visit in self.visits if visit.peer.player.id]
            try:
                for start in range(0, len(known), TOKENS_AT_ONCE):
                    await self._look_after(known[start : start + TOKENS_AT_ONCE])
            except (RedisError, OSError) as error:
                log.warning("tokens_not_looked_after", error=str(error))

    async def _look_after(self, visits: list[Visit]) -> None:
        held = [(visit.peer.player, visit.token) for visit in visits]
        for visit, good in zip(visits, await self._services.accounts.look_after(held), strict=True):
            if not good:
                visit.log_out()

    async def move_out(self, text: str, over_s: float) -> None:
        """Send all clients to other nodes, one after the other: they do not come there all at once.

        Half of the time is for sending them, half for the last of them to be there.
        Each one's seats are kept meanwhile, so that nobody is told of an absence of some tenths of a second.
        """
        self._moving = []
        visits = random.sample(list(self.visits), len(self.visits))
        pause_s = min(MOVE_PAUSE_S, over_s / 2 / max(1, len(visits)))
        for visit in visits:
            visit.send_away(text)
            await asyncio.sleep(pause_s)
        await asyncio.sleep(over_s / 2 if visits else 0.0)
        moved, self._moving = self._moving, None
        for visit in moved:
            visit.detach()

    def announce_closing(self, text: str, retry_after_s: float) -> None:
        """Tell everyone that the server closes their connection next; they come back one by one after this time."""
        for visit in self.visits:
            visit.send(m.Closing(text=text, retry_after=retry_after_s * random.uniform(1, 2)))
