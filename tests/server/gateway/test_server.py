"""Conversations at the door: who may say what, and what is answered."""

import pytest
from tavla_protocol import messages as m
from tavla_protocol.codes import ErrorCode

from tests.support.players.plain import Player, refused, unique
from tests.support.servers.processes import ServerProcess

# --- hello ---


async def test_a_guest_gets_a_token_and_comes_back_with_it(server: ServerProcess) -> None:
    async with Player(server.url) as guest:
        first = guest.id
        await guest.sync()
    async with Player(server.url, token=guest.token) as again:
        assert (again.id, again.name, again.token) == (first, guest.name, guest.token)


async def test_a_name_in_use_is_refused_without_regard_to_case(server: ServerProcess) -> None:
    async with Player(server.url) as ada, Player(server.url) as other:
        assert ada.name is not None
        newcomer = Player(server.url)
        await newcomer.connect()
        assert refused(await newcomer.ask(m.Hello, name=ada.name.upper())) == ErrorCode.NAME_TAKEN
        welcome = await newcomer.ask(m.Hello, name=unique("p"))
        assert isinstance(welcome, m.Welcome), "after a refusal another name may be tried"
        assert len({ada.id, other.id, welcome.player}) == 3
        await newcomer.close()


@pytest.mark.parametrize(
    ("fields", "code"), [({}, ErrorCode.BAD_MESSAGE), ({"token": "nobody-has-this"}, ErrorCode.BAD_TOKEN)]
)
async def test_a_hello_that_says_nothing_known_is_refused(
    server: ServerProcess, fields: dict[str, str], code: ErrorCode
) -> None:
    stranger = Player(server.url)
    await stranger.connect()
    assert refused(await stranger.ask(m.Hello, **fields)) == code
    await stranger.close()


async def test_everything_else_waits_for_hello(server: ServerProcess) -> None:
    stranger = Player(server.url)
    await stranger.connect()
    assert refused(await stranger.ask(m.List)) == ErrorCode.HELLO_FIRST
    assert refused(await stranger.ask(m.Roll, match="abc", seq=1)) == ErrorCode.HELLO_FIRST
    await stranger.close()


async def test_a_second_hello_is_refused_and_changes_nothing(server: ServerProcess) -> None:
    async with Player(server.url) as ada:
        assert refused(await ada.ask(m.Hello, name=unique("p"))) == ErrorCode.HELLO_FIRST
        assert isinstance(await ada.ask(m.List), m.Listing)
