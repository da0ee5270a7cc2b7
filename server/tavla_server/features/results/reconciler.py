"""Rows of matches, made what the journals say: a node that died may have left that undone."""

import structlog

from tavla_server.errors import JournalUnreadable
from tavla_server.features.quick_match.voids import Voids
from tavla_server.features.results.effects import CANCELLED_KEPT_S
from tavla_server.features.tables.tables import Note, Tables
from tavla_server.gateway.core import Core
from tavla_server.record.state import Record

STILLBORN_S = 600.0  # a match that was entered, and whose journal has not begun by then, never will

log = structlog.get_logger()


class Reconciler:
    """A reconciler. Any node may reconcile: what is right already stays as it is."""

    def __init__(self, core: Core, tables: Tables, voids: Voids) -> None:
        self._registry, self._journal, self._clock = core.registry, core.journal, core.clock
        self._tables, self._voids = tables, voids

    async def reconcile(self) -> None:
        """Make every match's row what its journal says."""
        for match in self._tables.rows:
            if (note := self._tables.rows.note(match)) is not None:
                await self._reconcile_match(match, note)

    async def drop_stillborn(self) -> None:
        """Drop matches that were entered by a process which died before it could open them."""
        now = self._clock.now_ms()
        for match, note in self._tables.rows.to_sweep():
            if note.table is None and now - note.since > 1000 * STILLBORN_S:
                await self._reconcile_match(match, note)

    async def read(self, match: str) -> tuple[int, Record, int] | None:
        """A match's version and record as of now, and the time of its last entry; None when its journal is damaged."""
        try:
            seq, record, entries = await self._journal.replay(match)
        except JournalUnreadable as error:
            log.error("journal_unreadable", match=match, error=str(error))
            return None
        return seq, record, entries[-1].time_ms if entries else self._clock.now_ms()

    async def _reconcile_match(self, match: str, known: Note) -> None:
        session = self._registry.live.get(match)
        if session is not None and session.audience.outboxes and self._tables.shows(session.record):
            return  # it is followed here, so it is up to date; after a restart thousands are, before we come to them
        if (found := await self.read(match)) is None:
            return
        seq, record, time_ms = found
        await self._voids.settle(record, time_ms)
        if record.cancelled:
            await self._journal.stay.end(match, CANCELLED_KEPT_S)
        if seq:
            await self._tables.show(record, seq, time_ms)
        elif self._clock.now_ms() - known.since > 1000 * STILLBORN_S:
            await self._tables.drop(match, known.players)
