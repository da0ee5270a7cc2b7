"""Effects of the entries of matches: one kind of effect fails for ever, and all others are done."""

import asyncio
from typing import Any

from structlog.testing import capture_logs
from tavla_protocol import messages as m
from tavla_server.features.results.effects import MatchEffects
from tavla_server.match.effects import QUIET, AppliedEntry
from tavla_server.record.events import decode_entry
from tavla_server.record.reducer import apply_entry
from tavla_server.record.state import Record, decode_record
from tavla_server.store import keys
from tavla_server.store.client import Client

from tests.support.games.recordings import Recording, recordings
from tests.support.patience import PATIENCE_S, PAUSE_S
from tests.support.players.accounts import career, registered, until_played
from tests.support.players.challenges import accepted, challenged, know_each_other
from tests.support.players.lobby import listed, until_listed
from tests.support.players.matches import new_match
from tests.support.players.plain import Player, within
from tests.support.servers.cores import core_of
from tests.support.servers.processes import inside
from tests.support.servers.valkey import Valkey
from tests.support.stores.journals import entries_of

MONEY: dict[str, bool | int | str] = {"preset": "money", "rated": True}  # each game counts, a forfeit three points


async def spoil_rating(redis: Client, valkey: Valkey, match: str) -> str:
    """From now on white's rating cannot be changed; the key that is to blame."""
    seated = entries_of(valkey.url, match)[0].events[1]
    key = f"{{p:{seated.player.id}}}:rated"  # type: ignore[union-attr]
    await redis.set(key, "no hash")
    return key


async def until_score(player: Player, match: str, score: tuple[int, int]) -> None:
    """Wait until the lobby shows this score."""
    async with asyncio.timeout(PATIENCE_S):
        while (row := await listed(player, match, "matches")) is None or tuple(row.score) != score:  # noqa: ASYNC110
            await asyncio.sleep(PAUSE_S)


async def until_snapshot(redis: Client, match: str, seq: int) -> None:
    """Wait until the snapshot of a match is of this version."""
    async with asyncio.timeout(PATIENCE_S):
        while (row := await redis.get(keys.MATCH_SNAPSHOT(match))) is None or snapshot_seq(row) != seq:  # noqa: ASYNC110
            await asyncio.sleep(PAUSE_S)


def snapshot_seq(row: object) -> int:
    """The version of a snapshot."""
    assert isinstance(row, bytes)
    return decode_record(row)[0]


async def test_ratings_that_fail_for_ever_hold_up_nothing_else(valkey: Valkey, redis: Client) -> None:
    with capture_logs() as lines:
        async with inside(valkey.url) as url, Player(url) as white, Player(url) as black:
            await registered(white, black)
            await know_each_other(white, black)
            match = await new_match(white, black, MONEY)
            key = await spoil_rating(redis, valkey, match)
            await black.act(m.Forfeit, match)  # one game, which counts
            await until_score(white, match, (3, 0))
            for player in (white, black):
                await player.act(m.Ready, match)
            ready = await white.until(match, lambda view: view.game == 2)
            assert ready.score == (3, 0)
            await until_snapshot(redis, match, white.matches[match].seq - 1)
            await accepted(white, black, (await challenged(white, black)).challenge)
            while (await black.next(m.Unchallenged)).why != "accepted":
                pass
            await white.act(m.Forfeit, match)
            await white.act(m.Leave, match)
            assert (await black.until(match, lambda view: view.phase == "over")).score == (3, 3)
            assert (await career(black, white)).rating == 1500.0
            other = await white.get(m.Snapshot, m.Create)
            await until_listed(black, other.match, "tables")  # the lane of rows has come so far
            assert not await listed(black, match, "matches"), "what is not rated yet is listed elsewhere"
            assert await redis.zscore(keys.ENDED("0"), match)
            await redis.delete(key)
            assert [(await until_played(black, player, 6)).experience for player in (white, black)] == [6, 6]
            await until_listed(black, match, None)
    retried = {(line["lane"], line["match"]) for line in lines if line["event"] == "effect_retried"}
    assert retried == {("ratings", match)}


def applied(recording: Recording) -> list[AppliedEntry]:
    """Entries of a match as a session tells them, were it to tell all."""
    record, told = Record("abcdefghijklmnop"), []
    for seq, entry in enumerate(map(decode_entry, map(bytes.fromhex, recording.entries)), 1):
        before, record = record, apply_entry(record, entry)
        told.append(AppliedEntry(before, record, seq, entry))
    return told


async def test_what_happens_within_a_game_leads_to_nothing_elsewhere() -> None:
    nowhere: Any = None
    effects = MatchEffects(core_of(), nowhere, nowhere, nowhere, nowhere)
    everything = [one for recording in recordings() for one in applied(recording)]
    quiet = [one for one in everything if QUIET.issuperset(map(type, one.entry.events))]
    assert {type(event) for one in quiet for event in one.entry.events} == QUIET
    for one in quiet:
        effects.on_entry(one)
    for lane in effects.lanes:
        await within(lane.settle())
