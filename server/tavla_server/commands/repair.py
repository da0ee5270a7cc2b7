"""`tavla-server repair`: a damaged store of a data folder, or a damaged archive, made readable again."""

import os
from pathlib import Path

from tavla_server.errors import ArchiveUnavailable, StartError, StoreUnavailable
from tavla_server.features.archive import copying
from tavla_server.features.archive.mending import mend
from tavla_server.match.census import Gap, close_gaps, count
from tavla_server.match.seed_keys import is_lost, renew
from tavla_server.options import SEED_KEY_FILE, Options
from tavla_server.own_store import embedded_store
from tavla_server.store import keys
from tavla_server.store.client import Client, connection_to


async def repair(options: Options) -> list[str]:
    """Mend the embedded store and the archive, if it is a file, and keep copies; what was done, in lines.

    Raises: StartError, with what is wrong.
    """
    lines = [] if options.redis else await _mend_store(options)
    if (archive := copying.file_of(options.archive_url)) is not None:
        lines += await _mend_archive(archive)
        lines = lines or ["nothing to repair: the archive is whole"]
    if not lines:
        raise StartError(
            "there is no store and no archive here that is a file: give --data, or --archive sqlite:///PATH"
        )
    return lines


async def _mend_store(options: Options) -> list[str]:
    """Cut off what cannot be read of the embedded store's file, keep a copy, and count what is left."""
    store = embedded_store(options.data)
    try:
        cut = await store.repair()
        await store.start()
        async with connection_to(store.url) as client:
            gaps = await close_gaps(client, set() if cut is None else cut.matches)  # a killed repair may have left some
            matches, entries = await count(client)
            mended = [] if options.seed_key else await _mend_seed_key(client, options.data / SEED_KEY_FILE)
    except StoreUnavailable as error:
        raise StartError(f"cannot read the store: {error}") from None
    finally:
        await store.stop()
    has = f"the store has {matches} matches with {entries} entries"
    if cut is None:
        done = [*map(_told, gaps), *mended]
        return [*done, has] if done else [f"nothing to repair: {has}"]
    made = "the manifest was missing or damaged and is made anew; " if cut.manifest else ""
    return [
        *(f"{name} is missing: what was in it is lost" for name in cut.missing),
        f"{made}{cut.bytes} bytes of {cut.file} could not be read and are left out: {has}",
        *map(_told, gaps),
        f"the files as they were: {cut.copy}",
        *mended,
    ]


def _told(gap: Gap) -> str:
    """A repaired match, in words."""
    if not gap.kept:
        return f"match {gap.match} is lost: its beginning could not be read"
    behind = f"; {gap.behind} behind the damage are of no use without those before" if gap.behind else ""
    return f"match {gap.match} has lost entries and stands as after number {gap.kept}{behind}"


async def _mend_seed_key(redis: Client, file: Path) -> list[str]:
    """Make the seed key anew where a power cut has emptied its file."""
    if not is_lost(file):
        return []
    await renew(redis, file)
    tables = await redis.hlen(keys.LOBBY_ROWS("tables"))
    return [f"{file} was empty and has a new key: the {tables} tables that were open cannot be played on"]


async def _mend_archive(file: Path) -> list[str]:
    """Make a new archive from what can be read of a damaged one."""
    try:
        mended = await mend(file)
    except (ArchiveUnavailable, OSError) as error:
        raise StartError(f"cannot repair the archive {file}: {error}") from None
    if mended is None:
        return []
    if os.geteuid() == 0:  # the server that had the old one is to have the new one
        owner = mended.aside.stat()
        os.chown(file, owner.st_uid, owner.st_gid)
    return [
        f"the archive was damaged: {mended.matches} matches could be read and are in a new one; the next start adds "
        "what the store still has",
        f"the archive as it was: {mended.aside}",
    ]
