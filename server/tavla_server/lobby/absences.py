"""Players who are offline while the lobby shows them as there: their node did not live to say so."""

import asyncio

from tavla_server.cluster.clock import Clock
from tavla_server.lobby.presence import Presence
from tavla_server.lobby.reconciler import Reconciler
from tavla_server.lobby.tables import Tables

EVERY = 5  # sweeps: some 10 s
SLICE = 500  # matches at which it looks before others have their turn: some 2 ms


class Absences:
    """Notes them in the rows of their matches when it has seen them twice."""

    def __init__(self, tables: Tables, presence: Presence, reconciler: Reconciler, clock: Clock) -> None:
        self._tables, self._presence, self._reconciler, self._clock = tables, presence, reconciler, clock
        self._sweeps = 0
        self._offline: set[str] = set()  # matches with a player who is offline, which their rows do not say

    async def sweep(self) -> None:
        """Look at all matches, now and then, and note who was missing at the last look, too."""
        self._sweeps += 1
        if self._sweeps % EVERY:
            return
        before, self._offline = self._offline, set()
        for at, (match, players) in enumerate(self._tables.seated(), 1):
            if not all(map(self._presence.is_online, players)) and self._is_unnoted(match):
                self._offline.add(match)
            if at % SLICE == 0:
                await asyncio.sleep(0)
        for match in self._offline & before:
            await self._note(match)

    async def _note(self, match: str) -> None:
        if (found := await self._reconciler.read(match)) is None:
            return
        seq, record, _ = found
        now = self._clock.now_ms()
        white, black = self._tables.away(match)
        gone = [not self._presence.is_online(player.id) for player in record.players if player]
        if len(gone) == len(record.players):
            away = (white or now * gone[0], black or now * gone[1])
            await self._tables.show_away(record, seq, away)

    def _is_unnoted(self, match: str) -> bool:
        """True if a player of a match is offline while the row says that he is there."""
        note = self._tables.note(match)
        return (
            note is not None
            and note.table is not None
            and not note.open
            and any(
                not since_ms and not self._presence.is_online(player)
                for player, since_ms in zip(note.players, note.away, strict=True)
            )
        )
