"""Tokens, in a store of their own, where nobody else's keys are as old as these tests make them."""

import asyncio
import contextlib
from functools import partial
from typing import Any

import pytest
from tavla_protocol import messages as m
from tavla_protocol.codes import ErrorCode
from tavla_server.cluster.clock import Clock
from tavla_server.errors import StoreUnavailable
from tavla_server.features.accounts import accounts, passwords
from tavla_server.features.accounts.accounts import ACCOUNT_UNUSED_S, EXTEND_S, GUEST_UNUSED_S, Accounts, Tokens
from tavla_server.features.accounts.skeletons import skeleton
from tavla_server.limits import Limits
from tavla_server.player import Player as Person
from tavla_server.store import keys
from tavla_server.store.client import Client
from tavla_server.timings import DEFAULTS, Timings

from tests.support.patience import PATIENCE_S, ask_until
from tests.support.players.accounts import SECRET, registered, said_hello
from tests.support.players.plain import Player, refused, unique
from tests.support.servers.handclock import HandClock
from tests.support.servers.processes import inside
from tests.support.servers.valkey import Valkey

FRESH_S = GUEST_UNUSED_S // 2
UNRENEWED = Timings(token_renewal_s=FRESH_S / 2, token_fresh_s=FRESH_S)  # no connection keeps its token good meanwhile


async def has_played(redis: Client, player: Player) -> None:
    """Let an account be one that has begun a match: others go a month after their last use."""
    await redis.hset(keys.PLAYER(player.id), "begun", "1")


async def test_a_token_in_use_stays_good_and_an_unused_one_does_not(
    own_valkey: Valkey, own_redis: Client, clock: HandClock
) -> None:
    async with inside(own_valkey.url, UNRENEWED) as url:
        async with Player(url) as guest, Player(url) as ada:
            await has_played(own_redis, await registered(ada))
            await guest.sync()
        for _ in range(20):  # nobody is connected, so no sweep keeps a token good
            clock.move(1000 * (GUEST_UNUSED_S - 1))
            assert isinstance(await said_hello(url, token=guest.token), m.Welcome)
        clock.move(1000 * GUEST_UNUSED_S)
        assert refused(await said_hello(url, token=guest.token)) == ErrorCode.BAD_TOKEN
        assert refused(await said_hello(url, token=ada.token)) == ErrorCode.BAD_TOKEN, "it was not used all the time"
        assert isinstance(await said_hello(url, name=ada.name, password=SECRET), m.Welcome), (
            "the account is there for good"
        )


async def test_new_tokens_are_renewed_together(redis: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    """Renewed one by one, the last tokens of a crowd that only looks on would have expired before their turn."""
    together = asyncio.Barrier(3)
    use = Tokens.use

    async def use_together(self: Tokens, player: Person, token: str) -> bool:
        await asyncio.wait_for(together.wait(), PATIENCE_S)
        return await use(self, player, token)

    monkeypatch.setattr(Tokens, "use", use_together)
    with contextlib.closing(passwords.Passwords()) as hashing:
        kept = Accounts(redis, Clock(), hashing)
        held = [await kept.add_guest(unique("g"), bot=False) for _ in range(3)]
        revoked = held[1][0], held[2][1]
        assert await kept.tokens.renew([*held[:2], revoked]) == [True, True, False]
        assert await kept.tokens.renew(held[:2]) == [True, True], "they are not due again"


@pytest.mark.parametrize("registers", [False, True], ids=["a guest, after 7 days", "an account, after 90"])
async def test_a_token_expires_when_it_was_not_used_for_so_long(
    own_valkey: Valkey, own_redis: Client, clock: HandClock, registers: bool
) -> None:
    unused_ms = 1000 * (ACCOUNT_UNUSED_S if registers else GUEST_UNUSED_S)
    assert unused_ms == (90 if registers else 7) * 24 * 3600 * 1000
    async with inside(own_valkey.url) as url:
        async with Player(url) as ada:
            if registers:
                await has_played(own_redis, await registered(ada))
            await ada.sync()
        for _ in range(3):
            clock.move(unused_ms - 1)
            assert isinstance(await said_hello(url, token=ada.token), m.Welcome), "used in time"
        clock.move(unused_ms)
        assert refused(await said_hello(url, token=ada.token)) == ErrorCode.BAD_TOKEN


async def until_extended(redis: Client, player: Player, until_ms: int) -> None:
    """Wait until a player's only token is good until then."""
    ask = partial(redis.zrange, f"{{p:{player.id}}}:tokens", 0, -1, withscores=True)
    await ask_until(ask, lambda found: [expires for _, expires in found] == [until_ms])


async def test_a_connection_keeps_its_token_good(own_valkey: Valkey, clock: HandClock, own_redis: Client) -> None:
    async with inside(own_valkey.url, Timings(token_renewal_s=0.02)) as url, Player(url) as guest:
        await guest.sync()
        for unused_s in (EXTEND_S, GUEST_UNUSED_S - 1, GUEST_UNUSED_S - 1):
            clock.move(1000 * (unused_s + 1) - 500)
            await until_extended(own_redis, guest, clock.now_ms() + 1000 * GUEST_UNUSED_S)
        assert isinstance(await said_hello(url, token=guest.token), m.Welcome)


@pytest.mark.parametrize("timings", [UNRENEWED], ids=["unrenewed"])
async def test_what_belongs_to_a_guest_goes_and_what_belongs_to_an_account_stays(node: str, redis: Client) -> None:
    async def lives(player: Player) -> list[int]:
        keys = (f"name:{player.name}", f"{{p:{player.id}}}:player", f"{{p:{player.id}}}:tokens")
        return [await redis.ttl(key) for key in keys]

    async with Player(node) as guest:
        assert all(0 < ttl <= FRESH_S for ttl in await lives(guest)), "nobody knows whether the welcome arrived"
        await guest.sync()
        assert all(FRESH_S < ttl <= GUEST_UNUSED_S for ttl in await lives(guest))
        async with Player(node, token=guest.token) as twin:
            await registered(guest)
            assert await lives(guest) == [-1, -1, -1]
            await twin.sync()
            await redis.expire(f"name:{guest.name}", 60)  # as if the process had died before this was done
            assert isinstance(await said_hello(node, token=guest.token), m.Welcome)
            assert await lives(guest) == [-1, -1, -1]
        stored = [
            await redis.hgetall(f"{{p:{guest.id}}}:player"),
            await redis.zrange(f"{{p:{guest.id}}}:tokens", 0, -1),
        ]
        assert guest.token is not None
        assert SECRET not in str(stored)
        assert guest.token not in str(stored)


async def test_with_the_account_the_name_is_for_good(redis: Client) -> None:
    with contextlib.closing(passwords.Passwords()) as hashing:
        kept = Accounts(redis, Clock(), hashing)
        player, _ = await kept.add_guest(unique("p"), bot=False)
        assert 0 < await redis.ttl(keys.NAME(player.name)) <= DEFAULTS.token_fresh_s
        assert await kept.register(player, SECRET)
        assert await redis.ttl(keys.NAME(player.name)) == -1, "before the account's token is used even once"


@pytest.mark.parametrize("comes", ["by the same request", "by name and password"])
async def test_a_registration_that_was_cut_off_halfway_is_set_right_by_the_next_try(
    node: str, redis: Client, monkeypatch: pytest.MonkeyPatch, comes: str
) -> None:
    """The account is there, and its name still a guest's, that will be free again some day."""

    async def half(self: Accounts, player: Person, password: str) -> bool:
        hash_ = await self.passwords.hash(password)
        await self._register(keys=accounts._keys(player.id), args=[hash_, 1500.0])
        raise StoreUnavailable("the store goes away, and then the process")

    async with Player(node) as ada:
        await ada.sync()
        with monkeypatch.context() as patch:
            patch.setattr(Accounts, "register", half)
            assert refused(await ada.ask(m.Register, password=SECRET)) == ErrorCode.UNAVAILABLE
        assert await redis.ttl(f"name:{ada.name}") > 0
        if comes == "by the same request":
            await registered(ada)
        else:
            async with Player(node, hello={"name": ada.name, "password": SECRET}) as again:
                await again.sync()
        assert await redis.ttl(f"name:{ada.name}") == -1
        welcome = await said_hello(node, token=ada.token)
        assert isinstance(welcome, m.Welcome)
        assert welcome.kind == "account"


async def test_a_name_that_was_taken_for_a_guest_who_never_came_to_be_is_free_again(
    node: str, redis: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    execute = Client.execute_command

    async def gone(redis: Client, *args: Any, **options: Any) -> Any:
        if any(str(arg).endswith(":tokens") for arg in args):
            raise StoreUnavailable("the store goes away, and then the process")
        return await execute(redis, *args, **options)

    name = unique("p")
    with monkeypatch.context() as patch:
        patch.setattr(Client, "execute_command", gone)
        assert refused(await said_hello(node, name=name)) == ErrorCode.UNAVAILABLE
    assert refused(await said_hello(node, name=name)) == ErrorCode.NAME_TAKEN
    assert 0 < await redis.pttl(keys.NAME(name)) <= 1000 * DEFAULTS.token_fresh_s
    await redis.pexpire(keys.NAME(name), 1)  # a minute later
    await redis.pexpire(keys.LOOK(skeleton(name)), 1)
    await ask_until(lambda: said_hello(node, name=name), lambda found: isinstance(found, m.Welcome))


@pytest.mark.parametrize("limits", [Limits(tokens=3)])
async def test_an_account_has_a_limited_number_of_tokens(node: str) -> None:
    async with Player(node) as ada:
        await registered(ada)
        tokens = [ada.token]
        for _ in range(3):
            async with Player(node, hello={"name": ada.name, "password": SECRET}) as again:
                await again.sync()
                tokens.append(again.token)
        assert [isinstance(await said_hello(node, token=token), m.Welcome) for token in tokens] == [
            False,
            True,
            True,
            True,
        ]
