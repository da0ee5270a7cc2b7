"""Subscribers of a match on this node, its players among them: their wishes, and the frames that they get."""

import weakref
from collections.abc import Callable, Collection
from typing import NamedTuple

from tavla_engine.actions import Seat
from tavla_engine.match import Phase
from tavla_engine.plays import legal_plays
from tavla_protocol.codec import encode
from tavla_protocol.messages import Ok, Plays, Presence, Replaced, Said, Snapshot
from tavla_protocol.view import fields

from tavla_server.cluster.clock import Clock
from tavla_server.delivery.fanout import SLICE, FanOut
from tavla_server.delivery.frames import framed
from tavla_server.delivery.outbox import Outbox
from tavla_server.match.history import HAVE_NOTHING, Have
from tavla_server.match.ports import SubscriberHost
from tavla_server.match.replication import Replication
from tavla_server.match.seats import Seats
from tavla_server.match.spectators import NOBODY, Spectators
from tavla_server.match.timers import Timers
from tavla_server.match.wire import NodePresence
from tavla_server.telemetry import trace
from tavla_server.telemetry.metrics import RESYNCS, count_sent
from tavla_server.timings import Timings

LINES_KEPT = 10  # of chat, for reports to moderators


class Wants(NamedTuple):
    """The wishes of a subscriber: legal plays; no chat of spectators."""

    plays: bool = False
    hush: bool = False


WANTS_NOTHING = Wants()
Outboxes = tuple[Outbox, ...] | dict[Outbox, None]  # few take a third as a tuple; in a crowd each is found at once


class Subscribers:
    """The connections on this node that follow one match, and the presence of its players on all nodes."""

    __slots__ = (
        "__weakref__",
        "_clock",
        "_fanout",
        "_missed",
        "_replication",
        "_said",
        "_session",
        "_spectators",
        "_talk",
        "_timers",
        "_timings",
        "_wants",
        "outboxes",
        "seats",
    )

    def __init__(
        self,
        session: SubscriberHost,
        seats: Seats,
        timers: Timers,
        clock: Clock,
        replication: Replication,
        timings: Timings,
    ) -> None:
        self.outboxes: Outboxes = ()  # in the order in which they came
        self._wants: dict[Outbox, Wants] | None = None  # of outboxes with wishes; None before the first
        self._missed: set[Outbox] | None = None  # outboxes that miss an update; None before the first
        self._fanout: FanOut | None = None  # updates, once a crowd has followed
        self._said: list[tuple[str, str]] | None = None  # the last lines; None before the first
        self._talk: FanOut | None = None  # of chat; None without a crowd
        self.seats, self._timers = seats, timers
        self._spectators: Spectators | None = None  # None before the first
        self._session, self._replication, self._clock, self._timings = session, replication, clock, timings

    def release(self, session: SubscriberHost) -> None:
        """Keep the session itself no longer. session: a weak reference to it."""
        self._session, self._spectators = session, None

    @property
    def spectators(self) -> Spectators:
        """The spectators, here and on other nodes."""
        if self._spectators is None:
            self._spectators = Spectators(self._session, self._clock, self._replication, self._timings.spectators_s)
        return self._spectators

    # --- attach and detach ---

    def attach(
        self,
        outbox: Outbox,
        id: int | None,  # noqa: A002 - the field's name on the wire
        have: Have = HAVE_NOTHING,
        wants: Wants = WANTS_NOTHING,
    ) -> None:
        """Follow from now on; a player of the match holds its seat. Answers the request `id`, if there was one.

        The client gets every update after what it has if all of them are buffered, else a snapshot. Never a part.
        """
        session = self._session
        self._flush()
        if not self.outboxes:
            self._replication.enter(session)
        self.outboxes = _with(self.outboxes, outbox)
        self._note_wants(outbox, wants)
        if len(self.outboxes) > SLICE and self._fanout is None:
            self._fanout = self._new_fanout()
        seat = session.record.seat_of(outbox.player.id)
        if seat is None:
            self.spectators.changed()
        else:
            self._hold(seat, outbox)
        missed = session.updates_after(have)
        if id is not None and missed is not None:
            ok = encode(Ok(id=id, seq=session.seq, elapsed=self._timers.elapsed_ms(), seat=seat))
            frames = [framed(ok), *missed, *(framed(encode(self._presence(other))) for other in (0, 1))]
            for frame in frames:
                count_sent(frame)
            outbox.send_frames(b"".join(frames))
            self._show_rest(outbox)
        else:
            self._show_whole(outbox, "attach", id)
        self._timers.arm_game()

    def resync(self, outbox: Outbox) -> None:
        """A slow consumer has read everything: send a snapshot instead of the updates that were dropped."""
        if self._missed and outbox in self._missed:
            self._flush()
            self._show_whole(outbox, "slow")

    def reserve_seat(self, outbox: Outbox) -> None:
        """Mark the seat of a client that is about to sit down, or to come back, as present."""
        record = self._session.record
        free = (seat for seat in (0, 1) if record.players[seat] is None and not self.seats.online(seat))
        seat = next(free, None) if (own := record.seat_of(outbox.player.id)) is None else own
        if seat is not None:
            self._hold(seat, outbox)

    def release_seat(self, outbox: Outbox) -> None:
        """Undo `reserve_seat`: the client could not sit down."""
        self._free(outbox)

    def detach(self, outbox: Outbox) -> None:
        """Follow no longer; the seat stays the player's."""
        followed = outbox in self.outboxes
        if followed:
            self.outboxes = _without(self.outboxes, outbox)
            self._note_wants(outbox, WANTS_NOTHING)
        self._is_shown_all(outbox)
        self._free(outbox)
        if followed and not self.outboxes:
            self._replication.leave(self._session)
            self.seats.forget_others()
            if self._spectators is not None:
                self._spectators.clear()
        elif followed and self._spectators is not None:
            self._spectators.changed()

    def _note_wants(self, outbox: Outbox, wants: Wants) -> None:
        if wants != WANTS_NOTHING:
            self._wants = self._wants or {}
            self._wants[outbox] = wants
        elif self._wants is not None:
            self._wants.pop(outbox, None)

    def _wanted_by(self, outbox: Outbox) -> Wants:
        return WANTS_NOTHING if self._wants is None else self._wants.get(outbox, WANTS_NOTHING)

    def _hold(self, seat: Seat, outbox: Outbox) -> None:
        online = self._online()
        self._flush()
        older = self.seats.hold(seat, outbox)
        if older is not None:
            self._show_replaced(older)
        self._replication.tell(self._session)
        self._show_presence(online)

    def _free(self, outbox: Outbox) -> None:
        if outbox in self.seats.holders:
            online = self._online()
            self.seats.leave(outbox)
            self._replication.tell(self._session)
            self._show_presence(online)

    # --- messages of other nodes ---

    @property
    def nodes(self) -> list[str]:
        """The other nodes that follow the match."""
        return self.seats.nodes

    @property
    def presence(self) -> NodePresence:
        """The presence on this node, for the others."""
        return NodePresence(self.seats.here, NOBODY if self._spectators is None else self._spectators.here)

    def heard_presence(self, node: str, presence: NodePresence) -> None:
        """Take over the presence of another node."""
        if self._spectators is not None or presence.watching.total:
            self.spectators.hear(node, presence.watching)
        online = self._online()
        for outbox in self.seats.hear(node, presence.held):
            self._show_replaced(outbox)
            self._replication.tell(self._session)
        self._show_presence(online)

    def heard_end(self, node: str) -> None:
        """Another node is dead, or follows the match no longer."""
        online = self._online()
        self.seats.forget(node)
        if self._spectators is not None:
            self._spectators.forget(node)
        self._show_presence(online)

    # --- chat ---

    def say(self, speaker: str, said: Said) -> None:
        """Pass on what a player has said here. speaker: the player's id."""
        self.heard_said(speaker, said)
        self._replication.say(self._session, speaker, said)

    def heard_said(self, speaker: str, said: Said) -> None:
        """Hand what was said, here or on another node, to those here who want to hear it."""
        self._said = [*(self._said or ()), (said.name, said.text)][-LINES_KEPT:]
        frame, hushed = framed(encode(said)), said.to == "watchers"
        hear = [
            outbox
            for outbox in self.outboxes
            if speaker not in outbox.ignored and not (hushed and self._wanted_by(outbox).hush)
        ]
        if len(hear) > SLICE:
            self._talk = self._talk or FanOut(self._weakly(Subscribers._write_said))
            self._talk.write_by_and_by(frame, hear)
        else:
            for outbox in hear:
                self._write_said(outbox, frame)

    @property
    def last_said(self) -> list[tuple[str, str]]:
        """The last lines that were heard on this node, each with its speaker's name, the oldest first."""
        return self._said or []

    def _write_said(self, outbox: Outbox, frame: bytes) -> None:
        if outbox in self.outboxes and not outbox.write(frame):
            count_sent(frame)

    # --- updates ---

    def show(self, frame: bytes, actor: object = None, answer: bytes = b"") -> int:
        """Show all something new; if they are many, the spectators after the players, by fan-out.

        answer: frames that the actor, one of them, gets before it, in the same write: that saves a system call.
        Returns to how many it was written at once; the others count themselves.
        """
        at_once: Collection[Outbox] = self.outboxes
        if self._fanout is not None:
            at_once = self._hand_to_crowd(frame, self._fanout)
        written = len(at_once)
        for outbox in at_once:
            if outbox.write(answer + frame if outbox is actor else frame):
                written -= 1
                self._has_missed(outbox)
        return written

    def _hand_to_crowd(self, frame: bytes, fanout: FanOut) -> list[Outbox]:
        """Give an update to the fan-out. Returns those whom it is shown at once: all, if they are no crowd any more."""
        at_once = list(self.outboxes)
        if len(at_once) > SLICE:
            at_once = [outbox for outbox in self.outboxes if outbox in self.seats.holders]
            fanout.write_by_and_by(frame, [outbox for outbox in self.outboxes if outbox not in at_once])
        else:
            fanout.flush()
        return [outbox for outbox in at_once if not fanout.skips(outbox)]

    def _new_fanout(self) -> FanOut:
        return FanOut(self._weakly(Subscribers._write), self._weakly(Subscribers._show_newest))

    def _weakly(self, method: Callable[..., None]) -> Callable[..., None]:
        """A method of this object, which does not keep it: no cycle, see `Session`."""
        this = weakref.ref(self)

        def call(*args: object) -> None:
            method(this(), *args)

        return call

    def _flush(self) -> None:
        if self._fanout is not None:
            self._fanout.flush()

    def _write(self, outbox: Outbox, frames: bytes) -> None:
        if outbox not in self.outboxes:
            return
        if outbox.write(frames):
            self._has_missed(outbox)
        else:
            count_sent(frames)

    def _show_newest(self, outbox: Outbox) -> None:
        """Show the match as it is now to one of a crowd, who was not shown all that led there."""
        if outbox in self.outboxes:
            RESYNCS.add("slow")
            frame = framed(self._snapshot(outbox))
            if outbox.write(frame):
                self._has_missed(outbox)
            else:
                count_sent(frame)
                self._greet(outbox)

    def _has_missed(self, outbox: Outbox) -> None:
        self._missed = self._missed or set()
        self._missed.add(outbox)
        if outbox.behind and outbox in self.seats.holders:
            outbox.drop_slow_consumer(self._session.record.id)

    def show_anew(self) -> None:
        """Show all the whole match."""
        self._flush()
        for outbox in self.outboxes:
            self._show_whole(outbox, "epoch")

    def _show_whole(self, outbox: Outbox, why: str, id: int | None = None) -> None:  # noqa: A002 - the field's name on the wire
        self._is_shown_all(outbox)
        RESYNCS.add(why)
        if trace.on:
            trace.step("resync", self._session.record.id, outbox.player.id, id, seq=self._session.seq)
        outbox.send(self._snapshot(outbox, id))
        self._show_rest(outbox)

    def _show_rest(self, outbox: Outbox) -> None:
        self.show_plays(outbox)
        self._greet(outbox)

    def _greet(self, outbox: Outbox) -> None:
        if self._spectators is not None:
            self._spectators.greet(outbox)

    def _is_shown_all(self, outbox: Outbox) -> None:
        if self._missed:
            self._missed.discard(outbox)

    def show_plays(self, to: Outbox | None = None) -> None:
        """The legal plays, to the player on roll if the rules allow hints and they are wanted."""
        match = self._session.record.match
        if not (match.rules.hints and match.phase is Phase.MOVE and match.dice):
            return
        holder = self.seats.holders[match.turn]
        if holder is not None and self._wanted_by(holder).plays and to in (None, holder):
            plays = list(legal_plays(match.position, match.dice, match.rules.hit_and_run).values())
            holder.send(encode(Plays(match=self._session.record.id, seq=self._session.seq, plays=plays)))

    @property
    def in_step(self) -> bool:
        """Whether all have been shown the newest."""
        return self._fanout is None or self._fanout.idle

    def _snapshot(self, outbox: Outbox, id: int | None = None) -> bytes:  # noqa: A002 - the field's name on the wire
        session, record = self._session, self._session.record
        seat = record.seat_of(outbox.player.id)
        return encode(
            Snapshot(
                id=id,
                match=record.id,
                epoch=record.epoch,
                seq=session.seq,
                seat=seat if seat is not None and self.seats.holders[seat] is outbox else None,
                online=self._online(),
                elapsed=self._timers.elapsed_ms(),
                absence=(self._timers.absence_s(0), self._timers.absence_s(1)),
                claim_after=(self._claim_after(0), self._claim_after(1)),
                view=fields(session.view),
            )
        )

    def _show_replaced(self, outbox: Outbox) -> None:
        outbox.send(encode(Replaced(match=self._session.record.id)))

    def _show_presence(self, before: tuple[bool, bool]) -> None:
        """Tell those who follow which seats are held now and were not `before`, or the other way."""
        if self._online() != before:
            self._session.seats_changed()
        for seat in (0, 1):
            if self.seats.online(seat) != before[seat]:
                self._flush()
                frame = framed(encode(self._presence(seat)))
                for outbox in self.outboxes:
                    if outbox is not self.seats.holders[seat]:
                        self._write(outbox, frame)
        self._timers.arm_game()

    def _presence(self, seat: Seat) -> Presence:
        online, claim_after = self.seats.online(seat), self._timers.claim_after_s(seat)
        since = 0 if online else self.seats.away[seat] // 1000
        return Presence(match=self._session.record.id, seat=seat, online=online, claim_after=claim_after, since=since)

    def _claim_after(self, seat: Seat) -> int | None:
        return None if self._session.record.players[seat] is None else self._timers.claim_after_s(seat)

    def _online(self) -> tuple[bool, bool]:
        return self.seats.online(0), self.seats.online(1)


def _with(outboxes: Outboxes, one: Outbox) -> Outboxes:
    """Some outboxes, and one more."""
    if isinstance(outboxes, dict):
        outboxes[one] = None
        return outboxes
    more = outboxes if one in outboxes else (*outboxes, one)
    return more if len(more) <= SLICE else dict.fromkeys(more)


def _without(outboxes: Outboxes, one: Outbox) -> Outboxes:
    """Some outboxes but for one of them."""
    if isinstance(outboxes, dict):
        del outboxes[one]
        return outboxes
    return tuple(outbox for outbox in outboxes if outbox is not one)
