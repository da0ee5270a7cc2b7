"""Messages between nodes: there and back, byte for byte as other versions know them, and as scripts publish them."""

import asyncio

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tavla_protocol import messages as m
from tavla_server.match.wire import (
    ChatSaid,
    EntryAppended,
    NodeMessage,
    NodePresence,
    PresenceChanged,
    Watching,
    decode,
    decode_presence,
    encode,
    encode_presence,
)
from tavla_server.store.pubsub import ChannelListener, PubSub
from tavla_server.store.topology import find_topology

from tests.support.patience import PATIENCE_S
from tests.support.players.matches import at_match
from tests.support.players.plain import Player
from tests.support.servers.processes import inside
from tests.support.servers.valkey import Valkey

names = st.text(st.characters(codec="utf-8", exclude_characters=" "), min_size=1, max_size=20)
seats = st.integers(0, 1)
presences = st.builds(
    NodePresence,
    held=st.dictionaries(seats, st.integers(0, 2**48)),
    watching=st.builds(Watching, st.integers(0, 10_000), st.lists(names, max_size=3).map(tuple)),
)
said = st.builds(m.Said, match=names, name=names, seat=st.none() | seats, to=names, text=st.text(max_size=50))
messages = st.one_of(
    st.builds(EntryAppended, seq=st.integers(1, 10_000), data=st.binary(max_size=50)),
    st.builds(PresenceChanged, node=names, presence=st.none() | presences),
    st.builds(ChatSaid, node=names, speaker=names, said=said),
)


@given(messages)
def test_what_is_encoded_is_decoded_again(message: NodeMessage) -> None:
    assert decode(encode(message)) == message


@given(st.none() | presences)
def test_a_presence_in_the_hash_of_nodes_is_decoded_again(presence: NodePresence | None) -> None:
    assert decode_presence(encode_presence(presence)) == presence


# message, its bytes
BYTES: list[tuple[NodeMessage, bytes]] = [
    (EntryAppended(12, b"\x00\x20\xff"), b"e12 \x00\x20\xff"),
    (PresenceChanged("a1b2", None), b"na1b2 "),
    (
        PresenceChanged("a1b2", NodePresence({1: 1_700_000_000_000}, Watching(2, ("ada", "bob")))),
        b"na1b2 \x92\x81\x01\xcf\x00\x00\x01\x8b\xcf\xe5h\x00\x92\x02\x92\xa3ada\xa3bob",
    ),
]


@pytest.mark.parametrize(("message", "data"), BYTES)
def test_the_bytes_are_those_that_other_versions_know(message: NodeMessage, data: bytes) -> None:
    assert encode(message) == data
    assert decode(data) == message


@given(st.binary().filter(lambda data: data[:1] not in (b"e", b"n", b"s")))
def test_a_kind_that_is_not_known_is_passed_over(data: bytes) -> None:
    assert decode(data) is None


@pytest.mark.parametrize(
    ("data", "why"),
    [
        (b"\x93\x81\x01\x05\x92\x00\x90\x90", "one field more"),
        (b"\x94\x81\x01\x05\x93\x00\x90\xc0\x90\xa3new", "more within, too"),
    ],
)
def test_presences_of_a_newer_node_are_understood(data: bytes, why: str) -> None:
    assert decode_presence(data) == NodePresence({1: 5}), why


async def test_what_is_published_is_what_encode_makes(valkey: Valkey) -> None:
    topology, heard, subscribed = await find_topology(valkey.url), list[bytes](), asyncio.Event()
    pubsub = PubSub(topology)
    await pubsub.open()
    async with inside(valkey.url) as here, inside(valkey.url) as there, at_match(here) as (white, _, match):
        listener = ChannelListener(lambda _: subscribed.set(), lambda _, payload: heard.append(payload))
        pubsub.subscribe(b"{m:%b}" % match.encode(), listener)
        await asyncio.wait_for(subscribed.wait(), PATIENCE_S)
        async with Player(there) as watcher:
            await watcher.ask(m.Attach, table=match)
            await watcher.ask(m.Say, match=match, text="hello", to="watchers")
            on = True
            async with asyncio.timeout(PATIENCE_S):
                while {type(decode(payload)) for payload in heard} != {EntryAppended, PresenceChanged, ChatSaid}:
                    await white.act(m.Auto, match, what="play", on=on)  # published when the other node has entered
                    on = not on
    await pubsub.close()
    for payload in heard:
        message = decode(payload)
        assert message is not None
        assert encode(message) == payload
