"""Whole matches as they were recorded: what was asked, the journal's entries and the update frames.

`python -m tests.support.games.recordings` plays the recorded actions anew and writes what they give now: for a
change of the protocol that is meant, such as a new field of the view. What changes an entry makes old journals
unreadable. With `anew` other matches are played: for a change of the dice, which the recorded actions do not fit.
"""

import gzip
import json
import random
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
from tavla_engine import actions as a
from tavla_engine.dice import commitment
from tavla_engine.errors import IllegalAction
from tavla_engine.match import Phase
from tavla_engine.rules import preset
from tavla_protocol.codec import pack
from tavla_protocol.view import diff
from tavla_server.match.lifecycle import with_terms
from tavla_server.player import Player
from tavla_server.record.decider import Decide, engine_decide, start_first_game
from tavla_server.record.dice import MatchDice
from tavla_server.record.events import Created, Entry, Event, Revealed, Seated, Terms, encode_entry
from tavla_server.record.projection import view_of
from tavla_server.record.reducer import apply_entry
from tavla_server.record.state import Record, apply, apply_all

from tests.support.games.chance import action_by_chance

FILE = Path(__file__).parents[2] / "data" / "recordings.json.gz"
WHITE = Player("a" * 16, "ada", "account", 1512.25, 130)
BLACK = Player("b" * 16, "bob", "bot", 1488.5, 7)
SEED = "aa"  # white's; too short for a real one, but the dice of the recorded actions come from it
SALTS = ("5a" * 16, "c3" * 16)
READIES = 2  # actions before the seed is revealed
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


def anew(recording: Recording, rng: random.Random) -> Recording:
    """As long a match by the same rules, with other actions: those that were recorded do not fit other dice."""
    actions, record = list[list[Any]](), _begun(recording)[1]
    while not record.over:
        action = action_by_chance(record.match, rng)
        if len(actions) >= len(recording.actions):
            is_money = not record.match.rules.length and record.match.phase is Phase.READY
            action = a.Leave(action.seat) if is_money else a.Forfeit(action.seat)
        try:
            _, record = engine_decide(action)(record, MatchDice())
        except IllegalAction:
            continue
        actions.append([type(action).__name__, *msgspec.to_builtins(msgspec.structs.astuple(action))])
        if len(actions) == READIES:
            _, record = _reveal(record, MatchDice())
    return replay(Recording(recording.preset, recording.changes, actions, [], []))


def _begun(recording: Recording) -> tuple[list[Event], Record]:
    """The table with both players, and its terms."""
    created = Created("table", preset(recording.preset, recording.changes), bytes(range(32)), Terms("abcd2345", False))
    white = Seated(0, WHITE, SALTS[0], commitment(bytes.fromhex(SEED)))
    opened: list[Event] = [created, white, Seated(1, BLACK, SALTS[1])]
    return with_terms(opened, apply_all(Record("abcdefghijklmnop"), opened))


def _reveal(record: Record, dice: MatchDice) -> tuple[list[Event], Record]:
    seed = Revealed(0, SEED)
    return start_first_game([seed], apply(record, seed), dice)


def _entries(recording: Recording, record: Record) -> Iterator[tuple[Entry, Record]]:
    entry = Entry("", 0, 0, 0, tuple(_begun(recording)[0]))
    record = apply_entry(record, entry)
    yield entry, record
    asked: list[tuple[int, Decide]] = [(fields[1], engine_decide(action_of(fields))) for fields in recording.actions]
    asked.insert(READIES, (0, _reveal))
    for number, (seat, decide) in enumerate(asked, 1):
        events, after = decide(record, MatchDice())
        events = [*events, *MatchDice().seeds_to_show(record, after)]
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
    chance = random.Random(10)
    write([anew(one, chance) if sys.argv[1:] == ["anew"] else replay(one) for one in recordings()])
