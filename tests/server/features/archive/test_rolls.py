"""Statistics of the dice: each match is counted once, and the database's sums are those of the journals."""

import itertools
import random
from collections import Counter

import msgspec
import pytest
import sqlalchemy as sa
from tavla_engine.events import OpeningRolled, Rolled
from tavla_protocol.messages import Rolls
from tavla_server.features.archive import rolls as rolls_module
from tavla_server.features.archive.archive import Archive
from tavla_server.features.archive.judgement import Judgement
from tavla_server.features.archive.rolls import as_json, roll_rows
from tavla_server.features.archive.schema import OUTCOMES, analyses, matches, rolls
from tavla_server.record.events import decode_entry, encode_entry

from tests.support.stores.finished import journal_of, match_id, player, put_into, summary_of


async def added(archive: Archive, rng: random.Random, match: str = "") -> list[bytes]:
    """The journal of a match that is archived."""
    match = match or match_id(rng)
    journal = journal_of(rng, match, (player(rng, "ada"), player(rng, "bob")))
    assert await put_into(archive, match, journal)
    return journal


def fallen(journals: list[list[bytes]]) -> dict[int | None, Counter[tuple[int, int]]]:
    """Rolls in journals, by seat; None = opening rolls."""
    found: dict[int | None, Counter[tuple[int, int]]] = {0: Counter(), 1: Counter(), None: Counter()}
    for event in (event for journal in journals for data in journal for event in decode_entry(data).events):
        if isinstance(event, OpeningRolled | Rolled):
            found[event.seat if isinstance(event, Rolled) else None][event.dice] += 1
    return found


def counts(sums: Rolls) -> dict[int | None, Counter[tuple[int, int]]]:
    """The sums in the same form."""
    told = {0: sums.white, 1: sums.black, None: sums.opening}
    return {seat: +Counter(dict(zip(OUTCOMES, cells, strict=True))) for seat, cells in told.items()}


async def summed(archive: Archive) -> Rolls:
    await archive.rolls.refresh()
    return archive.rolls.sums


async def test_the_sums_are_those_of_the_journals(
    archive: Archive, rng: random.Random, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(rolls_module, "SLICE", 2)
    assert (await summed(archive)).matches == 0
    journals = [await added(archive, rng) for _ in range(5)]
    sums = await summed(archive)
    assert (sums.matches, sums.proved, sums.judged) == (5, 5, 0)
    assert counts(sums) == fallen(journals)
    assert sums.time > 10**12
    assert msgspec.json.decode(as_json(sums))["white"] == sums.white


@pytest.mark.slow
async def test_matches_that_were_not_counted_are_counted_once(
    archive: Archive, rng: random.Random, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As in an archive that was mended; one of them cannot be read."""
    monkeypatch.setattr(rolls_module, "AT_ONCE", 2)
    monkeypatch.setattr(rolls_module, "PAUSE_S", 0.0)
    journals = [await added(archive, rng) for _ in range(5)]
    damaged = match_id(rng)
    await added(archive, rng, damaged)
    async with archive._database.writing() as connection:
        await connection.execute(sa.delete(rolls))
        await connection.execute(sa.update(matches).where(matches.c.id == damaged).values(journal=b"\x01damaged"))
    for _ in range(2):
        sums = await summed(archive)
        assert (sums.matches, sums.proved) == (6, 5)
        assert counts(sums) == fallen(journals)


async def test_a_match_that_gives_way_to_another_end_takes_its_rolls_along(
    archive: Archive, rng: random.Random
) -> None:
    match, seed, players = match_id(rng), rng.randbytes(32), (player(rng, "ada"), player(rng, "bob"))
    for most in (5, 4000):
        journal = journal_of(random.Random(7), match, players, seed=seed, most=most)
        assert await put_into(archive, match, journal)
    sums = await summed(archive)
    assert (sums.matches, counts(sums)) == (1, fallen([journal]))


def test_a_roll_that_does_not_follow_from_the_seeds_is_noticed(rng: random.Random) -> None:
    players = (player(rng, "ada"), player(rng, "bob"))
    played = (journal_of(rng, "k3v7q2xa", players) for _ in itertools.count())
    # Some are over before a roll.
    journal = next(journal for journal in played if any(fallen([journal])[seat] for seat in (0, 1)))
    assert {row["proved"] for row in roll_rows("k3v7q2xa", journal)} == {True}
    place, entry = next(
        (place, entry)
        for place, entry in enumerate(map(decode_entry, journal))
        if any(isinstance(event, Rolled) for event in entry.events)
    )
    others = tuple(
        msgspec.structs.replace(event, die_1=event.die_1 % 6 + 1) if isinstance(event, Rolled) else event
        for event in entry.events
    )
    journal[place] = encode_entry(msgspec.structs.replace(entry, events=others))
    assert {row["proved"] for row in roll_rows("k3v7q2xa", journal)} == {False}


async def test_the_luck_of_winners_and_losers(archive: Archive, rng: random.Random) -> None:
    """Of judged matches that somebody has won; by who has won, whatever the seat."""
    winners = {}
    for _ in range(4):
        match = match_id(rng)
        found = await summary_of(match, await added(archive, rng, match))
        winners[match] = found.winner
    lucky = {match: (0.25, -0.125) if winner == 0 else (-0.125, 0.25) for match, winner in winners.items()}
    first, second, third, _ = winners
    results = {
        first: Judgement(by="x", luck=lucky[first]),
        second: Judgement(by="x", luck=lucky[second][::-1]),
        third: Judgement(error="cannot be judged"),
    }
    rows = [
        {
            "match": match,
            "owner": "x",
            "tries": 1,
            "until_ms": 0,
            "rough": False,
            "seen": 0,
            "plays": 0,
            "result": result,
        }
        for match, result in ((match, msgspec.json.encode(one).decode()) for match, one in results.items())
    ]
    async with archive._database.writing() as connection:
        await connection.execute(sa.insert(analyses), rows)
    sums = await summed(archive)
    assert (sums.judged, sums.luckier) == (2, 1)
    assert sums.luck == (0.125, 0.125)
