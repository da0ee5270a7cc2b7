"""Conversations about who one is: guests, accounts and bots; coming back, and leaving for good."""

import asyncio
import contextlib
import ipaddress
import secrets
import threading
from collections import Counter
from typing import Any, Literal

import pytest
from argon2 import Parameters, PasswordHasher, extract_parameters
from tavla_protocol import messages as m
from tavla_protocol.codes import CloseCode, ErrorCode
from tavla_server.cluster.clock import Clock
from tavla_server.errors import Busy, NameTaken, StoreUnavailable
from tavla_server.features.accounts import accounts, passwords
from tavla_server.features.accounts.accounts import ACCOUNT_UNUSED_S, EXTEND_S, GUEST_UNUSED_S, Accounts
from tavla_server.features.accounts.names import Names
from tavla_server.features.accounts.reserved_names import reservation_reason
from tavla_server.features.accounts.skeletons import skeleton
from tavla_server.limits import DEFAULT_LIMITS, Limits, Quota
from tavla_server.player import Player as Person
from tavla_server.store import keys
from tavla_server.store.client import Client
from tavla_server.timings import DEFAULTS, Timings

from tests.support.patience import PATIENCE_S
from tests.support.players.accounts import SECRET, Held, registered
from tests.support.players.plain import Player, close_code, new_match, refused, unique
from tests.support.servers.handclock import HandClock
from tests.support.servers.processes import ServerProcess, Valkey, inside
from tests.support.servers.rooms import until

OTHER = "battery staple"
FRESH_S = GUEST_UNUSED_S // 2
UNRENEWED = Timings(token_renewal_s=FRESH_S / 2, token_fresh_s=FRESH_S)  # no connection keeps its token good meanwhile


async def say(url: str, headers: dict[str, str] | None = None, **hello: Any) -> m.Welcome | m.Error:
    """The answer of the server to a hello."""
    stranger = Player(url, headers=headers)
    await stranger.connect()
    answer = await stranger.ask(m.Hello, **hello)
    await stranger.close()
    assert isinstance(answer, m.Welcome | m.Error)
    return answer


async def test_a_name_whose_look_is_free_is_not_taken_twice(redis: Client) -> None:
    names, name = Names(redis, 60), unique("ada")
    await names.take(Person("first", name))
    await redis.delete(keys.LOOK(skeleton(name)))
    with pytest.raises(NameTaken):
        await names.take(Person("second", name))
    assert (await names.holder(name), await names.lookalike(name)) == ("first", None)


# --- accounts ---


@pytest.mark.slow
async def test_a_guest_becomes_an_account_and_keeps_everything(server: ServerProcess) -> None:
    async with Player(server.url) as ada, Player(server.url) as bob:
        match = await new_match(ada, bob)
        await registered(ada)
        async with Player(server.url, token=ada.token) as again:
            assert (again.id, again.playing) == (ada.id, [match]), "the token stays good"
        welcome = await say(server.url, name=ada.name, password=SECRET)
        assert isinstance(welcome, m.Welcome)
        assert (welcome.player, welcome.kind, welcome.rating, welcome.matches) == (ada.id, "account", 1500.0, [match])
        assert welcome.token != ada.token, "one of its own"


async def test_names_of_accounts_have_no_case(server: ServerProcess) -> None:
    async with Player(server.url, name=unique("Ada")) as ada:
        await registered(ada)
        assert ada.name is not None
        welcome = await say(server.url, name=str(ada.name).upper(), password=SECRET)
        assert isinstance(welcome, m.Welcome)
        assert welcome.name == ada.name, "as it was chosen"
        assert refused(await say(server.url, name=ada.name.upper())) == ErrorCode.NAME_TAKEN


async def test_a_wrong_password_and_an_unknown_name_look_alike(server: ServerProcess) -> None:
    async with Player(server.url) as ada, Player(server.url) as guest:
        await registered(ada)
        answers = [
            await say(server.url, name=name, password="wrong") for name in (ada.name, guest.name, unique("nobody"))
        ]
        assert {(answer.code, answer.text) for answer in answers if isinstance(answer, m.Error)} == {
            (ErrorCode.WRONG_PASSWORD, "there is no account with this name and password")
        }
        assert len({type(answer) for answer in answers}) == 1


class Noted(PasswordHasher):
    """Hashes as the server's does. costs: of each hash that a password was compared with."""

    def __init__(self) -> None:
        own = passwords.HASHER
        super().__init__(own.time_cost, own.memory_cost, own.parallelism)
        self.costs: list[Parameters] = []

    def verify(self, hash: str | bytes, password: str | bytes) -> Literal[True]:  # noqa: A002 - its parent's word
        """Note the cost, and compare."""
        self.costs.append(extract_parameters(str(hash)))
        return super().verify(hash, password)


async def test_an_unknown_name_costs_as_much_as_a_wrong_password(node: str, monkeypatch: pytest.MonkeyPatch) -> None:
    hasher = Noted()
    async with Player(node) as ada:
        await registered(ada)
        monkeypatch.setattr(passwords, "HASHER", hasher)
        for name in (ada.name, unique("nobody")):
            assert refused(await say(node, name=name, password="wrong")) == ErrorCode.WRONG_PASSWORD
    known, unknown = hasher.costs
    assert known == unknown


async def test_a_registration_sent_twice_is_done_once(server: ServerProcess) -> None:
    async with Player(server.url) as ada:
        await registered(ada)
        await registered(ada)
        assert refused(await ada.ask(m.Register, password=OTHER)) == ErrorCode.REGISTERED
        async with Player(server.url, token=ada.token) as again:
            await registered(again)
        assert isinstance(await say(server.url, name=ada.name, password=SECRET), m.Welcome)


@pytest.mark.parametrize("password", ["", "short", "x" * 129])
async def test_a_password_of_the_wrong_length_is_refused(server: ServerProcess, password: str) -> None:
    async with Player(server.url) as ada:
        answer = await ada.get(m.Error, m.Register, password=password)
        assert answer.code == ErrorCode.BAD_MESSAGE
        assert not password or password not in answer.text


async def test_the_same_letters_are_the_same_password_on_every_keyboard(server: ServerProcess) -> None:
    async with Player(server.url) as ada:
        await registered(ada, "caf\u00e9 au lait")
        assert isinstance(await say(server.url, name=ada.name, password="cafe\u0301 au lait"), m.Welcome)


@pytest.mark.slow
async def test_another_password_logs_everyone_else_out(server: ServerProcess) -> None:
    async with Player(server.url) as ada:
        await registered(ada)
        async with Player(server.url, hello={"name": ada.name, "password": SECRET}) as elsewhere:
            await elsewhere.sync()
            assert refused(await ada.ask(m.Password, old=OTHER, new=OTHER)) == ErrorCode.WRONG_PASSWORD
            for _ in range(2):
                assert isinstance(await ada.ask(m.Password, old=SECRET, new=OTHER), m.Ok), "twice is once"
            assert await close_code(elsewhere) == CloseCode.LOGGED_OUT
        assert refused(await say(server.url, token=elsewhere.token)) == ErrorCode.BAD_TOKEN
        assert refused(await say(server.url, name=ada.name, password=SECRET)) == ErrorCode.WRONG_PASSWORD
        assert isinstance(await say(server.url, name=ada.name, password=OTHER), m.Welcome)
        assert isinstance(await say(server.url, token=ada.token), m.Welcome), "the one that changed it goes on"


async def test_whom_another_password_logs_out_is_closed_at_once(valkey: Valkey) -> None:
    """Not by the next look at the tokens in use."""
    never_looks = Timings(token_renewal_s=1e6, token_fresh_s=10**7)
    async with inside(valkey.url, never_looks) as url, Player(url) as ada:
        await registered(ada)
        async with Player(url, hello={"name": ada.name, "password": SECRET}) as elsewhere:
            await elsewhere.sync()
            assert isinstance(await ada.ask(m.Password, old=SECRET, new=OTHER), m.Ok)
            assert await close_code(elsewhere) == CloseCode.LOGGED_OUT


async def test_who_registered_on_another_connection_may_change_the_password(server: ServerProcess) -> None:
    async with Player(server.url) as ada:
        await ada.sync()
        async with Player(server.url, token=ada.token) as twin:
            await registered(twin)
        assert isinstance(await ada.ask(m.Password, old=SECRET, new=OTHER), m.Ok)


async def test_a_guest_has_no_password_to_change(server: ServerProcess) -> None:
    async with Player(server.url) as guest:
        assert refused(await guest.ask(m.Password, old=SECRET, new=OTHER)) == ErrorCode.ACCOUNT_NEEDED


# --- leaving for good ---


async def test_logging_out_ends_the_connections_with_this_token_alone(server: ServerProcess) -> None:
    async with Player(server.url) as ada, Player(server.url) as bob:
        await registered(ada)
        elsewhere = Player(server.url, hello={"name": ada.name, "password": SECRET})
        twin = Player(server.url, token=ada.token)
        await elsewhere.open()
        await twin.open()
        match = await new_match(ada, bob)
        assert isinstance(await ada.ask(m.Logout), m.Ok)
        assert (await ada.next(m.Closing)).text == "you are logged out"
        assert await close_code(ada) == await close_code(twin) == CloseCode.LOGGED_OUT
        assert not (await bob.next(m.Presence)).online
        assert refused(await say(server.url, token=ada.token)) == ErrorCode.BAD_TOKEN, "a revoked token stays revoked"
        await elsewhere.sync()
        welcome = await say(server.url, name=ada.name, password=SECRET)
        assert isinstance(welcome, m.Welcome)
        assert welcome.matches == [match]
        await elsewhere.close()


async def test_logging_out_everywhere_leaves_the_password_alone(server: ServerProcess) -> None:
    async with Player(server.url) as ada:
        await registered(ada)
        others = [Player(server.url, hello={"name": ada.name, "password": SECRET}) for _ in range(2)]
        for other in others:
            await other.open()
        assert isinstance(await others[0].ask(m.Logout, everywhere=True), m.Ok)
        for player in (ada, *others):
            assert await close_code(player) == CloseCode.LOGGED_OUT
            assert refused(await say(server.url, token=player.token)) == ErrorCode.BAD_TOKEN
        assert isinstance(await say(server.url, name=ada.name, password=SECRET), m.Welcome)


async def test_a_guest_who_logs_out_is_forgotten(server: ServerProcess) -> None:
    async with Player(server.url) as guest:
        await guest.ask(m.Logout)
        assert await close_code(guest) == CloseCode.LOGGED_OUT
        assert refused(await say(server.url, token=guest.token)) == ErrorCode.BAD_TOKEN
        welcome = await say(server.url, name=guest.name)
        assert isinstance(welcome, m.Welcome)
        assert welcome.player != guest.id


async def test_a_token_revoked_on_another_node_ends_its_connections(valkey: Valkey) -> None:
    async with (
        inside(valkey.url, Timings(token_renewal_s=0.05)) as here,
        inside(valkey.url, Timings(token_renewal_s=0.05)) as there,
        Player(here) as ada,
    ):
        await registered(ada)
        async with Player(there, token=ada.token) as elsewhere, Player(there) as guest:
            await ada.ask(m.Logout)
            assert await close_code(elsewhere) == CloseCode.LOGGED_OUT
            await guest.sync()


# --- tokens and time: in a store of their own, where nobody else's keys are as old as these tests make them ---


async def test_a_token_in_use_stays_good_and_an_unused_one_does_not(
    own_valkey: Valkey, own_redis: Client, clock: HandClock
) -> None:
    async with inside(own_valkey.url, UNRENEWED) as url:
        async with Player(url) as guest, Player(url) as ada:
            await registered(ada)
            await own_redis.hset(keys.PLAYER(ada.id), "begun", "1")  # else the account goes, too
            await guest.sync()
            for _ in range(20):
                clock.move(1000 * (GUEST_UNUSED_S - 1))
                assert isinstance(await say(url, token=guest.token), m.Welcome)
            clock.move(1000 * GUEST_UNUSED_S)
        assert refused(await say(url, token=guest.token)) == ErrorCode.BAD_TOKEN
        assert refused(await say(url, token=ada.token)) == ErrorCode.BAD_TOKEN, "it was not used all the time"
        assert isinstance(await say(url, name=ada.name, password=SECRET), m.Welcome), "the account is there for good"


async def test_new_tokens_are_renewed_together(redis: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    """Renewed one by one, the last tokens of a crowd that only looks on would have expired before their turn."""
    together = asyncio.Barrier(3)
    use = Accounts.use

    async def use_together(self: Accounts, player: Person, token: str) -> bool:
        await asyncio.wait_for(together.wait(), PATIENCE_S)
        return await use(self, player, token)

    monkeypatch.setattr(Accounts, "use", use_together)
    with contextlib.closing(passwords.Passwords()) as hashing:
        kept = Accounts(redis, Clock(), hashing)
        held = [await kept.add_guest(unique("g"), bot=False) for _ in range(3)]
        revoked = held[1][0], held[2][1]
        assert await kept.renew([*held[:2], revoked]) == [True, True, False]
        assert await kept.renew(held[:2]) == [True, True], "they are not due again"


@pytest.mark.parametrize("registers", [False, True], ids=["a guest, after 7 days", "an account, after 90"])
async def test_a_token_expires_when_it_was_not_used_for_so_long(
    own_valkey: Valkey, own_redis: Client, clock: HandClock, registers: bool
) -> None:
    unused_ms = 1000 * (ACCOUNT_UNUSED_S if registers else GUEST_UNUSED_S)
    assert unused_ms == (90 if registers else 7) * 24 * 3600 * 1000
    async with inside(own_valkey.url) as url:
        async with Player(url) as ada:
            if registers:
                await registered(ada)
                await own_redis.hset(keys.PLAYER(ada.id), "begun", "1")  # else the account goes, too
            await ada.sync()
        for _ in range(3):
            clock.move(unused_ms - 1)
            assert isinstance(await say(url, token=ada.token), m.Welcome), "used in time"
        clock.move(unused_ms)
        assert refused(await say(url, token=ada.token)) == ErrorCode.BAD_TOKEN


async def until_extended(redis: Client, player: Player, until_ms: int) -> None:
    """Wait until a player's only token is good until then."""
    async with asyncio.timeout(PATIENCE_S):
        while True:
            tokens = await redis.zrange(f"{{p:{player.id}}}:tokens", 0, -1, withscores=True)
            if [expires for _, expires in tokens] == [until_ms]:  # type: ignore[str-unpack] # redis-py's stubs
                return


async def test_a_connection_keeps_its_token_good(own_valkey: Valkey, clock: HandClock, own_redis: Client) -> None:
    async with inside(own_valkey.url, Timings(token_renewal_s=0.02)) as url, Player(url) as guest:
        await guest.sync()
        for unused_s in (EXTEND_S, GUEST_UNUSED_S - 1, GUEST_UNUSED_S - 1):
            clock.move(1000 * (unused_s + 1) - 500)
            await until_extended(own_redis, guest, clock.now_ms() + 1000 * GUEST_UNUSED_S)
        assert isinstance(await say(url, token=guest.token), m.Welcome)


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
            assert isinstance(await say(node, token=guest.token), m.Welcome)
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
        welcome = await say(node, token=ada.token)
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
        assert refused(await say(node, name=name)) == ErrorCode.UNAVAILABLE
    assert refused(await say(node, name=name)) == ErrorCode.NAME_TAKEN
    assert 0 < await redis.pttl(keys.NAME(name)) <= 1000 * DEFAULTS.token_fresh_s
    await redis.pexpire(keys.NAME(name), 1)  # a minute later
    await redis.pexpire(keys.LOOK(skeleton(name)), 1)
    async with asyncio.timeout(PATIENCE_S):
        while not isinstance(await say(node, name=name), m.Welcome):
            pass


@pytest.mark.parametrize("limits", [Limits(tokens=3)])
async def test_an_account_has_a_limited_number_of_tokens(node: str) -> None:
    async with Player(node) as ada:
        await registered(ada)
        tokens = [ada.token]
        for _ in range(3):
            async with Player(node, hello={"name": ada.name, "password": SECRET}) as again:
                await again.sync()
                tokens.append(again.token)
        assert [isinstance(await say(node, token=token), m.Welcome) for token in tokens] == [False, True, True, True]


# --- names and bots ---


RESERVED = [
    ({"name": "Admin-1"}, "would pass for those who run the server"),
    ({"name": "tavla"}, "would pass for those who run the server"),
    ({"name": "system"}, "would pass for those who run the server"),
    ({"name": "Someone"}, "stands for those who have gone"),
    ({"name": "the-admin"}, "would pass for those who run the server"),
    ({"name": "TheAdmin"}, "would pass for those who run the server"),
    ({"name": "sysadm1n"}, "would pass for those who run the server"),
    ({"name": "m0derator"}, "would pass for those who run the server"),
    ({"name": "tavIa"}, "would pass for those who run the server"),
    ({"name": "Support"}, "would pass for those who run the server"),
    ({"name": "anna_official"}, "would pass for those who run the server"),
    ({"name": "mysupp0rt"}, "would pass for those who run the server"),
    ({"name": "my_server_2"}, "would pass for those who run the server"),
    ({"name": "__proto__"}, "programs would take this name"),
    ({"name": "__x"}, "programs would take this name"),
    ({"name": "Constructor"}, "programs would take this name"),
    ({"name": "toString"}, "programs would take this name"),
    ({"name": "null"}, "programs would take this name"),
    ({"name": "bot-1"}, "for programs"),
    ({"name": "BOT_1"}, "for programs"),
]


@pytest.mark.parametrize(("hello", "why"), RESERVED)
async def test_some_names_are_not_for_everyone(server: ServerProcess, hello: dict[str, Any], why: str) -> None:
    answer = await say(server.url, **hello)
    assert isinstance(answer, m.Error)
    assert answer.code == ErrorCode.NAME_RESERVED
    assert why in answer.text


@pytest.mark.parametrize("name", ["badminton", "observer", "ecosystem", "gustavlarsson", "nancy", "truex", "protos"])
def test_other_names_are_for_everyone(name: str) -> None:
    assert reservation_reason(name, bot=False, account=True) is None


ALIKE = [  # a name, one that looks like it, one that does not
    ("alice", "aIice", "allie"),
    ("alice", "ALICE_", "alice2"),
    ("john-doe", "johndoe", "john"),
    ("tim", "tirn", "tin"),
    ("bill", "bi11", "bil"),
    ("leo", "1e0", "lea"),
    ("x-1-11", "x_1_11", "x-11-1"),
    ("william", "vvilliam", "villiam"),
    ("bob", "8ob", "hob"),
    ("ross", "ro5s", "rose"),
    ("mark", "nnark", "nark"),
    ("bob-mark", "bob-nnark", "bob-nark"),
    ("anna", "annna", "ana"),
    ("anna", "annnna", "ama"),
    ("bill", "b1il", "bill-1"),
]


@pytest.mark.parametrize(("name", "alike", "other"), ALIKE)
def test_names_that_look_alike_have_one_skeleton(name: str, alike: str, other: str) -> None:
    assert skeleton(name) == skeleton(alike)
    assert skeleton(name) != skeleton(other)


async def test_nobody_takes_a_name_that_looks_like_anothers(valkey: Valkey) -> None:
    stem = secrets.token_hex(4)
    async with inside(valkey.url) as node, inside(valkey.url) as second, Player(node, name=f"lily-{stem}") as lily:
        for name in (f"IiIy-{stem}", f"1i1y_{stem}", f"_lily-{stem}_", f"lily{stem}"):
            answer = await say(second, name=name)
            assert refused(answer) == ErrorCode.NAME_TAKEN
            assert isinstance(answer, m.Error)
            assert "looks like the name of somebody else" in answer.text
        await lily.ask(m.Logout)
        await close_code(lily)
        assert isinstance(await say(second, name=f"1i1y_{stem}"), m.Welcome), "she has gone, and her name is free"


async def test_of_many_who_come_with_names_that_look_alike_one_gets_hers(valkey: Valkey) -> None:
    stem = f"x{secrets.token_hex(4)}"
    names = [f"{first}i{second}{end}{stem}" for first in "l1I" for second in "l1I" for end in ("", "-")]
    async with inside(valkey.url) as node, inside(valkey.url) as second:
        answers = await asyncio.gather(*(say((node, second)[n % 2], name=name) for n, name in enumerate(names)))
    assert sum(isinstance(answer, m.Welcome) for answer in answers) == 1
    assert {answer.code for answer in answers if isinstance(answer, m.Error)} == {ErrorCode.NAME_TAKEN}


async def test_the_look_of_an_account_is_kept_as_long_as_its_name(redis: Client) -> None:
    with contextlib.closing(passwords.Passwords()) as hashing:
        kept = Accounts(redis, Clock(), hashing)
        player, token = await kept.add_guest(unique("p"), bot=False)
        look = keys.LOOK(skeleton(player.name))
        assert 0 < await redis.ttl(look) <= DEFAULTS.token_fresh_s
        assert await kept.use(player, token)
        assert await redis.ttl(look) > DEFAULTS.token_fresh_s
        assert await kept.register(player, SECRET)
        assert (await redis.ttl(look), await kept.names.lookalike(player.name)) == (-1, player.id)
        assert await kept.close(player, SECRET)
        assert 0 < await redis.ttl(look) == await redis.ttl(keys.NAME(player.name.lower()))


async def test_names_of_guests_stay_with_guests(server: ServerProcess) -> None:
    async with Player(server.url, name=unique("guest")) as guest:
        assert refused(await guest.ask(m.Register, password=SECRET)) == ErrorCode.NAME_RESERVED
        assert isinstance(await say(server.url, token=guest.token), m.Welcome)


async def test_a_bot_is_marked_for_good_and_everyone_sees_it(server: ServerProcess) -> None:
    name = unique("bot")
    async with Player(server.url, hello={"name": name, "bot": True}) as bot, Player(server.url) as ada:
        match = await new_match(ada, bot)
        assert ada.matches[match].view.kinds == bot.matches[match].view.kinds == ("guest", "bot")
        await registered(bot)
        welcome = await say(server.url, name=name, password=SECRET)
        assert isinstance(welcome, m.Welcome)
        assert (welcome.kind, welcome.rating) == ("bot", 1500.0)
        await registered(ada)
        welcome = await say(server.url, token=ada.token, bot=True)
        assert isinstance(welcome, m.Welcome)
        assert welcome.kind == "bot", "an account that turns out to be one"


# --- too many tries ---


@pytest.mark.slow
@pytest.mark.parametrize("limits", [Limits(logins_by_name=Quota(3, 600))])
async def test_guessing_one_password_comes_to_an_end_and_good_logins_do_not_count(node: str) -> None:
    async with Player(node) as ada, Player(node) as bob:
        await registered(ada)
        await registered(bob)
        for _ in range(5):
            assert isinstance(await say(node, name=ada.name, password=SECRET), m.Welcome)
        for name in (ada.name, unique("nobody")):
            codes = [refused(await say(node, name=name, password="wrong")) for _ in range(5)]
            assert codes == [ErrorCode.WRONG_PASSWORD] * 3 + [ErrorCode.TOO_MANY] * 2, "also where nobody is"
        answer = await say(node, name=ada.name, password=SECRET)
        assert isinstance(answer, m.Error)
        assert answer.text == "too many tries: wait 10 min, then try again"
        assert isinstance(await say(node, token=ada.token), m.Welcome), "who has a token is not kept out"
        assert isinstance(await say(node, name=bob.name, password=SECRET), m.Welcome), "others notice nothing"


@pytest.mark.parametrize(
    ("limits", "hello", "code"),
    [
        (Limits(logins_by_address=Quota(3, 600)), {"password": "wrong"}, ErrorCode.WRONG_PASSWORD),
        (Limits(new_guests=Quota(3, 600)), {}, None),
    ],
)
async def test_one_address_may_try_so_often(
    valkey: Valkey, limits: Limits, hello: dict[str, str], code: str | None
) -> None:
    hers, his = ({"X-Forwarded-For": f"203.0.113.7, {unique_address()}"} for _ in range(2))
    async with inside(valkey.url, limits=limits, behind_proxy=True) as url:

        async def tried(headers: dict[str, str] | None) -> list[str | None]:
            answers = [await say(url, headers, name=unique("p"), **hello) for _ in range(4)]
            return [answer.code if isinstance(answer, m.Error) else None for answer in answers]

        assert await tried(hers) == [code] * 3 + [ErrorCode.TOO_MANY]
        assert await tried(his) == [code] * 3 + [ErrorCode.TOO_MANY], "an address of its own"
        assert await tried(None) == [code] * 4, "this machine itself is not limited"


@pytest.mark.slow
async def test_an_address_that_is_over_its_limit_keeps_nobody_else_out(
    valkey: Valkey,
) -> None:
    limits = Limits(logins_by_address=Quota(3, 600), logins_by_name=Quota(2, 600))
    attacker, club = ({"X-Forwarded-For": unique_address()} for _ in range(2))
    async with inside(valkey.url, limits=limits, behind_proxy=True) as url:
        names = []
        for _ in range(5):
            async with Player(url) as someone:
                await registered(someone)
                names.append(someone.name)
        refusals = [refused(await say(url, attacker, name=name, password="wrong")) for name in names for _ in range(4)]
        wrong, much = ErrorCode.WRONG_PASSWORD, ErrorCode.TOO_MANY
        assert refusals == [wrong, wrong, much, much, wrong, *[much] * 15], "three tries in all, and no more"
        for name in names[1:]:
            for _ in range(4):
                assert isinstance(await say(url, club, name=name, password=SECRET), m.Welcome)
        assert refused(await say(url, club, name=names[0], password=SECRET)) == much
        for name in names[1:]:
            assert isinstance(await say(url, club, name=name, password=SECRET), m.Welcome), "that counted nowhere"


@pytest.mark.slow
async def test_guesses_from_many_addresses_keep_nobody_out_who_logs_in_where_they_always_do(
    valkey: Valkey,
) -> None:
    limits = Limits(logins_by_name=Quota(3, 600))
    home, office, hotel = ({"X-Forwarded-For": unique_address()} for _ in range(3))
    wrong, much = ErrorCode.WRONG_PASSWORD, ErrorCode.TOO_MANY
    async with inside(valkey.url, limits=limits, behind_proxy=True) as url:
        async with Player(url, headers=home) as ada:
            await registered(ada)
        assert isinstance(await say(url, office, name=ada.name, password=SECRET), m.Welcome)
        strangers = [{"X-Forwarded-For": unique_address()} for _ in range(6)]
        guesses = [refused(await say(url, stranger, name=ada.name, password="wrong")) for stranger in strangers]
        assert guesses == [wrong] * 3 + [much] * 3
        assert refused(await say(url, hotel, name=ada.name, password=SECRET)) == much, "where nobody knows her"
        for known in (home, office):
            assert isinstance(await say(url, known, name=str(ada.name).upper(), password=SECRET), m.Welcome)
        guesses = [refused(await say(url, home, name=ada.name, password="wrong")) for _ in range(4)]
        assert guesses == [wrong] * 3 + [much], "who guesses there has no more tries either"
        assert isinstance(await say(url, office, name=ada.name, password=SECRET), m.Welcome)


@pytest.mark.slow
@pytest.mark.parametrize("limits", [Limits(logins_by_name=Quota(2, 600), logins_by_player=Quota(3, 600))])
async def test_who_has_logged_in_is_not_kept_out_by_those_who_guess(node: str) -> None:
    async with Player(node) as ada:
        await registered(ada)
        codes = [refused(await say(node, name=ada.name, password="wrong")) for _ in range(5)]
        assert codes[2:] == [ErrorCode.TOO_MANY] * 3
        for _ in range(3):
            assert refused(await ada.ask(m.Password, old="wrong", new=OTHER)) == ErrorCode.WRONG_PASSWORD
        assert refused(await ada.ask(m.Password, old="wrong", new=OTHER)) == ErrorCode.TOO_MANY, "a thief of the token"


async def test_of_one_address_two_passwords_are_in_the_queue_and_others_come_between() -> None:
    secrets_ = passwords.Passwords()
    inside_, leave = [], asyncio.Event()

    async def log_in(address: str) -> None:
        async with secrets_.turn(address):
            inside_.append(address)
            await leave.wait()

    many = [asyncio.create_task(log_in("flood")) for _ in range(60)]
    others = [asyncio.create_task(log_in(f"home {number}")) for number in range(20)]
    nobodys = [asyncio.create_task(log_in("")) for _ in range(5)]
    await asyncio.sleep(0)
    assert inside_.count("flood") == DEFAULT_LIMITS.address_passwords
    assert len(inside_) == DEFAULT_LIMITS.address_passwords + len(others) + len(nobodys)
    leave.set()
    ended = await asyncio.gather(*many, *others, *nobodys, return_exceptions=True)
    busy = [error for error in ended if error is not None]
    assert {type(error) for error in busy} == {Busy}
    assert len(busy) == len(many) - DEFAULT_LIMITS.address_passwords - passwords.ADDRESS_WAITING_LIMIT
    assert not secrets_._turns, "nothing is kept of them"
    secrets_.close()


async def test_one_address_may_register_so_often(valkey: Valkey) -> None:
    limits = Limits(new_accounts=Quota(2, 600))
    headers = {"X-Forwarded-For": unique_address()}
    async with inside(valkey.url, limits=limits, behind_proxy=True) as url:
        codes = []
        for _ in range(3):
            async with Player(url, headers=headers) as guest:
                answer = await guest.ask(m.Register, password=SECRET)
                codes.append(answer.code if isinstance(answer, m.Error) else None)
        assert codes == [None, None, ErrorCode.TOO_MANY]


def unique_address() -> str:
    """Somewhere in the world."""
    return str(ipaddress.ip_address(0x0B000000 + secrets.randbelow(2**24)))


@pytest.mark.parametrize("limits", [Limits(passwords=2)])
async def test_a_storm_of_logins_is_turned_away_and_play_goes_on(node: str, monkeypatch: pytest.MonkeyPatch) -> None:
    gate = threading.Event()
    monkeypatch.setattr(passwords, "HASHER", Held(gate))
    async with Player(node) as white, Player(node) as black:
        match = await new_match(white, black)
        storm = [asyncio.create_task(say(node, name=unique("x"), password="wrong")) for _ in range(12)]
        await until(lambda: sum(login.done() for login in storm) == 10)  # and two wait
        assert isinstance(await white.act(m.Auto, match, what="play", on=True), m.Ok)
        gate.set()
        codes = Counter(refused(answer) for answer in await asyncio.gather(*storm))
        assert codes == {ErrorCode.WRONG_PASSWORD: 2, ErrorCode.UNAVAILABLE: 10}


async def test_no_secret_is_ever_logged(server: ServerProcess) -> None:
    async with Player(server.url) as ada:
        await registered(ada)
        await ada.ask(m.Password, old="not the old one", new=OTHER)
        answer = await say(server.url, name=ada.name, password="guess " * 30)
        assert "guess" not in str(answer)
        assert ada.token is not None
    for line in server.lines:
        assert not any(secret in line for secret in (SECRET, OTHER, "not the old one", "guess", ada.token))
