"""Guesses of passwords: they come to an end, and keep nobody else out."""

import asyncio
import ipaddress
import secrets
import threading
from collections import Counter

import pytest
from tavla_protocol import messages as m
from tavla_protocol.codes import ErrorCode
from tavla_server.errors import Busy
from tavla_server.features.accounts import passwords
from tavla_server.gateway.quotas import NETWORK_TIMES
from tavla_server.limits import DEFAULT_LIMITS, Limits, Quota

from tests.support.patience import wait_until
from tests.support.players.accounts import SECRET, Held, registered, said_hello
from tests.support.players.matches import at_match
from tests.support.players.plain import Player, refused, unique
from tests.support.servers.processes import inside
from tests.support.servers.valkey import Valkey


@pytest.mark.parametrize("limits", [Limits(logins_by_name=Quota(3, 600))])
async def test_guessing_one_password_comes_to_an_end_and_good_logins_do_not_count(node: str) -> None:
    async with Player(node) as ada, Player(node) as bob:
        await registered(ada, bob)
        for _ in range(5):
            assert isinstance(await said_hello(node, name=ada.name, password=SECRET), m.Welcome)
        for name in (ada.name, unique("nobody")):
            codes = [refused(await said_hello(node, name=name, password="wrong")) for _ in range(5)]
            assert codes == [ErrorCode.WRONG_PASSWORD] * 3 + [ErrorCode.TOO_MANY] * 2, "also where nobody is"
        answer = await said_hello(node, name=ada.name, password=SECRET)
        assert isinstance(answer, m.Error)
        assert answer.text == "too many tries: wait 10 min, then try again"
        assert isinstance(await said_hello(node, token=ada.token), m.Welcome), "who has a token is not kept out"
        assert isinstance(await said_hello(node, name=bob.name, password=SECRET), m.Welcome), "others notice nothing"


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
            answers = [await said_hello(url, headers, name=unique("p"), **hello) for _ in range(4)]
            return [answer.code if isinstance(answer, m.Error) else None for answer in answers]

        assert await tried(hers) == [code] * 3 + [ErrorCode.TOO_MANY]
        assert await tried(his) == [code] * 3 + [ErrorCode.TOO_MANY], "an address of its own"
        assert await tried(None) == [code] * 4, "this machine itself is not limited"


async def test_an_address_that_is_over_its_limit_keeps_nobody_else_out(valkey: Valkey) -> None:
    limits = Limits(logins_by_address=Quota(3, 600), logins_by_name=Quota(2, 600))
    attacker, club = ({"X-Forwarded-For": unique_address()} for _ in range(2))
    async with inside(valkey.url, limits=limits, behind_proxy=True) as url:
        names = []
        for _ in range(5):
            async with Player(url) as someone:
                await registered(someone)
                names.append(someone.name)
        refusals = [
            refused(await said_hello(url, attacker, name=name, password="wrong")) for name in names for _ in range(4)
        ]
        wrong, much = ErrorCode.WRONG_PASSWORD, ErrorCode.TOO_MANY
        assert refusals == [wrong, wrong, much, much, wrong, *[much] * 15], "three tries in all, and no more"
        for name in names[1:]:
            for _ in range(4):
                assert isinstance(await said_hello(url, club, name=name, password=SECRET), m.Welcome)
        assert refused(await said_hello(url, club, name=names[0], password=SECRET)) == much
        for name in names[1:]:
            assert isinstance(await said_hello(url, club, name=name, password=SECRET), m.Welcome), (
                "that counted nowhere"
            )


async def test_guesses_from_many_addresses_keep_nobody_out_who_logs_in_where_they_always_do(valkey: Valkey) -> None:
    limits = Limits(logins_by_name=Quota(3, 600))
    home, office, hotel = ({"X-Forwarded-For": unique_address()} for _ in range(3))
    wrong, much = ErrorCode.WRONG_PASSWORD, ErrorCode.TOO_MANY
    async with inside(valkey.url, limits=limits, behind_proxy=True) as url:
        async with Player(url, headers=home) as ada:
            await registered(ada)
        assert isinstance(await said_hello(url, office, name=ada.name, password=SECRET), m.Welcome)
        strangers = [{"X-Forwarded-For": unique_address()} for _ in range(6)]
        guesses = [refused(await said_hello(url, stranger, name=ada.name, password="wrong")) for stranger in strangers]
        assert guesses == [wrong] * 3 + [much] * 3
        assert refused(await said_hello(url, hotel, name=ada.name, password=SECRET)) == much, "where nobody knows her"
        for known in (home, office):
            assert isinstance(await said_hello(url, known, name=str(ada.name).upper(), password=SECRET), m.Welcome)
        guesses = [refused(await said_hello(url, home, name=ada.name, password="wrong")) for _ in range(4)]
        assert guesses == [wrong] * 3 + [much], "who guesses there has no more tries either"
        assert isinstance(await said_hello(url, office, name=ada.name, password=SECRET), m.Welcome)


@pytest.mark.parametrize("limits", [Limits(logins_by_name=Quota(2, 600), logins_by_player=Quota(3, 600))])
async def test_who_has_logged_in_is_not_kept_out_by_those_who_guess(node: str) -> None:
    async with Player(node) as ada:
        await registered(ada)
        codes = [refused(await said_hello(node, name=ada.name, password="wrong")) for _ in range(5)]
        assert codes[2:] == [ErrorCode.TOO_MANY] * 3
        for _ in range(3):
            assert refused(await ada.ask(m.Password, old="wrong", new="battery staple")) == ErrorCode.WRONG_PASSWORD
        assert refused(await ada.ask(m.Password, old="wrong", new="battery staple")) == ErrorCode.TOO_MANY, (
            "a thief of the token"
        )


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


@pytest.mark.parametrize("what", ["guests", "accounts", "tables", "logins"])
async def test_a_network_may_try_a_few_times_as_often_as_an_address(valkey: Valkey, what: str) -> None:
    limits = Limits(
        new_guests=Quota(1 if what == "guests" else 9, 600),
        new_accounts=Quota(1, 600),
        tables_by_address=Quota(1, 600),
        logins_by_address=Quota(1, 600),
    )
    block = f"2001:db8:{secrets.randbelow(65536):x}:{secrets.randbelow(256):x}"
    async with inside(valkey.url, limits=limits, behind_proxy=True) as url:

        async def tries(number: int) -> str | None:
            headers = {"X-Forwarded-For": f"{block}{number:02x}::1"}
            if what in ("guests", "logins"):
                hello = {"password": "wrong password"} if what == "logins" else {}
                answer: object = await said_hello(url, headers, name=unique("p"), **hello)
            else:
                async with Player(url, headers=headers) as guest:
                    request = {"password": SECRET} if what == "accounts" else {}
                    answer = await guest.ask(m.Register if what == "accounts" else m.Create, **request)
            return answer.code if isinstance(answer, m.Error) else None

        usual = ErrorCode.WRONG_PASSWORD if what == "logins" else None
        assert await tries(0) == usual
        assert await tries(0) == ErrorCode.TOO_MANY, "an address once"
        assert [await tries(number) for number in range(1, NETWORK_TIMES)] == [usual] * (NETWORK_TIMES - 1)
        assert await tries(NETWORK_TIMES) == ErrorCode.TOO_MANY, "all of them together"
        block = f"2001:db9:{secrets.randbelow(65536):x}:{secrets.randbelow(256):x}"
        assert await tries(0) == usual, "others notice nothing"


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
    async with at_match(node) as (white, _, match):
        storm = [asyncio.create_task(said_hello(node, name=unique("x"), password="wrong")) for _ in range(12)]
        await wait_until(lambda: sum(login.done() for login in storm) == 10)  # and two wait
        assert isinstance(await white.act(m.Auto, match, what="play", on=True), m.Ok)
        gate.set()
        codes = Counter(refused(answer) for answer in await asyncio.gather(*storm))
        assert codes == {ErrorCode.WRONG_PASSWORD: 2, ErrorCode.UNAVAILABLE: 10}
