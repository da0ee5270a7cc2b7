"""Backups that are brought back, and repairs that are killed: what is over then is rated and archived all the same."""

import asyncio
import random
import subprocess
import time
from pathlib import Path

from tavla_server.commands.backup import backup, restore
from tavla_server.features.archive.archive import Archive
from tavla_server.features.archive.database import Database
from tavla_server.features.archive.summary import summary
from tavla_server.options import Options

from tests.faults.results import MOST, Kept, Pair, archive_of, kept, pairs_at
from tests.support.servers.processes import ServerProcess, script
from tests.support.stores.finished import journal_of, match_id, player

PAUSE_S = 0.02  # between two matches that a pair ends


async def restored(server: ServerProcess, folder: Path, pairs: int) -> Kept:
    """Matches that end while a backup is made: it is brought back, what goes on there ends again, and all are kept."""
    copy, ended = folder / "backup.tar", asyncio.Semaphore(0)
    async with pairs_at(pairs, server.url) as made:
        tables = [[await _begin(pair) for _ in range(MOST)] for pair in made]

        async def end_all(number: int) -> None:
            for match in tables[number]:
                await made[number].end(match)
                ended.release()
                await asyncio.sleep(PAUSE_S)

        ending = asyncio.gather(*map(end_all, range(pairs)))
        for _ in range(pairs * MOST // 4):
            await ended.acquire()
        await backup(Options(data=server.data), copy)
        await ending
        await asyncio.to_thread(server.kill, store=True)
        await restore(copy, folder / "restored")
        server.options[server.options.index(str(server.data))] = str(folder / "restored")
        server.data = folder / "restored"
        await asyncio.to_thread(server.start)
        for pair in made:
            pair.over.clear()
        await asyncio.gather(*map(end_all, range(pairs)))
        return await kept(made, server.url, archive_of(server))


async def _begin(pair: Pair) -> str:
    """Begin a match that has dice: a restore makes void what has none yet, and a busy machine what is not revealed."""
    while True:
        match = await pair.begin()
        await asyncio.gather(pair.white.sees_it_begin(match), pair.black.sees_it_begin(match))
        if pair.white.matches[match].view.game:
            return match


async def repaired(folder: Path, rng: random.Random, matches: int, kills: int) -> tuple[int, int]:
    """Repair a damaged archive, killed so many times at random moments; the matches that it has then, and the kills."""
    file = folder / "archive.sqlite3"
    await _fill(file, rng, matches)
    with file.open("r+b") as opened:
        opened.write(bytes(range(256)) * 16)
    command = [*script("tavla-server"), "repair", "--redis", "redis://localhost", "--archive", f"sqlite:///{file}"]
    killed, most_s = 0, 5.0
    while True:
        began = time.monotonic()
        process = await asyncio.create_subprocess_exec(*command, stdout=subprocess.DEVNULL)
        try:
            await asyncio.wait_for(process.wait(), rng.uniform(0.0, most_s) if killed < kills else None)
        except TimeoutError:
            process.kill()
            await process.wait()
            killed += 1
            continue
        most_s = time.monotonic() - began  # the next kills are all within its work
        if killed >= kills or process.returncode:
            break
        with file.open("r+b") as opened:
            opened.write(bytes(range(256)) * 16)
    database = Database(f"sqlite:///{file}")
    count = await Archive(database).count()
    await database.close()
    return count, killed


async def _fill(file: Path, rng: random.Random, count: int) -> None:
    database = Database(f"sqlite:///{file}")
    archive, people = Archive(database), (player(rng, "ada"), player(rng, "bob"))
    for number in range(count):
        match = match_id(rng)
        journal = journal_of(rng, match, people, began_ms=1_789_000_000_000 + 60_000 * number, most=10)
        found = await summary(match, journal)
        assert found is not None, "it was played to its end"
        await archive.put(found, journal)
    await database.close()
