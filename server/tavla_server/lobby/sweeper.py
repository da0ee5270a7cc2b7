"""The sweeper: closes tables whose maker has gone, evicts dead nodes, and reconciles what they left undone."""

import asyncio
import random
import secrets

import structlog

from tavla_server.cluster.clock import Clock
from tavla_server.cluster.feed import NODES, Feed, RowUpdate
from tavla_server.cluster.liveness import Liveness
from tavla_server.errors import JournalUnreadable, StoreUnavailable
from tavla_server.lobby.challenges import Challenges
from tavla_server.lobby.chat import LobbyChat
from tavla_server.lobby.effects import CANCELLED_KEPT_S
from tavla_server.lobby.match_start import void
from tavla_server.lobby.presence import Presence
from tavla_server.lobby.seekers import Seekers
from tavla_server.lobby.tables import Note, Tables
from tavla_server.lobby.voids import Voids
from tavla_server.match.command import Command
from tavla_server.match.journal import Journal
from tavla_server.match.lifecycle import cancelled
from tavla_server.match.registry import Registry
from tavla_server.record.decider import Decide
from tavla_server.record.reducer import apply_entry
from tavla_server.record.state import Record
from tavla_server.store import keys
from tavla_server.timings import DEFAULTS, Timings

ABSENCES_EVERY = 5  # sweeps: some 10 s
SLICE = 500  # matches at which it looks before others have their turn: some 2 ms
RECONCILE_S = 60  # if the node that reconciles dies as well, another one begins anew after it
STILLBORN_S = 600.0  # a match that was entered, and whose journal has not begun by then, never will

log = structlog.get_logger()


class Sweeper:
    """Every node sweeps: a change that another one has made already changes nothing."""

    def __init__(
        self,
        feed: Feed,
        presence: Presence,
        seekers: Seekers,
        tables: Tables,
        registry: Registry,
        challenges: Challenges,
        lobby_chat: LobbyChat,
        journal: Journal,
        voids: Voids,
        liveness: Liveness,
        clock: Clock,
        node: str,
        timings: Timings = DEFAULTS,
    ) -> None:
        self._timings = timings
        self._seekers = seekers
        self._feed, self._presence, self._tables, self._registry = feed, presence, tables, registry
        self._lobby_chat, self._journal = lobby_chat, journal
        self._voids = voids
        self._challenges, self._liveness, self._clock, self._node = challenges, liveness, clock, node
        self._abandoned: dict[str, int] = {}  # match -> since when somebody is missing there, in ms since 1970
        self._missing: set[str] = set()  # nodes without a heartbeat when we last looked
        self._offline: set[str] = set()  # matches with a player who is offline, which their rows do not say
        self._sweeps = 0

    async def open(self) -> None:
        """Be known before there is anything that this node could leave undone.

        Raises: StoreUnavailable.
        """
        await self._feed.put(RowUpdate(NODES, self._node, b""))

    async def run(self) -> None:
        """Sweep until cancelled."""
        while True:
            if self._feed.live.is_set():
                try:
                    await self._sweep()
                except StoreUnavailable as error:
                    log.warning("sweep_failed", error=str(error))
            else:  # never evict during an outage: membership is unknown
                self._abandoned.clear()
                self._missing.clear()
            await asyncio.sleep(self._timings.sweep_s)

    async def close(self) -> None:
        """This node has done all that follows from its entries: there is nothing to reconcile after it.

        Raises: StoreUnavailable.
        """
        await self._feed.put(RowUpdate(NODES, self._node, None))

    async def _sweep(self) -> None:
        if self._node not in self._feed.rows(NODES):  # taken for dead once, or the store has forgotten
            await self.open()
        await self._evict_dead_nodes()
        await self._end_abandoned()
        await self._drop_stillborn()
        await self._note_absences()
        await self._challenges.sweep()
        await self._lobby_chat.sweep()
        await self._feed.trim()

    async def _evict_dead_nodes(self) -> None:
        """A node that was missing twice is dead: after an outage each of them needs a moment for its heartbeat."""
        known = self._feed.rows(NODES).keys() | self._presence.nodes
        before, self._missing = self._missing, known - self._liveness.living - {self._node}
        dead = self._missing & before
        if dead:
            await self._presence.evict_dead_nodes(dead)
            await self._seekers.evict_dead_nodes(dead)
        if dead & self._feed.rows(NODES).keys() and await self._feed.is_first(keys.LOBBY_RECONCILING(), RECONCILE_S):
            log.warning("nodes_evicted", nodes=sorted(dead))
            await self._reconcile()
            await self._feed.put(*(RowUpdate(NODES, node, None) for node in dead))
            await self._feed.next_may(keys.LOBBY_RECONCILING())

    async def _end_abandoned(self) -> None:
        """Open tables without their maker, and matches to whose beginning somebody has not come."""
        now = self._clock.now_ms()
        notes = dict(self._tables.unsettled())
        ends = {match: end for match, note in notes.items() if (end := self._end(note)) is not None}
        self._abandoned = {match: min(now, self._abandoned.get(match, now)) for match in ends}
        for match, since in self._abandoned.items():
            after_s, decide = ends[match]
            if now - since > 1000 * (after_s + random.uniform(0, self._timings.sweep_spread_s)):
                await self._close(match, notes[match], decide)

    async def _close(self, match: str, note: Note, decide: Decide) -> None:
        try:
            session = await self._registry.get(match)
        except JournalUnreadable as error:
            log.error("journal_unreadable", match=match, error=str(error))
            return
        if self._end(note) is not None:  # else its maker has come back meanwhile
            session.submit(Command("", secrets.randbits(62), None, decide, None))

    def _end(self, note: Note) -> tuple[float, Decide] | None:
        """After how many seconds, and how, a match is ended if it stays as it is; None = it may."""
        if note.open and not self._anyone(note.players):
            return self._timings.maker_gone_s, cancelled
        return (self._timings.no_show_swept_s, void) if note.awaited else None

    def _anyone(self, players: tuple[str, ...]) -> bool:
        return any(self._presence.is_online(player) for player in players)

    async def _drop_stillborn(self) -> None:
        """Matches that were entered by a process which died before it could open them."""
        now = self._clock.now_ms()
        for match, note in self._tables.unsettled():
            if note.table is None and now - note.since > 1000 * STILLBORN_S:
                await self._reconcile_match(match, note)

    async def _note_absences(self) -> None:
        """Players who are offline, and whose node did not live to say that they are away: seen twice, they are."""
        self._sweeps += 1
        if self._sweeps % ABSENCES_EVERY:
            return
        before = self._offline
        entered, self._offline = self._tables.entered(), set()
        for start in range(0, len(entered), SLICE):
            part = entered[start : start + SLICE]
            self._offline |= {match for match in part if self._is_unnoted(match)}
            await asyncio.sleep(0)
        for match in self._offline & before:
            if (found := await self._read(match)) is None:
                continue
            seq, record, _ = found
            now = self._clock.now_ms()
            white, black = self._tables.away(match)
            gone = [not self._presence.is_online(player.id) for player in record.players if player]
            if len(gone) == len(record.players):
                away = (white or now * gone[0], black or now * gone[1])
                await self._tables.show_away(record, seq, away)

    def _is_unnoted(self, match: str) -> bool:
        """Whether a player of a match is offline while the row says that he is there."""
        if all(map(self._presence.is_online, self._tables.players(match))):
            return False
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

    async def _reconcile(self) -> None:
        """Make every match's row what its journal says: the dead may have left that undone."""
        for match in self._tables.entered():
            if (note := self._tables.note(match)) is not None:
                await self._reconcile_match(match, note)

    async def _read(self, match: str) -> tuple[int, Record, int] | None:
        """A match's version and record as of now, and the time of its last entry; None when its journal is damaged."""
        try:
            seq, record, _, entries = await self._journal.load(match)
            for entry in entries:
                record = apply_entry(record, entry)
        except StoreUnavailable:
            raise
        except Exception as error:  # or the rules can make nothing of it
            log.error("journal_unreadable", match=match, error=str(error))
            return None
        return seq + len(entries), record, entries[-1].time_ms if entries else self._clock.now_ms()

    async def _reconcile_match(self, match: str, known: Note) -> None:
        session = self._registry.live.get(match)
        if session is not None and session.subscribers.outboxes and self._tables.shows(session.record):
            return  # it is followed here, so it is up to date; after a restart thousands are, before we come to them
        if (found := await self._read(match)) is None:
            return
        seq, record, time_ms = found
        await self._voids.settle(record, time_ms)
        if record.cancelled:
            await self._journal.forget(match, CANCELLED_KEPT_S)
        if seq:
            await self._tables.show(record, seq, time_ms)
        elif self._clock.now_ms() - known.since > 1000 * STILLBORN_S:
            await self._tables.drop(match, known.players)
