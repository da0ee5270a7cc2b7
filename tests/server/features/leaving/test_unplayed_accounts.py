"""Accounts that have played nothing go a month after their last use; all others stay."""

import contextlib
from collections.abc import AsyncIterator

import pytest
from tavla_server.features.accounts.accounts import Accounts
from tavla_server.features.accounts.passwords import Passwords
from tavla_server.features.leaving import unplayed_accounts
from tavla_server.features.leaving.unplayed_accounts import UNPLAYED_S, UnplayedAccounts
from tavla_server.player import Player
from tavla_server.store import keys
from tavla_server.store.client import Client

from tests.support.players.accounts import SECRET
from tests.support.players.plain import unique
from tests.support.servers.cores import core_of
from tests.support.servers.handclock import HandClock

DAY_MS = 86_400_000


@pytest.fixture
def clock() -> HandClock:
    return HandClock()


@pytest.fixture
async def accounts(own_redis: Client, clock: HandClock) -> AsyncIterator[Accounts]:
    """Accounts in a store of their own."""
    with contextlib.closing(Passwords()) as hashing:
        yield Accounts(own_redis, clock, hashing)


async def registered(accounts: Accounts) -> tuple[Player, str]:
    """An account, and its token, which is in use."""
    player, token = await accounts.add_guest(unique("p"), bot=False)
    assert await accounts.tokens.use(player, token)
    assert await accounts.register(player, SECRET)
    assert await accounts.tokens.use(player._replace(rating=1500.0), token)  # for as long as an account's lives
    known = await accounts.player(player.id)
    assert known is not None
    return known, token


@pytest.mark.parametrize("field", ["begun", "seeded", "private", "experience"])
async def test_who_has_played_stays(own_redis: Client, accounts: Accounts, clock: HandClock, field: str) -> None:
    (played, _), (unplayed, _), (guest, _) = [await registered(accounts) for _ in range(3)]
    await own_redis.hset(keys.PLAYER(played.id), field, "1")
    await own_redis.hset(keys.PLAYER(unplayed.id), field, "0")
    await own_redis.hdel(keys.PLAYER(guest.id), "password")  # as if the node had died before it was registered
    unplayed_ones = UnplayedAccounts(core_of(redis=own_redis, clock=clock), accounts, lambda _: False)
    clock.move(1000 * UNPLAYED_S - DAY_MS)
    await unplayed_ones.sweep()
    assert await accounts.player(unplayed.id) is not None
    clock.move(2 * DAY_MS)
    await unplayed_ones.sweep()
    assert [await accounts.player(one.id) is not None for one in (played, unplayed, guest)] == [True, False, True]
    assert await own_redis.zcard(keys.UNPLAYED()) == 0, "nobody looks at them again"
    assert not [key async for key in own_redis.scan_iter(match=f"{{p:{unplayed.id}}}:*")]
    assert await accounts.names.holder(unplayed.name) is await accounts.names.lookalike(unplayed.name) is None
    assert await accounts.names.holder(played.name) == played.id
    again, _ = await accounts.add_guest(unplayed.name, bot=False)
    assert again.name == unplayed.name


async def test_who_comes_back_has_a_month_more_and_a_moderator_for_good(
    own_redis: Client, accounts: Accounts, clock: HandClock
) -> None:
    (comes, token), (judge, _) = [await registered(accounts) for _ in range(2)]
    unplayed = UnplayedAccounts(core_of(redis=own_redis, clock=clock), accounts, lambda id_: id_ == judge.id)
    clock.move(20 * DAY_MS)
    assert await accounts.tokens.use(comes, token)
    for days, there in ((11, True), (18, True), (2, False)):
        clock.move(days * DAY_MS)
        await unplayed.sweep()
        assert (await accounts.player(comes.id) is not None) is there, days
        assert await accounts.player(judge.id) is not None
    assert await accounts.log_in(comes.name, SECRET) is None


async def test_many_go_a_part_at_a_look(
    own_redis: Client, accounts: Accounts, clock: HandClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    at_once = 20
    monkeypatch.setattr(unplayed_accounts, "AT_ONCE", at_once)
    many = at_once + 10
    for number in range(many):
        await own_redis.hset(
            keys.PLAYER(f"{number:016}"), mapping={"name": f"n{number}", "kind": "account", "password": "x"}
        )
    await own_redis.zadd(keys.UNPLAYED(), {f"{number:016}": clock.now_ms() for number in range(many)})
    clock.move(1000 * UNPLAYED_S + 1)
    unplayed = UnplayedAccounts(core_of(redis=own_redis, clock=clock), accounts, lambda _: False)
    left = []
    for _ in range(3):
        left.append(await own_redis.zcard(keys.UNPLAYED()))
        await unplayed.sweep()
    assert left == [many, many - at_once, 0]
