"""Entries of matches that are over: how each ended, what a seek makes of that, and what is told."""

import asyncio
import contextlib
import logging
import time
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace
from tavla_client import (
    Bot,
    Callbacks,
    Client,
    ClientError,
    Match,
    NoSeed,
    PlayStopped,
    Pledge,
    Pledges,
    Refused,
    Runner,
    in_pool,
)
from tavla_client.client import GONE, GONE_S, LAG_S
from tavla_client.dice_check import TAKEN_BACK
from tavla_client.pledges import RECENT_S, Counts, End
from tavla_engine.chain import chain_commitment
from tavla_engine.dice import commitment
from tavla_protocol import messages as m
from tavla_protocol.claims import terms_in
from tavla_protocol.view import View

from tests.support.games.agreed import KINDS, SALTS, link, revealing
from tests.support.players.plain import within
from tests.support.servers.scripted import MATCH, TOKEN, Connection, ScriptedServer, Waits, scripted, snapshot
from tests.support.wire.match_views import V

pytestmark = pytest.mark.slow  # most of them wait by the clock

RULES: dict[str, bool | int | str] = {"length": 1, "clock": "none"}
SEEDS = ("0a" * 32, "0b" * 32)
OTHER = commitment(bytes.fromhex(SEEDS[1]))
CLOSED = "the server has closed the match"


async def found(connection: Connection, match: str = MATCH) -> tuple[m.Seek, m.Reveal, View]:
    """A seek has led to a match with bob, and its player's seed is sent."""
    asked = await connection.expect(m.Seek)
    view = revealing(asked.commitment, OTHER)
    await connection.send(m.Ok(id=asked.id), m.Matched(match=match, seek=asked.id), of(match, view))
    return asked, await connection.expect(m.Reveal), view


def of(match: str, view: View, **fields: Any) -> m.Snapshot:
    """A snapshot of one of several matches."""
    return replace(snapshot(None, view, **fields), match=match)


async def no_seed(connection: Connection, match: str) -> m.Seek:
    """A seek has led to a match with bob, whose seed does not come; the seek."""
    asked, reveal, view = await found(connection, match)
    shown = replace(view, seeds=(reveal.seed, ""), unrevealed=(1,))
    await connection.send(m.Ok(id=reveal.id), of(match, replace(shown, phase="over"), seq=7))
    return asked


ENDS: list[tuple[dict[str, Any], bool, End]] = [  # fields of the last view, whether the seed was taken
    ({"outcome": (1, 0, 0, "forfeit"), "seeds": ("own", SEEDS[1]), "unrevealed": (), "game": 1}, True, "played"),
    ({"outcome": (None, 0, 0, "aborted"), "seeds": ("own", SEEDS[1]), "unrevealed": (), "game": 1}, True, "void"),
    ({"outcome": (None, 0, 0, "voided"), "seeds": ("own", ""), "unrevealed": (1,)}, True, "void"),
    ({"unrevealed": (0, 1)}, False, "void"),
    ({"unrevealed": (0,)}, False, "void"),
    ({"seeds": ("own", ""), "unrevealed": (1,)}, True, "A"),
    ({"seeds": ("own", ""), "unrevealed": (1,)}, False, "A"),
    ({"unrevealed": (0,)}, True, "B"),
    ({"unrevealed": (0, 1)}, True, "B"),
    ({"unrevealed": ()}, True, "B"),
    ({"seeds": ("own", SEEDS[1]), "unrevealed": ()}, False, "B"),
    ({"seeds": ("own", SEEDS[1]), "unrevealed": (1,)}, True, "B"),
]


@pytest.mark.parametrize(("fields", "is_taken", "end"), ENDS)
async def test_how_a_match_ended_is_written_down(
    fields: dict[str, Any], is_taken: bool, end: End, tmp_path: Path
) -> None:
    async with scripted() as server, Client(server.url, name="ada", pledges=Pledges(tmp_path), sleep=Waits()) as client:
        connection = await server.accept()
        seeking = asyncio.create_task(client.seek(RULES))
        asked, reveal, view = await found(connection)
        answer = m.Ok(id=reveal.id) if is_taken else m.Error(id=reveal.id, code="wrong_phase", text="too late")
        seeds = tuple(reveal.seed if seed == "own" else seed for seed in fields.get("seeds", view.seeds))
        over = replace(view, **{**fields, "phase": "over", "seeds": seeds})
        await connection.send(answer, snapshot(None, over, seq=7))
        await connection.send(m.Heartbeat(matches=[]))
        await connection.silent()
        seeking.cancel()
        await asyncio.wait([seeking])
    kept = Pledges(tmp_path).find(asked.commitment)
    assert kept is not None
    assert (kept.end, kept.match, kept.seq, bool(kept.ended_ms)) == (end, MATCH, 7, True)
    assert (CLOSED in kept.fault or "no seed came from you" in kept.fault) == (end == "B")


async def test_a_seek_goes_on_after_one_seed_that_did_not_come_and_stops_at_the_second_within_an_hour() -> None:
    now_s, later = 0.0, iter((RECENT_S + 1, RECENT_S - 1))
    told = list[str]()

    def hear(match: Match) -> None:
        nonlocal now_s
        now_s += next(later)
        told.append(match.doubt)

    async with (
        scripted() as server,
        Client(server.url, name="ada", pledges=Pledges(now=lambda: now_s), sleep=Waits()) as client,
    ):
        client.callbacks = Callbacks(void=hear)
        connection = await server.accept()
        seeking = asyncio.create_task(client.seek(RULES))
        first, second, _ = [await no_seed(connection, f"m{number}") for number in range(3)]
        assert (second.id, second.commitment != first.commitment) == (first.id, True), "it seeks on"
        with pytest.raises(NoSeed, match="no seed for the dice came from bob, and it is not the first") as end:
            await within(seeking)
        assert "bob and the server together could do this to choose the dice. Of 3 matches here 3 " in str(end.value)
        assert [text[:19] for text in told] == ["A line may have fai"] * 2
        assert client.counts == Counts(3, no_seed=3)
        again = asyncio.create_task(client.seek(RULES))
        assert (await connection.expect(m.Seek)).commitment, "to seek again is to go on"
        again.cancel()


async def test_a_seek_stops_when_the_server_has_closed_the_match_and_says_how_often_it_has() -> None:
    async with scripted() as server, Client(server.url, name="ada", sleep=Waits()) as client:
        connection = await server.accept()
        seeking = asyncio.create_task(client.seek(RULES))
        _, reveal, view = await found(connection)
        await connection.send(m.Ok(id=reveal.id), snapshot(None, replace(view, phase="over", unrevealed=()), seq=7))
        with pytest.raises(PlayStopped, match=f"^{CLOSED}.*Of 1 match here none .* 1 by the server's doing") as stopped:
            await within(seeking)
        assert not isinstance(stopped.value, NoSeed)


async def test_whoever_asked_one_player_is_told_what_it_may_mean(tmp_path: Path) -> None:
    async with scripted() as server, Client(server.url, name="ada", pledges=Pledges(tmp_path), sleep=Waits()) as client:
        connection = await server.accept()
        asking = asyncio.create_task(client.challenges.send("bob", RULES))
        asked = await connection.expect(m.Challenge)
        await connection.send(m.Challenged(id=asked.id, challenge=MATCH, by="ada", to="bob", seat=0, expires=60))
        view = revealing(asked.commitment, OTHER)
        await connection.send(m.Matched(match=MATCH), snapshot(None, view))
        reveal = await connection.expect(m.Reveal)
        over = replace(view, phase="over", seeds=(reveal.seed, ""), unrevealed=(1,))
        await connection.send(m.Ok(id=reveal.id), snapshot(None, over, seq=7))
        with pytest.raises(ClientError, match=r"void: no seed for the dice came from bob\. A line may have"):
            await within(asking)
    kept = Pledges(tmp_path).find(asked.commitment)
    assert kept is not None, "what the server refuses is forgotten, but not what was revealed"
    assert kept.end == "A"


async def test_a_bot_logs_seeds_that_do_not_come_and_looks_on(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.WARNING)
    async with scripted() as server, Client(server.url, name="ada", bot=True, sleep=Waits()) as client:
        client.me.matches.clear()
        connection = await server.accept()
        running = asyncio.create_task(Runner(client, Bot, in_pool(RULES), matches=1).run())
        for number in range(3):
            await no_seed(connection, f"m{number}")
        assert await connection.expect(m.Seek)
        assert client.counts == Counts(3, no_seed=3)
        running.cancel()
        await asyncio.wait([running])
    said = [record.getMessage() for record in caplog.records]
    assert [("Of 1 match " in text, "Of 3 matches" in text) for text in said] == [
        (True, False),
        (False, False),
        (False, True),
    ]


async def test_a_bot_stops_when_the_server_has_closed_the_match() -> None:
    async with scripted() as server, Client(server.url, name="ada", bot=True, sleep=Waits()) as client:
        client.me.matches.clear()
        connection = await server.accept()
        running = asyncio.create_task(Runner(client, Bot, in_pool(RULES), matches=1).run())
        _, reveal, view = await found(connection)
        await connection.send(m.Ok(id=reveal.id), snapshot(None, replace(view, phase="over", unrevealed=()), seq=7))
        with pytest.raises(PlayStopped, match=CLOSED):
            await within(running)


# --- a match that the server shows otherwise than an earlier run has seen it, or not at all ---

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
    view = replace(PLAYED, commitments=(pledge.commitment, OTHER))
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
    view = replace(PLAYED, **{"commitments": (entry.commitment, OTHER), **fields})
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
    view = replace(PLAYED, commitments=(entry.commitment, OTHER))
    async with later(tmp_path) as (client, connection, _):
        attaching = asyncio.create_task(client.attach(MATCH))
        asked = await connection.expect(m.Attach)
        await connection.send(snapshot(asked.id, replace(view, rolls=18), seq=38))
        again = await connection.expect(m.Attach)
        assert again.seq == 38
        await connection.send(snapshot(again.id, view, seq=40))
        match = await within(attaching)
        assert (match.losses, match.loss, match.dice.fault) == (0, "", "")


async def refuse(connection: Connection, *kinds: type[m.RequestBase], code: str = "no_such_match") -> None:
    """The server knows nothing of the match."""
    for kind in kinds:
        await connection.send(m.Error(id=(await connection.expect(kind)).id, code=code, text="there is no match m1"))


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


async def test_a_seek_whose_match_is_gone_when_the_seed_was_given_stops(tmp_path: Path) -> None:
    async with (
        scripted() as server,
        Client(server.url, name="ada", pledges=Pledges(tmp_path), sleep=Waits()) as client,
    ):
        connection = await server.accept()
        seeking = asyncio.create_task(client.seek(RULES))
        await found(connection)
        connection.cut()
        connection = await server.accept()
        await refuse(connection, m.Attach, m.Attach, m.Record, m.Attach, m.Record, m.Attach)
        with pytest.raises(PlayStopped, match=GONE):
            await within(seeking)
        assert client.counts == Counts(1, by_server=1)
