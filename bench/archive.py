"""Size of finished matches, in the store and in the archive: `python -m bench.archive`.

Real journals: matches played by the rules alone at random, stored again and again under other ids. They are put into a
Valkey as servers leave them, and archived by the server's own archiver with a grace of nothing.
"""

import asyncio
import random
import time
from pathlib import Path

import structlog
from tavla_engine.rules import Rules
from tavla_server.features.archive.archive import Archive
from tavla_server.features.archive.archiver import Archiver
from tavla_server.features.archive.database import Database
from tavla_server.features.archive.packing import pack
from tavla_server.features.archive.summary import Summary
from tavla_server.record.state import encode_record
from tavla_server.store import keys
from tavla_server.store.client import Client

from tests.support.results import record, table
from tests.support.servers.lifetimes import own_store
from tests.support.servers.rooms import node_on
from tests.support.servers.valkey import short_folder
from tests.support.stores.finished import journal_of, match_id, player, summary_of

LENGTHS = 1, 1, 3, 5, 7  # points
TEMPLATES = 60
IN_STORE = 10_000
PEOPLE = 200

Template = tuple[Summary, list[bytes]]  # of a match that was really played, and its journal


async def templates(rng: random.Random) -> list[Template]:
    """Matches of all lengths."""
    people, made = [player(rng, f"player-{number}") for number in range(PEOPLE)], list[Template]()
    for number in range(TEMPLATES):
        journal = journal_of(rng, "template", rng.sample(people, 2), Rules(length=LENGTHS[number % len(LENGTHS)]))
        made.append((await summary_of("template", journal), journal))
    return made


async def fill(redis: Client, made: list[Template], rng: random.Random) -> None:
    """Matches that are over, as servers leave them: journal, snapshot, a line of the list."""
    for number in range(IN_STORE):
        (found, journal), match = made[number % len(made)], match_id(rng)
        entries = enumerate(journal, 1)
        log = [redis.xadd(keys.MATCH_LOG(match), {"e": data}, id=f"{seq}-0") for seq, data in entries]
        snapshot = redis.set(keys.MATCH_SNAPSHOT(match), encode_record(found.seq, found.record))
        await asyncio.gather(*log, snapshot, redis.zadd(keys.UNARCHIVED("0"), {match: number}))


async def used(redis: Client) -> int:
    """Bytes that the store's data takes."""
    info = await redis.info("memory")
    return int(info["used_memory_dataset"])


async def figures(url: str, folder: Path, made: list[Template], rng: random.Random) -> list[tuple[str, str]]:
    """The store with finished matches in it, and when they have gone; and what it takes to move them."""
    file = folder / "archive.sqlite3"
    database = Database(f"sqlite:///{file}")
    archive = Archive(database)
    async with node_on(url) as node:
        empty = await used(node.redis)
        await fill(node.redis, made, rng)
        full = await used(node.redis)
        await archive.ping()
        archiver = Archiver(node.core, archive, 0.0)
        began = time.process_time()
        await archiver.sweep()
        took = time.process_time() - began
        assert await archive.count() == IN_STORE
        left = await used(node.redis)
        await database.close()
    size, entries = file.stat().st_size / IN_STORE, [entry for _, journal in made for entry in journal]
    blobs = sum(len(pack(journal)) for _, journal in made) / TEMPLATES
    full_mib, left_mib = (full - empty) / 2**20, (left - empty) / 2**20
    count, bytes_ = len(entries) / TEMPLATES, sum(map(len, entries)) / TEMPLATES
    a_year = f"a year of 1,000 matches a day is {size * 365e3 / 1e9:.2g} GB"
    return [
        ("a match's journal", f"{count:.0f} entries, {bytes_:,.0f} bytes"),
        ("the same in the archive, deflated", f"{blobs:,.0f} bytes"),
        ("a match in the archive, with all columns and indexes", f"{size:,.0f} bytes: {a_year}"),
        (f"the store with {IN_STORE:,} finished matches", f"{full_mib:.1f} MiB"),
        ("the same, archived, after the grace", f"{left_mib:.1f} MiB"),
        ("in between, with a grace of 7 days and 1,000 matches a day", f"{full_mib * 7_000 / IN_STORE:.0f} MiB"),
        ("CPU to move a match: read it, replay it, pack it, insert it", f"{1e3 * took / IN_STORE:.1f} ms"),
    ]


async def measure() -> list[str]:
    """The figures as lines of Markdown."""
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger("error"))
    rng = random.Random(1)
    made = await templates(rng)
    with short_folder() as folder, own_store("no", on_disk=True) as valkey:
        return table("finished matches | ", await figures(valkey.url, folder, made, rng))


if __name__ == "__main__":
    record("archive", lambda: asyncio.run(measure()))
