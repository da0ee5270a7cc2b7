"""A stream's entries as they come, on a connection of its own: a read waits there, and would hold up all others."""

import asyncio
from collections.abc import AsyncIterator
from typing import NamedTuple

from tavla_server.deadline import time_limit
from tavla_server.errors import StoreRefused, StoreUnavailable
from tavla_server.store.coalescing_window import CoalescingWindow
from tavla_server.store.connection import Reply, StoreConnection, connect, pack_command
from tavla_server.store.topology import Topology

AT_ONCE = b"1000"  # entries
BLOCK_MS = b"2000"
TIMEOUT_S = 5.0  # for entries, or for the word that there are none


class StreamEntry(NamedTuple):
    """Entry `number`-0 of a stream."""

    number: int
    fields: dict[bytes, bytes]


class Stream:
    """Reads a stream from where one is."""

    def __init__(self, topology: Topology, key: str) -> None:
        self._topology, self._key = topology, key.encode()
        self._connection: StoreConnection | None = None
        self._window = CoalescingWindow()

    async def read(self, after: int) -> list[StreamEntry]:
        """The entries after number `after`, oldest first; waits a while for one. None come: there are none.

        Raises: StoreUnavailable; the next read begins on another connection.
        """
        now_s = asyncio.get_running_loop().time()
        await asyncio.sleep(self._window.next_s(now_s) - now_s)  # in a rush more entries come with one read
        entries = await self.read_now(after, b"BLOCK", BLOCK_MS)
        self._window.sent += len(entries)
        return entries

    async def read_now(self, after: int, *options: bytes) -> list[StreamEntry]:
        """The entries after number `after` that are there. options: of XREAD. Raises: StoreUnavailable."""
        ask = b"XREAD", b"COUNT", AT_ONCE, *options, b"STREAMS", self._key, b"%d-0" % after
        found = await self._ask(pack_command(*ask))
        return [_entry(row) for row in found[0][1]] if found else []

    async def scan(self, key: str, at_once: int) -> AsyncIterator[dict[bytes, bytes]]:
        """The fields of a hash in the stream's slot, some `at_once`, each as it is when it comes; one may come twice.

        A cursor is worth nothing to another master: it ends with the connection. Raises: StoreUnavailable.
        """
        cursor = b"0"
        while True:
            command = pack_command(b"HSCAN", key.encode(), cursor, b"COUNT", b"%d" % at_once)
            cursor, found = await self._ask(command)
            yield dict(zip(found[::2], found[1::2], strict=True))
            if cursor == b"0":
                return

    def close(self) -> None:
        """Disconnect."""
        if self._connection is not None:
            self._connection.transport.abort()
            self._connection = None

    async def _ask(self, command: bytes) -> Reply:
        try:
            async with time_limit(TIMEOUT_S):
                return await self._answer(command)
        except TimeoutError:
            self.close()
            raise StoreUnavailable("Redis does not answer") from None
        except StoreUnavailable:
            self.close()
            raise

    async def _answer(self, command: bytes) -> Reply:
        if self._connection is None:
            self._connection = await connect(self._topology.of(self._key), list(self._topology.check))
        self._connection.send(command)
        reply = await self._connection.next_reply()
        if isinstance(reply, StoreRefused):
            raise reply
        return reply


def _entry(row: Reply) -> StreamEntry:
    id_, fields = row
    return StreamEntry(int(id_.partition(b"-")[0]), dict(zip(fields[::2], fields[1::2], strict=True)))
