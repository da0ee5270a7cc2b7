"""The workload: tables at which one match after the other is played, by people on all nodes, while things go wrong."""

import asyncio
import contextlib
import random
from collections import Counter
from collections.abc import Callable, Coroutine
from typing import Any, TypeVar

from redis import Redis
from redis.exceptions import RedisError
from tavla_protocol import messages as m
from tavla_protocol.codes import ErrorCode
from tavla_server.record.events import decode_entry
from tavla_server.record.state import Record
from tavla_server.store import keys

from tests.faults.checker import NO_LOSS, Loss, Rated, Stored, Verdict, check, check_ratings
from tests.faults.history import History
from tests.faults.witness import Gone, Witness
from tests.support.patience import PATIENCE_S
from tests.support.players.plain import unique
from tests.support.servers.processes import redis_at
from tests.support.stores.redises import Replicated

POLL_S = 0.1
FINISH_S = 120.0  # for the last match of each table
# An outage of more than a few seconds would run the clock down: no player may notice.
RULES: dict[str, bool | int | str] = {"preset": "tournament", "delay_s": 5, "reserve_s": 3, "rated": True}
ANSWER_S = 1.0  # sooner than another takes over: a master that was frozen must not tell us later what it knew
T = TypeVar("T")
Store = str | Replicated  # one that is alone, by its URL

PASSWORD = "correct horse battery"


class Table:
    """Two players and a watcher, who stay together. faults: what the checker found."""

    def __init__(self, urls: list[str], store: Store, rng: random.Random, think_s: float, length: int = 1) -> None:
        self._rules = {**RULES, "length": length}
        self.white, self.black, self.watcher = (Witness(urls, random.Random(rng.random()), think_s) for _ in range(3))
        self.records: list[Record] = []
        self.faults: list[str] = []
        self.loss = NO_LOSS
        self.acknowledged = self.lost = 0
        self._store = store

    @property
    def players(self) -> tuple[Witness, Witness]:
        """Players who act."""
        return self.white, self.black

    async def open(self) -> None:
        """Come, with accounts: the matches are rated."""
        for witness in (*self.players, self.watcher):
            await witness.open()
            witness.here = True
        for player in self.players:
            assert isinstance(await player.ask(m.Register, password=PASSWORD), m.Ok)

    async def close(self) -> None:
        """Go."""
        for witness in (*self.players, self.watcher):
            await witness.close()

    async def play(self, stop: asyncio.Event) -> None:
        """Play one match after the other until told to stop, the last one to its end; each is tried when it is over."""
        while not stop.is_set():
            match = await self._begin()
            history = History(match)
            for witness in (*self.players, self.watcher):
                witness.testify(history)
            await self._play_out(match)
            verdict = await self.judge(history)
            self.faults += verdict.faults
            self.acknowledged += verdict.acknowledged
            self.lost += verdict.lost
            self.records.append(verdict.record)
            for witness in (*self.players, self.watcher):
                if match in witness.matches:
                    await witness.leave(match)

    async def judge(self, history: History) -> Verdict:
        """Try a match that is over. What its store has forgotten comes back a moment after the store does."""
        deadline = asyncio.get_running_loop().time() + PATIENCE_S
        while True:
            verdict = check(history, await read(stored, self._store, history.match), self.loss)
            if not verdict.faults or asyncio.get_running_loop().time() > deadline:
                return verdict
            await asyncio.sleep(POLL_S)

    async def _begin(self) -> str:
        while True:
            with contextlib.suppress(Gone):
                opened = await self.white.insist(m.Create, name=unique("t"), rules=self._rules)
                assert isinstance(opened, m.Snapshot), opened
                joined = await self.black.insist(m.Join, table=opened.match)
                if isinstance(joined, m.Snapshot):
                    return joined.match
                assert isinstance(joined, m.Error), joined
                closed = (ErrorCode.NO_SUCH_MATCH, ErrorCode.NOT_ONLINE, ErrorCode.TABLE_FULL)
                assert joined.code in closed, "its maker has gone: nothing else can have happened to it"

    async def _play_out(self, match: str) -> None:
        """To the end, or until the store has lost it as a whole: what that means is for the checker to say."""

        async def unless_gone(part: Coroutine[Any, Any, None]) -> None:
            with contextlib.suppress(Gone):
                await part

        parts = self.white.play_out(match), self.black.play_out(match), self.watcher.watch(match)
        await asyncio.gather(*map(unless_gone, parts))


class Club:
    """All tables, on all nodes."""

    def __init__(
        self, urls: list[str], store: Store, rng: random.Random, tables: int, think_s: float = 0.05, length: int = 1
    ) -> None:
        """store: where the journals can be read, past any fault. length: of a match; a player may begin 300 an hour."""
        self.tables = [Table(urls, store, rng, think_s, length) for _ in range(tables)]
        self._store = store
        self._stop = asyncio.Event()
        self._tasks: list[asyncio.Task[None]] = []

    async def __aenter__(self) -> "Club":
        await asyncio.gather(*(table.open() for table in self.tables))
        self._tasks = [asyncio.create_task(table.play(self._stop)) for table in self.tables]
        return self

    async def __aexit__(self, *_: object) -> None:
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        with contextlib.suppress(Exception):  # what went wrong before is what counts
            await asyncio.gather(*(table.close() for table in self.tables))

    def forgive(self, loss: Loss) -> None:
        """Allow the loss of what was shown and acknowledged in this time."""
        for table in self.tables:
            table.loss = loss

    def players_at(self, url: str) -> list[Witness]:
        """The players who are connected to this node."""
        return [player for player in self.players if player.here and player.url == url]

    @property
    def players(self) -> list[Witness]:
        """All of them."""
        return [player for table in self.tables for player in table.players]

    @property
    def acknowledged(self) -> int:
        """Actions that were, in matches that are over."""
        return sum(table.acknowledged for table in self.tables)

    @property
    def forks(self) -> int:
        """The number of times that a match began anew from what the store had."""
        return sum(record.epoch - 1 for table in self.tables for record in table.records)

    @property
    def lost(self) -> int:
        """Of these, those that the store was allowed to lose, and has lost."""
        return sum(table.lost for table in self.tables)

    @property
    def refusals(self) -> Counter[str]:
        """The number of refusals that players got, by code."""
        return sum((player.refusals for player in self.players), Counter())

    async def goes_on(self, players: list[Witness], since_s: float, elsewhere: bool = False) -> list[float]:
        """Wait until each of them has had an action accepted; how many seconds after `since_s` that was.

        elsewhere: on a connection that is newer than this call.
        """
        waits = [asyncio.create_task(player.accepted_after(since_s, player.returns + elsewhere)) for player in players]
        for wait in waits:
            ended, _ = await asyncio.wait([wait, *self._tasks], timeout=PATIENCE_S, return_when=asyncio.FIRST_COMPLETED)
            self._raise_errors()
            assert wait in ended, "play does not go on:\n" + "\n".join(map(str, self.players))
        return [wait.result() - since_s for wait in waits]

    async def finish(self) -> list[str]:
        """Let everyone play to the end; all that was wrong."""
        self._stop.set()
        await asyncio.wait(self._tasks, timeout=FINISH_S)
        self._raise_errors()
        stuck = [table for table, task in zip(self.tables, self._tasks, strict=True) if not task.done()]
        faults = [f"a match does not end: {[*table.white.matches]}" for table in stuck]
        return [*faults, *(fault for table in self.tables for fault in table.faults), *await self._ratings()]

    def _raise_errors(self) -> None:
        for task in self._tasks:
            if task.done():
                task.result()

    async def _ratings(self) -> list[str]:
        """Faults of the ratings, once the nodes have had time to apply all results."""
        records = [record for table in self.tables for record in table.records]
        if any(table.loss != NO_LOSS for table in self.tables):  # then the store may have lost the end of some
            ids = [record.id for record in records]
            records = [check(History(id_), await read(stored, self._store, id_)).record for id_ in ids]
        deadline = asyncio.get_running_loop().time() + PATIENCE_S
        while True:
            faults = check_ratings(records, await read(ratings, self._store, self.players))
            if not faults or asyncio.get_running_loop().time() > deadline:
                return faults
            await asyncio.sleep(POLL_S)


async def read(part: Callable[..., T], *args: Any) -> T:
    """A part of the store, when it is there."""
    async with asyncio.timeout(PATIENCE_S):
        while True:
            try:
                return await asyncio.to_thread(part, *args)
            except (RedisError, OSError):
                await asyncio.sleep(POLL_S)


def serving(store: Store, key: str) -> Redis:
    """A connection to the master that has a key now."""
    return redis_at(store if isinstance(store, str) else store.serving(key).url, ANSWER_S)


def stored(store: Store, match: str) -> Stored:
    """A match's journal as it stands in the store."""
    with contextlib.closing(serving(store, keys.MATCH_LOG(match))) as redis:
        rows: Any = redis.xrange(keys.MATCH_LOG(match))
    return Stored([id_.decode() for id_, _ in rows], [decode_entry(fields[b"e"]) for _, fields in rows])


def ratings(store: Store, players: list[Witness]) -> dict[str, Rated]:
    """The players' ratings as they stand in the store."""
    found = {}
    for player in players:
        key = f"{{p:{player.id}}}:player"
        with contextlib.closing(serving(store, key)) as redis:
            row: Any = redis.hmget(key, "rating", "experience", "changes")
        rating, experience, changes = row
        found[player.id] = Rated(float(rating), int(experience or 0), int(changes or 0))
    return found
