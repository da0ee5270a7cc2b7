"""Memory of a session: just enough for clients that return or ask again, and for a store that has lost something."""

import random
from typing import NamedTuple

import pytest
from tavla_engine.rules import PRESETS
from tavla_protocol.view import checksum
from tavla_server.delivery.frames import frame_of
from tavla_server.match.history import KEPT_MS, MILESTONE, RECENT, Have, History
from tavla_server.player import Player
from tavla_server.record.decider import engine_decide
from tavla_server.record.dice import MatchDice
from tavla_server.record.events import Created, Entry, Seated, encode_entry
from tavla_server.record.projection import encode_update, view_of
from tavla_server.record.reducer import apply_entry, with_clock_and_tally
from tavla_server.record.state import Record, apply_all

from tests.support.games.chance import choose_action

PLAYERS = Player("a" * 16, "ada"), Player("b" * 16, "bob")
RULES = PRESETS["money"].rules._replace(reserve_s=120, delay_s=12)


class Step(NamedTuple):
    """An entry, the match after it, and what those who follow were sent."""

    entry: Entry
    record: Record
    frame: bytes


def played(count: int, rng: random.Random, every_ms: int) -> tuple[Record, list[Step]]:
    """A match at version 1, and what is played from there: entries 2 and following."""
    seated = [Seated(seat, PLAYERS[seat]) for seat in (0, 1)]
    first = record = apply_all(Record("abcdefgh"), [Created("table", RULES, bytes(32)), *seated])
    steps = []
    for number in range(count):
        events, after = engine_decide(choose_action(record.match, rng))(record, MatchDice())
        entry = Entry(PLAYERS[number % 2].id, rng.choice((number, 2**62 + number)), number * every_ms, 0, tuple(events))
        before, record = record, with_clock_and_tally(after, record.match, entry)
        steps.append(Step(entry, record, frame_of(encode_update(before, record, 2 + number, events))))
        if record.over:
            break
    return first, steps


def remembered(first: Record, steps: list[Step], known: int = 0) -> History:
    """The history of a session that has found the first entries in the journal, and shown the others."""
    history = History(1 + known, [step.entry for step in steps[:known]])
    before = steps[known - 1].record if known else first
    for seq, (entry, record, _) in enumerate(steps[known:], 2 + known):
        history.add(seq, entry, encode_entry(entry), before)
        before = record
    return history


@pytest.mark.parametrize("known", [0, 1, 5, 16])
@pytest.mark.parametrize("count", [20, 50, 300])
def test_who_comes_back_gets_the_frames_that_the_others_got(count: int, known: int, rng: random.Random) -> None:
    first, steps = played(count, rng, every_ms=10)
    history, newest = remembered(first, steps, known), 1 + len(steps)
    records = [first, *(step.record for step in steps)]
    for seq in range(1, newest + 1):
        sum_ = checksum(view_of(records[seq - 1]))
        have = Have(1, seq, sum_)
        frames = history.updates_after(have, newest, records[-1])
        if seq > known and seq > newest - RECENT:
            assert frames is not None
        if frames is not None:
            assert frames == [step.frame for step in steps[seq - 1 :]]
        assert seq > known or frames is None, "those before this session were shown by another, and may differ"
        assert history.updates_after(have._replace(checksum=sum_ ^ 1), newest, records[-1]) is None
        assert history.updates_after(have._replace(epoch=2), newest, records[-1]) is None
    assert history.updates_after(Have(1, newest + 1), newest, records[-1]) is None
    assert history.updates_after(Have(), newest, records[-1]) is None


@pytest.mark.parametrize("known", [0, 3])
def test_every_entry_that_is_kept_is_found_by_its_action(known: int, rng: random.Random) -> None:
    first, steps = played(120, rng, every_ms=10)
    history = remembered(first, steps, known)
    assert history.newest == encode_entry(steps[-1].entry)
    entries = history.entries
    assert list(entries) == list(range(min(entries), 2 + len(steps))), "without a gap"
    for seq, (entry, _, _) in enumerate(steps, 2):
        assert entries.get(seq) in (None, encode_entry(entry))
        assert history.seq_of(entry.player, entry.action) == (seq if seq in entries else None)
        assert history.seq_of(entry.player, entry.action + 1) is None
        assert history.seq_of(entry.player[:-1], entry.action) is None
    assert history.has_acted(PLAYERS[0].id)
    assert not history.has_acted("c" * 16)


def test_what_was_not_shown_here_is_nobodys_act(rng: random.Random) -> None:
    first, steps = played(9, rng, every_ms=10)
    history = remembered(first, steps, known=9)
    assert history.newest is None
    assert not history.has_acted(PLAYERS[0].id)
    assert history.seq_of(steps[8].entry.player, steps[8].entry.action) == 10
    assert apply_entry(steps[7].record, steps[8].entry) == steps[8].record


KEPT = [  # ms between two entries, how many are kept at least, at most
    (10, RECENT, RECENT + MILESTONE),  # fast programs: a store may lose all of that
    (2000, KEPT_MS // 2000, KEPT_MS // 2000 + 2 * MILESTONE),
    (60_000, MILESTONE, 2 * MILESTONE),
]


@pytest.mark.parametrize(("every_ms", "least", "most"), KEPT)
def test_no_more_is_kept_than_somebody_may_need(every_ms: int, least: int, most: int, rng: random.Random) -> None:
    first, steps = played(200, rng, every_ms)
    for count in range(most, len(steps), 7):
        assert least <= len(remembered(first, steps[:count]).entries) <= most
