"""Conversations about who one is: guests, accounts and bots; coming back, and leaving for good."""

from typing import Literal

import pytest
from argon2 import Parameters, PasswordHasher, extract_parameters
from tavla_protocol import messages as m
from tavla_protocol.codes import CloseCode, ErrorCode
from tavla_server.features.accounts import passwords
from tavla_server.store import keys
from tavla_server.store.client import connection_to
from tavla_server.timings import Timings

from tests.support.players.accounts import SECRET, registered, said_hello
from tests.support.players.matches import at_match, new_match
from tests.support.players.plain import Player, close_code, refused, unique
from tests.support.servers.processes import ServerProcess, inside
from tests.support.servers.valkey import Valkey

OTHER = "battery staple"


async def test_a_guest_becomes_an_account_and_keeps_everything(server: ServerProcess) -> None:
    async with at_match(server.url) as (ada, _, match):
        await registered(ada)
        async with Player(server.url, token=ada.token) as again:
            assert (again.id, again.playing) == (ada.id, [match]), "the token stays good"
        welcome = await said_hello(server.url, name=ada.name, password=SECRET)
        assert isinstance(welcome, m.Welcome)
        assert (welcome.player, welcome.kind, welcome.rating, welcome.matches) == (ada.id, "account", 1500.0, [match])
        assert welcome.token != ada.token, "one of its own"


async def test_names_of_accounts_have_no_case(server: ServerProcess) -> None:
    async with Player(server.url, name=unique("Ada")) as ada:
        await registered(ada)
        assert ada.name is not None
        welcome = await said_hello(server.url, name=str(ada.name).upper(), password=SECRET)
        assert isinstance(welcome, m.Welcome)
        assert welcome.name == ada.name, "as it was chosen"
        assert refused(await said_hello(server.url, name=ada.name.upper())) == ErrorCode.NAME_TAKEN


async def test_a_wrong_password_and_an_unknown_name_look_alike(server: ServerProcess) -> None:
    async with Player(server.url) as ada, Player(server.url) as guest:
        await registered(ada)
        answers = [
            await said_hello(server.url, name=name, password="wrong")
            for name in (ada.name, guest.name, unique("nobody"))
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
            assert refused(await said_hello(node, name=name, password="wrong")) == ErrorCode.WRONG_PASSWORD
    known, unknown = hasher.costs
    assert known == unknown


async def test_a_password_is_as_costly_as_owasp_advises(server: ServerProcess) -> None:
    async with Player(server.url) as ada:
        await registered(ada)
        async with connection_to(server.store_url) as redis:
            kept = await redis.fields(keys.PLAYER(ada.id))
    (hash_,) = [value.decode() for value in kept.values() if value.startswith(b"$argon2id$")]
    costs = extract_parameters(hash_)
    assert (costs.memory_cost, costs.time_cost, costs.parallelism) == (19 * 1024, 2, 1)


async def test_a_registration_sent_twice_is_done_once(server: ServerProcess) -> None:
    async with Player(server.url) as ada:
        await registered(ada)
        await registered(ada)
        assert refused(await ada.ask(m.Register, password=OTHER)) == ErrorCode.REGISTERED
        async with Player(server.url, token=ada.token) as again:
            await registered(again)
        assert isinstance(await said_hello(server.url, name=ada.name, password=SECRET), m.Welcome)


@pytest.mark.parametrize("password", ["", "short", "x" * 129])
async def test_a_password_of_the_wrong_length_is_refused(server: ServerProcess, password: str) -> None:
    async with Player(server.url) as ada:
        answer = await ada.get(m.Error, m.Register, password=password)
        assert answer.code == ErrorCode.BAD_MESSAGE
        assert not password or password not in answer.text


async def test_the_same_letters_are_the_same_password_on_every_keyboard(server: ServerProcess) -> None:
    async with Player(server.url) as ada:
        await registered(ada, password="caf\u00e9 au lait")
        assert isinstance(await said_hello(server.url, name=ada.name, password="cafe\u0301 au lait"), m.Welcome)


async def test_another_password_logs_everyone_else_out(server: ServerProcess) -> None:
    async with Player(server.url) as ada:
        await registered(ada)
        async with Player(server.url, hello={"name": ada.name, "password": SECRET}) as elsewhere:
            await elsewhere.sync()
            assert refused(await ada.ask(m.Password, old=OTHER, new=OTHER)) == ErrorCode.WRONG_PASSWORD
            for _ in range(2):
                assert isinstance(await ada.ask(m.Password, old=SECRET, new=OTHER), m.Ok), "twice is once"
            assert await close_code(elsewhere) == CloseCode.LOGGED_OUT
        assert refused(await said_hello(server.url, token=elsewhere.token)) == ErrorCode.BAD_TOKEN
        assert refused(await said_hello(server.url, name=ada.name, password=SECRET)) == ErrorCode.WRONG_PASSWORD
        assert isinstance(await said_hello(server.url, name=ada.name, password=OTHER), m.Welcome)
        assert isinstance(await said_hello(server.url, token=ada.token), m.Welcome), "the one that changed it goes on"


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
        assert refused(await said_hello(server.url, token=ada.token)) == ErrorCode.BAD_TOKEN, (
            "a revoked token stays revoked"
        )
        await elsewhere.sync()
        welcome = await said_hello(server.url, name=ada.name, password=SECRET)
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
            assert refused(await said_hello(server.url, token=player.token)) == ErrorCode.BAD_TOKEN
        assert isinstance(await said_hello(server.url, name=ada.name, password=SECRET), m.Welcome)


async def test_a_guest_who_logs_out_is_forgotten(server: ServerProcess) -> None:
    async with Player(server.url) as guest:
        await guest.ask(m.Logout)
        assert await close_code(guest) == CloseCode.LOGGED_OUT
        assert refused(await said_hello(server.url, token=guest.token)) == ErrorCode.BAD_TOKEN
        welcome = await said_hello(server.url, name=guest.name)
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


async def test_no_secret_is_ever_logged(server: ServerProcess) -> None:
    async with Player(server.url) as ada:
        await registered(ada)
        await ada.ask(m.Password, old="not the old one", new=OTHER)
        answer = await said_hello(server.url, name=ada.name, password="guess " * 30)
        assert "guess" not in str(answer)
        assert ada.token is not None
    for line in server.lines:
        assert not any(secret in line for secret in (SECRET, OTHER, "not the old one", "guess", ada.token))
