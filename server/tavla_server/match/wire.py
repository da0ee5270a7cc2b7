"""Messages between the nodes that follow a match.

On the match's channel, where a payload begins with a letter for its kind:

    e<seq> <entry>              EntryAppended: published by the script that appends it, in the same step
    n<node> <presence>          PresenceChanged: published by the script that writes the hash of nodes
    s<node> <player> <message>  ChatSaid: the message `said`, as clients get it

In the hash of the match's nodes: node -> presence, msgpack of [held, watching].

The letter is the version, too. A node ignores a letter that it does not know, and fields of a presence beyond those
that it knows; a presence may lack what an older node does not tell. So a new kind, or a new field at the end, can be
sent at once; a kind whose shape changes gets another letter, and is sent under both while nodes of the version before
are about.
"""

from collections.abc import Mapping
from typing import NamedTuple

import msgpack
import msgspec
from tavla_engine.actions import Seat
from tavla_protocol.codec import decode_reply
from tavla_protocol.codec import encode as encode_message
from tavla_protocol.messages import Said


class Watching(NamedTuple):
    """Some who watch. total: how many there are. names: in order, the first few."""

    total: int = 0
    names: tuple[str, ...] = ()


class NodePresence(msgspec.Struct, frozen=True):
    """The subscribers of a match on one node.

    held: the seats whose players are there -> since when, in ms since 1970.
    """

    held: Mapping[Seat, int] = {}
    watching: Watching = Watching()


class EntryAppended(msgspec.Struct, frozen=True):
    """An entry is in the journal. data: as the journal keeps it."""

    seq: int
    data: bytes


class PresenceChanged(msgspec.Struct, frozen=True):
    """A change of the subscribers on a node. presence: None if it has none any more."""

    node: str
    presence: NodePresence | None


class ChatSaid(msgspec.Struct, frozen=True):
    """A chat line from a node. speaker: the player's id."""

    node: str
    speaker: str
    said: Said


NodeMessage = EntryAppended | PresenceChanged | ChatSaid


def encode(message: NodeMessage) -> bytes:
    """A message as it is published. Names of nodes and ids of players have no space in them."""
    match message:
        case EntryAppended():
            return b"e%d %b" % (message.seq, message.data)
        case PresenceChanged():
            return b"n%b %b" % (message.node.encode(), encode_presence(message.presence))
        case ChatSaid():
            return b"s%b %b %b" % (message.node.encode(), message.speaker.encode(), encode_message(message.said))


def decode(payload: bytes) -> NodeMessage | None:
    """A message that another node has published; None if it is of a kind that is not known here."""
    kind, (head, _, rest) = payload[:1], payload[1:].partition(b" ")
    match kind:
        case b"e":
            return EntryAppended(int(head), rest)
        case b"n":
            return PresenceChanged(head.decode(), decode_presence(rest))
        case b"s":
            speaker, _, message = rest.partition(b" ")
            said = decode_reply(message)
            assert isinstance(said, Said), "nothing else is said"
            return ChatSaid(head.decode(), speaker.decode(), said)
    return None


def encode_presence(presence: NodePresence | None) -> bytes:
    """A node's presence for the hash of a match's nodes; empty: no subscribers."""
    if presence is None:
        return b""
    packed: bytes = msgpack.packb((presence.held, presence.watching))
    return packed


def decode_presence(data: bytes) -> NodePresence | None:
    """The presence out of that hash; fields that a newer node adds are left out."""
    if not data:
        return None
    held, (total, names, *_), *_ = msgpack.unpackb(data, strict_map_key=False)
    return NodePresence(held, Watching(total, tuple(names)))
