"""One client's connection, as a session sees it."""

from websockets.asyncio.server import ServerConnection, broadcast

from tavla_server.record import Player

BACKLOG_BYTES = 64 * 1024  # sent but unread; a client further behind is cut, and comes back with what it has seen


class Peer:
    """Sends frames without ever waiting for the client. player: who it is, after hello."""

    def __init__(self, socket: ServerConnection) -> None:
        self.socket = socket
        self.player = Player("", "")
        self._cut = False

    def send(self, frame: bytes) -> None:
        """Hand a frame to the transport; if the client does not read, drop it and cut the connection."""
        if self._cut:
            return
        if self.socket.transport.get_write_buffer_size() > BACKLOG_BYTES:
            self._cut = True
            self.socket.transport.abort()  # a close frame would have to wait behind what is not read
            return
        broadcast((self.socket,), frame)
