"""Size of finished matches, and the cost of looking back: `python -m bench.archive` prints the figures of docs.

Real journals: matches played by the rules alone at random, some of them then stored again and again under other ids.
They are put into a Valkey as servers leave them, archived by the server's own archiver with a grace of nothing, and
asked for through a server's socket. `python -m bench.archive memory`, `history` or `dice` is a part of it.
"""

import asyncio
import contextlib
import random
import sys
import time
from collections.abc import Awaitable, Sequence
from pathlib import Path
from typing import NamedTuple

import msgspec
import sqlalchemy as sa
import structlog
from msgspec.structs import replace
from tavla_client import Client as Player
from tavla_engine.rules import Rules
from tavla_protocol.messages import Analysis
from tavla_server.archive.analyses import Analyses
from tavla_server.archive.archive import Archive
from tavla_server.archive.archiver import Archiver
from tavla_server.archive.database import Database
from tavla_server.archive.packing import packed
from tavla_server.archive.rolls import counted
from tavla_server.archive.rows import match_row
from tavla_server.archive.schema import analyses, matches
from tavla_server.archive.summary import Summary, summary
from tavla_server.cluster.clock import Clock
from tavla_server.match.journal import Journal
from tavla_server.record.state import encode_record
from tavla_server.store import keys
from tavla_server.store.client import Client, connected
from tavla_server.store.router import Router
from tavla_server.store.topology import find_topology

from tests.support.results import recorded
from tests.support.servers.processes import ServerProcess, Valkey, short_folder
from tests.support.stores.finished import journal_of, match_id, player

LENGTHS = 1, 1, 3, 5, 7  # points
TEMPLATES = 60
IN_STORE, IN_ARCHIVE, ROLLED = 10_000, 50_000, 100_000
FILLED_AT_ONCE = 2_000
PAGES = "select page_count * page_size from pragma_page_count, pragma_page_size"  # SQLite: bytes
READERS, ASKED = 60, 16
PEOPLE = 200


class Template(NamedTuple):
    """A match that was really played."""

    found: Summary
    journal: list[bytes]


async def templates(rng: random.Random, people: Sequence[object]) -> list[Template]:
    """Matches of all lengths."""
    made = []
    for number in range(TEMPLATES):
        rules = Rules(length=LENGTHS[number % len(LENGTHS)])
        journal = journal_of(rng, "template", rng.sample(people, 2), rules)  # type: ignore[arg-type]
        found = await summary("template", journal)
        assert found is not None, "over"
        made.append(Template(found, journal))
    return made


async def fill(redis: Client, made: list[Template], count: int, rng: random.Random) -> None:
    """Matches that are over, as servers leave them: journal, snapshot, a line of the list."""
    for number in range(count):
        found, journal = made[number % len(made)]
        match = match_id(rng)
        log: list[Awaitable[object]] = []
        for seq, data in enumerate(journal, 1):
            log.append(redis.xadd(keys.MATCH_LOG(match), {"e": data}, id=f"{seq}-0"))
        log.append(redis.set(keys.MATCH_SNAPSHOT(match), encode_record(found.seq, found.record)))
        log.append(redis.zadd(keys.UNARCHIVED("0"), {match: number}))
        await asyncio.gather(*log)


async def used(redis: Client) -> int:
    """Bytes that the store's data takes."""
    info = await redis.info("memory")
    return int(info["used_memory_dataset"])


async def store_memory(rng: random.Random, folder: Path) -> None:
    """The store with finished matches in it, and when they have gone; and what it takes to move them."""
    valkey = Valkey(folder, fsync="no")
    valkey.start()
    people = [player(rng, f"player-{number}") for number in range(PEOPLE)]
    made = await templates(rng, people)
    async with connected(valkey.url) as redis, contextlib.AsyncExitStack() as stack:
        router = Router(await find_topology(valkey.url), [])
        await router.open()
        stack.push_async_callback(router.close)
        database = Database(f"sqlite:///{folder}/archive.sqlite3")
        stack.push_async_callback(database.close)
        empty = await used(redis)
        await fill(redis, made, IN_STORE, rng)
        full = await used(redis)
        archive = Archive(database)
        await archive.ping()
        archiver = Archiver(redis, Journal(redis, router, "bench"), archive, Clock(), 0.0, "bench")
        began, wall = time.process_time(), time.perf_counter()
        while await archiver._sweep(archive):
            pass
        took, wall = time.process_time() - began, time.perf_counter() - wall
        assert await archive.count() == IN_STORE
        assert await archiver.backlog() == 0
        left = await used(redis)
    size = (folder / "archive.sqlite3").stat().st_size
    entries = sum(len(journal) for _, journal in made) / len(made)
    plain = sum(sum(map(len, journal)) for _, journal in made) / len(made)
    blobs = sum(len(packed(journal)) for _, journal in made) / len(made)
    before, after = (full - empty) / 2**20, (left - empty) / 2**20
    row("a match's journal", f"{entries:.0f} entries, {plain:,.0f} bytes")
    row("the same in the archive, deflated", f"{blobs:,.0f} bytes")
    row(
        "a match in the archive, with all columns and indexes",
        f"{size / IN_STORE:,.0f} bytes: {a_year(size / IN_STORE)}",
    )
    row(
        f"the store with {IN_STORE:,} finished matches",
        f"{before:.1f} MiB, {(full - empty) / 1e3 / IN_STORE:.1f} KB a match",
    )
    row("the same, archived, after the grace", f"{after:.1f} MiB")
    row("in between, with a grace of 7 days and 1,000 matches a day", f"{before * 7_000 / IN_STORE:.0f} MiB")
    row("CPU to move a match: read it, replay it, pack it, insert it", f"{1e3 * took / IN_STORE:.1f} ms")
    row("matches moved a second", f"{IN_STORE / wall:.0f}")
    valkey.kill()


async def looking_back(rng: random.Random, folder: Path) -> None:
    """A server with a large archive: its start, its store, and history and record through its socket."""
    data = folder / "data"
    data.mkdir()
    people = [player(rng, f"player-{number}") for number in range(PEOPLE)]
    made = await templates(rng, people)
    database = Database(f"sqlite:///{data}/archive.sqlite3")
    archive = Archive(database)
    ids = []
    for number in range(IN_ARCHIVE):
        found, journal = made[number % len(made)]
        ids.append(match_id(rng))
        players = rng.sample(people, 2)
        record = replace(found.record, id=ids[-1])
        ended = found.ended_ms + number
        await archive.put(found._replace(record=record, players=(players[0], players[1]), ended_ms=ended), journal)
    size = (await all_judged(database, ids[:-1])) / len(ids)
    claim_s = await timed(Analyses(database, "bench").claim())
    row("what `--analysis` adds to a match in the archive", f"{size:.0f} bytes: {a_year(size)}")
    row("to find the next match that `--analysis` has not judged", f"{1e3 * claim_s:.1f} ms")
    await database.close()
    server = ServerProcess(data)
    began = time.perf_counter()
    server.start()
    row("start of the server, until it serves", f"{time.perf_counter() - began:.1f} s")
    async with connected(server.store_url) as redis:
        row("the store's data", f"{await used(redis) / 2**20:.1f} MiB")
    histories, records = [], []
    for number in range(READERS):  # a limit lets each ask so often at once
        async with Player(server.url, name=f"reader-{number}") as reader:
            for _ in range(ASKED):
                histories.append(await timed(anext(reader.archive.history(rng.choice(people).name))))
                records.append(await timed(reader.archive.record(rng.choice(ids))))
    pages = f"`history`, a page of 50 of some {2 * IN_ARCHIVE // PEOPLE} matches"
    for what, took in ((pages, histories), ("`record`, a whole match that has left the store", records)):
        took.sort()
        row(what, f"{1e3 * took[len(took) // 2]:.1f} ms in the median, {1e3 * took[len(took) * 99 // 100]:.1f} ms p99")
    server.clean_up()


async def how_the_dice_fell(rng: random.Random, folder: Path) -> None:
    """The rolls of a large archive, counted as those of an earlier version's, and summed up."""
    made = await templates(rng, [player(rng, f"player-{number}") for number in range(PEOPLE)])
    database = Database(f"sqlite:///{folder}/archive.sqlite3")
    archive, ids = Archive(database), [match_id(rng) for _ in range(ROLLED)]
    rows = [match_row(found, packed(journal)) for found, journal in made]
    for start in range(0, ROLLED, FILLED_AT_ONCE):
        some = ids[start : start + FILLED_AT_ONCE]
        async with database.writing() as connection:
            await connection.execute(
                sa.insert(matches), [rows[number % len(rows)] | {"id": match} for number, match in enumerate(some)]
            )
        await all_judged(database, some)
    began = time.process_time()
    for _, journal in made:
        counted("template", journal)
    row(
        "CPU to count the dice of a match, and to recompute them",
        f"{1e3 * (time.process_time() - began) / TEMPLATES:.1f} ms",
    )
    async with database.reading() as connection:
        before = await connection.scalar(sa.text(PAGES)) or 0
    took = await timed(archive.rolls.refresh())
    async with database.reading() as connection:
        after = await connection.scalar(sa.text(PAGES)) or 0
    row(f"the dice of {ROLLED:,} matches that were not counted, counted and summed up beside play", f"{took:.0f} s")
    size = (after - before) / ROLLED
    row("what the counts add to a match in the archive", f"{size:.0f} bytes: {a_year(size)}")
    for judged in (True, False):
        if not judged:
            async with database.writing() as connection:
                await connection.execute(sa.delete(analyses))
        began, late = time.process_time(), asyncio.create_task(worst_delay())
        took = await timed(archive.rolls.refresh())
        late.cancel()
        cpu, idle = time.process_time() - began, asyncio.create_task(worst_delay())
        await asyncio.sleep(took)
        idle.cancel()
        what = "all of them judged" if judged else "none of them judged"
        row(
            f"to sum up the dice of {ROLLED:,} matches, {what}",
            f"{took:.2f} s, {cpu:.2f} s of CPU, nearly all in another thread; the loop is late by at most "
            f"{1e3 * await late:.0f} ms, in as long a time without it by {1e3 * await idle:.0f} ms",
        )
    assert archive.rolls.sums.matches == ROLLED
    await database.close()


async def worst_delay() -> float:
    """The longest delay of the event loop, in seconds, until this is cancelled."""
    worst = 0.0
    with contextlib.suppress(asyncio.CancelledError):
        while True:
            began = time.perf_counter()
            await asyncio.sleep(0.001)
            worst = max(worst, time.perf_counter() - began - 0.001)
    return worst


def row(what: str, figure: str) -> None:
    """A line of the table."""
    print(f"| {what} | {figure} |", flush=True)


def a_year(size: float) -> str:
    """Bytes a match, with 1,000 matches a day."""
    return f"a year of 1,000 matches a day is {size * 365e3 / 1e9:.2g} GB"


async def all_judged(database: Database, ids: Sequence[str]) -> int:
    """Let these matches be judged; how many bytes the database has grown by."""
    analysis = Analysis(
        by="GNU Backgammon, 2-ply", ratings=(12.345, 6.789), lost=(1.234, 0.567), decisions=(50, 48), luck=(0.12, -0.34)
    )
    result = msgspec.json.encode(analysis).decode()
    rows = [{"match": match, "owner": "0" * 16, "tries": 1, "until_ms": 0, "result": result} for match in ids]
    async with database.writing() as connection:
        before = await connection.scalar(sa.text(PAGES))
        await connection.execute(sa.insert(analyses), rows)
        after = await connection.scalar(sa.text(PAGES))
    return int((after or 0) - (before or 0))


async def timed(what: Awaitable[object]) -> float:
    """The time until an answer, in seconds."""
    began = time.perf_counter()
    await what
    return time.perf_counter() - began


async def main() -> None:
    """All of it, or the part that is named."""
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger("error"))
    rng = random.Random(1)
    print("| | |\n|---|---|")
    for name, part in (("memory", store_memory), ("history", looking_back), ("dice", how_the_dice_fell)):
        if name in sys.argv[1:] or len(sys.argv) == 1:
            with short_folder() as folder:
                await part(rng, folder)


if __name__ == "__main__":
    with recorded("archive"):
        asyncio.run(main())
