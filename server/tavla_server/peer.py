"""One client's connection, as a session sees it."""

from websockets.asyncio.server import ServerConnection
from websockets.frames import Frame, Opcode
from websockets.protocol import State

from tavla_server.record import Player

BACKLOG_BYTES = 64 * 1024  # sent but unread; a client further behind is cut, and comes back with what it has seen


def framed(message: bytes) -> bytes:
    """A message as a WebSocket frame: what a server sends is the same for every receiver, so it is made once."""
    return Frame(Opcode.BINARY, message).serialize(mask=False)


class Peer:
    """Sends without ever waiting for the client. player: who it is, after hello; ignored: ids of whom it ignores."""

    def __init__(self, socket: ServerConnection) -> None:
        self.player = Player("", "")
        self.ignored: frozenset[str] = frozenset()
        self._socket, self._transport = socket, socket.transport
        self._cut = False

    @property
    def lag_ms(self) -> int:
        """The round trip to the client, as the last ping measured it."""
        return int(1000 * self._socket.latency)

    def send(self, message: bytes) -> None:
        """Send one message to this client alone."""
        self.write(framed(message))

    def write(self, frames: bytes) -> None:
        """Hand whole frames to the transport; if the client does not read, drop them and cut the connection.

        Past websockets' own `send`, which frames for each receiver and waits: that is half the cost of an action.
        """
        if self._cut or self._socket.state is not State.OPEN:
            return
        if self._transport.get_write_buffer_size() > BACKLOG_BYTES:
            self._cut = True
            self._transport.abort()  # a close frame would have to wait behind what is not read
            return
        self._transport.write(frames)
