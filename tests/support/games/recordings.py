"""Whole matches as they were recorded: what was asked, the journal's entries and the update frames.

`python -m tests.support.games.recordings` plays the recorded actions anew and writes what they give now: for a
change of the protocol that is meant, such as a new field of the view. What
changes an entry makes old journals unreadable.
"""

import gzip
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
from tavla_engine import actions as a
from tavla_engine.dice import commitment
from tavla_engine.rules import preset
from tavla_protocol.codec import pack
from tavla_protocol.view import diff
from tavla_server.player import Player
from tavla_server.record.decider import engine_decide, start_first_game
from tavla_server.record.dice import MatchDice
from tavla_server.record.events import Created, Entry, Revealed, Seated, Terms, encode_entry
from tavla_server.record.projection import view_of
from tavla_server.record.reducer import apply_entry
from tavla_server.record.state import Record, apply

FILE = Path(__file__).parents[2] / "data" / "recordings.json.gz"
WHITE = Player("a" * 16, "ada", "account", 1512.25, 130)
BLACK = Player("b" * 16, "bob", "bot", 1488.5, 7)
SEED = "aa"  # white's; too short for a real one, but the dice of the recorded actions come from it
STEP_MS = 3217  # between two actions


class Recording(msgspec.Struct, frozen=True):
    """Recorded match. actions: [name, seat, ...]. entries, frames: one a version, in hex; the first opens the table."""

    preset: str
    changes: dict[str, Any]
    actions: list[list[Any]]
    entries: list[str]
    frames: list[str]


def recordings() -> list[Recording]:
    """All that are kept."""
    return msgspec.json.decode(gzip.decompress(FILE.read_bytes()), type=list[Recording])


def replay(recording: Recording) -> Recording:
    """The same actions, decided, encoded and shown by the code as it is."""
    entries, frames = [], []
    record = Record("abcdefghijklmnop")
    for seq, (entry, then) in enumerate(_entries(recording, record), 1):
        entries.append(encode_entry(entry).hex())
        frames.append(pack((record.id, seq, diff(view_of(record), view_of(then)))).hex())
        record = then
    return Recording(recording.preset, recording.changes, recording.actions, entries, frames)


def _entries(recording: Recording, record: Record) -> Iterator[tuple[Entry, Record]]:
    created = Created("table", preset(recording.preset, recording.changes), bytes(range(32)), Terms("abcd2345", False))
    white = Seated(0, WHITE, commitment=commitment(bytes.fromhex(SEED)))
    entry = Entry("", 0, 0, 0, (created, white, Seated(1, BLACK)))
    record = apply_entry(record, entry)
    yield entry, record
    asked = [(fields[1], engine_decide(action_of(fields))) for fields in recording.actions]
    seed = Revealed(0, SEED)
    asked.insert(2, (0, lambda record, dice: start_first_game([seed], apply(record, seed), dice)))
    for number, (seat, decide) in enumerate(asked, 1):
        events, _ = decide(record, MatchDice())
        player = (WHITE, BLACK)[seat].id
        entry = Entry(player, 2**40 + number, 1_700_000_000_000 + STEP_MS * number, number % 300, tuple(events))
        record = apply_entry(record, entry)
        yield entry, record


def action_of(fields: list[Any]) -> a.Action:
    """An action from its name and its fields."""
    action: a.Action = msgspec.convert(fields[1:], getattr(a, fields[0]))
    return action


def write(kept: list[Recording]) -> None:
    """Replace what is kept."""
    lines = ",\n".join(json.dumps(msgspec.to_builtins(one), separators=(",", ":")) for one in kept)
    FILE.write_bytes(gzip.compress(f"[\n{lines}\n]\n".encode(), mtime=0))


if __name__ == "__main__":
    write([replay(one) for one in recordings()])
