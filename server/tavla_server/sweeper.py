"""What nobody's request leads to: tables whose maker has gone are closed, and what a dead node left is set right."""

import asyncio
import random
import secrets

import structlog
from redis.exceptions import RedisError

from tavla_server.ask import Ask
from tavla_server.challenges import Challenges
from tavla_server.clock import Clock
from tavla_server.journal import Journal
from tavla_server.lobbychat import LobbyChat
from tavla_server.news import NODES, PEOPLE, Change, News
from tavla_server.outages import Outages
from tavla_server.people import People, node_of
from tavla_server.record import apply_entry
from tavla_server.seating import cancelled
from tavla_server.sessions import Sessions
from tavla_server.standings import Standings
from tavla_server.tables import Note, Tables

SWEEP_S = 2.0
GONE_S = 60.0  # an open table waits so long for its maker to come back
SPREAD_S = 2.0  # nodes do not all close the same table at once
RECONCILE_S = 60  # if the node that sets things right dies as well, another one begins anew after it
GHOST_S = 600.0  # a match that was entered, and whose journal has not begun by then, never will

log = structlog.get_logger()


class Sweeper:
    """Every node sweeps: a change that another one has made already changes nothing."""

    def __init__(
        self,
        news: News,
        people: People,
        tables: Tables,
        sessions: Sessions,
        challenges: Challenges,
        lobbychat: LobbyChat,
        journal: Journal,
        standings: Standings,
        outages: Outages,
        clock: Clock,
        node: str,
    ) -> None:
        self._news, self._people, self._tables, self._sessions = news, people, tables, sessions
        self._lobbychat, self._journal, self._standings = lobbychat, journal, standings
        self._challenges, self._outages, self._clock, self._node = challenges, outages, clock, node
        self._gone: dict[str, int] = {}  # match -> since when its maker is away, in ms since 1970
        self._missing: set[str] = set()  # nodes that gave no sign of life when we last looked

    async def run(self) -> None:
        """Sweep until cancelled."""
        while True:
            if self._news.live.is_set():
                try:
                    await self._sweep()
                except (RedisError, OSError) as error:
                    log.warning("not_swept", error=str(error))
            else:  # an outage closes no table and buries no node: who is here has to be seen first
                self._gone.clear()
                self._missing.clear()
            await asyncio.sleep(SWEEP_S)

    async def close(self) -> None:
        """This node has done all that follows from its entries: there is nothing to set right after it.

        Raises: redis.exceptions.RedisError, OSError.
        """
        await self._news.put(Change(NODES, self._node, None))

    async def _sweep(self) -> None:
        if self._node not in self._news.rows(NODES):
            await self._news.put(Change(NODES, self._node, b""))
        await self._bury_nodes()
        await self._close_abandoned()
        await self._drop_ghosts()
        await self._challenges.sweep()
        await self._lobbychat.sweep()

    async def _bury_nodes(self) -> None:
        """A node that was missing twice is dead: after an outage each of them needs a moment for its sign of life."""
        known = {*self._news.rows(NODES), *map(node_of, self._news.rows(PEOPLE))}
        before, self._missing = self._missing, known - self._outages.living - {self._node}
        dead = self._missing & before
        if dead:
            await self._people.bury(dead)
        if dead & self._news.rows(NODES).keys() and await self._news.is_first("reconciling", RECONCILE_S):
            log.warning("nodes_died", nodes=sorted(dead))
            await self._reconcile()
            await self._news.put(*(Change(NODES, node, None) for node in dead))

    async def _close_abandoned(self) -> None:
        now = self._clock.now_ms()
        left = [match for match, note in self._tables.notes() if note.open and not self._anyone(note.players)]
        self._gone = {match: self._gone.get(match, now) for match in left}
        for match, since in self._gone.items():
            if now - since > 1000 * (GONE_S + random.uniform(0, SPREAD_S)):
                session = await self._sessions.get(match)
                session.ask(Ask("", secrets.randbits(62), None, cancelled, None))

    def _anyone(self, players: tuple[str, ...]) -> bool:
        return any(self._people.is_online(player) for player in players)

    async def _drop_ghosts(self) -> None:
        """Matches that were entered by a process which died before it could open them."""
        now = self._clock.now_ms()
        for match, note in self._tables.notes():
            if note.table is None and now - note.since > 1000 * GHOST_S:
                await self._set_right(match, note)

    async def _reconcile(self) -> None:
        """Make every match's row and its players' ratings what its journal says: the dead may have left that undone."""
        for match, note in self._tables.notes():
            await self._set_right(match, note)

    async def _set_right(self, match: str, note: Note) -> None:
        seq, record, _, entries = await self._journal.load(match)
        for entry in entries:
            record = apply_entry(record, entry)
        if record.tally.results:
            time_ms = entries[-1].time_ms if entries else self._clock.now_ms()
            await self._standings.apply(record, time_ms)
        if seq or entries:
            await self._tables.show(record, seq + len(entries))
        elif self._clock.now_ms() - note.since > 1000 * GHOST_S:
            await self._tables.drop(match, note.players)
