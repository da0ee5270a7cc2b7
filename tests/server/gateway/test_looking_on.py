"""Clients without a name: they look at lists and watch matches, and get an identity when they sit down."""

import pytest
from tavla_protocol import messages as m
from tavla_protocol.codes import ErrorCode
from websockets.exceptions import ConnectionClosed

from tests.support.players.matches import at_match
from tests.support.players.plain import Player, refused, unique, within
from tests.support.servers.processes import ServerProcess, inside, redis_at
from tests.support.servers.valkey import Valkey


async def onlooker(url: str) -> Player:
    """A connection that looks on."""
    nobody = Player(url)
    await nobody.connect()
    welcome = await nobody.get(m.Welcome, m.Hello, watch=True)
    assert (welcome.player, welcome.name, welcome.token) == ("", "", "")
    return nobody


async def test_who_looks_on_watches_a_match_and_is_counted_without_a_name(server: ServerProcess) -> None:
    async with at_match(server.url) as (white, _, match):
        nobody = await onlooker(server.url)
        snapshot = await nobody.get(m.Snapshot, m.Attach, table=match)
        assert snapshot.seat is None
        watchers = await white.next(m.Watchers)
        assert (watchers.names, watchers.count) == ([], 1)
        assert refused(await nobody.ask(m.Roll, match=match, seq=snapshot.seq)) == ErrorCode.NOT_SEATED
        await nobody.close()


FORBIDDEN = [
    (m.Create, {}),
    (m.Join, {"table": "sofa"}),
    (m.Seek, {}),
    (m.Challenge, {"player": "bob"}),
    (m.Say, {"match": "m", "to": "watchers", "text": "hi"}),
    (m.Chat, {"text": "hi"}),
    (m.List, {"what": "mine"}),
    (m.History, {}),
    (m.Register, {"password": "long enough"}),
    (m.Logout, {}),
    (m.Available, {"places": 1}),
    (m.Ignore, {"player": "bob"}),
    (m.Follow, {"player": "bob"}),
    (m.Friends, {"notices": True}),
]


@pytest.mark.parametrize(("request_", "fields"), FORBIDDEN, ids=lambda value: getattr(value, "__name__", ""))
async def test_who_looks_on_may_do_nothing_else(
    server: ServerProcess, request_: type[m.RequestBase], fields: dict[str, str]
) -> None:
    nobody = await onlooker(server.url)
    assert refused(await nobody.ask(request_, **fields)) == ErrorCode.HELLO_FIRST
    assert isinstance(await nobody.ask(m.List, what="people"), m.Listing)
    await nobody.close()


async def test_private_matches_are_not_shown_to_those_who_look_on(server: ServerProcess) -> None:
    async with Player(server.url) as ada:
        snapshot = await ada.get(m.Snapshot, m.Create, private=True)
        nobody = await onlooker(server.url)
        assert refused(await nobody.ask(m.Attach, table=snapshot.match)) == ErrorCode.PRIVATE
        assert isinstance(await nobody.ask(m.Attach, table=snapshot.match, code=snapshot.view["code"]), m.Snapshot)
        await nobody.close()


async def test_who_says_a_name_after_all_sits_down_on_the_same_connection(server: ServerProcess) -> None:
    async with Player(server.url) as ada:
        table = await ada.get(m.Snapshot, m.Create)
        nobody = await onlooker(server.url)
        assert isinstance(await nobody.ask(m.Attach, table=table.match), m.Snapshot)
        welcome = await nobody.get(m.Welcome, m.Hello, name=unique("p"))
        assert welcome.token
        snapshot = await nobody.get(m.Snapshot, m.Join, table=table.match)
        assert snapshot.seat is not None
        assert refused(await nobody.ask(m.Hello, watch=True)) == ErrorCode.HELLO_FIRST
        await nobody.close()


async def test_looking_on_makes_nobody(own_valkey: Valkey) -> None:
    """A page that is looked at leaves nothing in the store: no guest, no token, no row among the people online."""

    def kept() -> set[str]:
        keys = map(str, redis_at(own_valkey.url).keys("*"))
        return {key for key in keys if "player" in key or "token" in key}

    async with inside(own_valkey.url) as url:
        before = kept()
        nobody = await onlooker(url)
        people = await nobody.get(m.Listing, m.List, what="people")
        assert people.total == 0
        await nobody.close()
        async with Player(url) as ada:
            await ada.sync()
            assert kept() > before, "a player leaves traces, so that their absence says something"
        nobody = await onlooker(url)
        again = kept()
        await nobody.ask(m.List, what="tables")
        await nobody.close()
        assert kept() == again


async def test_a_ping_is_answered(server: ServerProcess) -> None:
    nobody = await onlooker(server.url)
    assert isinstance(await nobody.ask(m.Ping), m.Ok)
    await nobody.close()
    async with Player(server.url) as ada:
        assert isinstance(await ada.ask(m.Ping), m.Ok)


@pytest.mark.parametrize("code", [1000, 1001])
async def test_however_one_leaves_there_is_a_minute_to_come_back(server: ServerProcess, code: int) -> None:
    async with at_match(server.url, rules={"length": 1, "clock": "slow"}) as (white, black, _):
        await within(black.socket.close(code))
        with pytest.raises(ConnectionClosed):
            await black.sync()
        gone = await white.next(m.Presence)
        assert (gone.seat, gone.online, gone.claim_after) == (1, False, 60)
