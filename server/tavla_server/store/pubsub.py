"""Sharded channels: one connection to each master that only listens, and what each channel's listener is told.

A channel is heard where its slot is. When the slot moves, the connection ends or falls silent, or another master takes
its place, the channel is subscribed to again there. What was published meanwhile is lost: listeners are told of
every confirmed subscription, and can read then what was missed.
"""

import asyncio
import contextlib
from collections.abc import Callable, Collection
from functools import partial
from typing import NamedTuple

import structlog

from tavla_server.errors import StoreRefused, StoreUnavailable
from tavla_server.store.coalescing_window import CoalescingWindow
from tavla_server.store.connection import Reply, StoreConnection, connect, pack_command
from tavla_server.store.topology import Topology
from tavla_server.telemetry.metrics import STORE_ERRORS
from tavla_server.timings import DEFAULTS

RECONNECT_S = 0.2
PING = pack_command(b"PING")
PONGS = b"PONG", [b"pong", b""]  # the second from a connection that has subscribed

log = structlog.get_logger()


class ChannelListener(NamedTuple):
    """A listener to a channel.

    on_subscribed: called when the store has confirmed a subscription, the first and each later one; from then on
    messages come. on_message: gets each one's bytes.
    """

    on_subscribed: Callable[[bytes], None]
    on_message: Callable[[bytes, bytes], None]


class PubSub:
    """Publish and subscribe (PubSub): the channels that this node listens to."""

    def __init__(self, topology: Topology, reply_s: float = DEFAULTS.reply_s) -> None:
        """reply_s: a server that does not answer a ping for so long is treated as gone."""
        self._topology, self._reply_s = topology, reply_s
        self._listeners: dict[bytes, ChannelListener] = {}  # by channel
        self._connections: dict[str, StoreConnection] = {}  # by master; of those that are reached
        self._window = CoalescingWindow()
        self._unsent: dict[StoreConnection, list[bytes]] = {}  # commands that wait to be sent together
        self._keepers: dict[str, asyncio.Task[None]] = {}
        self._by_slot = topology.by_slot  # as all channels have been subscribed to

    async def open(self) -> None:
        """Connect to every master, and from now on keep connected, or keep trying."""
        urls = dict.fromkeys(self._topology.by_slot)
        await asyncio.gather(*map(self._connect, urls), return_exceptions=True)
        self._topology.changed.append(self._follow_topology)
        self._follow_topology()

    async def close(self) -> None:
        """Disconnect."""
        for keeper in self._keepers.values():
            keeper.cancel()
        for connection in self._connections.values():
            connection.transport.close()

    def subscribe(self, channel: bytes, listener: ChannelListener) -> None:
        """Listen to a channel, now or as soon as its master is reached. A channel has one listener: the last."""
        self._listeners[channel] = listener
        self._write(b"SSUBSCRIBE", channel)

    def unsubscribe(self, channel: bytes) -> None:
        """Listen no longer. Nothing of the channel is told from now on."""
        if self._listeners.pop(channel, None) is not None:
            self._write(b"SUNSUBSCRIBE", channel)

    # --- what comes ---

    def _received(self, connection: StoreConnection, reply: Reply) -> None:
        if isinstance(reply, StoreRefused):
            self._refused(connection, reply)
        elif reply not in PONGS:
            kind, channel, payload = reply
            if (listener := self._listeners.get(channel)) is not None:
                self._told(kind, channel, payload, listener)

    def _told(self, kind: bytes, channel: bytes, payload: bytes, listener: ChannelListener) -> None:
        if kind == b"smessage":
            listener.on_message(channel, payload)
        elif kind == b"ssubscribe":
            listener.on_subscribed(channel)
        elif kind == b"sunsubscribe":  # not by us: its slot has moved
            self._follow_slot(self._topology.slot(channel))

    def _refused(self, connection: StoreConnection, error: StoreRefused) -> None:
        if str(error).startswith("MOVED"):
            self._follow_slot(int(str(error).split()[1]))
        elif not str(error).startswith("LOADING"):  # to a ping: it confirms subscriptions while it reads its data
            STORE_ERRORS.add("refused")
            log.error("subscribe_refused", error=str(error))
            self._topology.invalidate()
            connection.transport.abort()  # and begin anew

    # --- where the slots are ---

    def _follow_slot(self, slot: int) -> None:
        """A slot has gone to another master, perhaps only for a moment: soon listen again, wherever it is then."""
        self._topology.invalidate()
        asyncio.get_running_loop().call_later(RECONNECT_S, self._subscribe, {slot})

    def _follow_topology(self) -> None:
        """Keep one connection to each master, subscribed to all channels of its slots."""
        before, self._by_slot = self._by_slot, self._topology.by_slot
        urls = set(self._by_slot)
        for url in self._keepers.keys() - urls:
            self._keepers.pop(url).cancel()
            if url in self._connections:
                self._connections.pop(url).transport.abort()
        for url in urls - self._keepers.keys():
            self._keepers[url] = asyncio.create_task(self._keep(url))
        pairs = zip(before, self._by_slot, strict=True)
        self._subscribe({slot for slot, (old, new) in enumerate(pairs) if old != new})

    def _subscribe(self, slots: Collection[int]) -> None:
        for channel in self._listeners:
            if self._topology.slot(channel) in slots:
                self._write(b"SSUBSCRIBE", channel)

    def _write(self, command: bytes, channel: bytes) -> None:
        connection = self._connections.get(self._topology.of(channel))
        if connection is not None:
            if not self._unsent:
                loop = asyncio.get_running_loop()
                loop.call_at(self._window.next_s(loop.time()), self._flush)
            self._unsent.setdefault(connection, []).append(pack_command(command, channel))
            self._window.sent += 1

    def _flush(self) -> None:
        unsent, self._unsent = self._unsent, {}
        for connection, commands in unsent.items():
            if not connection.transport.is_closing():  # else it is done after reconnecting
                connection.transport.write(b"".join(commands))

    # --- connections ---

    async def _connect(self, url: str) -> None:
        connection = self._connections[url] = await connect(url, list(self._topology.check))
        connection.start(lambda reply: self._received(connection, reply))
        self._subscribe({slot for slot, master in enumerate(self._topology.by_slot) if master == url})

    async def _keep(self, url: str) -> None:
        while True:
            if url in self._connections:
                connection = self._connections[url]
                await connection.wait_for_end(self._reply_s, partial(_ping, connection))
                del self._connections[url]
            await asyncio.sleep(RECONNECT_S)
            with contextlib.suppress(StoreUnavailable):
                await self._connect(url)


def _ping(connection: StoreConnection) -> bool:
    """Ping: a connection that only listens would not notice its end."""
    if not connection.transport.is_closing():
        connection.transport.write(PING)
    return True
