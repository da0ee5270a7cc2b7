"""`tavla-server dump`: the public matches of a month as one stream of OGXM, for those who study the game.

A stream is whole `.ogxm` files one after the other, by the end of their matches; `zstd` makes a frame of each batch.
Beside the file that grows stands how far it is, so that a run which was cut goes on where the last batch ended.
"""

import asyncio
import json
import os
import shutil
import time
from asyncio.subprocess import PIPE
from collections.abc import Mapping
from datetime import UTC, datetime
from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple

import msgspec
from tavla_engine.errors import BadText
from tavla_engine.match import new_match
from tavla_engine.ogxm import export_ogxm
from tavla_protocol.messages import Analysis

from tavla_server import files
from tavla_server.commands.backup import demand_new_file
from tavla_server.errors import ArchiveUnavailable, JournalUnreadable, StartError
from tavla_server.features.archive.database import Database
from tavla_server.features.archive.packing import UNPACKABLE, unpack
from tavla_server.features.archive.public_matches import PublicMatch, PublicMatches
from tavla_server.options import Options
from tavla_server.record.events import Created, TableEvent, decode_entry

BATCH = 200  # matches: some 100 KB packed, and half a second
LEVEL = "-12"  # of zstd: from 13 on it takes three times as long for a hundredth
COMMA = ", "


class Progress(NamedTuple):
    """Progress of a dump. bytes: of the growing file that are whole. after: the last match, by end in ms and id."""

    month: str
    bytes: int
    matches: int
    left_out: int
    after: tuple[int, str]


async def dump(options: Options, month: str, file: Path) -> list[str]:
    """Write the public matches that ended in a month, such as 2026-11 (UTC); what was done, in lines.

    Raises: StartError, with what is wrong.
    """
    if options.archive_url is None:
        raise StartError("there is no archive to take matches from: give --archive")
    if shutil.which("zstd") is None or find_spec("gvformat") is None:
        raise StartError(
            "this needs the program zstd and the package gammonview: apt install zstd; pip install gammonview"
        )
    demand_new_file(file)
    first_ms, end_ms = _bounds_ms(month)
    growing, note = (file.with_name(f"{file.name}.{what}") for what in ("part", "progress"))
    database = Database(options.archive_url)
    try:
        with files.open_private(growing, "ab") as opened:
            if not files.try_lock(opened.fileno()):
                raise StartError(f"another dump writes {growing} now")
            done = _read(note, opened.tell()) or Progress(month, 0, 0, 0, (first_ms - 1, ""))
            if done.month != month:
                raise StartError(f"{growing} is of {done.month}: remove it, or give another name")
            opened.truncate(done.bytes)  # what came after it was never whole
            while found := await PublicMatches(database).after(done.after, end_ms, BATCH):
                done = await _add(opened.fileno(), found, done)
                files.write_whole(note, json.dumps(done).encode())
        if not done.matches:
            growing.unlink()
            raise StartError(f"no public match ended in {month}")
        note.unlink()
        growing.rename(file)
        files.sync(file.parent)
    except ArchiveUnavailable as error:
        raise StartError(f"cannot read the archive: {error}; run this again to go on") from None
    except OSError as error:
        raise StartError(f"cannot write {growing}: {error.strerror}; run this again to go on") from None
    finally:
        await database.close()
    left = f"; left out, since the format cannot tell them: {done.left_out}" if done.left_out else ""
    return [f"{file}: {done.matches} matches, {done.bytes / 1e6:.1f} MB{left}"]


async def _add(handle: int, found: list[PublicMatch], done: Progress) -> Progress:
    """Write a batch as one frame, and have it on disk."""
    members = await asyncio.to_thread(lambda: [_member(one) for one in found])
    whole = [one for one in members if one is not None]
    frame = await _packed(b"".join(whole)) if whole else b""
    await asyncio.to_thread(_append, handle, frame)
    last = found[-1].ended_ms, found[-1].id
    left_out = done.left_out + len(found) - len(whole)
    return Progress(done.month, done.bytes + len(frame), done.matches + len(whole), left_out, last)


def _append(handle: int, frame: bytes) -> None:
    rest = memoryview(frame)
    while rest:
        rest = rest[os.write(handle, rest) :]
    os.fsync(handle)


async def _packed(members: bytes) -> bytes:
    """A frame. Raises: StartError."""
    process = await asyncio.create_subprocess_exec("zstd", "-q", "-c", LEVEL, stdin=PIPE, stdout=PIPE, stderr=PIPE)
    frame, errors = await process.communicate(members)
    if process.returncode:
        raise StartError(f"zstd has failed: {errors.decode(errors='replace').strip()}")
    return frame


def _member(found: PublicMatch) -> bytes | None:
    """A match as a file. None: it is damaged, or has what the format does not know."""
    try:
        entries = [decode_entry(data) for data in unpack(found.journal)]
        created = entries[0].events[0]
        assert isinstance(created, Created), "a journal begins so"
        events = [event for entry in entries for event in entry.events if not isinstance(event, TableEvent)]
        return export_ogxm(found.names, new_match(created.rules), events, _tags(found), {}, found.started_ms // 1000)
    except (*UNPACKABLE, JournalUnreadable, BadText):
        return None


def _tags(found: PublicMatch) -> Mapping[str, str]:
    """Facts of a match beside its play: of the table's name and all who watched or talked there is nothing."""
    told = {"Match": found.id, "Kinds": COMMA.join(found.kinds), "Ending": found.ending}
    if None not in found.ratings:
        told["Ratings"] = COMMA.join(f"{rating:.2f}" for rating in found.ratings)
    if found.result and not (analysis := msgspec.json.decode(found.result, type=Analysis)).error:
        told["Judge"] = analysis.by
        told["Performance"] = COMMA.join("-" if rating is None else f"{rating:.2f}" for rating in analysis.ratings)
    return told


def _bounds_ms(month: str) -> tuple[int, int]:
    """The first moment of a month, and of the next one, in ms since 1970. Raises: StartError."""
    try:
        first = datetime.strptime(month, "%Y-%m").replace(tzinfo=UTC)
    except ValueError:
        raise StartError(f"{month!r} is no month: say it as 2026-11") from None
    end = first.replace(year=first.year + first.month // 12, month=first.month % 12 + 1)
    if end.timestamp() > time.time():
        raise StartError(f"{month} is not over: what ends later would be missing")
    return int(first.timestamp()) * 1000, int(end.timestamp()) * 1000


def _read(note: Path, size: int) -> Progress | None:
    """The progress that is noted; None at the beginning. size: of the growing file. Raises: StartError."""
    try:
        noted = msgspec.json.decode(note.read_bytes(), type=Progress)
        return noted if noted.bytes <= size else None
    except FileNotFoundError:
        return None
    except msgspec.MsgspecError:
        raise StartError(f"{note} cannot be read: remove it and the file beside it, to begin anew") from None
