"""The client library and accounts, at a real server."""

import asyncio
import random

import pytest
from tavla_client import Client, Refused
from tavla_protocol.codes import ErrorCode
from tavla_server.store import keys
from tavla_server.store.client import connection_to

from tests.support.patience import PATIENCE_S, ask_until
from tests.support.players.clients import clients, play
from tests.support.players.plain import unique
from tests.support.servers.processes import ServerProcess

SECRET, OTHER = "correct horse", "battery staple"
RATED: dict[str, bool | int | str] = {"length": 1, "rated": True}


async def until_refused(client: Client) -> None:
    """Ask for something until the answer is no."""
    while True:
        await client.lobby.tables()


async def test_a_guest_registers_and_logs_in_elsewhere(server: ServerProcess) -> None:
    tokens: list[str] = []
    async with asyncio.timeout(PATIENCE_S), Client(server.url, name=unique("ada")) as ada:
        assert (ada.me.kind, ada.me.rating) == ("guest", None)
        await ada.account.register(SECRET)
        assert (ada.me.kind, ada.me.rating) == ("account", 1500.0)
        async with Client(server.url, name=ada.me.name, password=SECRET, on_token=tokens.append) as elsewhere:
            assert (elsewhere.me.player, elsewhere.me.kind, elsewhere.me.rating) == (ada.me.player, "account", 1500.0)
            assert tokens == [elsewhere.me.token] != [ada.me.token]
            with pytest.raises(Refused) as wrong:
                await elsewhere.account.change_password("wrong", OTHER)
            assert wrong.value.code == ErrorCode.WRONG_PASSWORD
            await ada.account.change_password(SECRET, OTHER)
            with pytest.raises(Refused, match="you are logged out"):
                await until_refused(elsewhere)
        with pytest.raises(Refused, match="there is no account with this name and password"):
            await Client(server.url, name=ada.me.name, password=SECRET).connect()


async def test_who_logs_out_is_told_and_does_not_come_back(server: ServerProcess) -> None:
    async with asyncio.timeout(PATIENCE_S), Client(server.url, name=unique("ada")) as ada:
        await ada.account.register(SECRET)
        match = await ada.create(unique("t"))
        old = ada.me.token
        await ada.account.logout()
        assert ada.me.token is None
        with pytest.raises(Refused, match="you are logged out"):
            async for _ in match.changes():
                pass
        assert not ada.link.online
        with pytest.raises(Refused) as refused:
            await Client(server.url, token=old).connect()
        assert refused.value.code == ErrorCode.BAD_TOKEN
        async with Client(server.url, name=ada.me.name, password=SECRET) as again:
            assert again.me.matches == [], "who leaves while waiting closes the table"


async def test_a_rated_match_is_in_both_profiles_and_on_the_leaderboard(server: ServerProcess) -> None:
    async with clients(server.url, "bot", bot=True) as (bot,), clients(server.url, "bob") as (bob,):
        with pytest.raises(Refused) as guests:
            await bob.create(unique("t"), RATED)
        assert guests.value.code == ErrorCode.ACCOUNT_NEEDED
        for client in (bot, bob):
            await client.account.register(SECRET)
        match = await bot.create(unique("t"), RATED, "white")
        assert match.view.kinds == ("bot", None)
        rng, joined = random.Random(1), await bob.join(match.id)
        await asyncio.gather(play(match, rng), play(joined, rng, plays=iter(range(4))))
        assert match.view.outcome is not None
        assert match.view.outcome[0] == 0
        career = await ask_until(lambda: bot.archive.profile(bot.me.name or ""), lambda career: career.results)
        assert (career.kind, career.rating, career.experience) == ("bot", 1510.0, 1)
        assert (career.results[0].opponent, career.results[0].change) == (bob.me.name, 10.0)
        assert bot.me.name not in [leader.name for leader in await bob.archive.top()], "it has met one opponent"
        async with connection_to(server.store_url) as redis:
            await redis.zadd(keys.TOP_RATINGS(), {str(bot.me.player): 1510.0})
        (leader,) = [one for one in await bob.archive.top() if one.name == bot.me.name]
        assert (leader.kind, leader.rating) == ("bot", 1510.0)
        with pytest.raises(Refused) as nobody:
            await bob.archive.profile(unique("x"))
        assert nobody.value.code == ErrorCode.NO_SUCH_PLAYER
