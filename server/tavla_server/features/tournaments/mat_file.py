"""All matches of a tournament as one `.mat`, gzipped, in a process of its own: each takes 1 to 3 ms.

`python -m tavla_server.features.tournaments.mat_file` reads its name and a `PlayedMatch` after the other, and tells
the file when its input ends with an empty one. It ends without a word with its server, whatever ends that. Pure, but
for that.
"""

import gzip
import os
import signal
import sys
import time
from collections.abc import Iterator
from typing import NamedTuple

import msgspec
from tavla_engine.mat import export_mat
from tavla_engine.match import new_match

from tavla_server.features.archive.packing import unpack
from tavla_server.features.tournaments.waiting import HEAD_BYTES
from tavla_server.record.events import TableEvent, decode_entry
from tavla_server.record.reducer import apply_entry
from tavla_server.record.state import Record

POLITENESS = 10  # of 19: whoever plays goes before


class PlayedMatch(NamedTuple):
    """A match with its journal, or that as the archive has it. names: as the tournament knows its players, by seat."""

    id: str
    names: tuple[str, str]
    journal: list[bytes]
    packed: bytes = b""


def as_mat(tournament: str, match: PlayedMatch) -> str:
    """A match as clients export it, with the tournament's name; "" if it is not over, or not to be watched."""
    entries = [decode_entry(data) for data in match.journal or unpack(match.packed)]
    record = Record(match.id)
    for entry in entries:
        record = apply_entry(record, entry)
    if not record.over or record.cancelled or not record.terms.spectators:
        return ""
    events = [event for entry in entries for event in entry.events if not isinstance(event, TableEvent)]
    day = time.strftime("%Y.%m.%d", time.gmtime(entries[0].time_ms / 1000))
    tags = {"Event": tournament, "EventDate": day, "Match": record.id}
    return export_mat(match.names, new_match(record.match.rules), events, tags)


def _pieces() -> Iterator[bytes]:
    """Pieces of what is asked; the last one is empty."""
    while True:
        size = sys.stdin.buffer.read(HEAD_BYTES)
        if len(size) < HEAD_BYTES:
            sys.exit()
        if not (piece := sys.stdin.buffer.read(int.from_bytes(size, "big"))):
            return
        yield piece


def main() -> None:
    """Make a file."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    os.nice(POLITENESS)
    pieces = _pieces()
    tournament = msgspec.msgpack.decode(next(pieces), type=str)
    decode = msgspec.msgpack.Decoder(PlayedMatch).decode
    whole = "\n".join(filter(None, (as_mat(tournament, decode(piece)) for piece in pieces)))
    sys.stdout.buffer.write(gzip.compress(whole.encode(), 6, mtime=0))


if __name__ == "__main__":
    main()
