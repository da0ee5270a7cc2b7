"""Whole commands in a damaged file, behind the damage too.

A file is a sequence of commands, each an array of texts in RESP. Behind what cannot be read, the next place is looked
for where a whole command begins. A transaction is kept whole or not at all.
Source: valkey.io/topics/persistence; valkey.io/topics/protocol.
"""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from tavla_server import files

_COUNT = re.compile(rb"\*([1-9]\d{0,6})\r\n")
_SIZE = re.compile(rb"\$(\d{1,9})\r\n")
_NOTE = re.compile(rb"#[^\r\n]*\r\n")  # such as a time
_MATCH = re.compile(rb"\{m:([a-z2-7]{8,16})\}:log")
MULTI, EXEC = b"MULTI", b"EXEC"


class SalvageReport(NamedTuple):
    """The report of a salvage: `bytes` were left out, in which these matches were named."""

    bytes: int
    matches: set[str]


def salvage(file: Path) -> SalvageReport:
    """Leave in a file what is whole."""
    data = file.read_bytes()
    kept, left = sorted_out(data)
    files.write_whole(file, b"".join(kept))
    named = {match.decode() for part in left for match in _MATCH.findall(part)}
    return SalvageReport(sum(map(len, left)), named)


def sorted_out(data: bytes) -> tuple[list[bytes], list[bytes]]:
    """The commands of a file that can be carried out, as they stand there, and what is left out."""
    kept: list[bytes] = []
    left: list[bytes] = []
    held: list[bytes] | None = None  # of a transaction that has begun
    doubtful: list[bytes] | None = None  # behind damage: the rest of a transaction, if EXEC comes before MULTI
    for name, raw in _commands(data):
        if name is None:
            kept += doubtful or []
            left += [*(held or []), raw]
            held, doubtful = None, []
        elif name == MULTI:
            kept += doubtful or []
            held, doubtful = [raw], None
        elif name == EXEC:
            if held is None:
                left += [*(doubtful or []), raw]
            else:
                kept += [*held, raw]
            held = doubtful = None
        elif held is not None:
            held.append(raw)
        else:
            (kept if doubtful is None else doubtful).append(raw)
    return kept + (doubtful or []), left + (held or [])


def _commands(data: bytes) -> Iterator[tuple[bytes | None, bytes]]:
    """Each command's name and bytes, in order; (None, bytes) for what could not be read."""
    at = 0
    while at < len(data):
        found = _command(data, at)
        if found is None:
            end = _next(data, at + 1)
            yield None, data[at:end]
            at = end
            continue
        name, end = found
        yield name, data[at:end]
        at = end


def _command(data: bytes, at: int) -> tuple[bytes, int] | None:
    """The name of the command that begins here, in capitals, and where it ends."""
    if note := _NOTE.match(data, at):
        return b"#", note.end()
    head = _COUNT.match(data, at)
    if head is None:
        return None
    at, name = head.end(), b""
    for part in range(int(head[1])):
        size = _SIZE.match(data, at)
        if size is None:
            return None
        end = size.end() + int(size[1])
        if data[end : end + 2] != b"\r\n":
            return None
        if part == 0:
            name = data[size.end() : end].upper()
        at = end + 2
    return name, at


def _next(data: bytes, at: int) -> int:
    """The start of the next whole command that another one or the end follows."""
    while (at := data.find(b"*", at)) >= 0:
        found = _command(data, at)
        if found is not None and (found[1] == len(data) or data[found[1] : found[1] + 1] in (b"*", b"#")):
            return at
        at += 1
    return len(data)
