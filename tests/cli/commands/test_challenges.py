"""`tavla challenge`, `accept`: whose challenge is meant, and what comes of it."""

import asyncio

import pytest
from tavla_client import Callbacks, Client

from tests.support.players.plain import unique, within
from tests.support.players.programs import Start
from tests.support.servers.processes import ServerProcess

pytestmark = pytest.mark.slow  # each starts a program or more


async def test_it_is_said_whose_challenge_is_meant(server: ServerProcess, start: Start) -> None:
    name = unique("eve")
    eve = await start("watch", "no-such-table", "--as", name)
    assert (await eve.end())[0] == 1
    code, errors = await (await start("accept", "--as", name)).end()
    assert (code, errors) == (1, "Error: nobody challenges you\n")
    waiting = await start("create", unique("t"), "--as", name)
    await waiting.expect("> waiting for an opponent")
    async with Client(server.url, name=unique("ada")) as ada, Client(server.url, name=unique("bob")) as bob:
        asking = []
        for one in (ada, bob):
            asking.append(asyncio.create_task(one.challenges.send(name, {"length": 1})))
            await waiting.expect(f"{one.me.name} challenges you: match to 1 point")
            await waiting.expect(f"tavla accept {one.me.name} --as {name}")
        code, errors = await (await start("accept", "--as", name)).end()
        assert (code, errors) == (1, f"Error: say whose: {ada.me.name}, {bob.me.name}\n")
        code, errors = await (await start("accept", "zoe", "--as", name)).end()
        assert (code, errors) == (1, "Error: zoe has not challenged you\n")
        accepted = await start("accept", f"{bob.me.name}".upper(), "--as", name)
        await accepted.expect(f"you play (white|black) against {bob.me.name}")
        assert (await within(asking[1])).seat is not None
        asking[0].cancel()


async def test_a_challenge_that_is_declined_ends_the_program(server: ServerProcess, start: Start) -> None:
    async with Client(server.url, name=unique("ada")) as ada:
        told: asyncio.Future[str] = asyncio.get_running_loop().create_future()
        ada.callbacks = Callbacks(challenge=lambda challenged: told.set_result(challenged.challenge))
        bob = await start("challenge", f"{ada.me.name}", "--length", "1", "--as", unique("bob"))
        await bob.expect(f"you challenge {ada.me.name}: waiting for the answer. Ctrl-C takes it back")
        await ada.challenges.decline(await within(told))
        code, errors = await bob.end()
        assert (code, errors) == (1, f"Error: {ada.me.name} does not want to play now\n")
