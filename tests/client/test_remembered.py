"""A match that the server shows otherwise than an earlier run has seen it, or not at all."""

import asyncio
import contextlib
import time
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace
from tavla_client import Client, PlayStopped, Pledge, Pledges, Refused
from tavla_client.client import GONE, GONE_S, LAG_S
from tavla_client.dice_check import TAKEN_BACK
from tavla_client.pledges import Counts
from tavla_engine.chain import chain_commitment
from tavla_protocol import messages as m
from tavla_protocol.claims import terms_in
from tavla_protocol.view import View

from tests.support.games.agreed import KINDS, SALTS, link
from tests.support.players.plain import within
from tests.support.players.seeds import COMMITMENTS, SEEDS
from tests.support.servers.scripted import MATCH, TOKEN, Connection, ScriptedServer, Waits, refuse, scripted, snapshot
from tests.support.wire.match_views import V

pytestmark = pytest.mark.slow  # most of them wait by the clock

SEED = bytes(31) + b"\x09"  # the server's: link 256
PLAYED = View(
    rules={"length": 3},
    players=("ada", "bob"),
    kinds=KINDS,
    salts=SALTS,
    phase="roll",
    commitment=chain_commitment(SEED),
    seeds=SEEDS,
    seed=link(SEED, 1),
    points=V.points,
    score=(1, 0),
    game=2,
    rolls=19,
)


def keep(folder: Path, **fields: Any) -> Pledge:
    """An entry that an earlier run has written of a match, a minute ago."""
    pledges = Pledges(folder, now=lambda: time.time() - 60)
    pledge = pledges.find(pledges.make(SEEDS[0]))
    assert pledge is not None
    view = replace(PLAYED, commitments=(pledge.commitment, COMMITMENTS[1]))
    bound = pledges.bind(pledge, MATCH, terms_in(MATCH, view), 0, "p1")
    assert bound is not None
    seen: dict[str, Any] = {"taken": True, "epoch": 1, "seq": 40, "rolls": 19, "shown": PLAYED.seed}
    return pledges.note(bound, replace(bound, **{**seen, **fields}))


@contextlib.asynccontextmanager
async def later(folder: Path) -> AsyncIterator[tuple[Client, Connection, Waits]]:
    """Another run of the same player's program."""
    waits = Waits()
    async with (
        scripted() as server,
        Client(server.url, name="ada", pledges=Pledges(folder), sleep=waits) as client,
    ):
        yield client, await server.accept(), waits


NOW: list[tuple[dict[str, Any], dict[str, Any], dict[str, Any], int, str]] = [
    # what was kept, the view now, its version, and what is found: losses, a fault
    ({}, {}, {"seq": 40}, 0, ""),
    ({}, {"rolls": 24}, {"seq": 60}, 0, ""),
    ({}, {"rolls": 19}, {"seq": 41, "epoch": 2}, 0, ""),  # a restore forks each match
    ({}, {"rolls": 12}, {"seq": 30}, 1, ""),
    ({}, {"rolls": 12}, {"seq": 30, "epoch": 2}, 1, ""),
    ({}, {"rolls": 19}, {"seq": 40, "epoch": 2}, 1, ""),  # its first entry has taken the place of one that was seen
    ({"losses": 1}, {"rolls": 12}, {"seq": 30}, 1, "the server was put back a second time"),
    ({}, {"seed": "", "game": 1, "score": (0, 0), "rolls": 7}, {"seq": 20}, 1, TAKEN_BACK),
    ({"end": "played"}, {}, {"seq": 40}, 1, TAKEN_BACK),
    ({"end": "played"}, {"phase": "over", "outcome": (0, 0, 0, "forfeit"), "seed": link(SEED, 2)}, {"seq": 40}, 0, ""),
]


@pytest.mark.parametrize(("kept", "fields", "version", "losses", "fault"), NOW)
async def test_what_a_server_shows_is_compared_with_the_ledger(
    kept: dict[str, Any], fields: dict[str, Any], version: dict[str, Any], losses: int, fault: str, tmp_path: Path
) -> None:
    entry = keep(tmp_path, **kept)
    view = replace(PLAYED, **{"commitments": (entry.commitment, COMMITMENTS[1]), **fields})
    async with later(tmp_path) as (client, connection, waits):
        attaching = asyncio.create_task(client.attach(MATCH))
        asked = await connection.expect(m.Attach)
        assert (asked.seed, asked.seeds) == (PLAYED.seed, (SEEDS[0], "")), "a server that has lost them is told"
        await connection.send(snapshot(asked.id, view, **version))
        if losses:
            again = await connection.expect(m.Attach)
            await connection.send(m.Ok(id=again.id))
        match = await within(attaching)
        assert waits.seconds == [LAG_S] * losses
        assert (match.losses, match.dice.fault[: len(fault) or None]) == (losses, fault)
        assert bool(match.loss) == bool(losses)
    found = Pledges(tmp_path).find(entry.commitment)
    assert found is not None
    assert found.losses == entry.losses + losses


async def test_a_node_that_was_a_little_behind_is_no_loss(tmp_path: Path) -> None:
    entry = keep(tmp_path)
    view = replace(PLAYED, commitments=(entry.commitment, COMMITMENTS[1]))
    async with later(tmp_path) as (client, connection, _):
        attaching = asyncio.create_task(client.attach(MATCH))
        asked = await connection.expect(m.Attach)
        await connection.send(snapshot(asked.id, replace(view, rolls=18), seq=38))
        again = await connection.expect(m.Attach)
        assert again.seq == 38
        await connection.send(snapshot(again.id, view, seq=40))
        match = await within(attaching)
        assert (match.losses, match.loss, match.dice.fault) == (0, "", "")


async def test_a_match_that_the_server_does_not_know_any_more_is_gone_after_half_a_minute(tmp_path: Path) -> None:
    entry = keep(tmp_path)
    async with later(tmp_path) as (client, connection, waits):
        attaching = asyncio.create_task(client.attach(MATCH))
        await refuse(connection, m.Attach, m.Record, m.Attach, m.Record, m.Attach)
        with pytest.raises(PlayStopped, match=f"{GONE}. Of 1 match here none .* 1 by the server's doing"):
            await within(attaching)
        assert waits.seconds == [0.0, GONE_S]
    found = Pledges(tmp_path).find(entry.commitment)
    assert found is not None
    assert (found.end, found.fault) == ("B", GONE)


THERE: list[tuple[dict[str, Any], list[type[m.RequestBase]], str]] = [  # kept, what the server refuses, and then with
    ({"end": "played"}, [m.Attach], ""),  # the archive may be gone
    ({"player": "p2"}, [m.Attach], ""),  # the guest was forgotten
    ({}, [m.Attach, m.Record, m.Attach, m.Record], "too_many"),
    ({}, [m.Attach], "there"),
]


@pytest.mark.parametrize(("kept", "kinds", "code"), THERE)
async def test_a_match_that_may_be_there_is_not_gone(
    kept: dict[str, Any], kinds: list[type[m.RequestBase]], code: str, tmp_path: Path
) -> None:
    keep(tmp_path, **kept)
    async with later(tmp_path) as (client, connection, _):
        attaching = asyncio.create_task(client.attach(MATCH))
        await refuse(connection, *kinds)
        if code == "too_many":
            await refuse(connection, m.Attach, code=code)
        elif code:
            asked = await connection.expect(m.Record)
            await connection.send(m.Recorded(id=asked.id, match=MATCH, epoch=1, seq=1))
        with pytest.raises(Refused, match="there is no match"):
            await within(attaching)
        assert client.counts == Counts(1)


@pytest.mark.parametrize("is_lost", [True, False])
async def test_a_match_that_is_gone_with_a_restore_has_a_figure_of_its_own(is_lost: bool, tmp_path: Path) -> None:
    entry = keep(tmp_path)
    server = ScriptedServer()
    gap = (entry.seen_ms - 90_000, entry.seen_ms + (-50_000 if is_lost else -70_000))  # clocks may differ by a minute
    welcome = m.Welcome(id=0, player="p1", name="ada", token=TOKEN, matches=[], gone=gap)
    server.answer_hello = lambda hello: replace(welcome, id=hello.id)
    async with (
        scripted(server=server),
        Client(server.url, name="ada", pledges=Pledges(tmp_path), sleep=Waits()) as client,
    ):
        attaching = asyncio.create_task(client.attach(MATCH))
        connection = await server.accept()
        await refuse(connection, m.Attach)
        if not is_lost:
            await refuse(connection, m.Record, m.Attach, m.Record, m.Attach)
        with pytest.raises(Refused if is_lost else PlayStopped):
            await within(attaching)
        assert client.counts == Counts(1, put_back=int(is_lost), by_server=int(not is_lost))
