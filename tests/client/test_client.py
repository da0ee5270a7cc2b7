"""A client finds its way back: after a lost connection, a restart, a server that is full or silent."""

import asyncio
import random
from typing import Any

import pytest
from tavla_client import Client, ConnectionFailed, Refused
from tavla_client.channel import UNAVAILABLE_RETRY_S, UNAVAILABLE_TRIES
from tavla_engine.dice import commitment
from tavla_protocol import messages as m

from tests.support.players.plain import within
from tests.support.servers.scripted import (
    MATCH,
    TOKEN,
    VIEW,
    ScriptedServer,
    Waits,
    attached,
    connected,
    scripted,
    snapshot,
)

# --- the first connection ---


async def test_the_token_is_handed_over_once_and_used_from_then_on(scripted_server: ScriptedServer) -> None:
    tokens: list[str] = []
    async with Client(scripted_server.url, name="ada", on_token=tokens.append, sleep=Waits()) as client:
        first = await scripted_server.accept()
        first.cut()
        second = await scripted_server.accept()
        assert (first.hello.name, first.hello.token) == ("ada", None)
        assert (second.hello.name, second.hello.token) == (None, TOKEN)
        assert (client.me.name, client.me.player, client.me.matches) == ("ada", "p1", [MATCH])
    assert tokens == [TOKEN]


# --- requests ---


class Highest(random.Random):
    """Chance that always gives the highest number."""

    def randrange(self, start: int, stop: int | None = None, step: int = 1) -> int:
        return (start if stop is None else stop) - 1


async def test_ids_never_repeat_and_are_exact_in_any_language(scripted_server: ScriptedServer) -> None:
    async with Client(scripted_server.url, name="ada", rng=Highest()) as client:
        connection = await scripted_server.accept()
        ids = [connection.hello.id]
        for _ in range(100):
            request, _ = await connection.answer(
                client.lobby.tables(), m.List, m.Listing, what="tables", total=0, rows={}
            )
            ids.append(request.id)
        assert ids == sorted(set(ids))
        assert ids[0] >= 2**52
        assert max(ids) < 2**53 - 2**51, "and a client has many left"


async def test_create_join_and_tables(scripted_server: ScriptedServer) -> None:
    async with connected(scripted_server) as (client, connection):
        creating = asyncio.create_task(client.create("cup", {"preset": "money", "beavers": 2}, "white"))
        create = await connection.expect(m.Create)
        assert (create.name, create.rules, create.side) == ("cup", {"preset": "money", "beavers": 2}, "white")
        assert len(create.commitment) == 64, "our own share in the dice"
        await connection.send(snapshot(create.id))
        match = await within(creating)
        assert (match.id, match.seat, match.view) == (MATCH, 0, VIEW)

        joining = asyncio.create_task(client.join("cup", seed="0a" * 32))
        join = await connection.expect(m.Join)
        assert (join.table, join.commitment) == ("cup", commitment(bytes.fromhex("0a" * 32)))
        await connection.send(m.Error(id=join.id, code="table_full", text="this table has no free seat"))
        with pytest.raises(Refused, match="no free seat"):
            await within(joining)

        rows = {MATCH: {"name": "cup", "players": ["ada", None]}}
        answer = await connection.answer(client.lobby.tables(), m.List, m.Listing, what="tables", total=1, rows=rows)
        assert answer[1] == {MATCH: m.Table(name="cup", players=("ada", None))}


async def test_a_moderator_is_told_of_a_player(scripted_server: ScriptedServer) -> None:
    async with connected(scripted_server) as (client, connection):
        facts: dict[str, Any] = {"name": "bob", "kind": "guest", "role": "moderator"}
        asked, told = await connection.answer(client.moderation.inspect("bob"), m.Inspect, m.Inspected, **facts)
        assert asked.player == "bob"
        assert told == m.Inspected(id=asked.id, **facts)


async def test_a_store_that_is_away_is_waited_for(scripted_server: ScriptedServer) -> None:
    waits = Waits()
    async with connected(scripted_server, waits) as (client, connection):
        match = await attached(client, connection)
        rolling = asyncio.create_task(match.roll())
        ids = set()
        for _ in range(UNAVAILABLE_TRIES - 1):
            roll = await connection.expect(m.Roll)
            ids.add(roll.id)
            await connection.send(m.Error(id=roll.id, code="unavailable", text="try again", seq=5))
        roll = await connection.expect(m.Roll)
        assert ids == {roll.id}, "it may have been stored after all: the same action again"
        await connection.send(m.Error(id=roll.id, code="unavailable", text="try again", seq=5))
        with pytest.raises(Refused, match="try again"):
            await within(rolling)
    assert len(waits.seconds) == UNAVAILABLE_TRIES - 1
    assert 0.5 * UNAVAILABLE_RETRY_S <= min(waits.seconds) < max(waits.seconds) <= 1.5 * UNAVAILABLE_RETRY_S


async def test_what_is_asked_of_a_closed_client_is_refused_at_once(scripted_server: ScriptedServer) -> None:
    async with connected(scripted_server) as (client, connection):
        match = await attached(client, connection)
        waiting = asyncio.create_task(match.roll())
        await connection.expect(m.Roll)
    with pytest.raises(ConnectionFailed, match="closed"):
        await within(waiting)
    with pytest.raises(ConnectionFailed, match="closed"):
        await within(client.lobby.tables())
    with pytest.raises(ConnectionFailed, match="closed"):
        await within(match.next_change())


async def test_who_is_cancelled_while_a_client_closes_is_not_held_back() -> None:
    async with scripted() as server:
        client = Client(server.url)
        await client.connect()
        closing = asyncio.create_task(client.close())
        await asyncio.sleep(0)
        closing.cancel()
        with pytest.raises(asyncio.CancelledError):
            await closing
        await client.close()
