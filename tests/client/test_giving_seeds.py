"""Seeds for the dice that the client library gives away: once, for the match that was asked for, and no other."""

import asyncio
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace
from tavla_client import Client, PlayStopped
from tavla_client.pledges import Counts, Pledges
from tavla_client.seed_reveal import CHANGED
from tavla_protocol import messages as m
from tavla_protocol.claims import binding_of
from tavla_protocol.view import View

from tests.support.players.plain import within
from tests.support.servers.scripted import MATCH, Connection, connected, scripted, snapshot
from tests.support.wire.at_the_reveal import BEGUN, SEEDS, hash_of


async def joined(connection: Connection, client: Client, **changes: Any) -> tuple[Any, m.Join, View]:
    """The client sits down on seat 0, and both have committed; the match is shown with some changes."""
    joining = asyncio.create_task(client.join("cup"))
    join = await connection.expect(m.Join)
    view = replace(
        BEGUN,
        **{"commitments": (join.commitment, hash_of(SEEDS[1])), "unrevealed": (0, 1), "phase": "reveal", **changes},
    )
    await connection.send(snapshot(join.id, view))
    return await within(joining), join, view


async def test_the_client_reveals_by_itself_what_it_has_committed_to() -> None:
    async with scripted() as server, connected(server) as (client, connection):
        match, join, _ = await joined(connection, client)
        reveal = await connection.expect(m.Reveal)
        assert (reveal.match, hash_of(reveal.seed)) == (MATCH, join.commitment)
        connection.cut()
        again = await server.accept()
        await again.expect(m.Attach)
        await again.send(snapshot(None, match.view))
        assert (await again.expect(m.Reveal)).seed == reveal.seed, "the answer may have been lost"


@pytest.mark.parametrize(
    "changes", [{"commitments": ("", hash_of(SEEDS[1]))}, {"commitments": (hash_of("0c" * 32), "")}]
)
async def test_the_client_reveals_nothing_where_its_commitment_is_missing(changes: dict[str, Any]) -> None:
    async with scripted() as server, connected(server) as (client, connection):
        match, *_ = await joined(connection, client, **changes)
        assert await connection.silent()
        assert not match.dice.verdict(match.view).sound


@pytest.mark.parametrize("is_kept", [False, True])
async def test_a_server_that_asks_for_a_seat_again_after_the_seed_gets_no_other_dice(is_kept: bool) -> None:
    """The store has lost the seat, and with another commitment the dice are others; or it has lost the seed alone."""
    async with scripted() as server, connected(server) as (client, connection):
        match, first, view = await joined(connection, client)
        reveal = await connection.expect(m.Reveal)
        await connection.send(m.Ok(id=reveal.id))
        if not is_kept:
            lost = replace(view, players=(None, "bob"), commitments=("", view.commitments[1]), phase="open")
            await connection.send(snapshot(None, lost, seat=None, epoch=2, seq=2))
        joining = asyncio.create_task(client.join("cup"))
        second = await connection.expect(m.Join)
        mine = first.commitment if is_kept else second.commitment
        view = replace(view, commitments=(mine, view.commitments[1]), unrevealed=(0,))
        await connection.send(snapshot(second.id, view, epoch=1 if is_kept else 2, seq=6))
        assert await within(joining) is match
        if is_kept:
            assert match.dice.fault == ""
        else:
            assert match.dice.fault == CHANGED
            assert await connection.silent()
        assert client.counts == Counts(1, by_server=int(not is_kept))


async def test_another_program_of_a_player_who_sits_down_twice_gives_no_other_seed(tmp_path: Path) -> None:
    pledges = Pledges(tmp_path)
    old, new = (pledges.find(pledges.make(seed)) for seed in (SEEDS[0], "0c" * 32))
    assert old
    assert new
    pledges.bind(old, MATCH, "terms", 0)
    view = replace(BEGUN, commitments=(new.commitment, BEGUN.commitments[1]), unrevealed=(0, 1))
    async with scripted() as server, Client(server.url, name="ada", pledges=Pledges(tmp_path)) as client:
        connection = await server.accept()
        attaching = asyncio.create_task(client.attach(MATCH))
        await connection.send(snapshot((await connection.expect(m.Attach)).id, view))
        assert (await within(attaching)).dice.fault == CHANGED
        assert await connection.silent()


OTHER_RULES: list[tuple[dict[str, Any], str]] = [  # what the server offers, and what the player reads
    ({"length": 5}, "you asked for length 3, and the server offers length 5"),
    ({"length": 3, "crawford": False}, "you asked for crawford yes, and the server offers crawford no"),
    ({"length": 3, "reserve_s": 9}, "you asked for reserve_s 0, and the server offers reserve_s 9"),
    ({"length": 3, "acey_deucey": True}, "does not know the option acey_deucey of this match: update it"),
]


@pytest.mark.parametrize(("rules", "words"), OTHER_RULES)
async def test_a_seed_is_kept_back_from_a_match_that_was_not_asked_for_until_the_player_goes_on(
    rules: dict[str, Any], words: str
) -> None:
    async with scripted() as server, connected(server) as (client, connection):
        searching = asyncio.create_task(client.seek({"length": 3, "clock": "none"}))
        asked = await connection.expect(m.Seek)
        view = replace(BEGUN, rules=rules, commitments=(asked.commitment, hash_of(SEEDS[1])), unrevealed=(0, 1))
        await connection.send(m.Ok(id=asked.id), m.Matched(match=MATCH, seek=asked.id), snapshot(None, view))
        match = await within(searching)
        assert words in match.dice.fault
        assert await connection.silent()
        with pytest.raises(PlayStopped):
            await match.forfeit()
        match.go_on()
        await connection.send(m.Heartbeat(matches=[]))  # what follows from a message is sent after one
        reveal = await connection.expect(m.Reveal)
        assert (hash_of(reveal.seed), reveal.binding) == (asked.commitment, binding_of(MATCH, view))


@pytest.mark.parametrize(
    "changes", [{"salts": ("", "09" * 16)}, {"commitment": ""}, {"commitments": (hash_of(SEEDS[1]), hash_of(SEEDS[1]))}]
)
async def test_a_seed_is_kept_back_where_terms_or_commitments_are_missing_or_the_same(changes: dict[str, Any]) -> None:
    async with scripted() as server, connected(server) as (client, connection):
        joining = asyncio.create_task(client.join("cup", seed=SEEDS[1]))
        join = await connection.expect(m.Join)
        view = replace(BEGUN, **{"commitments": (join.commitment, hash_of(SEEDS[0])), "unrevealed": (0, 1), **changes})
        await connection.send(snapshot(join.id, view))
        assert (await within(joining)).dice.fault
        assert await connection.silent()


async def test_the_device_that_holds_the_seed_reveals_it_also_when_another_one_has_the_seat() -> None:
    async with scripted() as server, connected(server) as (client, connection):
        joining = asyncio.create_task(client.join("cup"))
        join = await connection.expect(m.Join)
        waits = replace(BEGUN, commitments=(join.commitment, hash_of(SEEDS[1])), phase="ready")
        await connection.send(snapshot(join.id, waits))
        match = await within(joining)
        await connection.send(
            m.Replaced(match=MATCH), snapshot(None, replace(waits, phase="reveal", unrevealed=(0, 1)), seat=None, seq=6)
        )
        assert hash_of((await connection.expect(m.Reveal)).seed) == join.commitment
        assert not match.dice.fault


async def test_a_device_without_the_seed_says_so() -> None:
    async with scripted() as server, connected(server) as (client, connection):
        attaching = asyncio.create_task(client.attach(MATCH))
        view = replace(BEGUN, unrevealed=(0, 1))
        await connection.send(snapshot((await connection.expect(m.Attach)).id, view))
        match = await within(attaching)
        assert match.seed_is_elsewhere
        await connection.send(snapshot(None, replace(view, unrevealed=(1,)), seq=6))
        while match.view.unrevealed == (0, 1):
            await within(match.next_change())
        assert not match.seed_is_elsewhere
