"""Players who are offline: noted where no node lived to say so; and the end of matches that both have left."""

import asyncio
import random

from tavla_server.features.results.reconciler import Reconciler
from tavla_server.features.tables.tables import Note, Tables
from tavla_server.gateway.core import Core
from tavla_server.match.command import MatchCommand

EVERY = 5  # sweeps: some 10 s
SLICE = 500  # matches at which it looks before others have their turn: some 2 ms
ENDED_AT_ONCE = 50  # matches that both have left, at one look: their sessions are built for that


class Absences:
    """Looks at all matches, now and then, for players who are not there.

    An absence that a row does not say is noted when it has been seen twice.
    """

    def __init__(self, core: Core, tables: Tables, reconciler: Reconciler) -> None:
        self._presence, self._registry, self._clock = core.presence, core.registry, core.clock
        self._timings, self._tables, self._reconciler = core.timings, tables, reconciler
        self._sweeps = 0
        self._unnoted: set[str] = set()  # matches with a player who is offline, which their rows do not say

    async def sweep(self) -> None:
        """Look at all matches, now and then; note who was missing at the last look, too, and end what is left."""
        self._sweeps += 1
        if self._sweeps % EVERY:
            return
        before, self._unnoted = self._unnoted, set()
        left, long_ago_ms = [], self._clock.now_ms() - 1000 * self._timings.absence_s
        for at, (match, players) in enumerate(self._tables.rows.sitters(), 1):
            if not all(map(self._presence.is_online, players)) and (note := self._tables.rows.note(match)) is not None:
                if self._is_unnoted(note):
                    self._unnoted.add(match)
                elif all(0 < since_ms < long_ago_ms for since_ms in note.away):
                    left.append(match)
            if at % SLICE == 0:
                await asyncio.sleep(0)
        for match in self._unnoted & before:
            await self._note(match)
        for match in random.sample(left, min(len(left), ENDED_AT_ONCE)):  # one that cannot end holds up no other
            if (session := await self._registry.find_readable(match)) is not None:
                session.submit(MatchCommand.from_server(session.claims.left_by_both))

    async def _note(self, match: str) -> None:
        if (found := await self._reconciler.read(match)) is None:
            return
        seq, record, _ = found
        now = self._clock.now_ms()
        white, black = self._tables.rows.away(match)
        gone = [not self._presence.is_online(player.id) for player in record.players if player]
        if len(gone) == len(record.players):
            away = (white or now * gone[0], black or now * gone[1])
            await self._tables.show_away(record, seq, away)

    def _is_unnoted(self, note: Note) -> bool:
        """True if a player of a match is offline while the row says that he is there."""
        return (
            note.table is not None
            and not note.open
            and any(
                not since_ms and not self._presence.is_online(player)
                for player, since_ms in zip(note.players, note.away, strict=True)
            )
        )
