"""Rules and opponents other than those that a player was shown, or has asked for: the seed is kept back."""

import asyncio
from typing import Any

import pytest
from msgspec.structs import replace
from tavla_client import Client, Match
from tavla_engine.rules import Rules
from tavla_protocol import messages as m
from tavla_protocol.view import View

from tests.support.games.agreed import committed, revealed
from tests.support.games.records import SEEDS
from tests.support.players.plain import within
from tests.support.servers.scripted import MATCH, Connection, connected, scripted, snapshot
from tests.support.wire.match_views import V

RULES: dict[str, Any] = {**Rules._field_defaults, "length": 3}
WAITS = revealed(replace(V, phase="reveal", game=0, rolls=0, rules=RULES, unrevealed=(0, 1)), bytes(32), SEEDS)
BEFORE = replace(WAITS, phase="over", game=1, outcome=(0, 1, 1, "forfeit"), unrevealed=())


def offered(asked: Any, **changes: Any) -> View:
    """The match of a request, in which we play white against bob."""
    view = replace(WAITS, seeds=("", ""), commitments=(asked.commitment, committed("0c" * 32)))
    return replace(view, **changes)


async def at_a_listed_table(connection: Connection, client: Client) -> tuple["asyncio.Task[Match]", m.Join]:
    following = asyncio.create_task(client.lobby.lists("tables").__aenter__())
    asked = await connection.expect(m.Subscribe)
    rows = {"m7": {"name": "sofa", "players": ("bob", None), "rules": {"length": 3}}}
    await connection.send(m.Listing(id=asked.id, what="tables", seq=1, total=1, rows=rows))
    await within(following)
    joining = asyncio.create_task(client.join("sofa"))
    return joining, await connection.expect(m.Join)


async def watched(connection: Connection, client: Client) -> tuple["asyncio.Task[Match]", m.Join]:
    attaching = asyncio.create_task(client.attach(MATCH))
    attach = await connection.expect(m.Attach)
    await connection.send(snapshot(attach.id, View(rules=RULES, players=(None, "bob")), seat=None))
    await within(attaching)
    joining = asyncio.create_task(client.join(MATCH, code="abcd2345"))
    return joining, await connection.expect(m.Join)


async def again(connection: Connection, client: Client) -> tuple["asyncio.Task[Match]", m.Rematch]:
    attaching = asyncio.create_task(client.attach("m0"))
    attach = await connection.expect(m.Attach)
    await connection.send(replace(snapshot(attach.id, BEFORE), match="m0"))
    await within(attaching)
    asking = asyncio.create_task(client.challenges.rematch("m0"))
    return asking, await connection.expect(m.Rematch)


async def in_a_tournament(connection: Connection, client: Client) -> tuple["asyncio.Task[Match]", m.EnterTournament]:
    entering = asyncio.create_task(client.tournaments.enter("cup"))
    listed = await connection.expect(m.List)
    row = {"name": "cup", "rules": {"length": 3}, "starts": 1, "ends": 2, "by": "eve"}
    await connection.send(m.Listing(id=listed.id, what="tournament", seq=1, total=1, rows={"cup": row}))
    entry = await connection.expect(m.EnterTournament)
    await connection.send(m.Ok(id=entry.id), m.Matched(match=MATCH, seek=entry.id))
    return entering, entry


WAYS = [at_a_listed_table, watched, again, in_a_tournament]


@pytest.mark.parametrize("way", WAYS)
async def test_the_rules_that_were_shown_are_those_of_the_match(way: Any) -> None:
    for length, words in ((3, ""), (5, "you asked for length 3, and the server offers length 5")):
        async with scripted() as server, connected(server) as (client, connection):
            waiting, asked = await way(connection, client)
            id_ = None if way is in_a_tournament else asked.id
            await connection.send(snapshot(id_, offered(asked, rules={**RULES, "length": length})))
            if words:
                match = await within(waiting)
                assert match.dice.fault == words
                assert match.offers_other_terms
                assert await connection.silent()
            else:
                assert await connection.expect(m.Reveal)
                waiting.cancel()


@pytest.mark.parametrize("way", [again, "challenge", "accept"])
async def test_the_opponent_is_the_one_who_was_asked(way: Any) -> None:
    for name, words in (("BOB", ""), ("eve", "you asked for a match with bob, and the server offers one with eve")):
        async with scripted() as server, connected(server) as (client, connection):
            if way == "challenge":
                waiting = asyncio.create_task(client.challenges.send("bob", {"length": 3}))
                asked: Any = await connection.expect(m.Challenge)
            elif way == "accept":
                told = m.Challenged(challenge=MATCH, by="bob", to="ada", rules={"length": 3}, seat=1, expires=60)
                await connection.send(told)
                while MATCH not in client.challenges.open:  # noqa: ASYNC110 - no event tells
                    await asyncio.sleep(0)
                waiting = asyncio.create_task(client.challenges.accept(MATCH))
                asked = await connection.expect(m.Answer)
            else:
                waiting, asked = await way(connection, client)
            await connection.send(snapshot(asked.id, offered(asked, players=("ada", name))))
            match = await within(waiting)
            assert match.dice.fault == words
            if words:
                assert await connection.silent()
            else:
                assert await connection.expect(m.Reveal)


SILENT = {"phase": "over", "unrevealed": ()}
CLOSED: list[tuple[dict[str, Any], bool, str]] = [  # what is shown, whether our seed was taken, why this row is here
    ({**SILENT, "seeds": ("0a" * 32, "0c" * 32)}, False, "all seeds are shown"),
    (SILENT, True, "ours was taken, and nobody is named"),
]


@pytest.mark.parametrize(("changes", "is_taken", "why"), CLOSED)
async def test_a_match_that_is_closed_when_our_seed_is_known_is_a_fault(
    changes: dict[str, Any], is_taken: bool, why: str
) -> None:
    async with scripted() as server, connected(server) as (client, connection):
        joining = asyncio.create_task(client.join("sofa", seed="0a" * 32))
        asked = await connection.expect(m.Join)
        await connection.send(snapshot(asked.id, offered(asked)))
        match, reveal = await within(joining), await connection.expect(m.Reveal)
        if is_taken:
            await connection.send(m.Ok(id=reveal.id, seq=6))
        await connection.send(snapshot(None, offered(asked, **changes), seq=6))
        async for _ in match.changes():
            pass
        assert match.dice.fault.startswith("the server has closed the match when it could know all seeds"), why


async def test_a_match_that_is_ruled_void_or_put_back_or_closed_before_our_seed_came_is_none() -> None:
    for changes in ({"outcome": (None, 0, 0, "voided")}, {"outcome": (None, 0, 0, "put_back")}, {}):
        async with scripted() as server, connected(server) as (client, connection):
            joining = asyncio.create_task(client.join("sofa"))
            asked = await connection.expect(m.Join)
            await connection.send(snapshot(asked.id, offered(asked, **SILENT, **changes)))
            match = await within(joining)
            assert match.dice.fault == ""
