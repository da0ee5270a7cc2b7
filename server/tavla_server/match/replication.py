"""The nodes that follow a match tell each other what happens in it, on the match's own sharded channel.

A node enters itself in the hash `{m:<id>}:nodes` while connections on it follow the match; whoever writes there or
appends to the journal publishes in the same step, if more than one node is in the hash. Nothing depends on a message
coming: an entry that is missed is read from the journal, and a dead node's seats are given up when it gives no more
signs of life.
"""

import asyncio
import contextlib
from collections.abc import Callable, Collection

import structlog
from tavla_protocol.messages import Said

from tavla_server.errors import StoreRefused, StoreUnavailable
from tavla_server.match import wire
from tavla_server.match.ports import Replicated
from tavla_server.store.connection import Connection, Reply, connect, pack_command
from tavla_server.store.pipeline import REPLY_TIMEOUT_S
from tavla_server.store.router import Router
from tavla_server.store.topology import Topology

RECONNECT_S = 0.2
CHECK_S = 3.0  # what was lost without a word is found so soon
PING = pack_command(b"PING")
PONGS = b"PONG", [b"pong", b""]  # the second from a link that has subscribed
NODES_TTL_S = b"86400"  # of a match's hash of nodes, should all of them die

# KEYS: the match's nodes, its channel. ARGV: the node, its presence (as `wire` has it; empty: it leaves), NODES_TTL_S.
# Returns all nodes with their presence.
ENTER = b"""
if ARGV[2] == '' then redis.call('HDEL', KEYS[1], ARGV[1]) else redis.call('HSET', KEYS[1], ARGV[1], ARGV[2]) end
redis.call('EXPIRE', KEYS[1], ARGV[3])
local others = redis.call('HLEN', KEYS[1]) - redis.call('HEXISTS', KEYS[1], ARGV[1])
if others > 0 then redis.call('SPUBLISH', KEYS[2], 'n' .. ARGV[1] .. ' ' .. ARGV[2]) end
return redis.call('HGETALL', KEYS[1])
"""

log = structlog.get_logger()


class Replication:
    """This node's ear and voice among the others. node: its name, without a space."""

    def __init__(self, topology: Topology, router: Router, node: str) -> None:
        self.node = node
        self._topology, self._router = topology, router
        self._followed: dict[bytes, Replicated] = {}  # by channel
        self._connections: dict[str, Connection] = {}  # by master; of those that are reached
        self._keepers: dict[str, asyncio.Task[None]] = {}
        self._by_slot = topology.by_slot  # as all channels have been followed

    async def open(self) -> None:
        """Connect to every master, and from now on keep connected, or keep trying."""
        urls = dict.fromkeys(self._topology.by_slot)
        await asyncio.gather(*map(self._connect, urls), return_exceptions=True)
        self._topology.changed.append(self._follow_topology)
        self._follow_topology()

    async def close(self) -> None:
        """Disconnect. The seats held here are free as soon as this node gives no more signs of life."""
        for keeper in self._keepers.values():
            keeper.cancel()
        for connection in self._connections.values():
            connection.transport.close()

    def enter(self, session: Replicated) -> None:
        """Connections here have begun to follow a match."""
        channel = _channel(session)
        self._followed[channel] = session
        self._write(b"SSUBSCRIBE", channel)  # when it is confirmed, the others are told and the journal is read

    async def learn(self, session: Replicated) -> None:
        """Who follows a match elsewhere, before anybody does here: else all would be shown as away for a moment."""
        channel = _channel(session)
        if session.subscribers.outboxes or not self._router.of(channel).connected:
            return
        known, answer = session.subscribers.nodes, asyncio.get_running_loop().create_future()
        self._router.send(channel, pack_command(b"HGETALL", channel + b":nodes"), answer.set_result, again=False)
        reply: Reply = await asyncio.shield(answer)
        if isinstance(reply, list) and not session.subscribers.outboxes:
            self._heard_all(session, known, reply)

    def tell(self, session: Replicated) -> None:
        """The seats held here, or the watchers here, have changed."""
        channel = _channel(session)
        if channel in self._followed:
            self._send(channel, _presence(session), session)

    def say(self, session: Replicated, speaker: str, said: Said) -> None:
        """Pass on what was said here, if others follow the match. speaker: the player's id. It may be lost."""
        channel = _channel(session)
        if session.subscribers.nodes and self._router.of(channel).connected:
            payload = wire.encode(wire.ChatSaid(self.node, speaker, said))
            self._router.send(channel, pack_command(b"SPUBLISH", channel, payload), lambda _: None, again=False)

    def leave(self, session: Replicated) -> None:
        """Nobody here follows a match any more."""
        channel = _channel(session)
        if self._followed.pop(channel, None) is not None:
            self._write(b"SUNSUBSCRIBE", channel)
            self._send(channel, b"", None)

    def evict_dead_nodes(self, living: Collection[str]) -> None:
        """Give up the seats of nodes that are not among the living."""
        for channel, session in self._followed.items():
            for node in session.subscribers.nodes:
                if node not in living:
                    gone = pack_command(b"HDEL", channel + b":nodes", node.encode())
                    self._router.send(channel, gone, lambda _: None)
                    session.subscribers.heard_end(node)

    async def check(self) -> None:
        """Find what was lost without a word, in matches that other nodes follow, too. Runs until it is cancelled."""
        while True:
            await asyncio.sleep(CHECK_S)
            for channel, session in self._followed.items():
                if session.subscribers.nodes and self._router.of(channel).connected:
                    self._check(channel, session)

    def _check(self, channel: bytes, session: Replicated) -> None:
        known = session.subscribers.nodes

        def counted(length: Reply) -> None:
            if isinstance(length, int) and length != session.seq and self._followed.get(channel) is session:
                session.read_on()

        def told(nodes: Reply) -> None:
            if isinstance(nodes, list) and self._followed.get(channel) is session:
                self._heard_all(session, known, nodes)
                if self.node.encode() not in nodes[::2]:  # another node took this one for dead, and tells it nothing
                    self._send(channel, _presence(session), session, session.read_on)

        self._router.send(channel, pack_command(b"XLEN", channel + b":log"), counted, again=False)
        self._router.send(channel, pack_command(b"HGETALL", channel + b":nodes"), told, again=False)

    def _send(
        self, channel: bytes, presence: bytes, session: Replicated | None, then: Callable[[], None] = lambda: None
    ) -> None:
        known = session.subscribers.nodes if session is not None else []

        def again() -> None:
            if self._followed.get(channel) is session:
                self._send(channel, _presence(session) if session else b"", session, then)

        def answered(reply: Reply) -> None:
            if isinstance(reply, StoreRefused) and str(reply).startswith("NOREPLICAS"):
                # A master that is new may have too few replicas for a moment.
                asyncio.get_running_loop().call_later(RECONNECT_S, again)
            elif isinstance(reply, StoreRefused):
                log.error("enter_refused", error=str(reply))
            elif session is not None and self._followed.get(channel) is session:
                self._heard_all(session, known, reply)
                then()

        keys = channel + b":nodes", channel
        enter = pack_command(b"EVAL", ENTER, b"2", *keys, self.node.encode(), presence, NODES_TTL_S)
        self._router.send(channel, enter, answered)

    def _write(self, command: bytes, channel: bytes) -> None:
        connection = self._connections.get(self._topology.of(channel))
        if connection is not None and not connection.transport.is_closing():  # else it is done after reconnecting
            connection.transport.write(pack_command(command, channel))

    def _received(self, connection: Connection, reply: Reply) -> None:
        if isinstance(reply, StoreRefused):
            if str(reply).startswith("MOVED"):
                self._follow_slot(int(str(reply).split()[1]))
                return
            log.error("subscribe_refused", error=str(reply))
            self._topology.invalidate()
            connection.transport.abort()  # and begin anew
            return
        if reply in PONGS:
            return
        kind, channel, payload = reply
        session = self._followed.get(channel)
        if session is None:
            return
        if kind == b"sunsubscribe":
            self._follow_slot(self._topology.slot(channel))
        elif kind == b"ssubscribe":
            # What is appended after the script has run is published to us, what was before can be read then.
            self._send(channel, _presence(session), session, session.read_on)
        elif kind == b"smessage":
            self._heard(session, payload)

    def _heard(self, session: Replicated, payload: bytes) -> None:
        match wire.decode(payload):
            case wire.EntryAppended(seq=seq, data=data):
                session.heard_entry(seq, data)
            case wire.ChatSaid(node=node, speaker=speaker, said=said) if node != self.node:
                session.subscribers.heard_said(speaker, said)
            case wire.PresenceChanged(node=node, presence=presence):
                self._heard_node(session, node, presence)

    def _heard_all(self, session: Replicated, known: Collection[str], reply: Reply) -> None:
        """All nodes that follow a match. known: those that did when we asked; who is not there any more has gone."""
        now = {node.decode(): presence for node, presence in zip(reply[::2], reply[1::2], strict=True)}
        for node, presence in now.items():
            self._heard_node(session, node, wire.decode_presence(presence))
        for node in known:
            if node not in now:
                session.subscribers.heard_end(node)

    def _heard_node(self, session: Replicated, node: str, presence: wire.NodePresence | None) -> None:
        if node == self.node:
            return
        if presence is None:
            session.subscribers.heard_end(node)
        else:
            session.subscribers.heard_presence(node, presence)

    def _follow_slot(self, slot: int) -> None:
        """A slot has gone to another master, perhaps only for a moment: soon listen again, wherever it is then."""
        self._topology.invalidate()
        asyncio.get_running_loop().call_later(RECONNECT_S, self._subscribe, {slot})

    def _follow_topology(self) -> None:
        """There is a link to each master, and on it all that has to be heard from there."""
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
        for channel in self._followed:
            if self._topology.slot(channel) in slots:
                self._write(b"SSUBSCRIBE", channel)

    async def _connect(self, url: str) -> None:
        connection = self._connections[url] = await connect(url, list(self._topology.check))
        connection.start(lambda reply: self._received(connection, reply))
        self._subscribe({slot for slot, master in enumerate(self._topology.by_slot) if master == url})

    async def _keep(self, url: str) -> None:
        while True:
            if url in self._connections:
                await _until_lost(self._connections[url])
                del self._connections[url]
            await asyncio.sleep(RECONNECT_S)
            with contextlib.suppress(StoreUnavailable):
                await self._connect(url)


async def _until_lost(connection: Connection) -> None:
    """Returns when the connection has ended, or brings nothing any more: who only listens must ask to notice."""
    while not connection.lost.done():
        connection.quiet = True
        if not connection.transport.is_closing():
            connection.transport.write(PING)
        await asyncio.wait([connection.lost], timeout=REPLY_TIMEOUT_S)
        if connection.quiet:
            connection.transport.abort()


def _presence(session: Replicated) -> bytes:
    return wire.encode_presence(session.subscribers.presence)


def _channel(session: Replicated) -> bytes:
    return b"{m:%b}" % session.record.id.encode()
