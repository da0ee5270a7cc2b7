"""The lobby's feed: its rows in Redis, and a stream from which every node keeps a copy of them.

Redis has the rows, in one hash for each list. A node that changes one also writes it to the stream, in the same step.
Each node follows the stream and so has a copy in memory: showing a list costs Redis nothing, however many look at it.
All keys share a hash tag, so they are in one slot of a cluster; a lobby is small beside its matches.
"""

import asyncio
from collections.abc import Callable, Sequence
from itertools import islice
from typing import NamedTuple

import structlog

from tavla_server.cluster.packed_rows import PackedRows
from tavla_server.errors import StoreUnavailable
from tavla_server.store import keys
from tavla_server.store.client import Client
from tavla_server.store.stream import Stream, StreamEntry
from tavla_server.store.topology import Topology

COUNT, STREAM = keys.LOBBY_COUNT(), keys.LOBBY_STREAM()
KEPT = 10_000  # changes in the stream, at most: more than happen while a node loads the rows, or is slow to read
KEPT_S = 20.0  # and for so long, at least: a node that has read nothing for longer is taken for dead
RETRY_S = 0.5
AT_ONCE = 32  # changes that are taken over before others have their turn: thousands may come or go at the same time
SLICE = 500  # rows that are read at once: the store does nothing else for 0.2 ms
GROUP = 100  # changes in one command, or as many as one asks for: the store does nothing else for half a millisecond
ABSENT, ANY = -1, 2**53  # versions: of a row that is not there, and above all others

TABLES, PEOPLE, CHALLENGES, CHAT, IGNORED, NODES = "tables", "people", "challenges", "chat", "ignored", "nodes"
SEEKERS, MODERATION, FRIENDS, TOURNAMENTS = "seekers", "moderation", "friends", "tournaments"
SHORT = MODERATION, NODES, CHALLENGES, CHAT, IGNORED, FRIENDS, TOURNAMENTS  # as they are read
LONG = SEEKERS, TABLES, PEOPLE
LISTS = (*SHORT, *LONG)


log = structlog.get_logger()


class RowUpdate(NamedTuple):
    """The update of a row to a new value; None = deleted. It applies if the row's version is from `least` to `most`."""

    list: str
    key: str
    value: bytes | None
    version: int = 0
    least: int = ABSENT
    most: int = ANY


Listener = Callable[[str, bytes | None, bytes | None], None]  # key, value before and after


class _Gap(Exception):
    """The stream does not go on where we are: all rows have to be read again."""


class RowWriter:
    """The writer of rows, for all nodes. What is asked for while the store is at work goes to it together, in order."""

    def __init__(self, redis: Client) -> None:
        self._put_rows = redis.script("put_rows")
        self._waiting: list[tuple[Sequence[RowUpdate], asyncio.Future[int]]] = []  # changes that are yet to be sent
        self._sending: asyncio.Task[None] | None = None

    async def put(self, *changes: RowUpdate) -> int:
        """Change rows, for all nodes, in one step. Returns how many of the changes could be made.

        Raises: StoreUnavailable.
        """
        done: asyncio.Future[int] = asyncio.get_running_loop().create_future()
        self._waiting.append((changes, done))
        if self._sending is None:
            self._sending = asyncio.create_task(self._send())
        return await done

    async def announce(self, name: str, key: str, value: bytes) -> None:
        """Tell all nodes what no row is to keep: this one is there for as long as that takes."""
        await self.put(RowUpdate(name, key, value), RowUpdate(name, key, None))

    async def _send(self) -> None:
        while self._waiting:
            group = self._next_group()
            try:
                made = iter(await self._make([change for changes, _ in group for change in changes]))
                for changes, done in group:
                    _settle(done, sum(islice(made, len(changes))))
            except Exception as error:  # of the store, or a fault of ours: those who wait are told of either
                for _, done in group:
                    _settle(done, error)
        self._sending = None

    def _next_group(self) -> list[tuple[Sequence[RowUpdate], asyncio.Future[int]]]:
        size = count = 0
        while count < len(self._waiting) and (not count or size + len(self._waiting[count][0]) <= GROUP):
            size += len(self._waiting[count][0])
            count += 1
        group, self._waiting = self._waiting[:count], self._waiting[count:]
        return group

    async def _make(self, changes: Sequence[RowUpdate]) -> list[int]:
        """Of each change, whether it could be made."""
        names, args = [COUNT, STREAM], [str(KEPT).encode()]
        for change in changes:
            value = b"" if change.value is None else b"%d %b" % (change.version, change.value)
            names.append(keys.LOBBY_ROWS(change.list))
            args += [change.list.encode(), change.key.encode(), value, b"%d" % change.least, b"%d" % change.most]
        made: list[int] = await self._put_rows(names, args)
        return made


def _settle(done: asyncio.Future[int], outcome: int | Exception) -> None:
    if done.done():  # the caller has given up
        return
    if isinstance(outcome, Exception):
        done.set_exception(outcome)
    else:
        done.set_result(outcome)


class Feed:
    """The feed: a copy of all rows on this node, and the way to change them for everyone, its writer.

    ready: the short lists, bans among them, have been read. loading: others are still being read, and `find` asks for
    rows that may be missing. live: the copy is whole and follows Redis; else it is what was true when Redis went away.
    """

    def __init__(self, redis: Client, topology: Topology) -> None:
        """topology: of the same store, for a connection that only reads the stream."""
        self.ready, self.live = asyncio.Event(), asyncio.Event()
        self.loading = False
        self._was_whole = False
        self._redis, self.writer = redis, RowWriter(redis)
        self._topology = topology
        self._rows = {name: PackedRows() for name in LISTS}
        self._listeners: dict[str, list[Listener]] = {name: [] for name in LISTS}
        self._number = 0
        self._trimmed_s, self._trim_to = 0.0, 0

    def listen(self, name: str, listener: Listener) -> None:
        """Call this for every row of a list that changes."""
        self._listeners[name].append(listener)

    def rows(self, name: str) -> PackedRows:
        """The rows of a list, as this node knows them."""
        return self._rows[name]

    async def trim(self) -> None:
        """Take out of the stream, if it is time to, what this node had read when it last did so, KEPT_S ago.

        A node that is further behind than that reads all rows again. Raises: StoreUnavailable.
        """
        now = asyncio.get_running_loop().time()
        if now - self._trimmed_s >= KEPT_S:
            await self._redis.xtrim(STREAM, minid=self._trim_to, approximate=True)
            self._trimmed_s, self._trim_to = now, self._number

    async def fetch(self, name: str, key: str) -> bytes | None:
        """A row as Redis has it at this moment."""
        value = await self._redis.hget(keys.LOBBY_ROWS(name), key)
        return _bare(value) if isinstance(value, bytes) else None

    async def find(self, name: str, key: str) -> bytes | None:
        """A row as this node knows it, or, while it reads them all, as Redis has it. Raises: StoreUnavailable."""
        known = self._rows[name].get(key)
        return await self.fetch(name, key) if known is None and self.loading else known

    async def fetch_all(self, name: str) -> dict[str, bytes]:
        """The rows of a list as Redis has them at this moment, by key."""
        rows = await self._redis.fields(keys.LOBBY_ROWS(name))
        return {key.decode(): value.partition(b" ")[2] for key, value in rows.items()}

    async def follow(self) -> None:
        """Keep the copy up to date. Runs until it is cancelled.

        No `Sweep`: it waits for changes, and says itself when sweeps may go on.
        """
        while True:
            stream = Stream(self._topology, STREAM)
            try:
                await self._load(stream)
                self.live.set()
                while True:
                    await self._read(stream)
            except _Gap:
                log.info("lobby_feed_reloaded")
            except StoreUnavailable as error:
                log.warning("lobby_feed_lost", error=str(error))
                self.loading = not self._was_whole  # a row that was never read is not known to be missing
                await asyncio.sleep(RETRY_S)
            finally:
                self.live.clear()
                stream.close()

    async def _load(self, stream: Stream) -> None:
        """Read all rows, in slices between which the changes are followed: a million rows take half a minute."""
        self._number = int(await self._redis.get(COUNT) or 0)
        self._trim_to = 0  # the store may have forgotten that there were so many
        self.loading = True
        for name in LISTS:
            await self._load_list(name, stream)
            if name == SHORT[-1]:
                self.ready.set()
        self.loading, self._was_whole = False, True

    async def _load_list(self, name: str, stream: Stream) -> None:
        """Read the rows of a list. What changes meanwhile is read twice, and ends as it should."""
        unseen = dict.fromkeys(self._rows[name])  # of those known from before
        async for rows in stream.scan(keys.LOBBY_ROWS(name), SLICE):
            for at, (field, value) in enumerate(rows.items()):
                key = field.decode()
                unseen.pop(key, None)
                self._take(name, key, _bare(value))
                await _let_others(at)
            await self._apply(await stream.read_now(self._number))
        rest = list(unseen)
        for start in range(0, len(rest), SLICE):
            some = rest[start : start + SLICE]
            values: list[bytes | None] = await self._redis.execute_command("HMGET", keys.LOBBY_ROWS(name), *some)
            for at, (key, stored) in enumerate(zip(some, values, strict=True)):
                self._take(name, key, _bare(stored or b""))
                await _let_others(at)

    async def _read(self, stream: Stream) -> None:
        """Apply the changes that come next."""
        entries = await stream.read(self._number)
        if not entries and int(await self._redis.get(COUNT) or 0) != self._number:
            entries = await stream.read_now(self._number)  # a change may have come since
            if not entries:
                raise _Gap  # Redis has forgotten what we have read, or we read from one that is no master any more
        await self._apply(entries)

    async def _apply(self, entries: list[StreamEntry]) -> None:
        for at, (number, fields) in enumerate(entries):
            if number != self._number + 1:
                raise _Gap
            self._number = number
            self._take(fields[b"l"].decode(), fields[b"k"].decode(), _bare(fields[b"v"]))
            await _let_others(at)

    def _take(self, name: str, key: str, value: bytes | None) -> None:
        rows = self._rows.get(name)
        if rows is None:
            return  # a list of a newer node
        before = rows.change(key, value)
        if before != value:
            for listener in self._listeners[name]:
                listener(key, before, value)


async def _let_others(at: int) -> None:
    """Let others have their turn after each AT_ONCE changes. at: how many were before this one."""
    if at % AT_ONCE == AT_ONCE - 1:
        await asyncio.sleep(0)


def _bare(value: bytes) -> bytes | None:
    """A row's value without its version; None when it was taken out."""
    return value.partition(b" ")[2] if value else None
