"""The journal: one Redis stream a match, written by compare-and-set. It alone says what has happened."""

import asyncio
from collections.abc import Mapping

import msgspec

from tavla_server.errors import JournalUnreadable, StoreRefused
from tavla_server.match.append import Address, Append, AppendOutcome
from tavla_server.record.events import Entry, decode_entry
from tavla_server.record.reducer import apply_entry
from tavla_server.record.state import Record, decode_record, encode_record
from tavla_server.store import keys, scripts
from tavla_server.store.client import Client, Row, StoreCommand
from tavla_server.store.connection import part
from tavla_server.store.router import Router
from tavla_server.store.slots import tags

NO_EXPIRY = -1  # what Redis says of a key that stays
OVERLAP = 16  # entries: the lag of a node that waits for the answer to one of them is smaller
LAST = 64  # entries that are read with the snapshot, in one round trip: mostly all since the game began
# The keys of a match, but for its subscribers. The log last: without it the match is gone.
KEPT = (keys.MATCH_RATED, keys.MATCH_COUNTED, keys.MATCH_SNAPSHOT, keys.MATCH_LOG)

APPEND = "append_entry"  # the script; a connection that carries appends loads it, and APPEND_LAST
_LOG, _NODES = keys.MATCH_LOG.suffix, keys.MATCH_NODES.suffix
_COMMAND = b"*9\r\n$7\r\nEVALSHA\r\n$40\r\n" + scripts.sha(APPEND) + b"\r\n$1\r\n3\r\n"


class MatchStay:
    """The stay of matches in the store: for good, for a while, or no longer."""

    def __init__(self, redis: Client) -> None:
        self._redis = redis

    async def ends(self, match: str) -> bool:
        """True if the match will leave the store by itself, or has left it."""
        return int(await self._redis.pttl(keys.MATCH_LOG(match))) != NO_EXPIRY

    async def drop(self, match: str) -> None:
        """Take a match out of the store now."""
        await self._redis.delete(*(key(match) for key in KEPT))

    async def end(self, match: str, after_s: int) -> None:
        """Delete a match after a while."""
        for key in KEPT:
            await self._redis.expire(key(match), after_s)

    async def keep(self, match: str) -> None:
        """Let a match not leave the store any more."""
        for key in (keys.MATCH_LOG, keys.MATCH_SNAPSHOT, keys.MATCH_RATED):
            await self._redis.persist(key(match))


class Journal:
    """All matches' journals, and their snapshots. stay: of those in the store."""

    def __init__(self, redis: Client, router: Router, node: str) -> None:
        """router: whose setup loads APPEND. node: this node's name."""
        self._redis, self._router, self.stay = redis, router, MatchStay(redis)
        self._node = b"\r\n" + part(node.encode())
        self._save = redis.script("save_snapshot")
        tags(len(router.by_slot))  # now, and not when the first match ends

    def address(self, match: str) -> Address:
        """The address of a match's journal."""
        tag = keys.MATCH_TAG % match.encode()
        of_match = b"".join((part(tag + _LOG), part(tag + _NODES), part(tag)))
        return Address(match, _COMMAND, of_match, self._node, self._router.by_slot, self._router.slot(tag))

    async def read(self, match: str, after: int, count: int | None = None) -> list[tuple[int, Entry]]:
        """The entries after number `after`, in order; the first `count` of them.

        Raises: StoreUnavailable; JournalUnreadable.
        """
        return _entries(match, await self._redis.entries(keys.MATCH_LOG(match), f"({after}-0", count=count))

    async def raw(self, match: str) -> list[bytes]:
        """All entries, as they are kept."""
        return [fields[b"e"] for _, fields in await self._redis.entries(keys.MATCH_LOG(match))]

    async def tail(self, match: str, count: int) -> list[Entry]:
        """The last entries, in order."""
        return [_entry(row)[1] for row in reversed(await self._redis.newest(keys.MATCH_LOG(match), count))]

    async def exists(self, match: str) -> bool:
        """True if the store has a journal of this match."""
        return bool(await self._redis.exists(keys.MATCH_LOG(match)))

    async def load(self, match: str) -> tuple[int, Record, list[Entry], list[Entry]]:
        """The snapshot's version and record, or an empty record at version 0; the last entries up to it, whose actions
        may be sent again; and all entries after it.

        Raises: StoreUnavailable; JournalUnreadable.
        """
        log: StoreCommand = "XREVRANGE", keys.MATCH_LOG(match), "+", "-", "COUNT", LAST
        snapshot, rows = await self._redis.all_of([("GET", keys.MATCH_SNAPSHOT(match)), log])
        try:
            seq, record = decode_record(snapshot) if snapshot else (0, Record(match))
        except (ValueError, msgspec.MsgspecError) as error:
            raise JournalUnreadable(match, error) from error
        known = min(seq, OVERLAP)
        after = seq - known
        if len(rows) == LAST and _number(rows[-1]) > after + 1:  # a long game
            entries = await self.read(match, after)
        else:
            entries = _entries(match, [row for row in reversed(rows) if _number(row) > after])
        found = [entry for _, entry in entries]
        return seq, record, found[:known], found[known:]

    async def replay(self, match: str) -> tuple[int, Record, list[Entry]]:
        """A match as of now: its version, its record, and the entries after its snapshot.

        Raises: StoreUnavailable; JournalUnreadable, also when the rules can make nothing of it.
        """
        seq, record, _, entries = await self.load(match)
        try:
            for entry in entries:
                record = apply_entry(record, entry)
        except Exception as error:
            raise JournalUnreadable(match, error) from error
        return seq + len(entries), record, entries

    async def read_on(self, match: str, seq: int, last: bytes | None) -> list[tuple[int, Entry]] | None:
        """The entries after number `seq`; None when that one is not there, or is another than `last`, if that is known.

        A failover or a crash of the store may cost it the last writes.
        """
        rows = await self._redis.entries(keys.MATCH_LOG(match), f"{seq}-0")
        if seq and (not rows or rows[0][0] != b"%d-0" % seq or last not in (None, rows[0][1][b"e"])):
            return None
        return _entries(match, rows[seq > 0 :])

    async def until_back(self, match: str) -> None:
        """Wait until the store can be asked."""
        await self._redis.until_back(keys.MATCH_LOG(match))

    async def restore(self, match: str, seq: int, known: Mapping[int, bytes]) -> bool:
        """Append again what the store has forgotten, up to entry `seq`; whether the journal is whole again.

        Other nodes may do the same at the same time. known: entries that were shown, by number.
        False: another entry has taken the place of one of them, or too much is gone.
        Raises: StoreUnavailable; StoreRefused when the store does not take them now.
        """
        while True:
            rows = await self._redis.newest(keys.MATCH_LOG(match), 1, f"{seq}-0")
            number = int(rows[0][0].partition(b"-")[0]) if rows else 0
            if number and known.get(number) != rows[0][1][b"e"]:
                return False
            if number == seq:
                return True
            if number + 1 not in known:
                return False
            if await self.append(match, number + 1, known[number + 1], is_last=True) is AppendOutcome.REFUSED:
                raise StoreRefused("the store refuses what it has forgotten")

    def append(self, match: str, seq: int, data: bytes, is_last: bool = False) -> asyncio.Future[AppendOutcome]:
        """Add entry `seq`, if it is the next one; what becomes of that. is_last: something may follow from it."""
        address, waiting = self.address(match), _Waiting()
        packed = address.command(seq, data)
        if is_last:
            packed = address.last_command(seq, data, decode_entry(data).time_ms)
        address.pipelines[address.slot].put(Append(packed, address, seq, waiting))
        return waiting

    async def save_snapshot(self, seq: int, record: Record) -> None:
        """Keep a version, to be read instead of the entries up to it, as long as these are there."""
        names = [keys.MATCH_LOG(record.id), keys.MATCH_SNAPSHOT(record.id)]
        await self._save(keys=names, args=[encode_record(seq, record)])


class _Waiting(asyncio.Future[AppendOutcome]):
    """Waits for what becomes of an append."""

    def on_append(self, append: Append, outcome: AppendOutcome) -> None:
        self.set_result(outcome)


def _entries(match: str, rows: list[Row]) -> list[tuple[int, Entry]]:
    try:
        return [_entry(row) for row in rows]
    except (KeyError, ValueError, msgspec.MsgspecError) as error:
        raise JournalUnreadable(match, error) from error


def _entry(row: Row) -> tuple[int, Entry]:
    return _number(row), decode_entry(row[1][b"e"])


def _number(row: Row) -> int:
    return int(row[0].partition(b"-")[0])
