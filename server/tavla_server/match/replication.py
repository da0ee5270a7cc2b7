"""The nodes that follow a match tell each other what happens in it, on the match's own sharded channel.

A node enters itself in the hash `keys.MATCH_NODES` while connections on it follow the match. To write there, or to the
journal, is to publish in the same step, if more than one node is in the hash. Nothing depends on a message
coming: an entry that is missed is read from the journal, and a dead node's seats are given up when it sends no more
heartbeats.
"""

import asyncio
from collections.abc import Callable, Collection
from functools import partial
from typing import ClassVar

import msgspec
import structlog
from tavla_protocol.messages import Said

from tavla_server.delivery.work_queue import WorkQueue
from tavla_server.errors import StoreRefused
from tavla_server.match import wire
from tavla_server.match.ports import ReplicatedSession
from tavla_server.store import keys, scripts
from tavla_server.store.connection import Reply, pack_command
from tavla_server.store.pubsub import ChannelListener, PubSub
from tavla_server.store.router import Router
from tavla_server.telemetry.metrics import STORE_ERRORS

RETRY_S = 0.2  # before a write is sent again that a master with too few replicas has refused
CHECK_S = 3.0  # what was lost without a word is found so soon
CHECK_PARTS = 30  # a part of the matches at a time: 5,000 of them at once would take a fifth of a second
EVICTED_AT_ONCE = 16  # matches from which a dead node is taken in one turn of the loop: each takes 0.05 to 0.1 ms
NODES_TTL_S = b"86400"  # of a match's hash of nodes, should all of them die


ENTER = "enter_match"  # the script; a connection that carries these loads it
_ENTER_SHA = scripts.sha(ENTER)
_LOG, _NODES = keys.MATCH_LOG.suffix, keys.MATCH_NODES.suffix
# The commands of a check, for the size of the key and the match's channel, with which it begins.
_XLEN = b"*2\r\n$4\r\nXLEN\r\n$%d\r\n%b" + _LOG + b"\r\n"
_HGETALL = b"*2\r\n$7\r\nHGETALL\r\n$%d\r\n%b" + _NODES + b"\r\n"

log = structlog.get_logger()


class _Question(msgspec.Struct, eq=False, gc=False):
    """A command about a match, whose reply `told` gets: thousands in a round, so it is not a closure."""

    again: ClassVar[bool] = False

    packed: bytes
    slot: int
    channel: bytes
    told: Callable[[bytes, Reply], None]

    def on_reply(self, reply: Reply) -> None:
        """Hand the reply over."""
        self.told(self.channel, reply)


class Replication:
    """Replication: the messages between this node and the others. node: its name, without a space."""

    def __init__(self, pubsub: PubSub, router: Router, node: str) -> None:
        self.node = node
        self._pubsub, self._router = pubsub, router
        self._followed: dict[bytes, ReplicatedSession] = {}  # by channel
        self._entering: set[bytes] = set()  # those of them to which we are about to listen
        self._shared: dict[str, set[bytes]] = {}  # by other node: the channels of those that it follows, too
        self._checked: dict[bytes, int] = {}  # by channel: the hash of its nodes as of the last check, if all was heard
        self._dead: set[str] = set()  # nodes that were evicted, and have not come to life again
        self._evictions = WorkQueue(EVICTED_AT_ONCE)
        self._listener = ChannelListener(self._announce, self._heard)

    def enter(self, session: ReplicatedSession) -> None:
        """Connections here have begun to follow a match."""
        channel = _channel(session)
        self._followed[channel] = session
        self._entering.add(channel)
        for node in session.seats.nodes:
            self._shared.setdefault(node, set()).add(channel)
        self._pubsub.subscribe(channel, self._listener)

    async def learn(self, session: ReplicatedSession) -> None:
        """Learn who is on other nodes before a client follows here: else all would be shown as away for a moment."""
        channel = _channel(session)
        if session.audience.outboxes or not self._router.of(channel).connected:
            return
        known, answer = session.seats.nodes, asyncio.get_running_loop().create_future()
        self._router.send(channel, pack_command(b"HGETALL", channel + _NODES), answer.set_result, again=False)
        reply: Reply = await asyncio.shield(answer)
        if isinstance(reply, list) and not session.audience.outboxes:
            self._heard_all(channel, session, known, reply)

    def tell(self, session: ReplicatedSession) -> None:
        """The seats held here, or the watchers here, have changed. A node that is about to listen tells it then."""
        channel = _channel(session)
        if channel in self._followed and channel not in self._entering:
            self._send(channel, _presence(session), session)

    def say(self, session: ReplicatedSession, speaker: str, said: Said) -> None:
        """Pass on what was said here, if others follow the match. speaker: the player's id. It may be lost."""
        channel = _channel(session)
        if session.seats.nodes and self._router.of(channel).connected:
            payload = wire.encode(wire.ChatSaid(self.node, speaker, said))
            self._router.send(channel, pack_command(b"SPUBLISH", channel, payload), lambda _: None, again=False)

    def leave(self, session: ReplicatedSession) -> None:
        """Leave a match that has no subscribers here."""
        channel = _channel(session)
        if self._followed.pop(channel, None) is not None:
            self._checked.pop(channel, None)
            for node in session.seats.nodes:
                self._part(channel, node)
            self._pubsub.unsubscribe(channel)
            if channel in self._entering:  # not announced yet
                self._entering.discard(channel)
            else:
                self._send(channel, b"", None)

    def evict_dead_nodes(self, living: Collection[str]) -> None:
        """Give up the seats of nodes that are not among the living."""
        self._dead = (self._dead | self._shared.keys()) - set(living)
        for node in self._shared.keys() & self._dead:
            for channel in self._shared[node]:
                self._evictions.put(partial(self._evict, channel, node))

    def _evict(self, channel: bytes, node: str) -> None:
        if channel in self._shared.get(node, ()):
            self._take_out(channel, node)
            self._heard_node(channel, self._followed[channel], node, None)

    def _take_out(self, channel: bytes, node: str) -> None:
        self._router.send(channel, pack_command(b"HDEL", channel + _NODES, node.encode()), lambda _: None)

    def _part(self, channel: bytes, node: str) -> None:
        """Another node does not follow a match any more, or this one does not."""
        channels = self._shared.get(node, set())
        channels.discard(channel)
        if not channels:
            self._shared.pop(node, None)

    async def check(self) -> None:
        """Find what was lost without a word, in matches that other nodes follow, too. Runs until it is cancelled.

        No `Sweep`: of a cluster the feed's master may be away, and matches on the others are looked at all the same.
        """
        while True:
            channels = list(set().union(*self._shared.values()))  # each once in a round, however many nodes follow it
            size = -(-len(channels) // CHECK_PARTS)
            for turn in range(CHECK_PARTS):
                await asyncio.sleep(CHECK_S / CHECK_PARTS)
                for channel in channels[turn * size : (turn + 1) * size]:
                    if channel in self._followed:
                        self._check(channel)

    def _check(self, channel: bytes) -> None:
        """Ask the store for a match's length and nodes. Mostly they are as they were: then that is all."""
        slot = self._router.slot(channel)
        pipeline = self._router.by_slot[slot]
        if pipeline.connected:
            pipeline.put(_Question(_XLEN % (len(channel) + len(_LOG), channel), slot, channel, self._counted))
            pipeline.put(_Question(_HGETALL % (len(channel) + len(_NODES), channel), slot, channel, self._told))

    def _counted(self, channel: bytes, length: Reply) -> None:
        session = self._followed.get(channel)
        if session is not None and length != session.seq and isinstance(length, int):
            session.read_on()

    def _told(self, channel: bytes, nodes: Reply) -> None:
        if isinstance(nodes, list) and self._checked.get(channel) != hash(tuple(nodes)) and channel in self._followed:
            self._look(channel, self._followed[channel])

    def _look(self, channel: bytes, session: ReplicatedSession) -> None:
        """Take over the nodes of a match as the store has them."""
        known = session.seats.nodes

        def told(nodes: Reply) -> None:
            if not isinstance(nodes, list) or self._followed.get(channel) is not session:
                return
            self._heard_all(channel, session, known, nodes)
            if self.node.encode() in nodes[::2]:
                self._checked[channel] = hash(tuple(nodes))
            else:  # another node took this one for dead, and tells it nothing
                self._send(channel, _presence(session), session, lambda _: session.read_on())

        self._router.send(channel, pack_command(b"HGETALL", channel + _NODES), told, again=False)

    def _send(
        self,
        channel: bytes,
        presence: bytes,
        session: ReplicatedSession | None,
        then: Callable[[int], None] = lambda _: None,
    ) -> None:
        """Tell the others. then: gets the number of entries of the match's journal."""
        known = session.seats.nodes if session is not None else []

        def again() -> None:
            if self._followed.get(channel) is session:
                self._send(channel, _presence(session) if session else b"", session, then)

        def answered(reply: Reply) -> None:
            if isinstance(reply, StoreRefused) and str(reply).startswith("NOREPLICAS"):
                # A master that is new may have too few replicas for a moment.
                asyncio.get_running_loop().call_later(RETRY_S, again)
            elif isinstance(reply, StoreRefused):
                STORE_ERRORS.add("refused")
                log.error("enter_refused", match=channel[channel.index(b":") + 1 : -1].decode(), error=str(reply))
            elif session is not None and self._followed.get(channel) is session:
                length, nodes = reply
                self._heard_all(channel, session, known, nodes)
                then(length)

        at = channel + _NODES, channel, channel + _LOG
        enter = pack_command(b"EVALSHA", _ENTER_SHA, b"3", *at, self.node.encode(), presence, NODES_TTL_S)
        self._router.send(channel, enter, answered)

    def _announce(self, channel: bytes) -> None:
        """Tell the others that whatever is appended from now on is published to us, then read what was before.

        Whose journal has just been read, and is no longer since, needs not read it again.
        """
        session, is_new = self._followed[channel], channel in self._entering
        self._entering.discard(channel)

        def read_on(length: int) -> None:
            if not is_new or length != session.seq:
                session.read_on()

        self._send(channel, _presence(session), session, read_on)

    def _heard(self, channel: bytes, payload: bytes) -> None:
        session = self._followed[channel]
        match wire.decode(payload):
            case wire.EntryAppended(seq=seq, data=data):
                session.heard_entry(seq, data)
            case wire.ChatSaid(node=node, speaker=speaker, said=said) if node != self.node:
                session.talk.hear(speaker, said)
            case wire.PresenceChanged(node=node, presence=presence):
                self._heard_node(channel, session, node, presence)

    def _heard_all(self, channel: bytes, session: ReplicatedSession, known: Collection[str], reply: Reply) -> None:
        """All nodes that follow a match. known: those that did when we asked; one that is missing has gone."""
        now = {node.decode(): presence for node, presence in zip(reply[::2], reply[1::2], strict=True)}
        for node in self._dead & now.keys():
            self._take_out(channel, node)
            del now[node]
        for node, presence in now.items():
            if node != self.node:
                self._heard_node(channel, session, node, wire.decode_presence(presence))
        for node in known:
            if node not in now:
                self._heard_node(channel, session, node, None)

    def _heard_node(
        self, channel: bytes, session: ReplicatedSession, node: str, presence: wire.NodePresence | None
    ) -> None:
        """Take over the presence of another node; None = it has left."""
        if node == self.node:
            return
        self._checked.pop(channel, None)
        if presence is None:
            self._part(channel, node)
            session.attendance.forget(node)
            return
        self._dead.discard(node)  # it speaks
        if channel in self._followed:  # else `enter` adds what was learnt before
            self._shared.setdefault(node, set()).add(channel)
        session.attendance.hear(node, presence)


def _presence(session: ReplicatedSession) -> bytes:
    return wire.encode_presence(session.attendance.new_presence())


def _channel(session: ReplicatedSession) -> bytes:
    return keys.MATCH_TAG % session.record.id.encode()
