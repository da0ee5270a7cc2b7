"""One match on this node: its state at version `seq`, who follows it, and the queue of what is asked of it."""

import asyncio
import secrets
from collections import OrderedDict, deque
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

import structlog
from redis.exceptions import RedisError
from tavla_engine.actions import Seat
from tavla_engine.errors import IllegalAction
from tavla_engine.events import GameStarted
from tavla_engine.match import Phase
from tavla_engine.plays import legal_plays
from tavla_protocol.codec import encode, pack
from tavla_protocol.codes import ErrorCode
from tavla_protocol.messages import Error, Ok, Plays, Presence, Replaced, Said, Snapshot
from tavla_protocol.view import checksum, diff, fields

from tavla_server.ask import Ask, Refused
from tavla_server.clock import Clock
from tavla_server.company import Company
from tavla_server.journal import Appended, Journal
from tavla_server.mesh import Mesh
from tavla_server.outages import Outages
from tavla_server.peer import Peer, framed
from tavla_server.record import Entry, Event, Forked, Record, apply, apply_entry, encode_entry, settled, view_of
from tavla_server.seats import Seats
from tavla_server.timekeeper import Timekeeper

RECENT = 64  # updates kept for those who come back: more than a player misses while a connection is renewed
QUEUE_LIMIT = 32  # actions that wait for one match; two players and a server ask for far fewer
CATCH_UP_RETRY_S = 0.2
AWAY_TEXT = "the server cannot store anything now: nothing has changed, try again in a moment"

log = structlog.get_logger()


class World(NamedTuple):
    """What a session has around it.

    changed: told of every entry that a session has decided, or had to read, with the record before it.
    """

    journal: Journal
    clock: Clock
    outages: Outages
    mesh: Mesh
    changed: Callable[["Session", Record, Entry], None]


class Wants(NamedTuple):
    """What one who follows has asked for: legal plays; and to be spared what the watchers say."""

    plays: bool = False
    hush: bool = False


WANTS_NOTHING = Wants()


class Shown(NamedTuple):
    """An update that was sent out, as a frame, and the entry that it shows, as the journal keeps it."""

    seq: int
    frame: bytes
    data: bytes


class Session:
    """A match's authoritative state. It only carries: rules are the engine's, and nothing is shown that is not stored.

    Between two `await`s of others every change is whole: `seq`, `record` and `view` always belong together.
    """

    def __init__(self, record: Record, seq: int, world: World, known: Sequence[Entry] = ()) -> None:
        """known: the last entries up to `seq`, oldest first."""
        self.record, self.seq = record, seq
        self.view = view_of(record)
        self.peers: dict[Peer, Wants] = {}  # who follows
        self.seats = Seats(world.clock)
        self.recent: OrderedDict[tuple[str, int], Shown] = OrderedDict()  # by player and action
        self._before = {(entry.player, entry.action): seq - back for back, entry in enumerate(reversed(known))}
        self._world = world
        self._queue: deque[Ask] = deque()
        self._busy = False
        self.time = Timekeeper(self, world.clock, world.outages)
        self.company = Company(self, world.clock, world.mesh)
        self._heard = seq  # the newest version that another node has told of
        self._reading: asyncio.Task[None] | None = None

    @property
    def idle(self) -> bool:
        """Nobody follows, nothing is under way and no time runs: the session may be forgotten."""
        return not self.peers and not self._queue and not self._busy and not self.time.running

    # --- what is asked ---

    def ask(self, ask: Ask) -> None:
        """Queue a change; it is decided when those before it are stored and shown."""
        if len(self._queue) >= QUEUE_LIMIT:
            text = "too many actions wait for this match: send them one by one"
            ask.answer(self._error(ask, ErrorCode.TOO_MANY, text))
            return
        if self._busy and not self._world.journal.reachable:
            ask.answer(self._error(ask, ErrorCode.UNAVAILABLE, AWAY_TEXT))
            return
        self._queue.append(ask)
        self._pump()

    def refuse_waiting(self) -> None:
        """Answer what is queued: nothing can be stored now. What is under way is answered when its fate is known."""
        waiting = [ask for ask in self._queue if ask.to is not None]
        self._queue = deque(ask for ask in self._queue if ask.to is None)
        for ask in waiting:
            ask.answer(self._error(ask, ErrorCode.UNAVAILABLE, AWAY_TEXT))

    def _pump(self) -> None:
        while self._queue and not self._busy:
            ask = self._queue.popleft()
            if (answer := self._decide(ask)) is not None:
                ask.answer(answer)
        if self._heard > self.seq and not self._busy:
            self.read_on()

    def _decide(self, ask: Ask) -> Ok | Error | None:
        """The answer if there is one at once; None when an append is under way."""
        if (shown := self.recent.get((ask.player, ask.id))) is not None:
            return Ok(id=ask.id, seq=shown.seq)  # sent twice, acts once
        if (seq := self._before.get((ask.player, ask.id))) is not None:
            return Ok(id=ask.id, seq=seq)
        if ask.seq is not None and ask.seq != self.seq:
            return self._error(ask, ErrorCode.STALE, "the match has moved on: look at it again")
        if not self._world.journal.reachable:
            return self._error(ask, ErrorCode.UNAVAILABLE, AWAY_TEXT)
        now = self._world.clock.now_ms()
        credit = self.time.credit_ms(now, ask.lag_ms)
        if ask.player and self.time.flag_has_fallen(now, credit):
            self._queue.appendleft(ask)
            ask = self.time.flag()
        try:
            events, record = ask.decide(self.record)
        except (IllegalAction, Refused) as error:
            code = error.reason.value if isinstance(error, IllegalAction) else error.code
            return self._error(ask, code, str(error))
        if not events:
            return Ok(id=ask.id, seq=self.seq)
        self._busy = True
        entry = Entry(ask.player, ask.id, now, credit, tuple(events))
        record = settled(record, self.record.match, entry)
        data = encode_entry(entry)
        self._world.journal.append(
            record.id, self.seq + 1, data, lambda outcome: self._appended(ask, entry, data, record, outcome)
        )
        return None

    def _appended(self, ask: Ask, entry: Entry, data: bytes, record: Record, outcome: Appended) -> None:
        if outcome is Appended.CONFLICT:
            self._reading = asyncio.create_task(self._catch_up(ask))
            return
        self._busy = False
        if outcome is Appended.DONE:
            before, answer = self.record, Ok(id=ask.id, seq=self.seq + 1)
            if isinstance(ask.to, Peer) and ask.to in self.peers:
                self.advance(entry, data, record, ask.to, framed(encode(answer)))
            else:
                ask.answer(answer)
                self.advance(entry, data, record)
            self._world.changed(self, before, entry)
        else:
            text = "the server's store refuses to write: nothing has changed, try again later"
            ask.answer(self._error(ask, ErrorCode.UNAVAILABLE, text))
        self._pump()

    async def _catch_up(self, ask: Ask) -> None:
        """Another node was first, or our own write's answer was lost: read what we missed, then decide again."""
        self._queue.appendleft(ask)
        if not await self._read():
            self._queue.remove(ask)
            log.error("journal_broken", match=self.record.id, seq=self.seq)
            text = "the server's store has lost a part of this match: nothing has changed, tell the operator"
            ask.answer(self._error(ask, ErrorCode.UNAVAILABLE, text))
        self._busy = False
        self._pump()

    def read_on(self) -> None:
        """Read what other nodes may have written that we have not heard of."""
        if not self._busy:
            self._busy = True
            self._reading = asyncio.create_task(self._read_and_go_on())

    async def _read_and_go_on(self) -> None:
        heard = self._heard
        await self._read()
        if self._heard == heard:  # else the journal went on while it was read: read again
            self._heard = self.seq
        self._busy = False
        self._pump()

    async def _read(self) -> bool:
        """Take over what the journal has beyond us, or give back to it what it has forgotten; whether there was any."""
        while True:
            try:
                entries = await self._world.journal.read(self.record.id, self.seq)
                if not entries:
                    return await self._restore()
                break
            except (RedisError, OSError):
                await asyncio.sleep(CATCH_UP_RETRY_S)
        for seq, entry in entries:
            assert seq == self.seq + 1, "a journal has no gap"
            before = self.record
            self.advance(entry, encode_entry(entry), apply_entry(before, entry))
            self._world.changed(self, before, entry)
        return True

    async def _restore(self) -> bool:
        match, journal = self.record.id, self._world.journal
        length, _ = await journal.tail(match)
        if length >= self.seq:
            return False
        known = {shown.seq: shown.data for shown in self.recent.values()}
        if await journal.restore(match, self.seq, known):
            log.warning("journal_restored", match=match, lost=self.seq - length, seq=self.seq)
            return True
        log.error("match_forked", match=match, shown=self.seq, kept=length)
        self.seq, self.record, _, entries = await journal.load(match)
        for entry in entries:
            self.seq, self.record = self.seq + 1, apply_entry(self.record, entry)
        self.view = view_of(self.record)
        self.recent.clear()
        self._queue.appendleft(Ask("", secrets.randbits(62), None, _fork, None))
        return True

    def _error(self, ask: Ask, code: str, text: str) -> Error:
        return Error(id=ask.id, code=code, text=text, seq=self.seq)

    # --- what other nodes say ---

    def heard_entry(self, seq: int, entry: Entry) -> None:
        """Another node has appended an entry, or this one."""
        self._heard = max(self._heard, seq)
        if not self._busy:
            if seq == self.seq + 1:
                self.advance(entry, encode_entry(entry), apply_entry(self.record, entry))
            self._pump()

    def heard_seats(self, node: str, held: Mapping[Seat, int]) -> None:
        """The seats that connections of another node hold, and since when."""
        online = [self.seats.online(seat) for seat in (0, 1)]
        for peer in self.seats.hear(node, held):
            peer.send(encode(Replaced(match=self.record.id)))
            self._world.mesh.tell(self)
        self._show_presence(online)

    def heard_end(self, node: str) -> None:
        """Another node is dead, or follows the match no longer."""
        online = [self.seats.online(seat) for seat in (0, 1)]
        self.seats.forget(node)
        self.company.forget(node)
        self._show_presence(online)

    # --- what people say ---

    def say(self, speaker: str, said: Said) -> None:
        """Pass on what a player has said here. speaker: the player's id."""
        self.heard_said(speaker, said)
        self._world.mesh.say(self, speaker, said)

    def heard_said(self, speaker: str, said: Said) -> None:
        """Hand what was said, here or on another node, to those here who want to hear it."""
        frame = framed(encode(said))
        for peer, wants in self.peers.items():
            if speaker not in peer.ignored and not (wants.hush and said.to == "watchers"):
                peer.write(frame)

    # --- what is shown ---

    def advance(
        self, entry: Entry, data: bytes, record: Record, actor: Peer | None = None, answer: bytes = b""
    ) -> None:
        """Take over an entry that is in the journal, and show it. No await in here: every task sees whole turns.

        data: the entry as the journal keeps it. record: the match after it. answer: frames that the actor gets before
        the update, in the same write: that saves a system call.
        """
        view = view_of(record)
        seq = self.seq + 1
        frame = framed(pack((record.id, seq, diff(self.view, view))))
        forked, self.record, self.seq, self.view = record.epoch != self.record.epoch, record, seq, view
        self.recent[entry.player, entry.action] = Shown(seq, frame, data)
        if len(self.recent) > RECENT:
            self.recent.popitem(last=False)
        for peer in self.peers:
            if forked:
                peer.send(self.snapshot(peer))
            else:
                peer.write(answer + frame if peer is actor else frame)
        self._send_plays()
        self.time.arm_next_game()
        self.time.arm_flag()

    def _send_plays(self, to: Peer | None = None) -> None:
        """The legal plays, to the player on roll if the rules allow hints and they are wanted."""
        match = self.record.match
        if not (match.rules.hints and match.phase is Phase.MOVE and match.dice):
            return
        holder = self.seats.holders[match.turn]
        if holder is not None and self.peers.get(holder, WANTS_NOTHING).plays and to in (None, holder):
            plays = list(legal_plays(match.position, match.dice).values())
            holder.send(encode(Plays(match=self.record.id, seq=self.seq, plays=plays)))

    def snapshot(self, peer: Peer, id: int | None = None) -> bytes:  # noqa: A002 - the field's name on the wire
        """The whole match, for one who follows it."""
        seat = self.record.seat_of(peer.player.id)
        return encode(
            Snapshot(
                id=id,
                match=self.record.id,
                epoch=self.record.epoch,
                seq=self.seq,
                seat=seat if seat is not None and self.seats.holders[seat] is peer else None,
                online=(self.seats.online(0), self.seats.online(1)),
                elapsed=self.time.elapsed_ms(),
                view=fields(self.view),
            )
        )

    def heartbeat(self) -> tuple[str, int, int, int]:
        """What a client compares with its own view."""
        return self.record.id, self.record.epoch, self.seq, checksum(self.view)

    # --- who follows ---

    def attach(
        self,
        peer: Peer,
        id: int | None,  # noqa: A002 - the field's name on the wire
        epoch: int = 0,
        seq: int = 0,
        wants: Wants = WANTS_NOTHING,
    ) -> None:
        """Follow from now on; a player of the match holds its seat. Answers the request `id`, if there was one.

        The peer gets every update after (epoch, seq) if all of them are at hand, else a snapshot. Never a part.
        """
        if not self.peers:
            self._world.mesh.enter(self)
        self.peers[peer] = wants
        seat = self.record.seat_of(peer.player.id)
        if seat is None:
            self.company.changed()
        else:
            self._hold(seat, peer)
        missed = [shown.frame for shown in self.recent.values() if shown.seq > seq]
        if id is not None and epoch == self.record.epoch and len(missed) == self.seq - seq:
            peer.send(encode(Ok(id=id, seq=self.seq, elapsed=self.time.elapsed_ms())))
            for frame in missed:
                peer.write(frame)
            for other in (0, 1):
                peer.send(encode(self._presence(other)))
        else:
            peer.send(self.snapshot(peer, id))
        self._send_plays(peer)
        self.company.greet(peer)
        self.time.arm_next_game()

    def expect(self, peer: Peer) -> None:
        """A peer is about to sit down: the one who waits is to find it there with the update that says so."""
        for seat in (0, 1):
            if self.record.players[seat] is None and not self.seats.online(seat):
                self._hold(seat, peer)
                return

    def unexpect(self, peer: Peer) -> None:
        """The peer could not sit down after all."""
        self._free(peer, meant=True)

    def _hold(self, seat: Seat, peer: Peer) -> None:
        online = [self.seats.online(seat) for seat in (0, 1)]
        older = self.seats.hold(seat, peer)
        if older is not None:
            older.send(encode(Replaced(match=self.record.id)))
        self._world.mesh.tell(self)
        self._show_presence(online)

    def detach(self, peer: Peer, meant: bool = True) -> None:
        """Follow no longer; the seat stays the player's. meant: the player left, the connection did not break."""
        followed = self.peers.pop(peer, None) is not None
        self._free(peer, meant)
        if followed and not self.peers:
            self._world.mesh.leave(self)
            self.seats.forget_others()
            self.company.clear()
        elif followed:
            self.company.changed()

    def _free(self, peer: Peer, meant: bool) -> None:
        if peer in self.seats.holders:
            online = [self.seats.online(seat) for seat in (0, 1)]
            self.seats.leave(peer, meant)
            self._world.mesh.tell(self)
            self._show_presence(online)

    def _show_presence(self, before: list[bool]) -> None:
        """Tell those who follow which seats are held now and were not `before`, or the other way."""
        for seat in (0, 1):
            if self.seats.online(seat) != before[seat]:
                frame = framed(encode(self._presence(seat)))
                for peer in self.peers:
                    if peer is not self.seats.holders[seat]:
                        peer.write(frame)
        self.time.arm_next_game()

    def _presence(self, seat: Seat) -> Presence:
        online, claim_after = self.seats.online(seat), self.time.claim_after_s(seat)
        return Presence(match=self.record.id, seat=seat, online=online, claim_after=claim_after)


def _fork(record: Record) -> tuple[list[Event], Record]:
    return [Forked()], apply(record, Forked())


def starts_game(entry: Entry) -> bool:
    """Whether a game begins with this entry: the place for a snapshot."""
    return any(isinstance(event, GameStarted) for event in entry.events)
