"""Lists that a client follows: what they show, also after a lost connection or lost changes."""

import asyncio
from typing import Any

import pytest
from msgspec.structs import replace
from tavla_client import Client, ConnectionFailed, Lists, Refused
from tavla_protocol import messages as m

from tests.support.players.clients import clients, until
from tests.support.players.plain import unique, within
from tests.support.servers.processes import ServerProcess
from tests.support.servers.scripted import Connection, ScriptedServer, Waits
from tests.support.wire.proxy import Proxy

ADA = {"kind": "account", "rating": 1500}


# --- a real server ---


async def test_tables_matches_and_people_come_and_go(server: ServerProcess) -> None:
    async with clients(server.url, "a", "b") as (ada, bob), bob.lobby.lists("tables", "matches", "people") as lists:
        assert lists.total.keys() == lists.rows.keys() == {"tables", "matches", "people"}
        match = await ada.create(unique("t"), {"length": 3}, "white")
        await until(lists, lambda: match.id in lists.rows["tables"])
        table = lists.rows["tables"][match.id]
        assert (table.name, table.players, table.rules) == (match.view.name, (ada.me.name, None), {"length": 3})
        await until(lists, lambda: ada.me.name in lists.rows["people"])
        await bob.join(match.id)
        await until(lists, lambda: match.id in lists.rows["matches"])
        await until(lists, lambda: match.id not in lists.rows["tables"])
        assert lists.rows["matches"][match.id].players == (ada.me.name, bob.me.name)


async def test_what_is_said_in_the_lobby_is_read_by_who_follows_it(server: ServerProcess) -> None:
    async with Client(server.url, name=unique("a")) as ada, Client(server.url, name=unique("b")) as bob:
        text = unique("who plays to 5?")
        with pytest.raises(Refused, match="subscribe"):
            await ada.lobby.chat(text)
        async with ada.lobby.lists("chat"), bob.lobby.lists("chat") as lists:
            await ada.lobby.chat(text)
            await until(lists, lambda: text in [line.text for line in lists.rows["chat"].values()])
            await ada.lobby.chat(phrase="hello")
            key = next(key for key, line in lists.rows["chat"].items() if line.text == text)
            later = m.Line(name=ada.me.name or "", text="Hello!", phrase="hello")
            await until(lists, lambda: later in [replace(line, since=0) for line in lists.rows["chat"].values()])
            last = max(lists.rows["chat"], key=int)
            assert int(last) > int(key), "in the order in which it was said"


async def test_lists_are_right_again_after_a_lost_connection(server: ServerProcess) -> None:
    async with (
        Proxy.to_port(server.port) as proxy,
        Client(server.url, name=unique("a")) as ada,
        Client(f"ws://127.0.0.1:{proxy.port}", name=unique("b")) as bob,
        bob.lobby.lists("tables") as lists,
    ):
        gone = await ada.create(unique("t"))
        await until(lists, lambda: gone.id in lists.rows["tables"])
        proxy.reset()
        await gone.cancel()
        new = await ada.create(unique("t"))
        await until(lists, lambda: new.id in lists.rows["tables"] and gone.id not in lists.rows["tables"])
        await new.cancel()
        await until(lists, lambda: new.id not in lists.rows["tables"])
        assert proxy.connections >= 2


async def test_two_may_follow_a_list_with_one_client(server: ServerProcess) -> None:
    async with Client(server.url, name=unique("a")) as ada, ada.lobby.lists("tables", "people") as lists:
        async with ada.lobby.lists("tables") as others:
            assert others.rows.keys() == {"tables"}
        match = await ada.create(unique("t"))
        await until(lists, lambda: match.id in lists.rows["tables"])
        await match.cancel()


# --- a scripted one ---


async def followed(client: Client, connection: Connection) -> Lists:
    """A list of people with ada in it, at version 5."""
    lists = client.lobby.lists("people")
    entering = asyncio.create_task(lists.__aenter__())
    await listed(connection, seq=5, ada=ADA)
    return await within(entering)


async def listed(connection: Connection, seq: int, **rows: dict[str, Any]) -> None:
    """The client subscribes, and gets a listing."""
    request = await connection.expect(m.Subscribe)
    assert request.what == "people"
    await connection.send(m.Listing(id=request.id, what="people", seq=seq, total=len(rows), rows=rows))


def changes(seq: int, *gone: str, **rows: dict[str, Any]) -> m.Changes:
    """Changes of the list of people."""
    return m.Changes(what="people", seq=seq, total=7, set=rows, gone=list(gone))


async def test_missing_changes_lead_to_a_new_listing(scripted_server: ScriptedServer) -> None:
    async with Client(scripted_server.url, name="ada", sleep=Waits()) as client:
        connection = await scripted_server.accept()
        lists = await followed(client, connection)
        await connection.send(changes(6, bob={}), changes(6, "bob"), changes(8, "ada"), changes(9, "bob"))
        await listed(connection, seq=9, eve={})
        await until(lists, lambda: lists.rows["people"].keys() == {"eve"})
        await connection.send(changes(10, "eve", ada=ADA))
        await until(lists, lambda: lists.rows["people"] == {"ada": m.Person(kind="account", rating=1500)})
        assert lists.total == {"people": 7}
        assert await connection.silent(), "asked for once"


async def test_a_listing_that_comes_unasked_is_taken(scripted_server: ScriptedServer) -> None:
    async with Client(scripted_server.url, name="ada", sleep=Waits()) as client:
        connection = await scripted_server.accept()
        lists = await followed(client, connection)
        await connection.send(m.Listing(what="people", seq=9, total=7, rows={"eve": {}}), changes(10, bob={}))
        await until(lists, lambda: lists.rows["people"].keys() == {"eve", "bob"})
        assert await connection.silent(), "nothing is missing"


async def test_a_row_that_cannot_be_read_is_left_out(scripted_server: ScriptedServer) -> None:
    async with Client(scripted_server.url, name="ada", sleep=Waits()) as client:
        connection = await scripted_server.accept()
        lists = await followed(client, connection)
        await connection.send(changes(6, bob={"rating": "high"}, eve={"mood": "good"}))
        await until(lists, lambda: lists.rows["people"].keys() == {"ada", "eve"})


async def test_who_follows_is_told_when_the_client_is_closed(scripted_server: ScriptedServer) -> None:
    async with Client(scripted_server.url, name="ada", sleep=Waits()) as client:
        lists = await followed(client, await scripted_server.accept())
        waiting = asyncio.create_task(lists.wait_for_change())
    with pytest.raises(ConnectionFailed, match="closed"):
        await within(waiting)
    await within(lists.__aexit__(None, None, None))
