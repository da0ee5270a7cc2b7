"""Counts of two players who were merged."""

from typing import Any

from msgspec.structs import replace
from tavla_protocol import messages as m
from tavla_server.cluster.clock import Clock
from tavla_server.cluster.feed import TABLES
from tavla_server.commands.administrator import administrator
from tavla_server.features.archive.summary import replay
from tavla_server.features.counts.reveals import Reveals
from tavla_server.options import Options
from tavla_server.record.state import Record
from tavla_server.store import keys
from tavla_server.store.client import Client

from tests.support.patience import ask_until
from tests.support.players.accounts import SECRET, registered
from tests.support.players.plain import Player
from tests.support.players.seeds import seated
from tests.support.servers.processes import inside
from tests.support.servers.valkey import Valkey


async def waiting(redis: Client, match: str) -> Record:
    """A match as its journal has it."""
    rows: Any = await redis.xrange(keys.MATCH_LOG(match))
    return await replay(match, [row[b"e"] for _, row in rows])


async def test_what_was_counted_of_either_is_the_ones_once(own_valkey: Valkey, own_redis: Client) -> None:
    """Matches for which a seed was due, also one that is counted when the player has become another."""
    reveals = Reveals(own_redis, Clock())
    async with inside(own_valkey.url) as url, Player(url) as old, Player(url) as ada, Player(url) as bob:
        await registered(old, ada)
        matches = [await seated(one, bob) for one in (old, ada, old)]
        void = [replace(await waiting(own_redis, match), cancelled=True) for match in matches]
        for record in void[:2]:
            await reveals.count(record)
        async with administrator(Options(redis=own_valkey.url)) as operator:
            for one in (old, ada):
                assert (await reveals.of(one.id)) == [(1, 1)]
            for match in matches:
                await operator.rule(match, "void", "a test")
            await ask_until(lambda: own_redis.hlen(keys.LOBBY_ROWS(TABLES)), lambda count: not count)
            await own_redis.hset(keys.PLAYER(old.id), mapping={"begun": 5, "left": 2})
            await own_redis.hset(keys.PLAYER(ada.id), "begun", 4)
            await operator.merge(str(old.name), str(ada.name), "asked for it")
        assert await reveals.of(old.id, ada.id) == [(0, 0), (2, 2)]
        for record in void:
            await own_redis.delete(keys.MATCH_COUNTED(record.id))
            await reveals.count(record)
        assert await reveals.of(old.id, ada.id) == [(0, 0), (3, 3)], "the third one's is new"
        found = await bob.get(m.Career, m.Profile, name=old.name)
        assert (found.name, found.unrevealed, found.left) == (ada.name, (3, 3), (2, 9))
        assert isinstance(await ada.ask(m.CloseAccount, password=SECRET), m.Ok)
        await ask_until(lambda: own_redis.hlen(keys.ARCHIVE_CLOSING()), lambda count: not count)
        assert not await own_redis.exists(keys.PLAYER_COUNTED(ada.id))
