"""Matches that never begin: open tables without their maker, and those to whose beginning a player has not come."""

import random

from tavla_server.features.tables.arrival import void
from tavla_server.features.tables.tables import Note, Tables
from tavla_server.gateway.core import Core
from tavla_server.match.command import MatchCommand
from tavla_server.match.lifecycle import cancellation
from tavla_server.record.decider import Decide


class AbandonedTables:
    """Abandoned tables, which are ended when they have been so for long enough."""

    def __init__(self, core: Core, tables: Tables) -> None:
        self._presence, self._registry, self._clock = core.presence, core.registry, core.clock
        self._timings, self._tables = core.timings, tables
        self._since: dict[str, int] = {}  # match -> since when a player is missing there, in ms since 1970

    def forget(self) -> None:
        """Forget absences: during an outage nodes do not know which players are online."""
        self._since.clear()

    async def sweep(self) -> None:
        """End those whose time is over."""
        now = self._clock.now_ms()
        notes = dict(self._tables.rows.to_sweep())
        ends = {match: end for match, note in notes.items() if (end := self._end(note)) is not None}
        self._since = {match: min(now, self._since.get(match, now)) for match in ends}
        for match, since in self._since.items():
            after_s, decide = ends[match]
            if now - since > 1000 * (after_s + random.uniform(0, self._timings.sweep_spread_s)):
                await self._close(match, notes[match], decide)

    async def _close(self, match: str, note: Note, decide: Decide) -> None:
        session = await self._registry.find_readable(match)
        # Else its journal is lost, or not read here as yet; or its maker has come back meanwhile.
        if session is not None and self._end(note) is not None:
            session.submit(MatchCommand.from_server(decide))

    def _end(self, note: Note) -> tuple[float, Decide] | None:
        """After how many seconds, and how, a match is ended if it stays as it is; None = it may."""
        if note.open and not any(map(self._presence.is_online, note.players)):
            return self._timings.maker_gone_s, cancellation
        return (self._timings.no_show_swept_s, void) if note.awaited else None
