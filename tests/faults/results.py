"""Results: matches that end at once, one after the other, and what became of them in ratings and the archive."""

import asyncio
import random
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import NamedTuple

from tavla_protocol import messages as m
from tavla_protocol.codes import ErrorCode
from tavla_server.features.archive.archive import Archive
from tavla_server.features.archive.database import Database
from tavla_server.features.archive.rows import RatingChange

from tests.support.patience import PATIENCE_S
from tests.support.players.accounts import career
from tests.support.players.plain import Player, unique
from tests.support.players.returning import Returning
from tests.support.servers.processes import ServerProcess

RULES: dict[str, bool | int | str] = {"length": 1, "rated": True}
MOST = 32  # tables that a player may have
SECRET = "correct horse"
LOOK_S = 0.2
PAUSES_S = (0.5, 3.0)  # between two kills
PRECISION = 0.006  # of ratings, which are told with two digits
AT_ONCE = 500


class Pair(NamedTuple):
    """Two players with accounts, who end one match after the other. over: those that were acknowledged as ended."""

    white: Returning
    black: Returning
    over: list[str]

    async def begin(self) -> str:
        """Begin a match, as soon as the limits allow one more."""
        while True:
            snapshot = await self.white.insist(m.Create, name=unique("t"), rules=RULES)
            if isinstance(snapshot, m.Snapshot):
                if isinstance(await self.black.insist(m.Join, table=snapshot.match), m.Snapshot):
                    return snapshot.match
            else:
                assert isinstance(snapshot, m.Error), snapshot
                assert snapshot.code == ErrorCode.TOO_MANY, snapshot
                await asyncio.sleep(snapshot.retry_after or LOOK_S)

    async def end(self, match: str) -> None:
        """Black forfeits a match."""
        answer = await self.black.insist(m.Forfeit, match=match, seq=0)
        while isinstance(answer, m.Error) and answer.code in ("not_attached", "not_seated"):
            await self.black.insist(m.Attach, table=match)
            answer = await self.black.insist(m.Forfeit, match=match, seq=0)
        assert isinstance(answer, m.Ok) or getattr(answer, "code", "") == "wrong_phase", answer
        self.over.append(match)

    async def end_all(self, count: int) -> None:
        """So many matches that are open at once: black gives all of them up. Then both open one more table each."""
        matches = [await self.begin() for _ in range(count)]
        for match in matches:
            await self.end(match)
        for player in (self.white, self.black):
            assert isinstance(await player.insist(m.Create, name=unique("t")), m.Snapshot)

    async def end_many(self, count: int) -> None:
        """So many matches, one after the other."""
        while len(self.over) < count:
            match = await self.begin()
            await self.end(match)
            for player in (self.white, self.black):
                await player.insist(m.Detach, match=match)
                player.matches.pop(match, None)

    async def close(self) -> None:
        """Go."""
        for player in (self.white, self.black):
            await player.close()


class Kept(NamedTuple):
    """Counts of matches that are over, of those that were rated, and archived. faults: a sentence each."""

    over: int
    rated: int
    archived: int
    faults: list[str]


async def new_pair(number: int, *urls: str) -> Pair:
    """Two players, each at one of the servers, with an address of their own if these are behind a proxy."""
    headers = {"X-Forwarded-For": f"10.0.{number // 250}.{number % 250 + 1}"}
    white, black = (Returning(url, headers=headers) for url in (urls[0], urls[-1]))
    for player in (white, black):
        await player.come_back()
        await player.insist(m.Register, password=SECRET)
    return Pair(white, black, [])


async def kept(pairs: list[Pair], url: str, archive_url: str, patience_s: float = PATIENCE_S) -> Kept:
    """The results that ratings and the archive have, when they have all, or do not get any further."""
    over, database = sum(len(pair.over) for pair in pairs), Database(archive_url)
    archive, loop, best = Archive(database), asyncio.get_running_loop(), -1
    async with Player(url) as asker:
        until_s = loop.time() + patience_s
        while True:
            rated = sum([(await career(asker, pair.white)).experience for pair in pairs])
            archived = await archive.count()
            if rated + archived > best:
                best, until_s = rated + archived, loop.time() + patience_s
            if (rated >= over and archived >= over) or loop.time() > until_s:
                break
            await asyncio.sleep(LOOK_S)
        changes = await _changes(archive)
        faults = [fault for pair in pairs for fault in await _faults(asker, pair, archive, changes)]
    await database.close()
    return Kept(over, rated, archived, faults)


async def _faults(asker: Player, pair: Pair, archive: Archive, changes: list[RatingChange]) -> list[str]:
    """Faults in the results of two players that have played no others."""
    faults, count = [], len(pair.over)
    missing = [match for match in pair.over if await archive.journal(match) is None]
    if missing:
        views = [f"{match} {await _state(asker, match)}" for match in missing]
        faults.append(f"of {count} matches of {pair.white.name} {len(missing)} are not archived: {', '.join(views)}")
    for player in (pair.white, pair.black):
        found = await career(asker, player)
        due = 1500 + sum(change.change for change in changes if change.player == player.id)
        if found.experience != count:
            faults.append(f"{player.name} has {found.experience} of {count} results")
        if abs((found.rating or 0.0) - due) > PRECISION:
            faults.append(f"{player.name} has the rating {found.rating}, the archive gives {due:.2f}")
    return faults


async def _state(asker: Player, match: str) -> str:
    """How a match stands at its server."""
    told = await asker.look_back(m.Record, match=match)
    if not isinstance(told, m.Recorded):
        return getattr(told, "code", "unknown")
    return f"{told.view.get('phase', '')}, {told.seq} entries, {told.events[-1][2:] if told.events else 'no events'}"


async def _changes(archive: Archive) -> list[RatingChange]:
    found, after = list[RatingChange](), (0, "")
    while some := await archive.changes(after, AT_ONCE):
        found, after = found + some, (some[-1].ended_ms, some[-1].match)
    return found


@asynccontextmanager
async def pairs_at(count: int, *urls: str) -> AsyncIterator[list[Pair]]:
    """So many pairs, at these servers in turn."""
    turned = [urls[number % len(urls) :] + urls[: number % len(urls)] for number in range(count)]
    pairs = await asyncio.gather(*(new_pair(number, *turned[number]) for number in range(count)))
    try:
        yield pairs
    finally:
        for pair in pairs:
            await pair.close()


async def restarted(server: ServerProcess, pairs: int, how: str) -> Kept:
    """Results of 32 matches of each pair that end together, kept when the server is killed at once, or stopped."""
    async with pairs_at(pairs, server.url) as made:
        await asyncio.gather(*(pair.end_all(MOST) for pair in made))
        await asyncio.to_thread(server.kill if how == "kill -9" else server.stop)
        await asyncio.to_thread(server.start)
        return await kept(made, server.url, archive_of(server))


def archive_of(server: ServerProcess) -> str:
    """Path of its archive."""
    return f"sqlite:///{server.data.absolute()}/archive.sqlite3"


async def disturb_all(nodes: list[ServerProcess], rng: random.Random, ended: asyncio.Event) -> int:
    """Kill or stop one of some nodes after the other, until all has ended; how often that was."""
    count = 0
    while not ended.is_set():
        await asyncio.sleep(rng.uniform(*PAUSES_S))
        node = rng.choice(nodes)
        await asyncio.to_thread(node.stop if rng.random() < 0.3 else node.kill)
        await asyncio.to_thread(node.start)
        count += 1
    return count
