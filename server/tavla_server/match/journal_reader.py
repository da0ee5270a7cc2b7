"""The reading of a session's journal: what other nodes add is taken over, what the store has lost is given back."""

import asyncio
from collections.abc import Sequence
from typing import Protocol

import structlog

from tavla_server.cluster.clock import Clock
from tavla_server.deadline import time_limit
from tavla_server.errors import JournalUnreadable, StoreUnavailable
from tavla_server.match.command import MatchCommand
from tavla_server.match.fork import Fork, KnownSeeds
from tavla_server.match.history import History
from tavla_server.match.journal import Journal
from tavla_server.record.events import Entry
from tavla_server.record.reducer import apply_entry
from tavla_server.record.state import Record
from tavla_server.telemetry import metrics
from tavla_server.timings import Timings

RETRY_S = 0.2
CONFLICTS = 5  # in a row, RETRY_S apart, without anything to be read

log = structlog.get_logger()


class Reading(Protocol):
    """A reading session, as the reader of its journal sees it."""

    record: Record
    seq: int
    history: History

    def take(self, entry: Entry, record: Record) -> None: ...

    def start_anew(self, seq: int, record: Record, history: History, fork: Fork | None) -> None: ...

    def refuse_waiting(self) -> None: ...

    def has_read(self, command: MatchCommand | None, broken: bool = False) -> None: ...


class JournalReader:
    """A reader reads on in the journal of one session, which takes no action meanwhile.

    heard: the newest version that another node has told of.
    """

    __slots__ = ("_clock", "_journal", "_session", "_task", "_timings", "conflicts", "heard")

    def __init__(self, session: Reading, journal: Journal, clock: Clock, timings: Timings) -> None:
        self._session, self._journal, self._clock, self._timings = session, journal, clock, timings
        self.heard = session.seq
        self.conflicts = 0  # in a row, after which there was nothing to read
        self._task: asyncio.Task[None] | None = None

    def release(self, session: Reading) -> None:
        """Keep the session itself no longer. session: a weak reference to it."""
        self._session = session

    def begin(self) -> None:
        """Read what other nodes may have written that we have not heard of."""
        self._task = asyncio.create_task(self._read_on())

    def catch_up(self, command: MatchCommand) -> None:
        """A conflict: another node was first, or our own append's answer was lost. Read on, then decide again.

        Where there is nothing to read, another node has just given back what the store had forgotten.
        """
        self._task = asyncio.create_task(self._catch_up(command))

    async def wait(self) -> None:
        """Wait until what is being read was read. Raises: StoreUnavailable if that cannot be now."""
        if self._task is not None:
            try:
                async with time_limit(self._timings.read_up_s):
                    await asyncio.wait([self._task])
            except TimeoutError:
                raise StoreUnavailable("the journal cannot be read now") from None

    async def _catch_up(self, command: MatchCommand) -> None:
        self.conflicts = 0 if await self._read() else self.conflicts + 1
        if 1 < self.conflicts < CONFLICTS:
            await asyncio.sleep(RETRY_S)
        self._task = None
        self._session.has_read(command, broken=self.conflicts >= CONFLICTS)

    async def _read_on(self) -> None:
        heard = self.heard
        await self._read()
        if self.heard == heard:  # else the journal went on while it was read: read again
            self.heard = self._session.seq
        self._task = None
        self._session.has_read(None)

    async def _read(self) -> bool:
        """Take over what the journal has beyond us, or give back to it what it has forgotten; whether there was any."""
        session = self._session
        newest, told = session.history.newest, False
        while True:
            try:
                entries = await self._journal.read_on(session.record.id, session.seq, newest)
                if entries is None and await self._has_left():
                    return False
                if entries is None:
                    await self._restore()
                    return True
                records = self._records_after(entries)
                break
            except (StoreUnavailable, JournalUnreadable) as error:
                if isinstance(error, JournalUnreadable) and not told:
                    log.error("journal_unreadable", match=session.record.id, error=str(error))
                    told = True
                session.refuse_waiting()
                await asyncio.sleep(RETRY_S)
                await self._journal.until_back(session.record.id)
        for (seq, entry), record in zip(entries, records, strict=True):
            assert seq == session.seq + 1, "a journal has no gap"
            session.take(entry, record)
        return bool(entries)

    def _records_after(self, entries: Sequence[tuple[int, Entry]]) -> list[Record]:
        """The record after each of some entries. Raises: JournalUnreadable when the rules can make nothing of one."""
        records, record = [], self._session.record
        try:
            for _, entry in entries:
                records.append(record := apply_entry(record, entry))
        except Exception as error:
            raise JournalUnreadable(record.id, error) from error
        return records

    async def _has_left(self) -> bool:
        """True if the match has ended long ago and left the store for the archive. What a store has lost is younger."""
        record, shown_ms = self._session.record, self._session.history.shown_ms
        fresh = shown_ms is not None and self._clock.now_ms() - shown_ms < self._timings.fresh_ms
        return record.over and not fresh and not await self._journal.exists(record.id)

    async def _restore(self) -> None:
        """Give the journal back what it has forgotten. Where that cannot be, begin anew from what it has."""
        session, match = self._session, self._session.record.id
        if await self._journal.restore(match, session.seq, session.history.entries):
            metrics.RESTORED.add()
            log.warning("journal_restored", match=match, seq=session.seq)
            return
        seq, record, known, entries = await self._journal.load(match)
        for entry in entries:
            seq, record = seq + 1, apply_entry(record, entry)
        metrics.EPOCHS.add()
        log.error("match_forked", match=match, shown=session.seq, kept=seq)
        before, is_first = session.record, record.epoch <= session.record.epoch or not seq
        shown = KnownSeeds(before.shown.hex(), before.seeds)  # more, perhaps, than the node has shown that was first
        fork = Fork(shown, self._clock.now_ms(), is_lost=is_first) if is_first or shown.is_news(record) else None
        session.start_anew(seq, record, History(seq, [*known, *entries]), fork)
