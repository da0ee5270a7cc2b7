"""Private tables and matches without spectators with the client library, at a real server."""

import asyncio

import pytest
from tavla_client import Client, Refused
from tavla_protocol.codes import ErrorCode

from tests.support.patience import PATIENCE_S
from tests.support.players.clients import clients
from tests.support.players.plain import unique
from tests.support.servers.processes import ServerProcess
from tests.support.wire.proxy import Proxy


async def test_a_code_opens_a_private_table_and_its_maker_is_told_it_again(server: ServerProcess) -> None:
    async with clients(server.url, "a", "b", "e") as (ada, bob, eve):
        match = await ada.create(unique("t"), private=True)
        code = match.view.code
        assert (await ada.lobby.tables("mine"))[match.id].code == code
        assert match.id not in await bob.lobby.tables()
        for ask in (bob.join, bob.attach):
            for wrong in ("", "aaaaaaaa"):
                with pytest.raises(Refused) as refused:
                    await ask(match.id, code=wrong)
                assert refused.value.code == ErrorCode.PRIVATE
        await eve.attach(match.id, code=code)
        await bob.join(match.id, code=code)
        async with Client(server.url, token=ada.me.token) as again:
            assert (await again.attach(match.id)).view.code == code


async def test_a_match_that_nobody_is_to_watch(server: ServerProcess) -> None:
    async with clients(server.url, "a", "e") as (ada, eve):
        match = await ada.create(unique("t"), spectators=False)
        with pytest.raises(Refused) as refused:
            await eve.attach(match.id)
        assert refused.value.code == ErrorCode.NO_SPECTATORS


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
