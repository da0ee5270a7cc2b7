"""A client's outbox: what is sent to it, without ever waiting for it to read."""

import asyncio
from collections.abc import Callable

import structlog
from tavla_protocol.codes import CloseCode

from tavla_server.delivery.frames import frame_of
from tavla_server.delivery.socket import Socket
from tavla_server.player import Player
from tavla_server.telemetry.metrics import SLOW, count_sent

TOO_SLOW_TEXT = "you did not read what was sent to you: connect again, attach, and read faster"
IGNORES_NOBODY: frozenset[str] = frozenset()  # one for all: each takes 200 bytes
_NOBODY = Player("", "")

log = structlog.get_logger()


class Outbox:
    """An outbox sends without ever waiting for the client.

    player: who it is, after hello. ignored: ids of whom it ignores. write: sends frames that many get; True when they
    were dropped, since the client does not read, or is gone. behind: something that others have led to was not sent,
    because too much is unread. on_drained: called when all of that is read, to resync.
    """

    __slots__ = (
        "_is_closing",
        "_limit",
        "_socket",
        "_stuck",
        "_stuck_s",
        "_transport",
        "_written",
        "behind",
        "ignored",
        "on_drained",
        "player",
        "write",
    )

    def __init__(self, socket: Socket, stuck_s: float) -> None:
        """stuck_s: as in `Timings`."""
        self.player = _NOBODY
        self.ignored = IGNORES_NOBODY
        self.behind = False
        self.on_drained: Callable[[], None] = lambda: None
        self._socket, self._transport, self._stuck_s = socket, socket.transport, stuck_s
        self._limit = socket.backlog_bytes
        self._written = 0
        self._stuck: asyncio.TimerHandle | None = None
        self._is_closing = False
        self.write: Callable[[bytes], object] = _drop
        self.on_flow()
        socket.sender = self

    @property
    def is_open(self) -> bool:
        """False once the connection is lost, or being closed."""
        return self._socket.is_open

    @property
    def lag_ms(self) -> int:
        """The round trip to the client, as the last ping measured it."""
        return int(1000 * self._socket.ping.latency_s)

    def send(self, message: bytes) -> None:
        """Send one message that is for this client alone: it is never dropped."""
        frame = frame_of(message)
        count_sent(frame)
        self.send_frames(frame)

    def send_frames(self, frames: bytes) -> None:
        """Send frames that are for this client alone. What it has asked for does not count as a backlog."""
        if self._socket.is_open:
            self._count(frames)
            self._transport.write(frames)
            if self._socket.paused:
                self._limit = self._socket.backlog_bytes + self._transport.get_write_buffer_size()

    def on_flow(self) -> None:
        """Choose how frames that many get are sent from now on.

        Past websockets' own `send`, which frames for each receiver and waits: that is half the cost of an action.
        """
        if self._socket.flows:
            self.write = self._transport.write
        else:  # a client that is gone leaves no cycle: garbage is looked for rarely
            self.write = self._write_if_room if self._socket.is_open else _drop

    def _write_if_room(self, frames: bytes) -> bool:
        """Send frames to a client that has much to read, unless that is too much."""
        self.behind = self.behind or self._transport.get_write_buffer_size() > self._limit
        if not self.behind:
            self._count(frames)
            self._transport.write(frames)
        return self.behind

    def _count(self, frames: bytes) -> None:
        """Note what is written while the client is to read more; before that no number, which is an object, is kept."""
        if self._socket.paused:
            self._written += len(frames)

    def close(self, code: CloseCode, text: str) -> None:
        """Close the connection, and cut it if the client does not hear of that."""
        if not self._is_closing:
            self._is_closing = True
            self._socket.say_goodbye(code, text)
            asyncio.get_running_loop().call_later(self._stuck_s, self._transport.abort)

    def drop_slow_consumer(self, match: str) -> None:
        """Close, because a player who does not see the match is not there; on its return it finds all as it is then."""
        if not self._is_closing:
            SLOW.add("closed")
            log.info("slow_consumer_closed", match=match, player=self.player.id, name=self.player.name)
            self.close(CloseCode.TOO_SLOW, TOO_SLOW_TEXT)

    def on_pause(self) -> None:
        self._stuck = asyncio.get_running_loop().call_later(self._stuck_s, self._cut_if_stuck, self._read())

    def on_resume(self) -> None:
        if self._stuck is not None:
            self._stuck.cancel()
        self._limit, self._written = self._socket.backlog_bytes, 0
        if self.behind:
            self.on_drained()
            self.behind = False  # not before: what comes meanwhile is part of the resync

    def _cut_if_stuck(self, read: int) -> None:
        if self._read() > read:
            self.on_pause()
        elif not self._transport.is_closing():
            SLOW.add("cut")
            log.info("slow_consumer_aborted", player=self.player.id, name=self.player.name)
            self._transport.abort()  # a close frame would have to wait behind what is not read

    def _read(self) -> int:
        """Bytes flushed since the backlog began."""
        return self._written - self._transport.get_write_buffer_size()


def _drop(frames: bytes) -> bool:
    """Stand in for `write` when the client is gone."""
    return True
