"""Clients that do not read what is sent to them, on real sockets with small buffers; and clients that are not there."""

import asyncio
import itertools
import socket
from dataclasses import replace
from urllib.parse import urlsplit

import msgpack
import pytest
from tavla_protocol import SUBPROTOCOL
from tavla_protocol import messages as m
from tavla_protocol.codes import CloseCode
from tavla_server.cluster.feed import PEOPLE, Feed, RowUpdate
from tavla_server.delivery import outbox
from tavla_server.limits import Limits
from tavla_server.store.client import Client
from tavla_server.store.topology import find_topology
from tavla_server.telemetry.metrics import SLOW
from tavla_server.timings import Timings
from websockets.asyncio.client import connect
from websockets.exceptions import ConnectionClosed
from websockets.typing import Subprotocol

from tests.support.patience import PATIENCE_S
from tests.support.players.lobby import Watch
from tests.support.players.matches import new_match
from tests.support.players.plain import Player, within
from tests.support.servers.processes import inside
from tests.support.servers.valkey import Valkey
from tests.support.wire.proxy import Proxy

SMALL = 2048  # bytes, of each buffer on the way; the kernel takes twice as much, and with less it crawls


class Patient(Timings):
    """Times at which a client that does not read is not taken for dead meanwhile: it answers no ping, either."""

    __slots__ = ()

    def __post_init__(self) -> None:
        """The asserts on the times that players wait are for others."""


PATIENT = Patient(stuck_s=PATIENCE_S, ping_s=PATIENCE_S)
FLOOD = 400  # updates of 40 bytes or so: more than all of them hold


class Deaf(Player):
    """A player who has stopped reading, after `stop`, until `go_on`."""

    async def connect(self) -> None:
        own, target = socket.socket(), urlsplit(self.url)
        own.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, SMALL)
        own.setblocking(False)
        await asyncio.get_running_loop().sock_connect(own, (target.hostname, target.port))
        names = [Subprotocol(SUBPROTOCOL)]
        self._socket = await connect(self.url, sock=own, subprotocols=names, compression=None, ping_interval=None)

    def stop(self) -> None:
        self.socket.transport.pause_reading()

    def go_on(self) -> None:
        self.socket.transport.resume_reading()

    async def close(self) -> None:
        self.socket.transport.abort()  # what is not read is in the way of a close frame
        await self.socket.wait_closed()


@pytest.fixture
def limits() -> Limits:
    """A backlog that is soon too much."""
    return Limits(backlog_bytes=SMALL, kernel_bytes=SMALL)


async def act_often(player: Player, match: str, *readers: Player, times: int = FLOOD) -> int:
    """So many updates, which the player and the readers see; the last one's seq."""
    switch, seq = itertools.cycle((True, False)), 0
    for _ in range(times // 20):
        for _ in range(20):
            await player.send(m.Auto, match=match, seq=0, what="play", on=next(switch))
        for _ in range(20):
            answer = await player.find(lambda message: isinstance(message, m.Ok | m.Error))
            assert isinstance(answer, m.Ok), answer
            seq = answer.seq or 0
        for reader in (player, *readers):
            await reader.reach(match, seq)
    return seq


@pytest.mark.parametrize("timings", [PATIENT], ids=["patient"])
async def test_a_watcher_who_does_not_read_finds_the_match_as_it_is_when_all_is_read(node: str) -> None:
    async with Player(node) as white, Player(node) as black, Deaf(node) as slow, Player(node) as eve:
        match = await new_match(white, black)
        await slow.ask(m.Attach, table=match)
        slow.stop()
        await act_often(white, match, black)
        await black.close()
        await white.find(lambda message: isinstance(message, m.Presence) and not message.online)
        await eve.ask(m.Attach, table=match)
        await white.find(lambda message: isinstance(message, m.Watchers) and message.count == 2)
        last = white.matches[match].seq
        slow.log.clear()
        slow.go_on()
        assert await slow.reach(match, last) == white.matches[match].view
        await slow.find(lambda message: isinstance(message, m.Watchers) and message.count == 2)
        assert slow.matches[match].online == (True, False)
        snapshots = [message.id for message in slow.log if isinstance(message, m.Snapshot)]
        assert set(snapshots) == {None}
        assert len(snapshots) <= 2, "another one, if the system had room while we did not read"
        assert sum(isinstance(message, m.Update) for message in slow.log) < FLOOD
        await act_often(white, match, slow, eve, times=20)
        assert slow.matches[match].view == white.matches[match].view


async def test_a_player_who_does_not_read_is_sent_away_and_can_come_back(node: str) -> None:
    closed = SLOW.counts["closed"]
    async with Deaf(node) as white, Player(node) as black:
        match = await new_match(white, black)
        white.stop()
        while SLOW.counts["closed"] == closed:
            last = await act_often(black, match, times=20)
        white.go_on()  # at once: the server gives a close frame timings.close_s to be answered
        with pytest.raises(ConnectionClosed):
            await within(white.reach(match, last + 1))
        assert white.socket.close_code == CloseCode.TOO_SLOW
        assert white.socket.close_reason == outbox.TOO_SLOW_TEXT
        await black.find(lambda message: isinstance(message, m.Presence) and not message.online)
        await white.close()
        await white.open()
        await white.ask(m.Attach, table=match)
        assert await white.reach(match, last) == black.matches[match].view
        await black.find(lambda message: message == m.Presence(match=match, seat=0, online=True))


@pytest.mark.parametrize("timings", [Timings(stuck_s=0.5)], ids=["impatient"])
async def test_a_player_who_never_reads_again_is_cut(node: str) -> None:
    async with Deaf(node) as white, Player(node) as black:
        match = await new_match(white, black)
        white.stop()
        await act_often(black, match)
        await black.find(lambda message: isinstance(message, m.Presence) and not message.online)


@pytest.mark.parametrize("timings", [Timings(stuck_s=0.5)], ids=["impatient"])
async def test_a_watcher_of_whom_no_byte_is_read_is_cut(node: str) -> None:
    async with Player(node) as white, Player(node) as black, Deaf(node) as slow, Player(node) as eve:
        match = await new_match(white, black)
        for watcher in (slow, eve):
            await watcher.ask(m.Attach, table=match)
        await white.find(lambda message: isinstance(message, m.Watchers) and message.count == 2)
        slow.stop()
        await act_often(white, match, black, eve)
        shown = await white.find(lambda message: isinstance(message, m.Watchers) and message.count == 1)
        assert shown == m.Watchers(match=match, names=[eve.name or ""], count=1)
        assert eve.matches[match].view == black.matches[match].view


@pytest.mark.parametrize("timings", [replace(PATIENT, listing_ms=1, sweep_s=PATIENCE_S)], ids=["patient"])
async def test_who_does_not_read_a_list_gets_it_whole_when_all_is_read(
    node: str, valkey: Valkey, redis: Client
) -> None:
    feed = Feed(redis, await find_topology(valkey.url))
    async with Deaf(node) as slow, Player(node) as reader:
        watch, late = Watch(reader), Watch(slow)
        await watch.follow("people")
        await late.follow("people")
        slow.stop()
        for number in range(400):
            name = f"somebody-{number}-{'x' * 60}"
            await feed.writer.put(RowUpdate(PEOPLE, f"elsewhere:{number}", msgpack.packb((name, {"since": number}))))
            await watch.until("people", lambda rows, name=name: name in rows)
        slow.go_on()
        unasked = await read_until_equal(late, watch)
        assert [listing.id for listing in unasked] == [None] * len(unasked)
        assert unasked
        await feed.writer.put(*(RowUpdate(PEOPLE, f"elsewhere:{number}", None) for number in range(400)))
        await watch.until("people", lambda rows: not any(name.startswith("somebody-") for name in rows))
        await read_until_equal(late, watch)


async def read_until_equal(late: Watch, watch: Watch) -> list[m.Listing]:
    """Read until both have the same rows; the listings that came unasked on the way."""
    unasked: list[m.Listing] = []
    while late.rows != watch.rows:
        message = await late.player.find(lambda message: isinstance(message, m.Listing | m.Changes))
        if isinstance(message, m.Listing):
            unasked.append(message)
            late.rows["people"], late.seqs["people"] = dict(message.rows), message.seq
        elif isinstance(message, m.Changes):
            late.take(message)
    return unasked


async def test_an_answer_that_is_larger_than_the_backlog_costs_a_player_nothing(
    node: str, valkey: Valkey, redis: Client
) -> None:
    feed = Feed(redis, await find_topology(valkey.url))
    rows = [(f"elsewhere:{number}", f"somebody-{number}-{'x' * 60}") for number in range(400)]
    await feed.writer.put(*(RowUpdate(PEOPLE, key, msgpack.packb((name, {"since": 1}))) for key, name in rows))
    async with Deaf(node) as white, Player(node) as black:
        match = await new_match(white, black)
        white.stop()
        await white.send(m.List, what="people")
        await act_often(black, match, times=20)
        white.go_on()
        assert len((await white.next(m.Listing)).rows) >= len(rows)
        await act_often(black, match, white, times=20)
        assert white.matches[match].view == black.matches[match].view
    await feed.writer.put(*(RowUpdate(PEOPLE, key, None) for key, _ in rows))


async def test_a_dead_client_is_noticed(valkey: Valkey) -> None:
    async with inside(valkey.url, Timings(ping_s=1.0)) as url, Player(url) as black:
        target = urlsplit(url)
        assert target.port is not None
        async with Proxy.to_port(target.port) as wire:
            white = Deaf(f"ws://127.0.0.1:{wire.port}")
            await white.open()
            await new_match(white, black)
            wire.stall()
            await black.find(lambda message: isinstance(message, m.Presence) and not message.online)
            await white.close()
