"""A match on this node: its state at version `seq`, and the commands that wait to change it."""

import weakref
from collections.abc import Sequence
from time import monotonic

import structlog
from tavla_engine.errors import IllegalAction
from tavla_engine.match import OVER, READY
from tavla_protocol.codec import encode
from tavla_protocol.codes import ErrorCode
from tavla_protocol.messages import Error, Ok, Said
from tavla_protocol.view import View

from tavla_server.delivery.frames import frame_of
from tavla_server.errors import Refused
from tavla_server.match.append import CONFLICT, DONE, AppendOutcome, PendingAppend
from tavla_server.match.attendance import Attendance
from tavla_server.match.audience import Audience
from tavla_server.match.claims import Claims
from tavla_server.match.command import MatchCommand
from tavla_server.match.command_queue import AWAY_TEXT, CommandQueue
from tavla_server.match.effects import QUIET, AppliedEntry
from tavla_server.match.fork import Fork
from tavla_server.match.history import History
from tavla_server.match.journal_reader import JournalReader
from tavla_server.match.seats import Seats
from tavla_server.match.session_context import SessionContext
from tavla_server.match.subscribers import Subscribers
from tavla_server.match.talk import Talk
from tavla_server.match.timers import Timers
from tavla_server.record.dice import MatchDice
from tavla_server.record.events import Entry, Event, decode_entry, encode_entry
from tavla_server.record.projection import checksum_of, encode_update, view_of
from tavla_server.record.reducer import apply_entry, with_clock_and_tally
from tavla_server.record.state import Record, apply_all
from tavla_server.telemetry import metrics, trace
from tavla_server.telemetry.metrics import APPEND, DELIVERY, note_ok, note_receivers, note_update

log = structlog.get_logger()


class Session:
    """A session: a match's authoritative state.

    It only carries: rules are the engine's, and nothing is shown that is not stored.

    Between two `await`s of others every change is whole: `seq` and `record` always belong together.
    """

    __slots__ = (
        "__weakref__",
        "_address",
        "_busy",
        "_checksum",
        "_clock",
        "_context",
        "_dice",
        "_reader",
        "_view",
        "attendance",
        "audience",
        "claims",
        "history",
        "queue",
        "record",
        "seats",
        "seq",
        "subscribers",
        "talk",
        "timers",
    )

    def __init__(self, record: Record, seq: int, context: SessionContext, known: Sequence[Entry] = ()) -> None:
        """known: the last entries up to `seq`, oldest first."""
        self.record, self.seq = record, seq
        self._view: View | None = None
        self._checksum: int | None = None
        self.history = History(seq, known)
        self._context, self._clock = context, context.clock
        self._address = context.journal.address(record.id)
        self.queue = CommandQueue()
        self._busy = False
        self._dice = MatchDice()
        clock, replication, timings = context.clock, context.replication, context.timings
        self.seats = Seats(clock)
        self.claims = Claims(self.seats, clock, context.liveness, timings)
        self.timers = Timers(self, self.seats, clock, context.liveness, timings)
        self.attendance = Attendance(self, self.timers, clock, replication, timings.spectators_s)
        self.subscribers = Subscribers(self, self.timers, self.attendance, replication)
        self.audience = Audience(record.id, self.seats, self.subscribers.show_newest)
        self.talk = Talk(self.audience)
        self._reader = JournalReader(self, context.journal, clock, timings)

    def release(self) -> None:
        """Break the cycles with its parts: the session ends with its last user, not with a garbage collection."""
        this = weakref.proxy(self)
        for part in (self.timers, self.attendance, self.subscribers, self._reader):
            part.release(this)
        self.audience.release()

    @property
    def idle(self) -> bool:
        """True without subscribers, commands and running clocks: the session may be forgotten."""
        return not self.audience.outboxes and not self.queue and not self._busy and not self.timers.running

    @property
    def view(self) -> View:
        """The public view, made on demand: updates do not need it."""
        if self._view is None:
            self._view = view_of(self.record)
        return self._view

    def heartbeat(self) -> tuple[str, int, int, int]:
        """Match, epoch, seq and checksum, for clients to compare with their views. The checksum is kept."""
        record = self.record
        if self._checksum is None:
            self._checksum = checksum_of(record)
        return record.id, record.epoch, self.seq, self._checksum

    @property
    def reachable(self) -> bool:
        """True if an entry would be sent to the journal now."""
        return self._address.pipelines[self._address.slot].connected

    # --- commands ---

    def submit(self, command: MatchCommand) -> None:
        """Take a command: let it wait for those before it, answer it if nothing is to be decided, or decide it."""
        if self._busy:
            self.queue.line_up(command, self.seq, self._clock.now_ms(), self.reachable)
        elif command.seq != self.seq and (known := self._known(command)) is not None:
            self._answer(command, known)
        elif not (address := self._address).pipelines[address.slot].connected:
            self._answer(command, command.error(ErrorCode.UNAVAILABLE, AWAY_TEXT, self.seq))
        else:
            self._decide(command)

    def _decide(self, command: MatchCommand) -> None:
        """Decide a command on this version: append what follows, or answer if nothing does."""
        before, credit, now = self.record, 0, self._clock.now_ms()
        if before.clock.seat is not None:
            credit = self.timers.credit_ms(now, command.lag_ms) + (command.queued_ms and now - command.queued_ms)
            if command.player and self.timers.flag_has_fallen(now, credit):
                self.queue.insert(0, command)
                command = self.timers.flag()
        try:
            decide = command.decide  # apart: `command.decide(...)` looks for a method first
            # The seed is sealed, or there is none yet, where it is empty.
            events, record = decide(before if before.seed else self._context.sealer.unseal(before), self._dice)
        except (IllegalAction, Refused) as error:
            code = error.reason.value if isinstance(error, IllegalAction) else error.code
            self._answer(command, command.error(code, str(error), self.seq))
            return
        if events:
            self._append(command, events, record, now, credit)
        else:
            self._answer(command, Ok(id=command.id, seq=self.seq))

    def _append(self, command: MatchCommand, events: Sequence[Event], record: Record, now: int, credit: int) -> None:
        """Send the entry of a command to the journal; `on_append` is called with the outcome."""
        before, seq = self.record, self.seq + 1
        phase = record.match.phase
        over = phase is OVER or record.cancelled
        if seq == 1 and not isinstance(command.decide, Fork):
            events, record = self._context.sealer.seal(events, record)
        elif over or phase is READY:
            shown = self._dice.seeds_to_show(before, record)
            events, record = [*events, *shown], apply_all(record, shown)
        if trace.on:
            self._trace("decided", command, seq=seq, events=[type(event).__name__ for event in events])
        self._busy = True
        entry = Entry(command.player, command.id, now, credit, tuple(events))
        record, data = with_clock_and_tally(record, before.match, entry), encode_entry(entry)
        since_s = 0.0
        if DELIVERY.due:
            DELIVERY.due, since_s = False, monotonic()
        address = self._address
        is_last = over or record.tally is not before.tally  # something follows from it, and must not be forgotten
        packed = address.last_command(seq, data, now) if is_last else address.command(seq, data)
        append = PendingAppend(packed, address, seq, self, command, entry, data, record, since_s)
        address.pipelines[address.slot].put_at_once(append)

    def refuse_waiting(self) -> None:
        """Refuse what is queued: nothing can be stored now. An append in flight is answered with its outcome."""
        self.queue.refuse(self.seq)

    def _pump(self) -> None:
        while self.queue and not self._busy:
            self.submit(self.queue.pop(0))
        if self._reader.heard > self.seq and not self._busy:
            self.read_on()

    def _known(self, command: MatchCommand) -> Ok | Error | None:
        """The answer to a command that does not go by this version: it has acted already, or comes too late."""
        if (seq := self.history.seq_of(command.player, command.id)) is not None:
            return Ok(id=command.id, seq=seq)  # idempotent: sent twice, acts once
        if command.seq is not None:
            return command.error(ErrorCode.STALE, "the match has moved on: look at it again", self.seq)
        return None

    def _answer(self, command: MatchCommand, answer: Ok | Error) -> None:
        if trace.on:
            self._trace("decided", command, seq=answer.seq, code=getattr(answer, "code", "ok"))
        command.answer(answer)

    def on_append(self, append: PendingAppend, outcome: AppendOutcome) -> None:
        """An append has ended: show what it has led to, or find out why it has not."""
        command = append.command
        if trace.on:
            self._trace("committed", command, seq=append.seq, outcome=outcome.name.lower())
        if append.since_s:
            APPEND.observe(monotonic() - append.since_s)
        if outcome is CONFLICT:
            metrics.CONFLICTS.add()
            self._reader.catch_up(command)
            return
        self._busy = False
        if outcome is DONE:
            self._reader.conflicts = 0
            before, entry = self.record, append.entry
            answer, actor = Ok(id=command.id, seq=append.seq), command.to
            if append.record.clock is not before.clock:
                self.timers.mark_shown()
            ok = b""
            if actor in self.audience.outboxes:
                ok = frame_of(encode(answer))
                note_ok(ok)
            else:
                command.answer(answer)
            self.advance(entry, append.data, append.record, actor, ok)
            for event in entry.events:  # holds bench/ceilings.toml: apart, an action would take 400 instructions more
                if type(event) not in QUIET:
                    self._tell(before, entry)
                    break
            if append.since_s:
                DELIVERY.observe(monotonic() - append.since_s)
        else:
            text = "the server's store refuses to write: nothing has changed, try again later"
            command.answer(command.error(ErrorCode.UNAVAILABLE, text, self.seq))
        if self.queue or self._reader.heard > self.seq:
            self._pump()

    def read_on(self) -> None:
        """Read what other nodes may have written that we have not heard of."""
        if not self._busy:
            self._busy = True
            self._reader.begin()

    async def read_up(self) -> None:
        """Have read what other nodes had written by now; an append that is under way finds out by itself.

        Raises: StoreUnavailable if the journal cannot be read.
        """
        self.read_on()
        await self._reader.wait()

    def has_read(self, command: MatchCommand | None, broken: bool = False) -> None:
        """Go on after reading. command: the one whose append met a conflict. broken: that can never be stored."""
        if command is not None and broken:
            log.error("journal_broken", match=self.record.id, player=command.player, request=command.id, seq=self.seq)
            text = "the server's store has lost a part of this match: nothing has changed, tell the operator"
            command.answer(command.error(ErrorCode.UNAVAILABLE, text, self.seq))
        elif command is not None:
            at = 1 if self.queue and isinstance(self.queue[0].decide, Fork) else 0
            self.queue.insert(at, command)
        self._busy = False
        self._pump()

    def take(self, entry: Entry, record: Record) -> None:
        """Take over an entry that another node has added. record: the match after it."""
        before = self.record
        self.advance(entry, encode_entry(entry), record)
        if not QUIET.issuperset(map(type, entry.events)):
            self._tell(before, entry)

    def start_anew(self, seq: int, record: Record, history: History, fork: Fork | None) -> None:
        """Go on from what the journal has: what was shown is lost. fork: None if another node has said all of that."""
        self.seq, self.record, self._view, self._checksum = seq, record, None, None
        self.history = history
        self.timers.arm_game()
        if fork is not None:
            self.queue.insert(0, MatchCommand.from_server(fork))
        else:
            self.subscribers.show_anew()

    def _tell(self, before: Record, entry: Entry) -> None:
        absent = tuple(seat for seat in (0, 1) if self.away[seat]) if self.record.over else ()
        applied = AppliedEntry(before, self.record, self.seq, entry, absent)
        for listener in self._context.listeners:
            listener.on_entry(applied)

    @property
    def away(self) -> tuple[int, int]:
        """Since when each player is away, in ms since 1970; 0 = present, or nobody sits there yet."""
        seats, (white, black) = self.seats, self.record.players
        here = white is None or seats.online(0), black is None or seats.online(1)
        return 0 if here[0] else seats.away[0], 0 if here[1] else seats.away[1]

    def tell_seats(self) -> None:
        """Tell the listeners that a player has come, or gone."""
        for listener in self._context.listeners:
            listener.on_seats(self)

    def _trace(self, event: str, command: MatchCommand, **facts: object) -> None:
        trace.step(event, self.record.id, command.player, command.id, **facts)

    def say(self, speaker: str, said: Said) -> None:
        """Pass on what was said here. speaker: the player's id."""
        self.talk.hear(speaker, said)
        self._context.replication.say(self, speaker, said)

    # --- messages of other nodes ---

    def heard_entry(self, seq: int, data: bytes) -> None:
        """Another node has appended an entry, or this one. data: the entry as the journal keeps it."""
        self._reader.heard = max(self._reader.heard, seq)
        if not self._busy and self.reachable:  # else it is read, and compared, later
            if seq == self.seq + 1:
                self.timers.mark_shown()
                entry = decode_entry(data)
                self.advance(entry, data, apply_entry(self.record, entry))
            self._pump()

    # --- updates ---

    def advance(self, entry: Entry, data: bytes, record: Record, actor: object = None, answer: bytes = b"") -> None:
        """Take over an entry that is in the journal, and show it. No await in here: every task sees whole turns.

        data: the entry as the journal keeps it. record: the match after it. answer: frames that the actor gets before
        the update.
        """
        before, seq = self.record, self.seq + 1
        self.record, self.seq = record, seq
        self._view = self._checksum = None
        self.history.add(seq, entry, data, before)
        if record.epoch != before.epoch:
            self.queue.outdate()
            self.subscribers.show_anew()
        elif self.audience.outboxes:  # a match that is being loaded would make dozens of frames in vain
            frame = frame_of(encode_update(before, record, seq, entry.events))
            note_update(frame)
            note_receivers(self.audience.show(frame, actor, answer))
        match = record.match
        if match.rules.hints:
            self.subscribers.show_plays()
        if match.phase is READY or before.match.phase is READY:
            self.timers.arm_game()
        if record.clock is not before.clock:
            self.timers.arm_flag()
