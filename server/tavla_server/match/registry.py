"""The sessions on this node: built from the journal when first asked for, forgotten when nobody needs them."""

import asyncio
from collections.abc import Awaitable, Callable
from functools import partial

import structlog

from tavla_server.cluster.clock import Clock
from tavla_server.cluster.liveness import Liveness
from tavla_server.errors import StoreUnavailable
from tavla_server.lobby.tables import Tables
from tavla_server.match.events import Entry, encode_entry
from tavla_server.match.journal import Journal
from tavla_server.match.replication import Replication
from tavla_server.match.session import Session, SessionContext, starts_game
from tavla_server.match.state import Record, apply_entry
from tavla_server.players.ratings import Ratings

IDLE_S = 60.0  # how long a session nobody follows is kept, for those who come back
EFFECT_RETRY_S = 0.5
FRESH_MS = 600_000  # what a store has lost is younger than that
CANCELLED_KEPT_S = 3600  # nothing was played: only who asks again, or looks on, may want it

log = structlog.get_logger()

Effect = Callable[[], Awaitable[None]]


class Registry:
    """Finds, builds and forgets sessions, and carries out what follows from their entries."""

    def __init__(
        self,
        journal: Journal,
        tables: Tables,
        ratings: Ratings,
        clock: Clock,
        liveness: Liveness,
        replication: Replication,
    ) -> None:
        self._journal, self._tables, self._ratings, self._clock = journal, tables, ratings, clock
        self._context = SessionContext(journal, clock, liveness, replication, self._changed)
        self._live: dict[str, Session] = {}
        self._asked_ms: dict[str, int] = {}  # when each of them was last asked for
        self._loading: dict[str, asyncio.Task[Session]] = {}
        self._effects: asyncio.Queue[Effect] = asyncio.Queue()

    async def get(self, match: str) -> Session:
        """The session of a match; at version 0 if its journal is empty.

        Raises: StoreUnavailable when the journal cannot be read.
        """
        session = self._live.get(match)
        if session is None:
            if match not in self._loading:
                self._loading[match] = asyncio.create_task(self._load(match))
            session = await asyncio.shield(self._loading[match])
        self._asked_ms[match] = self._clock.now_ms()
        return session

    async def _load(self, match: str) -> Session:
        try:
            seq, record, known, entries = await self._journal.load(match)
            session = Session(record, seq, self._context, known)
            for entry in entries:
                session.advance(entry, encode_entry(entry), apply_entry(session.record, entry))
            self._live[match] = session
            self._finish(session.record, session.seq, entries[-1].time_ms if entries else self._clock.now_ms())
            self.forget_later(session)
            return session
        finally:
            del self._loading[match]

    def _finish(self, record: Record, seq: int, time_ms: int, forgotten: bool = False) -> None:
        """Do again what follows from the entries: who should have may have died before, or Redis forgot it."""
        if record.tally.results:
            self._effects.put_nowait(partial(self._ratings.apply, record, time_ms, forgotten))
        if record.over:
            self._effects.put_nowait(partial(self._tables.show, record, seq, time_ms))

    async def prepare(self, session: Session, seq: int) -> None:
        """Somebody is about to follow a match here, who has seen version `seq`: learn what happened and who is there.

        Raises: StoreUnavailable when the journal cannot be read.
        """
        if not session.subscribers.outboxes or seq > session.seq:
            await session.read_up()  # nobody here was told of what others did; it must not throw anyone back
        await self._context.replication.learn(session)

    def refuse_waiting(self) -> None:
        """A master is away. Who waits behind an append that is under way is told so, instead of waiting on."""
        for match, session in self._live.items():
            if not self._journal.reachable(match):
                session.refuse_waiting()

    def check(self) -> None:
        """A master is back after an outage, or another has taken its place: give back what it may have forgotten."""
        for match, session in self._live.items():
            if self._journal.reachable(match):
                session.read_on()
                now, shown_ms = self._clock.now_ms(), session.shown_ms
                fresh = shown_ms is not None and now - shown_ms < FRESH_MS
                self._finish(session.record, session.seq, shown_ms or now, forgotten=fresh)

    def forget_later(self, session: Session) -> None:
        """Forget a session that nobody follows, after a while."""
        if session.idle:
            self._clock.call_later(IDLE_S, lambda: self._forget(session))

    def _forget(self, session: Session) -> None:
        match = session.record.id
        if not session.idle or self._live.get(match) is not session:
            return
        if self._clock.now_ms() - self._asked_ms.get(match, 0) < 1000 * IDLE_S:
            self.forget_later(session)  # a request holds it just now
        else:
            del self._live[match]
            self._asked_ms.pop(match, None)

    def forget_empty(self, session: Session) -> None:
        """Forget at once what was asked for and does not exist."""
        if session.seq == 0 and session.idle and self._live.get(session.record.id) is session:
            del self._live[session.record.id]
            self._asked_ms.pop(session.record.id, None)

    def _changed(self, session: Session, before: Record, entry: Entry) -> None:
        """What an entry that was decided here makes necessary elsewhere."""
        record = session.record
        if starts_game(entry):
            # The snapshot leaves the entry itself to be read, and with it whose action it was.
            self._effects.put_nowait(partial(self._journal.save_snapshot, session.seq - 1, before))
        if record.cancelled and not before.cancelled:
            self._effects.put_nowait(partial(self._journal.forget, record.id, CANCELLED_KEPT_S))
        if before.tally != record.tally or (record.over and not before.over and record.tally.results):
            self._effects.put_nowait(partial(self._ratings.apply, record, entry.time_ms))
        if _line_changed(before, record):  # at the end the match goes from the index: until then a sweeper finds it
            self._effects.put_nowait(partial(self._tables.show, record, session.seq, entry.time_ms))

    def do_later(self, effect: Effect) -> None:
        """Carry something out after what follows from earlier entries; again and again, until it has worked."""
        self._effects.put_nowait(effect)

    async def run_effects(self) -> None:
        """Carry out what follows from entries, in order, each until it has worked. Runs until it is cancelled."""
        while True:
            effect = await self._effects.get()
            while True:
                try:
                    await effect()
                    break
                except StoreUnavailable as error:
                    log.warning("effect_retried", error=str(error))
                    await asyncio.sleep(EFFECT_RETRY_S)
                except Exception:  # a fault of ours in one effect must not end all others
                    log.exception("effect_failed")
                    break
            self._effects.task_done()

    async def settle(self) -> None:
        """Wait until everything that follows from past entries is done."""
        await self._effects.join()


def _line_changed(before: Record, after: Record) -> bool:
    def shown(record: Record) -> tuple[object, ...]:
        return record.over, record.open, record.players, record.match.game > 0, record.match.score

    return shown(before) != shown(after)
