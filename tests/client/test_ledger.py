"""Entries of matches that are over: how each ended, what a seek makes of that, and what is told."""

import asyncio
import logging
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace
from tavla_client import Bot, Callbacks, Client, Match, NoSeed, PlayStopped, Pledges, Refused, Runner, in_pool
from tavla_client.client import GONE
from tavla_client.pledges import RECENT_S, Counts, End
from tavla_protocol import messages as m
from tavla_protocol.view import View

from tests.support.games.agreed import revealing
from tests.support.players.plain import within
from tests.support.players.seeds import COMMITMENTS, SEEDS
from tests.support.servers.scripted import MATCH, Connection, Waits, connected, refuse, scripted, snapshot

pytestmark = pytest.mark.slow  # most of them wait by the clock

RULES: dict[str, bool | int | str] = {"length": 1, "clock": "none"}
CLOSED = "the server has closed the match"


async def found(connection: Connection, match: str = MATCH) -> tuple[m.Seek, m.Reveal, View]:
    """A seek has led to a match with bob, and its player's seed is sent."""
    asked = await connection.expect(m.Seek)
    view = revealing(asked.commitment, COMMITMENTS[1])
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
    async with scripted() as server, connected(server) as (client, connection):
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
        view = revealing(asked.commitment, COMMITMENTS[1])
        await connection.send(m.Matched(match=MATCH), snapshot(None, view))
        reveal = await connection.expect(m.Reveal)
        over = replace(view, phase="over", seeds=(reveal.seed, ""), unrevealed=(1,))
        await connection.send(m.Ok(id=reveal.id), snapshot(None, over, seq=7))
        with pytest.raises(Refused, match=r"void: no seed for the dice came from bob\. A line may have"):
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
