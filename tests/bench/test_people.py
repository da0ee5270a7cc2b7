"""The people of a crowd come in, and come back, past a server that has no room."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from bench.people import People, Plan
from tests.support.patience import wait_until
from tests.support.servers.processes import inside
from tests.support.servers.valkey import Valkey


@asynccontextmanager
async def full_server() -> AsyncIterator[str]:
    """A server that refuses all, in two ways."""

    async def refuse(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        if len(refused) % 2:
            writer.write(b"HTTP/1.1 503 Service Unavailable\r\nContent-Length: 0\r\n\r\n")
        refused.append(1)
        writer.close()

    refused = list[int]()
    async with await asyncio.start_server(refuse, "127.0.0.1", 0) as server:
        yield f"ws://127.0.0.1:{server.sockets[0].getsockname()[1]}"


async def test_all_come_in_and_come_back_past_a_full_server(valkey: Valkey) -> None:
    async with inside(valkey.url) as url, full_server() as full:
        await People(Plan([url, full], first=20, onlookers=12)).come()
        players = People(Plan([url], matches=4, rate=80.0))
        await players.come()
        players.play()
        players.urls.append(full)
        for match in players.matches:
            for socket in match.sockets:
                socket.transport.abort()
        tally = players.tally
        await wait_until(lambda: len(tally.backs) == 8)
        tally.actions = 0
        await wait_until(lambda: tally.actions > 8)
        assert not tally.away
        assert not tally.lost
        assert tally.failures.keys() <= {"HTTP/1.1 503", "refused: b''"}
