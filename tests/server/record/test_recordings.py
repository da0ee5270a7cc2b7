"""Journals and update frames keep their bytes: what was recorded is read, and written, as it was."""

import pytest
from tavla_server.record.events import decode_entry, encode_entry

from tests.support.games.recordings import Recording, recordings, replay

RECORDINGS = recordings()
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


def test_the_recordings_hold_every_event_of_the_engine() -> None:
    kinds = {
        type(event).__name__
        for recording in RECORDINGS
        for data in recording.entries
        for event in decode_entry(bytes.fromhex(data)).events
    }
    assert len(kinds) == 18, "all but a table's closing and a fork, which test_state pins"
