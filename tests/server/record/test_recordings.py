"""Journals and update frames keep their bytes: what an earlier version wrote is read, and written, as it was."""

import pytest
from tavla_protocol.codec import pack
from tavla_protocol.view import diff
from tavla_server.record.decider import engine_decide
from tavla_server.record.dice import MatchDice
from tavla_server.record.events import decode_entry, encode_entry
from tavla_server.record.projection import view_of
from tavla_server.record.reducer import apply_entry
from tavla_server.record.state import Record, decode_record, encode_record

from tests.support.games.recordings import FILE_0_1, Recording, action_of, recordings, replay

RECORDINGS, RECORDINGS_0_1 = recordings(), recordings(FILE_0_1)
NAMES = [f"{one.preset}-{'-'.join(map(str, one.changes.values()))}" for one in RECORDINGS]


@pytest.mark.parametrize("recording", RECORDINGS, ids=NAMES)
def test_a_journal_is_read_and_written_as_it_was(recording: Recording) -> None:
    for data in map(bytes.fromhex, recording.entries):
        assert encode_entry(decode_entry(data)) == data


@pytest.mark.parametrize("recording", RECORDINGS, ids=NAMES)
def test_the_same_actions_give_the_same_entries_and_frames(recording: Recording) -> None:
    again = replay(recording)
    assert again.entries == recording.entries
    assert again.frames == recording.frames


@pytest.mark.parametrize("recording", RECORDINGS_0_1, ids=NAMES)
def test_a_match_that_an_earlier_version_began_goes_on_to_its_end(recording: Recording) -> None:
    """Its players' seeds were known from the start: the dice, and what is shown, are what they were then."""
    entries = [decode_entry(bytes.fromhex(data)) for data in recording.entries]
    record = Record("abcdefghijklmnop")
    for seq, (entry, action) in enumerate(zip(entries, [None, *recording.actions], strict=True), 1):
        if action is not None:
            assert tuple(engine_decide(action_of(action))(record, MatchDice())[0]) == entry.events
        then = apply_entry(record, entry)
        assert decode_record(encode_record(seq, then)) == (seq, then)
        assert pack((record.id, seq, diff(view_of(record), view_of(then)))).hex() == recording.frames[seq - 1]
        record = then
    assert record.over == (view_of(record).seed != "")


def test_the_recordings_hold_every_event_of_the_engine() -> None:
    kinds = {
        type(event).__name__
        for recording in RECORDINGS
        for data in recording.entries
        for event in decode_entry(bytes.fromhex(data)).events
    }
    assert len(kinds) == 17, "all but a table's closing and a fork, which test_state pins"
