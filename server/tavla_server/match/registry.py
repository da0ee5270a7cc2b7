"""The sessions on this node: built from the journal on demand, forgotten when unused."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence

import structlog

from tavla_server.cluster.clock import Clock, Timer
from tavla_server.cluster.liveness import Liveness
from tavla_server.errors import JournalUnreadable
from tavla_server.match.effects import EffectsListener, ReloadedMatch
from tavla_server.match.journal import Journal
from tavla_server.match.replication import Replication
from tavla_server.match.session import Session
from tavla_server.match.session_context import SessionContext
from tavla_server.record.events import Entry, Forked, encode_entry, end_of
from tavla_server.record.reducer import apply_entry
from tavla_server.record.sealing import Sealer
from tavla_server.record.state import Record
from tavla_server.timings import Timings

LOOKS = 10  # in the time for which a session without subscribers is kept
FORGOTTEN_AT_ONCE = 32  # sessions in one turn of the loop: each takes some 10 us to be freed

log = structlog.get_logger()


class UnusedSessions:
    """The sessions without subscribers: each goes a while after its last use, and not before its flag has fallen.

    live: all sessions by match id, out of which it is taken. idle_s: for which it is kept.
    """

    def __init__(self, live: dict[str, Session], clock: Clock, idle_s: float) -> None:
        self._live, self._clock, self._idle_s = live, clock, idle_s
        self._due: dict[str, int] = {}  # when each may be forgotten, in ms since 1970
        self._look: Timer | None = None  # at those, as long as there are any

    def keep(self, session: Session) -> None:
        """Keep a session that has a subscriber again."""
        self._due.pop(session.record.id, None)

    def forget_later(self, session: Session) -> None:
        """Forget a session a while after this use, unless it has subscribers."""
        if not session.audience.outboxes and self._live.get(session.record.id) is session:
            self._put_off(session.record.id)

    def _put_off(self, match: str) -> None:
        self._due[match] = self._clock.now_ms() + round(1000 * self._idle_s)
        if self._look is None:
            self._look = self._clock.call_later(self._idle_s, self._forget_some)

    def _forget_some(self) -> None:
        """Forget those whose time has come, if they may be, some at once: thousands may have been left together."""
        now = self._clock.now_ms()
        due = [match for match, due_ms in self._due.items() if due_ms <= now]
        for match in due[:FORGOTTEN_AT_ONCE]:
            if self._live[match].idle:
                del self._due[match]
                self._live.pop(match).release()
            else:  # time runs
                self._put_off(match)
        again_s = 0.0 if len(due) > FORGOTTEN_AT_ONCE else self._idle_s / LOOKS
        self._look = self._clock.call_later(again_s, self._forget_some) if self._due else None


class Registry:
    """The registry finds and builds sessions, and tells listeners of their entries.

    live: the sessions by match id, those of all matches with subscribers here among them. unused: the others.
    """

    def __init__(
        self,
        journal: Journal,
        clock: Clock,
        liveness: Liveness,
        replication: Replication,
        sealer: Sealer,
        timings: Timings,
    ) -> None:
        self._journal, self._clock = journal, clock
        self._listeners: list[EffectsListener] = []
        self._context = SessionContext(journal, clock, liveness, replication, sealer, timings, self._listeners)
        self._away_from: Callable[[str], Awaitable[tuple[int, int]]] | None = None
        self._bring_back: Callable[[str], Awaitable[bool]] | None = None
        self.live: dict[str, Session] = {}
        self.unused = UnusedSessions(self.live, clock, timings.idle_s)
        self._loading: dict[str, asyncio.Task[Session | None]] = {}

    def listen(self, listener: EffectsListener) -> None:
        """Tell a listener of every entry from now on, before any session is built."""
        self._listeners.append(listener)

    def ask_absences(self, away_from: Callable[[str], Awaitable[tuple[int, int]]]) -> None:
        """Ask this since when the seats of a match are known to be empty, in ms since 1970; 0 = it is not known."""
        self._away_from = away_from

    def ask_for_ends(self, bring_back: Callable[[str], Awaitable[bool]]) -> None:
        """Ask this, before a match is loaded that was put back, to bring back its end; whether it had one."""
        self._bring_back = bring_back

    async def get(self, match: str) -> Session:
        """The session of a match, to be kept for a while; at version 0 if its journal is empty, and it may be opened.

        Raises: StoreUnavailable when the journal cannot be read; JournalUnreadable when that is for good.
        """
        session = await self._known(match) or self.live.get(match)
        if session is None:
            session = self.live[match] = self._new(Record(match))
        self.unused.forget_later(session)
        return session

    async def find(self, match: str) -> Session | None:
        """The session of a match that has begun; None if there is none. Nothing is kept of that, and a session that
        is about to be opened is left as it is.

        Raises: StoreUnavailable when the journal cannot be read.
        """
        session = await self._known(match)
        if session is None or not session.seq:
            return None
        self.unused.forget_later(session)
        return session

    async def find_readable(self, match: str) -> Session | None:
        """The same as `find` for a sweep, which goes on: a journal that is damaged is logged, and not found.

        Raises: StoreUnavailable.
        """
        try:
            return await self.find(match)
        except JournalUnreadable as error:
            log.error("journal_unreadable", match=match, error=str(error))
            return None

    async def _known(self, match: str) -> Session | None:
        """The session of a match that is in memory, or has a journal."""
        session = self.live.get(match)
        if session is None:
            if match not in self._loading:
                self._loading[match] = asyncio.create_task(self._load(match))
            session = await asyncio.shield(self._loading[match])
        return session

    async def current(self, match: str) -> Session | None:
        """The session of a match as of now, for one who does not follow it; None as for `find`.

        Raises: StoreUnavailable when the journal cannot be read.
        """
        session = await self.find(match)
        if session is not None and not session.audience.outboxes:
            await session.read_up()
        return session

    async def _load(self, match: str) -> Session | None:
        try:
            seq, record, known, entries = await self._journal.load(match)
            if self._bring_back is not None and _was_put_back(record, entries) and await self._bring_back(match):
                seq, record, known, entries = await self._journal.load(match)
            white_ms, black_ms = (0, 0) if self._away_from is None else await self._away_from(match)
            if match in self.live:  # opened meanwhile as a new one
                return self.live[match]
            if not seq and not entries:
                self._reloaded(record, seq, self._clock.now_ms())
                return None
            session = self._new(record, seq, known)
            seats = session.seats
            seats.away = (white_ms or seats.away[0], black_ms or seats.away[1])
            try:
                for entry in entries:
                    session.advance(entry, encode_entry(entry), apply_entry(session.record, entry))
                    if seats.pause.seats and (seat := session.record.seat_of(entry.player)) is not None:
                        seats.pause = seats.pause.without(seat, entry.time_ms)
            except Exception as error:  # the rules can make nothing of it
                session.release()
                raise JournalUnreadable(match, error) from error
            for seat, gone_ms in enumerate((white_ms, black_ms)):
                if gone_ms > session.record.forked_ms:
                    seats.pause = seats.pause.without(seat, gone_ms)
            self.live[match] = session
            log.debug("match_loaded", match=match, seq=session.seq, epoch=session.record.epoch)
            self._reloaded(session.record, session.seq, entries[-1].time_ms if entries else self._clock.now_ms())
            self.unused.forget_later(session)
            return session
        finally:
            del self._loading[match]

    def _new(self, record: Record, seq: int = 0, known: Sequence[Entry] = ()) -> Session:
        return Session(record, seq, self._context, known)

    def _reloaded(self, record: Record, seq: int, time_ms: int, forgotten: bool = False) -> None:
        for listener in self._listeners:
            listener.on_reload(ReloadedMatch(record, seq, time_ms, forgotten))

    async def prepare(self, session: Session, seq: int, was_read: bool = False) -> None:
        """Prepare a session for a client that already has version `seq`: read the journal, and learn who is there.

        was_read: it was built from the journal since this client asked, or was just being built.
        Raises: StoreUnavailable when the journal cannot be read.
        """
        if seq > session.seq or not (was_read or session.audience.outboxes):
            await session.read_up()  # a node reads the journal before it serves a match that it does not follow
        await self._context.replication.learn(session)

    def refuse_waiting(self) -> None:
        """A master is away. A client that waits behind an append under way is told so, instead of waiting on."""
        for session in self.live.values():
            if not session.reachable:
                session.refuse_waiting()

    def check(self) -> None:
        """A master is back after an outage, or another has taken its place: give back what it may have forgotten."""
        for session in self.live.values():
            if session.reachable:
                session.read_on()
                now, shown_ms = self._clock.now_ms(), session.history.shown_ms
                fresh = shown_ms is not None and now - shown_ms < self._context.timings.fresh_ms
                self._reloaded(session.record, session.seq, shown_ms or now, forgotten=fresh)


def _was_put_back(record: Record, entries: Sequence[Entry]) -> bool:
    """True if a match goes on that an older store had. record: before these entries."""
    if record.over or end_of(entries) is not None:
        return False
    return bool(record.forked_ms) or any(type(event) is Forked for entry in entries for event in entry.events)
