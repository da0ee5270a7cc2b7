"""One match on this node: its state at version `seq`, who follows it, and the queue of what is asked of it."""

import asyncio
import secrets
from collections import OrderedDict, deque
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

import structlog
from redis.exceptions import RedisError
from tavla_engine.actions import Action, Seat
from tavla_engine.actions import Ready as ReadyAction
from tavla_engine.decide import decide
from tavla_engine.errors import IllegalAction, Reason
from tavla_engine.events import Ending, GameStarted, MatchEnded
from tavla_engine.match import Phase
from tavla_engine.plays import legal_plays
from tavla_protocol.codec import encode, pack
from tavla_protocol.codes import ErrorCode
from tavla_protocol.messages import Error, Ok, Plays, Presence, Replaced, Snapshot
from tavla_protocol.view import checksum, diff, fields

from tavla_server.clock import Clock, Timer
from tavla_server.journal import Appended, Journal
from tavla_server.mesh import Mesh
from tavla_server.outages import Outages
from tavla_server.peer import Peer, framed
from tavla_server.record import Entry, Event, Record, apply, apply_entry, encode_entry, settled, view_of
from tavla_server.seats import Seats

RECENT = 64  # updates kept for those who come back: more than a player misses while a connection is renewed
QUEUE_LIMIT = 32  # actions that wait for one match; two players and a server ask for far fewer
NEXT_GAME_S = 20.0  # both are there, and one does not press ready: the next game starts
CATCH_UP_RETRY_S = 0.2
LAG_LIMIT_MS = 300  # of a round trip, given back with each action

log = structlog.get_logger()


class Refused(Exception):
    """The server, not the rules, refuses a request. Nothing has changed."""

    def __init__(self, code: str, text: str) -> None:
        super().__init__(text)
        self.code = code


Decide = Callable[[Record], tuple[list[Event], Record]]


class Ask(NamedTuple):
    """A change that is asked for.

    player, id: who asks, under which request id. seq: the version that was seen; None = whatever is current.
    decide: the events that it leads to, and the record then; raises IllegalAction or Refused.
    to: who gets the answer; None = nobody needs it. lag_ms: the round trip of who asks, given back to a running clock.
    """

    player: str
    id: int
    seq: int | None
    decide: Decide
    to: Peer | asyncio.Future[Ok | Error] | None
    lag_ms: int = 0


class World(NamedTuple):
    """What a session has around it.

    changed: told of every entry that a session has decided, or had to read, with the record before it.
    """

    journal: Journal
    clock: Clock
    outages: Outages
    mesh: Mesh
    changed: Callable[["Session", Record, Entry], None]


class Session:
    """A match's authoritative state. It only carries: rules are the engine's, and nothing is shown that is not stored.

    Between two `await`s of others every change is whole: `seq`, `record` and `view` always belong together.
    """

    epoch = 1

    def __init__(self, record: Record, seq: int, world: World, known: Sequence[Entry] = ()) -> None:
        """known: the last entries up to `seq`, oldest first."""
        self.record, self.seq = record, seq
        self.view = view_of(record)
        self.peers: dict[Peer, bool] = {}  # who follows, and whether legal plays are wanted
        self.seats = Seats(world.clock)
        self.recent: OrderedDict[tuple[str, int], tuple[int, bytes]] = OrderedDict()  # player, action -> seq, update
        self._before = {(entry.player, entry.action): seq - back for back, entry in enumerate(reversed(known))}
        self._world = world
        self._queue: deque[Ask] = deque()
        self._busy = False
        self._next_game: Timer | None = None
        self._flag: Timer | None = None
        self._heard = seq  # the newest version that another node has told of
        self._reading: asyncio.Task[None] | None = None

    @property
    def idle(self) -> bool:
        """Nobody follows, nothing is under way and no time runs: the session may be forgotten."""
        return not self.peers and not self._queue and not self._busy and self._flag is None

    # --- what is asked ---

    def ask(self, ask: Ask) -> None:
        """Queue a change; it is decided when those before it are stored and shown."""
        if len(self._queue) >= QUEUE_LIMIT:
            text = "too many actions wait for this match: send them one by one"
            _answer(ask, self._error(ask, ErrorCode.TOO_MANY, text))
            return
        self._queue.append(ask)
        self._pump()

    def _pump(self) -> None:
        while self._queue and not self._busy:
            ask = self._queue.popleft()
            if (answer := self._decide(ask)) is not None:
                _answer(ask, answer)
        if self._heard > self.seq and not self._busy:
            self.read_on()

    def _decide(self, ask: Ask) -> Ok | Error | None:
        """The answer if there is one at once; None when an append is under way."""
        if (shown := self.recent.get((ask.player, ask.id))) is not None:
            return Ok(id=ask.id, seq=shown[0])  # sent twice, acts once
        if (seq := self._before.get((ask.player, ask.id))) is not None:
            return Ok(id=ask.id, seq=seq)
        if ask.seq is not None and ask.seq != self.seq:
            return self._error(ask, ErrorCode.STALE, "the match has moved on: look at it again")
        if not self._world.journal.reachable:
            text = "the server cannot store anything now: nothing has changed, try again in a moment"
            return self._error(ask, ErrorCode.UNAVAILABLE, text)
        now = self._world.clock.now_ms()
        credit = self._credit_ms(now, ask.lag_ms)
        if ask.player and self._flag_has_fallen(now, credit):
            self._queue.appendleft(ask)
            ask = self._flag_ask()
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
        self._world.journal.append(
            record.id, self.seq + 1, encode_entry(entry), lambda outcome: self._appended(ask, entry, record, outcome)
        )
        return None

    def _appended(self, ask: Ask, entry: Entry, record: Record, outcome: Appended) -> None:
        if outcome is Appended.CONFLICT:
            self._reading = asyncio.create_task(self._catch_up(ask))
            return
        self._busy = False
        if outcome is Appended.DONE:
            before, answer = self.record, Ok(id=ask.id, seq=self.seq + 1)
            if isinstance(ask.to, Peer) and ask.to in self.peers:
                self.advance(entry, record, ask.to, framed(encode(answer)))
            else:
                _answer(ask, answer)
                self.advance(entry, record)
            self._world.changed(self, before, entry)
        else:
            text = "the server's store refuses to write: nothing has changed, try again later"
            _answer(ask, self._error(ask, ErrorCode.UNAVAILABLE, text))
        self._pump()

    async def _catch_up(self, ask: Ask) -> None:
        """Another node was first, or our own write's answer was lost: read what we missed, then decide again."""
        before = self.seq
        await self._read()
        self._busy = False
        if self.seq > before:
            self._queue.appendleft(ask)
        else:
            log.error("journal_shorter_than_known", match=self.record.id, seq=self.seq)
            text = "the server's store has lost a part of this match: nothing has changed, tell the operator"
            _answer(ask, self._error(ask, ErrorCode.UNAVAILABLE, text))
        self._pump()

    def read_on(self) -> None:
        """Read what other nodes may have written that we have not heard of."""
        if not self._busy:
            self._busy = True
            self._reading = asyncio.create_task(self._read_and_go_on())

    async def _read_and_go_on(self) -> None:
        await self._read()
        self._heard = self.seq
        self._busy = False
        self._pump()

    async def _read(self) -> None:
        while True:
            try:
                entries = await self._world.journal.read(self.record.id, self.seq)
                break
            except (RedisError, OSError):
                await asyncio.sleep(CATCH_UP_RETRY_S)
        for seq, entry in entries:
            assert seq == self.seq + 1, "a journal has no gap"
            before = self.record
            self.advance(entry, apply_entry(before, entry))
            self._world.changed(self, before, entry)

    def _error(self, ask: Ask, code: str, text: str) -> Error:
        return Error(id=ask.id, code=code, text=text, seq=self.seq)

    # --- what other nodes say ---

    def heard_entry(self, seq: int, entry: Entry) -> None:
        """Another node has appended an entry, or this one."""
        self._heard = max(self._heard, seq)
        if not self._busy:
            if seq == self.seq + 1:
                self.advance(entry, apply_entry(self.record, entry))
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
        self._show_presence(online)

    # --- what is shown ---

    def advance(self, entry: Entry, record: Record, actor: Peer | None = None, answer: bytes = b"") -> None:
        """Take over an entry that is in the journal, and show it. No await in here: every task sees whole turns.

        answer: frames that the actor gets before the update, in the same write: that saves a system call.
        """
        view = view_of(record)
        seq = self.seq + 1
        frame = framed(pack((record.id, seq, diff(self.view, view))))
        self.record, self.seq, self.view = record, seq, view
        self.recent[entry.player, entry.action] = seq, frame
        if len(self.recent) > RECENT:
            self.recent.popitem(last=False)
        for peer in self.peers:
            peer.write(answer + frame if peer is actor else frame)
        self._send_plays()
        self._arm_next_game()
        self._arm_flag()

    def _send_plays(self, to: Peer | None = None) -> None:
        """The legal plays, to the player on roll if the rules allow hints and they are wanted."""
        match = self.record.match
        if not (match.rules.hints and match.phase is Phase.MOVE and match.dice):
            return
        holder = self.seats.holders[match.turn]
        if holder is not None and self.peers.get(holder) and to in (None, holder):
            plays = list(legal_plays(match.position, match.dice).values())
            holder.send(encode(Plays(match=self.record.id, seq=self.seq, plays=plays)))

    def snapshot(self, peer: Peer, id: int | None = None) -> bytes:  # noqa: A002 - the field's name on the wire
        """The whole match, for one who follows it."""
        seat = self.record.seat_of(peer.player.id)
        return encode(
            Snapshot(
                id=id,
                match=self.record.id,
                epoch=self.epoch,
                seq=self.seq,
                seat=seat if seat is not None and self.seats.holders[seat] is peer else None,
                online=(self.seats.online(0), self.seats.online(1)),
                elapsed=self._elapsed_ms(),
                view=fields(self.view),
            )
        )

    def heartbeat(self) -> tuple[str, int, int, int]:
        """What a client compares with its own view."""
        return self.record.id, self.epoch, self.seq, checksum(self.view)

    # --- who follows ---

    def attach(self, peer: Peer, id: int | None, epoch: int = 0, seq: int = 0, plays: bool = False) -> None:  # noqa: A002
        """Follow from now on; a player of the match holds its seat. Answers the request `id`, if there was one.

        The peer gets every update after (epoch, seq) if all of them are at hand, else a snapshot. Never a part.
        """
        if not self.peers:
            self._world.mesh.enter(self)
        self.peers[peer] = plays
        seat = self.record.seat_of(peer.player.id)
        if seat is not None:
            self._hold(seat, peer)
        missed = [frame for shown_seq, frame in self.recent.values() if shown_seq > seq]
        if id is not None and epoch == self.epoch and len(missed) == self.seq - seq:
            peer.send(encode(Ok(id=id, seq=self.seq, elapsed=self._elapsed_ms())))
            for frame in missed:
                peer.write(frame)
            for other in (0, 1):
                peer.send(encode(self._presence(other)))
        else:
            peer.send(self.snapshot(peer, id))
        self._send_plays(peer)
        self._arm_next_game()

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
        self._arm_next_game()

    def _presence(self, seat: Seat) -> Presence:
        online = self.seats.online(seat)
        wait_ms = None if online or not self.record.match.rules.clocked else self._claim_in_ms(seat)
        claim_after = None if wait_ms is None else max(0, -(-wait_ms // 1000))
        return Presence(match=self.record.id, seat=seat, online=online, claim_after=claim_after)

    # --- time ---

    def claim(self, seat: Seat) -> Decide:
        """How a claim of this seat is decided: won, if the other player has been away for long enough."""

        def decide_claim(record: Record) -> tuple[list[Event], Record]:
            if not record.match.rules.clocked:
                raise Refused(ErrorCode.NO_CLAIM, "a match without a clock waits for its players: you may forfeit it")
            if record.open or record.over:
                raise Refused(ErrorCode.NO_CLAIM, "this match is not being played")
            if self.seats.online(1 - seat):
                raise Refused(ErrorCode.NO_CLAIM, "your opponent is here")
            if (wait_ms := self._claim_in_ms(1 - seat)) > 0:
                raise Refused(ErrorCode.NO_CLAIM, f"your opponent has {-(-wait_ms // 1000)} s to come back")
            event = MatchEnded(seat, Ending.ABANDONED)
            return [event], apply(record, event)

        return decide_claim

    def _claim_in_ms(self, seat: Seat) -> int:
        """How long an absent player still has to come back. Our own outages do not count as absence."""
        now, away = self._world.clock.now_ms(), self.seats.away[seat]
        absent = now - away.since - self._world.outages.credit_ms(away.since, now)
        return 1000 * away.claim_s - absent

    def _arm_next_game(self) -> None:
        """Between games, with both players there, the next one starts by itself after a while."""
        match = self.record.match
        wanted = match.phase is Phase.READY and match.game > 0 and self.seats.online(0) and self.seats.online(1)
        if wanted and self._next_game is None:
            self._next_game = self._world.clock.call_later(NEXT_GAME_S, self._start_next_game)
        elif not wanted and self._next_game is not None:
            self._next_game.cancel()
            self._next_game = None

    def _start_next_game(self) -> None:
        self._next_game = None
        for seat in (0, 1):
            self.ask(Ask("", secrets.randbits(62), None, engine_decide(ReadyAction(seat)), None))

    def _credit_ms(self, now: int, lag_ms: int) -> int:
        clock = self.record.clock
        return 0 if clock.seat is None else min(lag_ms, LAG_LIMIT_MS) + self._world.outages.credit_ms(clock.since, now)

    def _elapsed_ms(self) -> int:
        now, clock = self._world.clock.now_ms(), self.record.clock
        return 0 if clock.seat is None else max(0, now - clock.since - self._credit_ms(now, 0))

    def _flag_has_fallen(self, now: int, credit: int) -> bool:
        clock = self.record.clock
        return clock.seat is not None and clock.left(now, credit) < 0

    def _flag_ask(self) -> Ask:
        return Ask("", secrets.randbits(62), None, self._time_out, None)

    def _time_out(self, record: Record) -> tuple[list[Event], Record]:
        """The match ends if the time of the one who is to act has run out."""
        now = self._world.clock.now_ms()
        if not self._flag_has_fallen(now, self._credit_ms(now, 0)):
            return [], record
        assert record.clock.seat is not None, "its flag has fallen"
        event = MatchEnded(1 - record.clock.seat, Ending.TIME)
        return [event], apply(record, event)

    def _arm_flag(self) -> None:
        """Look again when the flag is due. An action on its way may still be in time, so that is a little later."""
        if self._flag is not None:
            self._flag.cancel()
            self._flag = None
        if self.record.clock.seat is not None:
            now = self._world.clock.now_ms()
            left_ms = self.record.clock.left(now, self._credit_ms(now, 0))
            self._flag = self._world.clock.call_later((max(0, left_ms) + LAG_LIMIT_MS) / 1000, self._flag_due)

    def _flag_due(self) -> None:
        self._flag = None
        now = self._world.clock.now_ms()
        if self._flag_has_fallen(now, self._credit_ms(now, 0)):
            self.ask(self._flag_ask())
        self._arm_flag()


def _answer(ask: Ask, answer: Ok | Error) -> None:
    if isinstance(ask.to, Peer):
        ask.to.send(encode(answer))
    elif ask.to is not None and not ask.to.done():
        ask.to.set_result(answer)


def engine_decide(*actions: Action) -> Decide:
    """How the engine answers some actions, one after the other."""

    def decide_all(record: Record) -> tuple[list[Event], Record]:
        if record.open or record.cancelled:
            raise IllegalAction(Reason.WRONG_PHASE, "the match has not begun: nobody sits opposite you")
        events: list[Event] = []
        match, roll = record.match, record.roller()
        for action in actions:
            decision = decide(match, action, roll)
            events += decision.events
            match = decision.match
        return events, record._replace(match=match)

    return decide_all


def starts_game(entry: Entry) -> bool:
    """Whether a game begins with this entry: the place for a snapshot."""
    return any(isinstance(event, GameStarted) for event in entry.events)
