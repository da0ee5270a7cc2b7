"""Moments of the search for garbage, and how little there is."""

import asyncio
import contextlib
import gc
from collections import Counter
from collections.abc import AsyncIterator
from urllib.parse import urlsplit

import pytest
from tavla_protocol import messages as m
from tavla_server.errors import JournalUnreadable
from tavla_server.gateway.connection import Connection
from tavla_server.match.append import AppendOutcome
from tavla_server.match.session import Session
from tavla_server.player import Player as Person
from tavla_server.record.events import Entry, Seated, encode_entry
from tavla_server.telemetry import garbage
from tavla_server.telemetry.garbage import GROWTH, LEAST, most_blocks, rare_collections
from tavla_server.telemetry.metrics import GC
from tavla_server.telemetry.snapshots import snapshot
from tavla_server.timings import Timings
from websockets.server import ServerProtocol

from tests.support.patience import PATIENCE_S, wait_until
from tests.support.players.matches import new_match
from tests.support.players.plain import guests, unique
from tests.support.servers.nodes import journal_on, node_on
from tests.support.servers.processes import inside
from tests.support.servers.valkey import Valkey


@pytest.mark.parametrize(
    ("kept", "most", "why"),
    [
        (0, LEAST, "little is in use: it may grow by so much"),
        (LEAST // 2, LEAST // 2 + LEAST, "likewise"),
        (10 * LEAST, 10 * LEAST * GROWTH, "much is in use: it may grow by as much"),
    ],
)
def test_garbage_is_looked_for_when_there_is_much_more(kept: int, most: int, why: str) -> None:
    assert most_blocks(kept) == most, why


async def test_it_is_left_to_python_again_afterwards() -> None:
    async with rare_collections():
        assert not gc.isenabled()
    assert gc.isenabled()


async def test_it_is_looked_for_when_much_has_come_and_each_look_is_measured(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(garbage, "LOOK_S", 0.001)
    monkeypatch.setattr(garbage, "most_blocks", lambda kept: 0)
    before = (await snapshot())[GC.name]
    async with rare_collections(), asyncio.timeout(PATIENCE_S):
        while (await snapshot())[GC.name] == before:  # noqa: ASYNC110 - no event tells of it
            await asyncio.sleep(0.001)


def living() -> Counter[str]:
    """The number of live connections, sessions and protocols, by type."""
    return Counter(type(one).__name__ for one in gc.get_objects() if type(one) in (Connection, Session, ServerProtocol))


@contextlib.asynccontextmanager
async def nothing_left() -> AsyncIterator[Counter[str]]:
    """Whatever comes to be in here is gone after it, without a look for garbage. Gives what there was before."""
    gc.collect()
    before = living()
    gc.disable()
    try:
        yield before
        await wait_until(lambda: living() <= before)
    finally:
        gc.enable()


async def test_a_connection_and_a_match_that_have_ended_are_no_garbage(valkey: Valkey) -> None:
    async with (
        inside(valkey.url, Timings(idle_s=3.0)) as node,
        nothing_left() as before,
        guests(node, 2) as (white, black),
    ):
        await new_match(white, black)
        come = living() - before
        assert come["Connection"] == 2
        assert come["ServerProtocol"] == 2, "made when one is needed: a reveal has more than 125 bytes"
        assert come["Session"] >= 1
        white.socket.transport.abort()
        assert await black.next(m.Presence)


async def test_a_match_that_cannot_be_read_is_no_garbage(valkey: Valkey) -> None:
    match = unique("m")
    senseless = encode_entry(Entry("p", 1, 0, 0, (Seated(7, Person("p", "ada")),)))
    async with node_on(valkey.url) as node, journal_on(valkey.url) as journal, nothing_left():
        assert await journal.append(match, 1, senseless) is AppendOutcome.DONE
        with pytest.raises(JournalUnreadable):
            await node.get(match)


@pytest.mark.parametrize("request_", [b"GET / HTTP/1.1\r\nHost: x\r\n\r\n", b"\x16\x03\x01\r\n\r\n", b"GET"])
async def test_a_handshake_that_failed_is_no_garbage(node: str, request_: bytes) -> None:
    async with nothing_left():
        reader, writer = await asyncio.open_connection(*urlsplit(node).netloc.split(":"))
        writer.write(request_)
        writer.write_eof()
        await reader.read()
        writer.close()
