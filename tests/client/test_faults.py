"""A match in which something is wrong: it is said at once, nothing is sent any more, and the proof is kept."""

import asyncio
import json
import logging
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace
from tavla_client import Bot, Client, Match, Pilot, PlayStopped, Pledges
from tavla_client.dice_check import DiceCheck
from tavla_engine.dice import commitment
from tavla_engine.rules import preset
from tavla_protocol import messages as m
from tavla_protocol.claims import terms_in
from tavla_protocol.view import View, from_fields

from tests.support.games.agreed import revealing
from tests.support.games.records import ID, SEEDS, played, recorded
from tests.support.players.plain import within
from tests.support.servers.scripted import MATCH, Connection, change, connected, scripted, snapshot
from tests.support.servers.scripted import VIEW as ROLL_DUE

RULES = preset("tournament", {"length": 1})
HASHES = (commitment(bytes.fromhex(SEEDS[0])), commitment(bytes.fromhex(SEEDS[1])))
PLAIN = replace(ROLL_DUE, rules={"length": 3}, commitments=HASHES)
_, JUMP = change(PLAIN, phase="move", dice=(6, 1), rolls=PLAIN.rolls + 2)


async def followed(client: Client, connection: Connection) -> Match:
    """A match of which nothing is wrong yet."""
    attaching = asyncio.create_task(client.attach(MATCH))
    asked = await connection.expect(m.Attach)
    await connection.send(snapshot(asked.id, PLAIN))
    match = await within(attaching)
    assert not match.is_stopped
    return match


async def test_after_a_roll_too_many_nothing_is_sent_until_somebody_says_go_on() -> None:
    async with scripted() as server, connected(server) as (client, connection):
        match = await followed(client, connection)
        await connection.update(6, JUMP)
        await within(match.next_change())
        assert "roll 3" in match.dice.fault
        for act in (match.roll, match.forfeit, lambda: match.move([(8, 2), (6, 5)])):
            with pytest.raises(PlayStopped, match="nothing is sent before you go on"):
                await act()
        assert await connection.silent()
        match.go_on()
        moving = asyncio.create_task(match.move([(8, 2), (6, 5)]))
        assert (await connection.expect(m.Move)).seq == 6
        moving.cancel()


@pytest.mark.parametrize("plays_on", [False, True])
async def test_a_bot_leaves_unless_its_author_wants_it_to_play_on(
    caplog: pytest.LogCaptureFixture, plays_on: bool
) -> None:
    class Stubborn(Bot):
        pass

    Stubborn.plays_on = plays_on
    async with scripted() as server, connected(server) as (client, connection):
        match = await followed(client, connection)
        playing = asyncio.create_task(Pilot(Stubborn(), match).play())
        asked = await connection.expect(m.Roll)
        await connection.update(6, JUMP)
        await connection.send(m.Ok(id=asked.id, seq=6))
        if plays_on:
            await connection.expect(m.Move)
            playing.cancel()
            return
        detach = await connection.expect(m.Detach)
        await connection.send(m.Ok(id=detach.id))
        result = await within(playing)
    assert (result.won, result.ending, result.dice.is_fault) == (None, "stopped", True)
    assert "roll 3" in caplog.text
    assert [record.levelno for record in caplog.records] == [logging.ERROR]


# --- the seed that came, and did not come ---


async def revealed(connection: Connection, client: Client) -> tuple["asyncio.Task[Match]", m.Seek, m.Reveal, View]:
    """A quick match is made, and our seed is sent."""
    seeking = asyncio.create_task(client.seek({"length": 1, "clock": "none"}))
    asked = await connection.expect(m.Seek)
    view = revealing(asked.commitment, HASHES[1])
    await connection.send(m.Ok(id=asked.id), m.Matched(match=MATCH, seek=asked.id), snapshot(None, view))
    return seeking, asked, await connection.expect(m.Reveal), view


@pytest.mark.parametrize("is_answered", [True, False])
async def test_a_player_who_has_revealed_and_is_blamed_is_told_and_keeps_the_proof(
    is_answered: bool, tmp_path: Path
) -> None:
    pledges = Pledges(tmp_path / "seeds")
    async with scripted() as server, Client(server.url, name="ada", pledges=pledges) as client:
        connection = await server.accept()
        seeking, asked, reveal, view = await revealed(connection, client)
        void = replace(view, phase="over", unrevealed=(0,))
        await connection.send(snapshot(None, void, seq=6))
        attach = await connection.expect(m.Attach)  # answered after the seed, if that is answered at all
        await connection.send(m.Ok(id=reveal.id) if is_answered else snapshot(attach.id, void, seq=6))
        with pytest.raises(PlayStopped, match="says that no seed came from you"):
            await within(seeking)
    kept = json.loads((tmp_path / "seeds" / asked.commitment).read_text())
    assert (kept["seed"], kept["match"], kept["terms"]) == (reveal.seed, MATCH, terms_in(MATCH, view))
    assert "this program sent it" in kept["fault"]


async def test_a_seed_that_came_too_late_blames_nobody(tmp_path: Path) -> None:
    async with scripted() as server, Client(server.url, name="ada", pledges=Pledges(tmp_path)) as client:
        connection = await server.accept()
        seeking, asked, reveal, view = await revealed(connection, client)
        await connection.send(snapshot(None, replace(view, phase="over", unrevealed=(0,)), seq=6))
        await connection.expect(m.Attach)
        await connection.send(m.Error(id=reveal.id, code="wrong_phase", text="the match is void"))
        again = await connection.expect(m.Seek)
        assert (again.id, again.commitment != asked.commitment) == (asked.id, True), "it seeks on, with another seed"
        seeking.cancel()


async def test_whoever_lost_the_connection_meanwhile_blames_nobody(tmp_path: Path) -> None:
    async with scripted() as server, Client(server.url, name="ada", pledges=Pledges(tmp_path)) as client:
        connection = await server.accept()
        seeking, _, _, view = await revealed(connection, client)
        connection.cut()
        connection = await server.accept()
        await connection.expect(m.Attach)
        await connection.send(snapshot(None, replace(view, phase="over", unrevealed=(0,)), seq=6))
        assert await connection.expect(m.Seek), "it seeks on"
        seeking.cancel()


# --- the record at the end ---

RECORD = recorded(RULES, played(RULES, 5))
OVER = from_fields(RECORD.view)


def seen(record: m.Recorded = RECORD) -> DiceCheck:
    """A match of which some was seen."""
    check = DiceCheck(ID)
    check.see(replace(OVER, phase="ready", game=0, rolls=0, seed="", last=()), None)
    check.see(OVER, None)
    check.follow(OVER, 1, record.seq, is_step=False)
    dice = next(event[3:5] for event in RECORD.events if event[2] == "opening_rolled")
    view = replace(OVER, phase="move", rolls=1, last=(), seed="", dice=tuple(sorted(dice, reverse=True)), outcome=None)
    check.see(replace(view, turn=int(dice[1] > dice[0])), None)
    return check


def test_a_record_that_is_sound_and_was_seen_so_is_said_to_be() -> None:
    verdict = seen().final_verdict(RECORD, OVER)
    assert verdict.sound
    assert verdict.text.endswith("; so does the whole record")


def edited(place: int, **changes: Any) -> m.Recorded:
    events = [list(event) for event in RECORD.events]
    for field, value in changes.items():
        events[place][int(field[1:])] = value
    return replace(RECORD, events=events)


A_ROLL = next(n for n, event in enumerate(RECORD.events) if event[2] == "rolled")
DIFFERENT: list[tuple[m.Recorded, str]] = [
    (edited(A_ROLL, f4=RECORD.events[A_ROLL][4] % 6 + 1), "follows from the seeds"),
    (replace(RECORD, view={**RECORD.view, "seeds": ("a1" * 16, "")}), "black's seed is missing"),
    (replace(RECORD, events=RECORD.events[:-1]), "wins"),
]


@pytest.mark.parametrize(("record", "words"), DIFFERENT)
def test_a_record_that_is_not_sound_is_a_fault(record: m.Recorded, words: str) -> None:
    verdict = seen().final_verdict(record, OVER)
    assert verdict.is_fault
    assert words in verdict.text


def test_a_sound_record_of_another_match_than_was_shown_is_a_fault() -> None:
    other = recorded(RULES, played(RULES, 6))
    verdict = seen(other).final_verdict(other, OVER)
    assert verdict.text.startswith("WARNING: the record of the match is not what was shown")
    named = replace(RECORD, match="k3v7q2xb")
    assert seen().final_verdict(named, OVER).is_fault


def test_what_cannot_be_read_is_neither_sound_nor_a_fault() -> None:
    castled = [[*event[:2], "castled", *event[3:]] if event[2] == "moved" else event for event in RECORD.events]
    applauded = [*RECORD.events[:9], [RECORD.events[8][0], 0, "applauded", 0], *RECORD.events[9:]]
    for events, name in ((castled, "castled"), (applauded, "applauded")):
        verdict = seen().final_verdict(replace(RECORD, events=events), OVER)
        assert (verdict.sound, verdict.is_fault) == (False, False)
        assert f"could not be checked: this version does not know the event {name}" in verdict.text


async def test_a_record_that_is_not_to_be_had_is_said_as_such() -> None:
    async with scripted() as server, connected(server) as (client, connection):
        attaching = asyncio.create_task(client.attach(MATCH))
        asked = await connection.expect(m.Attach)
        await connection.send(snapshot(asked.id, replace(PLAIN, phase="over", outcome=(0, 0, 0, "forfeit"))))
        match = await within(attaching)
        judging = asyncio.create_task(match.verdict())
        waits = await connection.expect(m.Record)
        await connection.send(m.Error(id=waits.id, code="too_often", text="too fast", retry_after=0.01))
        gone = await connection.expect(m.Record)
        await connection.send(m.Error(id=gone.id, code="no_such_match", text="there is no match m1"))
        verdict = await within(judging)
        assert (verdict.sound, verdict.checked) == (False, False)
        assert verdict.text.endswith("the record could not be checked: there is no match m1")
