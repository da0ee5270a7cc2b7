"""The sessions on this node: built from the journal when first asked for, forgotten when nobody needs them."""

import asyncio
from collections.abc import Callable, Sequence

import structlog

from tavla_server.cluster.clock import Clock, Timer
from tavla_server.cluster.liveness import Liveness
from tavla_server.errors import JournalUnreadable
from tavla_server.match.effects import Listener, Reloaded
from tavla_server.match.events import encode_entry
from tavla_server.match.journal import Journal
from tavla_server.match.replication import Replication
from tavla_server.match.rolling import forget_dice
from tavla_server.match.sealing import Sealer
from tavla_server.match.session import FRESH_MS, Session, SessionContext
from tavla_server.match.settling import apply_entry
from tavla_server.match.state import Record
from tavla_server.timings import DEFAULTS, Timings

LOOKS = 10  # in the time for which a session is kept that nobody follows
FORGOTTEN_AT_ONCE = 32  # sessions in one turn of the loop: each takes some 10 us to be freed

log = structlog.get_logger()


class Registry:
    """Finds, builds and forgets sessions, and tells listeners of their entries."""

    def __init__(
        self,
        journal: Journal,
        clock: Clock,
        liveness: Liveness,
        replication: Replication,
        sealer: Sealer,
        timings: Timings = DEFAULTS,
        listeners: Sequence[Listener] = (),
        away_from: Callable[[str], tuple[int, int]] = lambda _: (0, 0),
    ) -> None:
        """away_from: since when the seats of a match are known to be empty, in ms since 1970; 0 = it is not known."""
        self._journal, self._clock, self._listeners = journal, clock, listeners
        self._context = SessionContext(journal, clock, liveness, replication, sealer, timings, listeners)
        self._away_from = away_from
        self._live: dict[str, Session] = {}
        self._unused: dict[str, int] = {}  # those that nobody follows: when each may be forgotten, in ms since 1970
        self._look: Timer | None = None  # at those, as long as there are any
        self._loading: dict[str, asyncio.Task[Session]] = {}

    async def get(self, match: str) -> Session:
        """The session of a match; at version 0 if its journal is empty.

        Raises: StoreUnavailable when the journal cannot be read; JournalUnreadable when that is for good.
        """
        session = self._live.get(match)
        if session is None:
            if match not in self._loading:
                self._loading[match] = asyncio.create_task(self._load(match))
            session = await asyncio.shield(self._loading[match])
        if match in self._unused:
            self._put_off(match)
        return session

    async def find(self, match: str) -> Session | None:
        """The session of a match that has begun; None if there is none. Nothing is kept of that.

        Raises: StoreUnavailable when the journal cannot be read.
        """
        known = match in self._live or match in self._loading
        if not known and not await self._journal.exists(match):
            return None
        session = await self.get(match)
        if session.seq:
            return session
        self.forget_empty(session)
        return None

    async def current(self, match: str) -> Session | None:
        """The session of a match as of now, for one who does not follow it; None as for `find`.

        Raises: StoreUnavailable when the journal cannot be read.
        """
        session = await self.find(match)
        if session is not None and not session.subscribers.outboxes:
            await session.read_up()
        return session

    async def _load(self, match: str) -> Session:
        try:
            seq, record, known, entries = await self._journal.load(match)
            session = Session(record, seq, self._context, known)
            for seat, since_ms in enumerate(self._away_from(match)):
                if since_ms:
                    session.subscribers.seats.away[seat] = since_ms
            try:
                for entry in entries:
                    session.advance(entry, encode_entry(entry), apply_entry(session.record, entry))
            except Exception as error:  # the rules can make nothing of it
                raise JournalUnreadable(match, error) from error
            self._live[match] = session
            log.debug("match_loaded", match=match, seq=session.seq, epoch=session.record.epoch)
            self._reloaded(session.record, session.seq, entries[-1].time_ms if entries else self._clock.now_ms())
            self.forget_later(session)
            return session
        finally:
            del self._loading[match]

    def _reloaded(self, record: Record, seq: int, time_ms: int, forgotten: bool = False) -> None:
        for listener in self._listeners:
            listener.reloaded(Reloaded(record, seq, time_ms, forgotten))

    async def prepare(self, session: Session, seq: int) -> None:
        """Prepare a session for a client that already has version `seq`: read the journal, and learn who is there.

        Raises: StoreUnavailable when the journal cannot be read.
        """
        if not session.subscribers.outboxes or seq > session.seq:
            await session.read_up()  # a node reads the journal before it serves a match that it does not follow
        await self._context.replication.learn(session)

    def __len__(self) -> int:
        return len(self._live)

    @property
    def waiting(self) -> int:
        """How many commands wait in all sessions."""
        return sum(session.waiting for session in self._live.values())

    def refuse_waiting(self) -> None:
        """A master is away. Who waits behind an append that is under way is told so, instead of waiting on."""
        for session in self._live.values():
            if not session.reachable:
                session.refuse_waiting()

    def check(self) -> None:
        """A master is back after an outage, or another has taken its place: give back what it may have forgotten."""
        for session in self._live.values():
            if session.reachable:
                session.read_on()
                now, shown_ms = self._clock.now_ms(), session.shown_ms
                fresh = shown_ms is not None and now - shown_ms < FRESH_MS
                self._reloaded(session.record, session.seq, shown_ms or now, forgotten=fresh)

    def forget_later(self, session: Session) -> None:
        """Forget a session that nobody follows, a while after it was asked for, and not before its flag has fallen."""
        if not session.subscribers.outboxes and self._live.get(session.record.id) is session:
            self._put_off(session.record.id)

    def _put_off(self, match: str) -> None:
        idle_s = self._context.timings.idle_s
        self._unused[match] = self._clock.now_ms() + round(1000 * idle_s)
        if self._look is None:
            self._look = self._clock.call_later(idle_s, self._forget_some)

    def _forget_some(self) -> None:
        """Forget those whose time has come, if they may be, some at once: thousands may have been left together."""
        now = self._clock.now_ms()
        due = [match for match, due_ms in self._unused.items() if due_ms <= now]
        for match in due[:FORGOTTEN_AT_ONCE]:
            session = self._live[match]
            if session.idle:
                self._drop(match)
            elif session.subscribers.outboxes:
                del self._unused[match]
            else:  # time runs
                self._put_off(match)
        again_s = 0.0 if len(due) > FORGOTTEN_AT_ONCE else self._context.timings.idle_s / LOOKS
        self._look = self._clock.call_later(again_s, self._forget_some) if self._unused else None

    def forget_empty(self, session: Session) -> None:
        """Forget at once what was asked for and does not exist."""
        if session.seq == 0 and session.idle and self._live.get(session.record.id) is session:
            self._drop(session.record.id)

    def _drop(self, match: str) -> None:
        del self._live[match]
        self._unused.pop(match, None)
        forget_dice(match)
