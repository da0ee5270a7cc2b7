"""Subscribers of a match on this node: attaching, detaching, and snapshots where updates do not do."""

from tavla_engine.match import Phase
from tavla_engine.plays import legal_plays
from tavla_protocol.codec import encode
from tavla_protocol.messages import Ok, Plays, Snapshot
from tavla_protocol.view import fields

from tavla_server.delivery.frames import frame_of
from tavla_server.delivery.outbox import Outbox
from tavla_server.match.attendance import Attendance
from tavla_server.match.audience import WANTS_NOTHING, Wants
from tavla_server.match.history import HAVE_NOTHING, Have
from tavla_server.match.pause import pause_after_fork
from tavla_server.match.ports import SessionHost
from tavla_server.match.replication import Replication
from tavla_server.match.timers import Timers
from tavla_server.telemetry import trace
from tavla_server.telemetry.metrics import RESYNCS, count_sent


class Subscribers:
    """The subscribers: the way in to one match, and out of it; and the snapshots."""

    __slots__ = ("_attendance", "_replication", "_session", "_timers")

    def __init__(self, session: SessionHost, timers: Timers, attendance: Attendance, replication: Replication) -> None:
        self._session, self._timers, self._attendance, self._replication = session, timers, attendance, replication

    def release(self, session: SessionHost) -> None:
        """Keep the session itself no longer. session: a weak reference to it."""
        self._session = session

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
        session, audience = self._session, self._session.audience
        if not audience.outboxes:
            self._replication.enter(session)
        audience.add(outbox, wants)
        self._attendance.enter(outbox)
        missed = session.history.updates_after(have, session.seq, session.record)
        if id is not None and missed is not None:
            seat = session.record.seat_of(outbox.player.id)
            if seat is not None and session.seats.holders[seat] is not outbox:
                seat = None
            ok = encode(Ok(id=id, seq=session.seq, elapsed=self._timers.elapsed_ms(), seat=seat))
            frames = [frame_of(ok), *missed, *(frame_of(encode(self._attendance.message(other))) for other in (0, 1))]
            for frame in frames:
                count_sent(frame)
            audience.note_shown(outbox)
            outbox.send_frames(b"".join(frames))
            self._show_rest(outbox)
        else:
            self._show_whole(outbox, "attach", id)
        self._timers.arm_game()

    def detach(self, outbox: Outbox) -> None:
        """Follow no longer; the seat stays the player's."""
        followed = outbox in self._session.audience.outboxes
        if followed:
            self._session.audience.remove(outbox)
        self._attendance.release_seat(outbox)
        if followed:
            self._attendance.leave()

    def resync(self, outbox: Outbox) -> None:
        """A slow consumer has read everything: send a snapshot instead of the updates that were dropped."""
        if self._session.audience.misses(outbox):
            self._show_whole(outbox, "slow")

    def show_anew(self) -> None:
        """Show all the whole match, in a new epoch."""
        seats = self._session.seats
        seats.pause = pause_after_fork(self._session.record.forked_ms, seats.both_online)
        for outbox in self._session.audience.outboxes:
            self._show_whole(outbox, "epoch")

    def show_newest(self, outbox: Outbox) -> None:
        """Show the match as it is now to one of a crowd, who was not shown all that led there."""
        if outbox in self._session.audience.outboxes:
            RESYNCS.add("slow")
            if self._session.audience.write(outbox, frame_of(self._snapshot(outbox))):
                self._show_rest(outbox)

    def show_plays(self, to: Outbox | None = None) -> None:
        """The legal plays, to the player on roll if the rules allow hints and they are wanted."""
        match = self._session.record.match
        if not (match.rules.hints and match.phase is Phase.MOVE and match.dice):
            return
        holder = self._session.seats.holders[match.turn]
        if holder is not None and self._session.audience.wants(holder).plays and to in (None, holder):
            plays = list(legal_plays(match.position, match.dice, match.rules.hit_and_run).values())
            holder.send(encode(Plays(match=self._session.record.id, seq=self._session.seq, plays=plays)))

    def _show_whole(self, outbox: Outbox, why: str, id: int | None = None) -> None:  # noqa: A002 - the field's name on the wire
        self._session.audience.note_shown(outbox)
        RESYNCS.add(why)
        if trace.on:
            trace.step("resync", self._session.record.id, outbox.player.id, id, seq=self._session.seq)
        outbox.send(self._snapshot(outbox, id))
        self._show_rest(outbox)

    def _show_rest(self, outbox: Outbox) -> None:
        self._attendance.show_seat(outbox)
        self.show_plays(outbox)
        self._attendance.greet(outbox)

    def _snapshot(self, outbox: Outbox, id: int | None = None) -> bytes:  # noqa: A002 - the field's name on the wire
        session, record = self._session, self._session.record
        seat, claims = record.seat_of(outbox.player.id), session.claims
        white, black = (
            None if player is None else claims.after_s(record, at) for at, player in enumerate(record.players)
        )
        view = fields(session.view)
        if seat is not None and record.tournament is not None:
            view["tournament"] = record.tournament  # a private one, too: it is the player's
        return encode(
            Snapshot(
                id=id,
                match=record.id,
                epoch=record.epoch,
                seq=session.seq,
                seat=seat if seat is not None and session.seats.holders[seat] is outbox else None,
                online=session.seats.both_online,
                elapsed=self._timers.elapsed_ms(),
                absence=(claims.absence_s(record, 0), claims.absence_s(record, 1)),
                claim_after=(white, black),
                view=view,
            )
        )
