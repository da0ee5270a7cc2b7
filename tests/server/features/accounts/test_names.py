"""Names: which of them look alike, which are reserved, and which are of bots."""

import asyncio
import contextlib
import secrets
from typing import Any

import pytest
from tavla_protocol import messages as m
from tavla_protocol.codes import ErrorCode
from tavla_server.cluster.clock import Clock
from tavla_server.errors import Refused
from tavla_server.features.accounts import passwords
from tavla_server.features.accounts.accounts import Accounts
from tavla_server.features.accounts.names import Names
from tavla_server.features.accounts.reserved_names import reservation_reason
from tavla_server.features.accounts.skeletons import skeleton
from tavla_server.player import Player as Person
from tavla_server.store import keys
from tavla_server.store.client import Client
from tavla_server.timings import DEFAULTS

from tests.support.players.accounts import SECRET, registered, said_hello
from tests.support.players.matches import new_match
from tests.support.players.plain import Player, close_code, refused, unique
from tests.support.servers.processes import ServerProcess, inside
from tests.support.servers.valkey import Valkey


async def test_a_name_whose_look_is_free_is_not_taken_twice(redis: Client) -> None:
    names, name = Names(redis, 60), unique("ada")
    await names.take(Person("first", name))
    await redis.delete(keys.LOOK(skeleton(name)))
    with pytest.raises(Refused, match="someone is called"):
        await names.take(Person("second", name))
    assert (await names.holder(name), await names.lookalike(name)) == ("first", None)


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
    answer = await said_hello(server.url, **hello)
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
    ("Winter Cup", "winter-cup!", "Winter Club"),
    ("Winter Cup", "Wintеr Сup", "Winter Cap"),  # two letters of these are Cyrillic
    ("Yılbaşı", "YILBASI", "Yılbaş"),
    ("Ａlice", "alice", "alicе2"),
    ("冬の杯", "冬の杯", "夏の杯"),
]


@pytest.mark.parametrize(("name", "alike", "other"), ALIKE)
def test_names_that_look_alike_have_one_skeleton(name: str, alike: str, other: str) -> None:
    assert skeleton(name) == skeleton(alike)
    assert skeleton(name) != skeleton(other)


async def test_nobody_takes_a_name_that_looks_like_anothers(valkey: Valkey) -> None:
    stem = secrets.token_hex(4)
    async with inside(valkey.url) as node, inside(valkey.url) as second, Player(node, name=f"lily-{stem}") as lily:
        for name in (f"IiIy-{stem}", f"1i1y_{stem}", f"_lily-{stem}_", f"lily{stem}"):
            answer = await said_hello(second, name=name)
            assert refused(answer) == ErrorCode.NAME_TAKEN
            assert isinstance(answer, m.Error)
            assert "looks like the name of somebody else" in answer.text
        await lily.ask(m.Logout)
        await close_code(lily)
        assert isinstance(await said_hello(second, name=f"1i1y_{stem}"), m.Welcome), (
            "she has gone, and her name is free"
        )


async def test_of_many_who_come_with_names_that_look_alike_one_gets_hers(valkey: Valkey) -> None:
    stem = f"x{secrets.token_hex(4)}"
    names = [f"{first}i{second}{end}{stem}" for first in "l1I" for second in "l1I" for end in ("", "-")]
    async with inside(valkey.url) as node, inside(valkey.url) as second:
        answers = await asyncio.gather(*(said_hello((node, second)[n % 2], name=name) for n, name in enumerate(names)))
    assert sum(isinstance(answer, m.Welcome) for answer in answers) == 1
    assert {answer.code for answer in answers if isinstance(answer, m.Error)} == {ErrorCode.NAME_TAKEN}


async def test_the_look_of_an_account_is_kept_as_long_as_its_name(redis: Client) -> None:
    with contextlib.closing(passwords.Passwords()) as hashing:
        kept = Accounts(redis, Clock(), hashing)
        player, token = await kept.add_guest(unique("p"), bot=False)
        look = keys.LOOK(skeleton(player.name))
        assert 0 < await redis.ttl(look) <= DEFAULTS.token_fresh_s
        assert await kept.tokens.use(player, token)
        assert await redis.ttl(look) > DEFAULTS.token_fresh_s
        assert await kept.register(player, SECRET)
        assert (await redis.ttl(look), await kept.names.lookalike(player.name)) == (-1, player.id)
        assert await kept.close(player, SECRET)
        assert 0 < await redis.ttl(look) == await redis.ttl(keys.NAME(player.name.lower()))


async def test_names_of_guests_stay_with_guests(server: ServerProcess) -> None:
    async with Player(server.url, name=unique("guest")) as guest:
        assert refused(await guest.ask(m.Register, password=SECRET)) == ErrorCode.NAME_RESERVED
        assert isinstance(await said_hello(server.url, token=guest.token), m.Welcome)


async def test_a_bot_is_marked_for_good_and_everyone_sees_it(server: ServerProcess) -> None:
    name = unique("bot")
    async with Player(server.url, hello={"name": name, "bot": True}) as bot, Player(server.url) as ada:
        match = await new_match(ada, bot)
        assert ada.matches[match].view.kinds == bot.matches[match].view.kinds == ("guest", "bot")
        await registered(bot)
        welcome = await said_hello(server.url, name=name, password=SECRET)
        assert isinstance(welcome, m.Welcome)
        assert (welcome.kind, welcome.rating) == ("bot", 1500.0)
        await registered(ada)
        welcome = await said_hello(server.url, token=ada.token, bot=True)
        assert isinstance(welcome, m.Welcome)
        assert welcome.kind == "bot", "an account that turns out to be one"
