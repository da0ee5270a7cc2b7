"""An account that is closed: wherever others see it, it is `someone`."""

import asyncio
import operator
import types
from pathlib import Path
from typing import Any

import pytest
from tavla_protocol import messages as m
from tavla_protocol.codes import ErrorCode
from tavla_server.cluster.clock import Clock
from tavla_server.features.accounts.accounts import Accounts
from tavla_server.features.accounts.passwords import Passwords
from tavla_server.features.leaving import closings as closings_module
from tavla_server.limits import Limits
from tavla_server.store import keys
from tavla_server.store.client import Client

from tests.support.patience import PATIENCE_S, PAUSE_S, ask_until
from tests.support.players.accounts import SECRET, career, registered, until_led_by, until_played
from tests.support.players.matches import new_match
from tests.support.players.plain import Player, refused
from tests.support.servers.cores import core_of
from tests.support.servers.processes import inside
from tests.support.servers.valkey import Valkey
from tests.support.stores.journals import unsettled

RATED: dict[str, bool | int | str] = {"length": 1, "rated": True}


async def until_forgotten(redis: Client) -> None:
    async with asyncio.timeout(PATIENCE_S):
        while await redis.hlen(keys.ARCHIVE_CLOSING()) or await unsettled(redis):  # noqa: ASYNC110
            await asyncio.sleep(PAUSE_S)


async def names_in(redis: Client, name: str) -> list[str]:
    """The keys in which a name stands, live rows of the lobby and the name's own key left out."""
    found = []
    async for raw in redis.scan_iter():
        key = raw.decode()
        dumped = await redis.dump(raw)
        if dumped is not None and name.encode() in dumped and not key.startswith(("{lobby}", "limit:", "name:")):
            found.append(key)
    return found


@pytest.mark.parametrize("archived", [True, False], ids=["archive", "none"])
async def test_who_closes_the_account_is_someone_to_all_others(
    own_valkey: Valkey, own_redis: Client, tmp_path: Path, archived: bool
) -> None:
    options: dict[str, Any] = {"archive": f"sqlite:///{tmp_path}/archive.sqlite3"} if archived else {}
    few = Limits(opponents=1)
    async with inside(own_valkey.url, limits=few, **options) as url, Player(url) as ada, Player(url) as bob:
        await registered(ada, bob)
        first = await new_match(ada, bob, RATED)
        await bob.act(m.Forfeit, first)
        before = await until_played(bob, bob, 1)
        live = await new_match(ada, bob, RATED)
        assert isinstance(await ada.ask(m.CloseAccount, password=SECRET), m.Ok)
        await ask_until(lambda: career(bob, bob), lambda found: found.results[0].opponent != ada.name)
        after = await career(bob, bob)
        assert [line.opponent for line in after.results] == ["someone"]
        assert (after.rating, after.results[0].change) == (before.rating, before.results[0].change)
        await until_led_by(bob, bob)
        assert refused(await bob.ask(m.Profile, name=ada.name)) == ErrorCode.NO_SUCH_PLAYER
        assert bob.matches[live].view.players == (ada.name, bob.name), "what is being played goes on under the name"
        await bob.act(m.Forfeit, live)
        if not archived:
            return
        await ask_until(lambda: own_redis.exists(keys.MATCH_LOG(live)), operator.not_)
        await until_forgotten(own_redis)
        played = await bob.get(m.Played, m.History)
        assert {row.match: row.players for row in played.matches} == {
            live: ("someone", bob.name),
            first: ("someone", bob.name),
        }
        assert [line.opponent for line in (await career(bob, bob)).results] == ["someone", "someone"]
        assert refused(await bob.ask(m.History, name=ada.name)) == ErrorCode.NO_SUCH_PLAYER
        assert await names_in(own_redis, str(ada.name)) == []
        async with inside(own_valkey.url, **options) as other, Player(other) as eve:
            record = await eve.get(m.Recorded, m.Record, match=first)
            assert record.view["players"] == ["someone", bob.name]


async def test_a_closing_whose_node_dies_is_finished_by_another(
    own_valkey: Valkey, own_redis: Client, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    archive = f"sqlite:///{tmp_path}/archive.sqlite3"
    monkeypatch.setattr(closings_module, "UNDECIDED_MS", 1000)
    async with inside(own_valkey.url, archive=archive) as url, Player(url) as ada, Player(url) as bob:
        await registered(ada, bob)
        match = await new_match(ada, bob, RATED)
        await bob.act(m.Forfeit, match)
        await until_played(bob, bob, 1)
        await until_forgotten(own_redis)
    await own_redis.set(keys.PLAYER_CLOSED(ada.id), b"")  # so far it had come
    await own_redis.delete(keys.PLAYER(ada.id), keys.PLAYER_TOKENS(ada.id))
    await own_redis.hset(keys.ARCHIVE_CLOSING(), mapping={ada.id: "1", "nobody": "1"})
    async with inside(own_valkey.url, archive=archive) as url, Player(url, token=bob.token) as bob:
        await until_forgotten(own_redis)
        assert [line.opponent for line in (await career(bob, bob)).results] == ["someone"]


async def test_one_who_is_written_down_again_meanwhile_is_looked_at_again(own_redis: Client) -> None:
    """A match that comes to the archive just after the archive was searched would keep the name for ever."""
    searched = []

    async def forget(player: str) -> list[str]:
        searched.append(player)
        if len(searched) == 1:
            await own_redis.hset(keys.ARCHIVE_CLOSING(), player, "2")  # as the archiver does
        return []

    async def opponents(player: str) -> list[tuple[str, str]]:
        return []

    archive: Any = types.SimpleNamespace(players=types.SimpleNamespace(forget=forget, opponents=opponents))
    accounts = Accounts(own_redis, Clock(), Passwords())
    closings = closings_module.Closings(core_of(redis=own_redis, clock=Clock()), accounts, archive)
    await own_redis.set(keys.PLAYER_CLOSED("ada"), b"")
    await own_redis.hset(keys.ARCHIVE_CLOSING(), "ada", "1")
    for left in (1, 0):
        await closings.sweep()
        assert await own_redis.hlen(keys.ARCHIVE_CLOSING()) == left
    assert searched == ["ada", "ada"]
