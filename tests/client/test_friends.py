"""The client library follows players, at a real server."""

import asyncio

from tavla_client import Callbacks, Client
from tavla_protocol import messages as m
from tavla_server.timings import Timings

from tests.support.patience import PATIENCE_S
from tests.support.players.accounts import SECRET
from tests.support.players.plain import unique
from tests.support.servers.processes import inside
from tests.support.servers.valkey import Valkey
from tests.support.wire.proxy import Proxy


async def test_a_friend_is_followed_also_on_later_connections(own_valkey: Valkey) -> None:
    async with (
        asyncio.timeout(PATIENCE_S),
        inside(own_valkey.url, Timings(friend_quiet_s=0.0)) as url,
        Proxy.to_port(int(url.rpartition(":")[2])) as wire,
        Client(f"ws://127.0.0.1:{wire.port}", name=unique("a")) as ada,
        Client(url, name=unique("b")) as bob,
    ):
        for client in (ada, bob):
            await client.account.register(SECRET)
        name, news = bob.me.name or "", asyncio.Queue[m.Friend]()
        ada.callbacks = Callbacks(friend=news.put_nowait)

        async def told() -> m.Friend:
            """The next news of a table: before them may come that bob came, a moment ago."""
            while (one := await news.get()).what == "came":
                pass
            return one

        await ada.friends.follow(name)
        assert (await ada.friends.watch()).friends.keys() == {name}
        first = await bob.create()
        assert await told() == m.Friend(name=name, what="opened", match=first.id)
        wire.reset()
        for _ in range(2):  # what the client asks by itself is answered between
            await ada.lobby.tables()
        second = await bob.create()
        assert await told() == m.Friend(name=name, what="opened", match=second.id)
        await bob.friends.allow_followers(False)
        assert (await ada.friends.list()).friends[name].shy
        await ada.friends.follow(name, on=False)
        assert (await ada.friends.list()).friends == {}
