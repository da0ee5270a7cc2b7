"""A tournament on this node: its state at version `seq`, and the decisions that wait to be in the journal."""

import asyncio
from collections.abc import Callable

import structlog

from tavla_server.cluster.clock import Clock
from tavla_server.errors import Refused, StoreUnavailable
from tavla_server.features.tournaments.decider import Decide
from tavla_server.features.tournaments.events import Event, Paired, TournamentEntry, encode_entry
from tavla_server.features.tournaments.journal import TournamentJournal, entries
from tavla_server.features.tournaments.state import Tournament, apply
from tavla_server.telemetry.metrics import PAIRED

AT_ONCE = 200  # decisions in one entry: as many players come within a moment

log = structlog.get_logger()

Pending = tuple[Decide, "asyncio.Future[None]"]


class TournamentSession:
    """Any node may have one of the same tournament: the journal lets one entry be the next.

    changed: called with this session and its state before, after each change.
    """

    def __init__(
        self,
        id_: str,
        journal: TournamentJournal,
        clock: Clock,
        changed: Callable[["TournamentSession", Tournament], None],
    ) -> None:
        self.id, self.state = id_, Tournament()
        self._journal, self._clock, self._changed = journal, clock, changed
        self._known: list[bytes] = []  # the entries: some 60 bytes a pairing
        self._waiting: list[Pending] = []
        self._writing: asyncio.Task[None] | None = None
        self._at_work = asyncio.Lock()

    @property
    def seq(self) -> int:
        """The number of the last entry."""
        return len(self._known)

    @property
    def journal(self) -> list[bytes]:
        """The entries, as they are kept."""
        return list(self._known)

    async def submit(self, decide: Decide) -> None:
        """Have something decided, and in the journal. Raises: Refused; StoreUnavailable."""
        done: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiting.append((decide, done))
        if self._writing is None:
            self._writing = asyncio.create_task(self._write())
        await done

    async def read_on(self) -> None:
        """Take over what other nodes have written. Raises: StoreUnavailable; JournalUnreadable."""
        async with self._at_work:
            await self._read_on()

    async def _write(self) -> None:
        try:
            while self._waiting:
                group, self._waiting = self._waiting[:AT_ONCE], self._waiting[AT_ONCE:]
                async with self._at_work:
                    await self._settle(group)
        finally:
            self._writing = None

    async def _settle(self, group: list[Pending]) -> None:
        """Decide, and tell those who wait. A decision whose entry may be stored is made anew: it changes nothing."""
        try:
            refused = await self._decide(group)
        except Exception as error:
            if not isinstance(error, StoreUnavailable):
                log.exception("tournament_failed", tournament=self.id)
            refused = dict.fromkeys(range(len(group)), error)
        for at, (_, done) in enumerate(group):
            if done.done():  # its caller has gone
                continue
            if at in refused:
                done.set_exception(refused[at])
            else:
                done.set_result(None)

    async def _decide(self, group: list[Pending]) -> dict[int, Exception]:
        """Have a group of decisions in one entry of the journal; those that are refused, by their place."""
        while True:
            now_ms, state = self._clock.now_ms(), self.state
            events: list[Event] = []
            refused: dict[int, Exception] = {}
            for at, (decide, _) in enumerate(group):
                try:
                    found = decide(state, now_ms)
                except Refused as error:
                    refused[at] = error
                else:
                    events += found
                    state = apply(state, TournamentEntry(now_ms, tuple(found))) if found else state
            if not events:
                return refused
            entry = TournamentEntry(now_ms, tuple(events))
            data = encode_entry(entry)
            if await self._journal.append(self.id, self.seq + 1, data):
                self._take([entry], [data])
                PAIRED.add(by=sum(isinstance(event, Paired) for event in events))
                return refused
            await self._read_on()

    async def _read_on(self) -> None:
        rows = await self._journal.read(self.id, self.seq)
        if not self.seq or (rows and rows[0] == self._known[-1]):
            rows = rows[1:] if self.seq else rows
            self._take(entries(self.id, rows), rows)
            return
        rows = await self._journal.read(self.id, 0)
        log.warning("tournament_forgotten", tournament=self.id, seq=self.seq, left=len(rows))
        if rows == self._known[: len(rows)]:
            for number in range(len(rows) + 1, self.seq + 1):
                await self._journal.append(self.id, number, self._known[number - 1])
            return
        before, self.state, self._known = self.state, Tournament(), []
        self._take(entries(self.id, rows), rows, before)

    def _take(self, new: list[TournamentEntry], rows: list[bytes], before: Tournament | None = None) -> None:
        """Apply entries."""
        if before is None:
            before = self.state
        for entry in new:
            self.state = apply(self.state, entry)
        self._known += rows
        if self.state is not before:
            self._changed(self, before)
