"""Servers that are full, and what they say."""

import asyncio
import contextlib

import pytest
from tavla_client.connection import open_connection
from tavla_client.errors import ConnectionFailed
from tavla_protocol import messages as m
from tavla_protocol.codes import ErrorCode
from tavla_server.gateway.admission import HASTY_TEXT, LOOK_S
from tavla_server.limits import Limits
from tavla_server.token_bucket import Rate
from websockets.exceptions import WebSocketException

from tests.support.patience import PATIENCE_S
from tests.support.players.matches import at_match
from tests.support.players.plain import Player, refused, within
from tests.support.servers.processes import NewServer, inside, page, script
from tests.support.servers.valkey import Valkey


@pytest.mark.long
async def test_a_server_without_descriptors_says_so_and_is_well_when_it_has_some_again(
    new_server: NewServer,
) -> None:
    """Sockets that could not be accepted never were connections: none of them is to be cut."""
    limit = ["sh", "-c", 'ulimit -n 110; exec "$@"', "sh", *script("tavla-server")]
    server = new_server(command=limit)
    await asyncio.to_thread(server.start)
    silent: list[asyncio.StreamWriter] = []
    for _ in range(160):
        with contextlib.suppress(OSError):
            silent.append((await asyncio.open_connection("127.0.0.1", server.port))[1])
    await asyncio.sleep(2 * LOOK_S)  # it has looked at those who say nothing
    for writer in silent:
        writer.close()
    async with asyncio.timeout(PATIENCE_S):
        while True:
            with contextlib.suppress(OSError, WebSocketException):
                async with Player(server.url) as ada:
                    assert await ada.ask(m.Ping)
                    break
    assert not [line for line in server.lines if "has no attribute" in line], server.lines


async def test_a_client_is_told_when_to_come_again(valkey: Valkey) -> None:
    async with inside(valkey.url, limits=Limits(handshakes=Rate(0.02, 1.0))) as url, Player(url):
        with pytest.raises(ConnectionFailed, match=r"no more connections just now: try again in \d+ s") as told:
            await open_connection(url)
        assert 0 < told.value.retry_after <= 50
        assert await asyncio.to_thread(page, url, "/") == (503, f"{HASTY_TEXT}\n"), "the page, too"
        assert await asyncio.to_thread(page, url, "/healthz") == (200, "ok\n"), "whoever watches over it is not counted"


async def test_who_comes_back_waits_for_others_who_do_and_not_for_those_who_were_refused(valkey: Valkey) -> None:
    async with inside(valkey.url, limits=Limits(returns=1)) as url, at_match(url) as (white, black, match):
        stranger = Player(url)
        await stranger.connect()
        assert refused(await stranger.ask(m.Hello, token="nobody's")) == ErrorCode.BAD_TOKEN
        assert refused(await white.ask(m.Attach, table="nowhere")) == ErrorCode.NO_SUCH_MATCH
        stranger.socket.transport.abort()

        async def come_back(player: Player) -> None:
            player.socket.transport.abort()
            await player.open()
            assert isinstance(await player.ask(m.Attach, table=match), m.Snapshot)

        await within(asyncio.gather(come_back(white), come_back(black)))
