"""A private match with the client library, at a real server."""

import asyncio

from tavla_client import Client

from tests.support.patience import PATIENCE_S
from tests.support.players.clients import clients
from tests.support.players.plain import unique
from tests.support.servers.processes import ServerProcess
from tests.support.wire.proxy import Proxy


async def test_who_watches_a_private_match_comes_back_to_it_after_a_cut(server: ServerProcess) -> None:
    async with (
        asyncio.timeout(PATIENCE_S),
        Proxy.to_port(server.port) as wire,
        clients(server.url, "a", "b") as (ada, bob),
        Client(f"ws://127.0.0.1:{wire.port}", name=unique("e")) as eve,
    ):
        match = await ada.create(unique("t"), {"length": 1}, private=True)
        watched = await eve.attach(match.id, code=match.view.code)
        wire.reset()
        black = await bob.join(match.id, code=match.view.code)
        while watched.view.phase == "open":
            await watched.next_change()
        await black.forfeit()
        while watched.view.phase != "over":
            await watched.next_change()
