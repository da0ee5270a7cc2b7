"""A client finds its way back after a lost connection, and waits in between."""

import asyncio
import random
from collections.abc import Iterator

import pytest
from msgspec.structs import replace
from tavla_client import Client, Link, Refused
from tavla_client import connection as limits
from tavla_client.connection import LEAST_RETRY_S, MAX_RETRY_S, QUICK, QUICK_RETRY_S, retry_delay
from tavla_protocol import messages as m
from tavla_protocol.view import checksum

from tests.support.players.plain import within
from tests.support.servers.scripted import (
    MATCH,
    TOKEN,
    VIEW,
    ScriptedServer,
    Waits,
    attached,
    change,
    connected,
    snapshot,
)


async def test_a_cut_connection_is_taken_up_where_it_was(scripted_server: ScriptedServer) -> None:
    async with connected(scripted_server) as (client, connection):
        match = await attached(client, connection)
        changes = match.changes()
        await within(anext(changes))
        connection.cut()
        connection = await scripted_server.accept()
        request = await connection.expect(m.Attach)
        assert (request.table, request.epoch, request.seq, request.checksum) == (MATCH, 1, 5, checksum(VIEW))
        first, diff_1 = change(VIEW, phase="move", dice=(5, 3), rolls=2)
        second, diff_2 = change(first, phase="roll", dice=(), turn=1)
        await connection.send(m.Ok(id=request.id, seq=7))
        await connection.update(6, diff_1)
        await connection.update(7, diff_2)
        assert [(await within(anext(changes))).view for _ in range(2)] == [first, second]


async def test_what_was_not_answered_is_asked_again_under_the_same_id(scripted_server: ScriptedServer) -> None:
    async with connected(scripted_server) as (client, connection):
        match = await attached(client, connection)
        rolling = asyncio.create_task(match.roll())
        lost = await connection.expect(m.Roll)
        connection.cut()
        connection = await scripted_server.accept()
        attach = await connection.expect(m.Attach)
        again = await connection.expect(m.Roll)
        assert again == lost, "the server knows the action by its id, and acts once"
        await connection.send(m.Ok(id=attach.id, seq=6))
        await connection.update(6, [3, "move", 5, (5, 3)])
        await connection.send(m.Ok(id=again.id, seq=6))
        await within(rolling)
        assert match.view.dice == (5, 3)
        assert await connection.silent()


async def test_what_nobody_waits_for_any_more_is_not_asked_again(scripted_server: ScriptedServer) -> None:
    async with connected(scripted_server) as (client, connection):
        match = await attached(client, connection)
        rolling = asyncio.create_task(match.roll())
        await connection.expect(m.Roll)
        rolling.cancel()
        await asyncio.wait([rolling])
        connection.cut()
        connection = await scripted_server.accept()
        await connection.expect(m.Attach)
        assert await connection.silent()


async def test_what_a_bot_says_of_itself_is_said_on_each_connection(scripted_server: ScriptedServer) -> None:
    async with connected(scripted_server) as (client, connection):
        saying = client.lobby.available(3, "good", {"variant": ("standard",)})
        offer, _ = await connection.answer(saying, m.Available, m.Ok)
        assert (offer.places, offer.level, offer.rules) == (3, "good", {"variant": ["standard"]})
        connection.cut()
        again = await (await scripted_server.accept()).expect(m.Available)
        assert again == replace(offer, id=again.id)
        assert again.id != offer.id


async def test_a_request_made_while_offline_goes_out_when_the_server_is_back(scripted_server: ScriptedServer) -> None:
    waits = Waits()
    async with connected(scripted_server, waits) as (client, connection):
        match = await attached(client, connection)
        waits.gate.clear()
        connection.cut()
        while client.link.online:  # noqa: ASYNC110 - until the client has noticed
            await asyncio.sleep(0.001)
        asking = (match.roll(), client.archive.top(), client.lobby.tables())
        tasks = [asyncio.create_task(request) for request in asking]
        await asyncio.sleep(0)
        tasks.pop(1).cancel()
        await asyncio.sleep(0)
        waits.gate.set()
        connection = await scripted_server.accept()
        await connection.expect(m.Attach)
        await connection.expect(m.Roll)
        await connection.expect(m.List)  # and no caller waits for the leaders
        for task in tasks:
            task.cancel()


async def test_a_resent_action_that_is_stale_is_refused(scripted_server: ScriptedServer) -> None:
    async with connected(scripted_server) as (client, connection):
        match = await attached(client, connection)
        rolling = asyncio.create_task(match.roll())
        await connection.expect(m.Roll)
        connection.cut()
        connection = await scripted_server.accept()
        attach = await connection.expect(m.Attach)
        roll = await connection.expect(m.Roll)
        await connection.send(m.Ok(id=attach.id, seq=6))
        await connection.update(6, [3, "move", 5, (5, 3)])
        await connection.send(m.Error(id=roll.id, code="stale", text="look again", seq=6))
        with pytest.raises(Refused, match="look again"):
            await within(rolling)
        assert await connection.silent()


async def test_a_match_that_is_gone_ends_and_the_others_go_on(scripted_server: ScriptedServer) -> None:
    async with connected(scripted_server) as (client, connection):
        match = await attached(client, connection)
        connection.cut()
        connection = await scripted_server.accept()
        attach = await connection.expect(m.Attach)
        await connection.send(m.Error(id=attach.id, code="no_such_match", text="there is no match m1"))
        with pytest.raises(Refused, match="there is no match m1"):
            await within(match.next_change())
        answer = await connection.answer(client.lobby.tables(), m.List, m.Listing, what="tables", total=0, rows={})
        assert answer[1] == {}


async def test_a_match_is_not_given_up_while_the_servers_store_is_away(scripted_server: ScriptedServer) -> None:
    async with connected(scripted_server) as (client, connection):
        match = await attached(client, connection)
        for _ in range(3):
            connection.cut()
            connection = await scripted_server.accept()
            attach = await connection.expect(m.Attach)
            await connection.send(m.Error(id=attach.id, code="unavailable", text="try again in a moment"))
            connection = await scripted_server.accept()
            attach = await connection.expect(m.Attach)
        await connection.send(m.Ok(id=attach.id, seq=5))
        await connection.update(6, [8, 7])
        while match.seq < 6:
            await within(match.next_change())


async def test_a_replaced_player_learns_from_a_snapshot_whose_seat_it_is(scripted_server: ScriptedServer) -> None:
    async with connected(scripted_server) as (client, connection):
        match = await attached(client, connection)
        await connection.send(m.Replaced(match=MATCH))
        await within(match.next_change())
        connection.cut()
        connection = await scripted_server.accept()
        attach = await connection.expect(m.Attach)
        assert (attach.epoch, attach.seq) == (0, 0)
        await connection.send(snapshot(attach.id))
        await within(match.next_change())
        assert match.seat == 0


async def test_a_token_that_is_not_known_any_more_ends_everything_with_its_reason(
    scripted_server: ScriptedServer,
) -> None:
    async with connected(scripted_server) as (client, connection):
        match = await attached(client, connection)
        scripted_server.answer_hello = lambda hello: m.Error(
            id=hello.id, code="bad_token", text="say hello with a name"
        )
        connection.cut()
        with pytest.raises(Refused, match="say hello with a name"):
            await within(match.next_change())
        with pytest.raises(Refused, match="say hello with a name"):
            await within(client.lobby.tables())


async def test_a_frame_that_is_not_msgpack_is_a_reason_to_connect_again(scripted_server: ScriptedServer) -> None:
    async with connected(scripted_server) as (client, connection):
        await attached(client, connection)
        await connection.socket.send(b"\xc1")
        assert (await (await scripted_server.accept()).expect(m.Attach)).table == MATCH


async def test_a_connection_that_dies_silently_is_noticed(
    scripted_server: ScriptedServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert limits.PING_INTERVAL_S + limits.PING_TIMEOUT_S + limits.CLOSE_TIMEOUT_S < 3
    for name in ("PING_INTERVAL_S", "PING_TIMEOUT_S", "CLOSE_TIMEOUT_S"):
        monkeypatch.setattr(limits, name, 0.05)
    async with connected(scripted_server) as (_, connection):
        connection.socket.transport.pause_reading()
        assert (await scripted_server.accept()).hello.token == TOKEN


async def test_the_link_tells_of_every_attempt_and_the_servers_own_words(scripted_server: ScriptedServer) -> None:
    told: asyncio.Queue[Link] = asyncio.Queue()
    waits = Waits()
    async with Client(
        scripted_server.url, name="ada", on_link=told.put_nowait, rng=random.Random(1), sleep=waits
    ) as client:
        connection = await scripted_server.accept()
        assert client.link.online
        refusals = iter(["unavailable", "unavailable", "bad_message"])

        def busy(hello: m.Hello) -> m.Message:
            if code := next(refusals, None):
                return m.Error(id=hello.id, code=code, text="not now")
            return m.Welcome(id=hello.id, player="p1", name="ada", token=TOKEN)

        scripted_server.answer_hello = busy
        await connection.send(m.Closing(text="the server restarts", retry_after=3.0))
        await connection.socket.close(1012)
        links = [await within(told.get()) for _ in range(6)]
    assert [link.online for link in links] == [True, False, False, False, False, True]
    assert [link.reason for link in links[1:5]] == ["the server restarts", "not now", "not now", "not now"]
    assert [link.retry_s for link in links[1:5]] == waits.seconds
    assert 3.0 <= waits.seconds[0] <= 3.0 + QUICK_RETRY_S
    assert all(wait < 3.0 for wait in waits.seconds[1:]), "asked for once"


class Most(random.Random):
    """Chance that always gives the most."""

    def uniform(self, a: float, b: float) -> float:
        return b


def _delays() -> Iterator[tuple[int, float, float]]:
    yield from [(0, 0, QUICK_RETRY_S), (1, 0, QUICK_RETRY_S), (QUICK, 0, QUICK_RETRY_S)]
    yield from [(QUICK + 1, 0, 2 * QUICK_RETRY_S), (QUICK + 2, 0, 4 * QUICK_RETRY_S)]
    yield from [(50, 0, MAX_RETRY_S), (10**6, 0, MAX_RETRY_S), (0, 5, 5 + QUICK_RETRY_S), (0, -5, QUICK_RETRY_S)]
    yield from [(0, 1e9, 300 + QUICK_RETRY_S)]


@pytest.mark.parametrize(("attempt", "retry_after", "most"), list(_delays()))
def test_waits_are_short_at_first_then_double_up_to_a_limit(attempt: int, retry_after: float, most: float) -> None:
    assert retry_delay(attempt, retry_after, Most()) == most
    delays = [retry_delay(attempt, retry_after, random.Random(seed)) for seed in range(200)]
    assert min(delays) < most - 0.9 * min(most, MAX_RETRY_S, QUICK_RETRY_S - LEAST_RETRY_S)
    assert max(delays) <= most


async def test_a_server_that_drops_every_connection_at_once_is_asked_ever_more_rarely(
    scripted_server: ScriptedServer,
) -> None:
    waits = Waits()
    async with Client(scripted_server.url, name="ada", rng=Most(), sleep=waits):
        for _ in range(QUICK + 3):
            (await scripted_server.accept()).cut()
        await scripted_server.accept()
    assert waits.seconds == [QUICK_RETRY_S] * (QUICK + 1) + [2 * QUICK_RETRY_S, 4 * QUICK_RETRY_S]
