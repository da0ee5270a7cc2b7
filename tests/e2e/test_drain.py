"""A node that is stopped sends its clients to the others, before anybody notices."""

import asyncio
import contextlib
import signal
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from tavla_client import Client
from tavla_protocol import messages as m
from tavla_protocol.codes import CloseCode
from tavla_server.app import DRAIN_S
from websockets.exceptions import ConnectionClosed, InvalidStatus

from tests.support.patience import LATE_S
from tests.support.players.matches import new_match
from tests.support.players.plain import Player, unique, within
from tests.support.servers.processes import NewServer, ServerProcess, assert_no_fault, page
from tests.support.servers.rolling import Gaps
from tests.support.servers.valkey import Valkey
from tests.support.stores.journals import check_journal
from tests.support.wire.proxy import Proxy, Streams

Nodes = tuple[ServerProcess, ServerProcess]
CLIENTS = 20
NOTICED_S = 0.25 + LATE_S  # the client's own jitter


@pytest.fixture
def nodes(new_server: NewServer, own_valkey: Valkey, tmp_path: Path) -> Nodes:
    """Two servers on one store."""
    one, two = (new_server("--redis", own_valkey.url, data=tmp_path / name) for name in ("one", "two"))
    one.start()
    two.start()
    return one, two


@contextlib.asynccontextmanager
async def balanced(nodes: Nodes) -> AsyncIterator[str]:
    """A single address for both, as a load balancer has: a client gets the first node that does not drain."""

    async def dial() -> Streams:
        for node in nodes:
            with contextlib.suppress(OSError):
                _, answer = await asyncio.to_thread(page, node.url, "/readyz")
                if answer != "draining\n":  # of one that is late for once, no balancer thinks anything
                    return await asyncio.open_connection("127.0.0.1", node.port)
        raise OSError("no node is there")

    async with Proxy(dial) as proxy:
        yield f"ws://127.0.0.1:{proxy.port}"


async def test_clients_are_on_another_node_before_their_opponents_notice(nodes: Nodes, own_valkey: Valkey) -> None:
    one = nodes[0]
    async with contextlib.AsyncExitStack() as stack:
        url = await stack.enter_async_context(balanced(nodes))
        links = [Gaps() for _ in range(CLIENTS)]
        clients = [Client(url, name=unique("p"), on_link=link) for link in links]
        await asyncio.gather(*map(stack.enter_async_context, clients))
        opponents = [await stack.enter_async_context(Player(node.url)) for node in nodes]
        matches = []
        for number, client in enumerate(clients):
            match = await client.create(unique("t"), {"preset": "tournament", "length": 3})
            await opponents[number % 2].ask(m.Join, table=match.id)
            while match.online != (True, True):
                await within(match.next_change())
            matches.append(match)
        for opponent in opponents:
            await opponent.sync()
        assert await asyncio.to_thread(one.stop) == 0
        assert_no_fault(one)
        gaps = sorted(gap for link in links for gap in link.seconds)
        print(f"without a connection: {gaps[len(gaps) // 2]:.3f} s in the median, {gaps[-1]:.3f} s at most")
        assert [len(link.seconds) for link in links] == [1] * CLIENTS
        assert gaps[-1] < NOTICED_S
        seen = [message for message in await opponents[1].sync() if isinstance(message, m.Presence)]
        if gaps[-1] < DRAIN_S / 2:  # the last one has so long to come
            assert not [presence for presence in seen if not presence.online], "nobody was away"
        for match in matches[1::2]:
            seq = opponents[1].matches[match.id].seq
            await within(match.auto("play", on=True))
            await opponents[1].reach(match.id, seq + 1)
            check_journal(own_valkey.url, match.id, opponents[1].matches[match.id].views)


async def test_a_player_who_does_not_come_back_is_away_when_the_node_has_gone(nodes: Nodes) -> None:
    one, two = nodes
    white = Player(one.url)
    await white.open()
    async with Player(two.url) as black:
        await new_match(white, black)
        assert await asyncio.to_thread(one.stop) == 0
        presence = await black.find(lambda message: isinstance(message, m.Presence) and not message.online)
        assert isinstance(presence, m.Presence)
        assert presence.seat == 0
    await white.close()


async def test_from_the_first_moment_on_nobody_new_comes_in(
    new_server: NewServer, own_valkey: Valkey, tmp_path: Path
) -> None:
    one = new_server("--redis", own_valkey.url, "--drain", "60", data=tmp_path / "one")
    two = new_server("--redis", own_valkey.url, data=tmp_path / "two")
    one.start()
    two.start()
    async with contextlib.AsyncExitStack() as stack:
        players = [await stack.enter_async_context(Player(one.url)) for _ in range(5)]
        stopping = asyncio.create_task(asyncio.to_thread(one.stop))
        for player in players:
            closing = await player.next(m.Closing)
            assert closing.retry_after == 0, "another node is there"
            with pytest.raises(ConnectionClosed) as closed:
                await within(player.receive())
            assert closed.value.rcvd is not None
            assert closed.value.rcvd.code == CloseCode.RESTART
        assert await asyncio.to_thread(page, one.url, "/readyz") == (503, "draining\n")
        assert (await asyncio.to_thread(page, one.url, "/healthz"))[0] == 200
        with pytest.raises(InvalidStatus, match="503"):
            await Player(one.url).connect()
        await asyncio.to_thread(one.process.kill)  # all has been seen
        assert await stopping == -signal.SIGKILL


async def test_the_last_node_tells_clients_to_wait_each_for_a_time_of_its_own(own_server: ServerProcess) -> None:
    async with contextlib.AsyncExitStack() as stack:
        players = [await stack.enter_async_context(Player(own_server.url)) for _ in range(10)]
        assert await asyncio.to_thread(own_server.stop) == 0
        waits = {(await player.next(m.Closing)).retry_after for player in players}
        assert len(waits) == 10
        assert 1.0 <= min(waits) <= max(waits) <= 2.0
