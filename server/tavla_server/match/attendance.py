"""Attendance at a match: its players at their seats and its spectators, on this node and on others."""

from tavla_engine.actions import Seat
from tavla_protocol.codec import encode
from tavla_protocol.messages import Presence, Replaced

from tavla_server.cluster.clock import Clock
from tavla_server.delivery.frames import frame_of
from tavla_server.delivery.outbox import Outbox
from tavla_server.match.ports import SessionHost
from tavla_server.match.replication import Replication
from tavla_server.match.spectators import NOBODY, Spectators
from tavla_server.match.timers import Timers
from tavla_server.match.wire import NodePresence


class Attendance:
    """Attendance of one match. Subscribers, and the other nodes, are told of each change."""

    __slots__ = ("_clock", "_replication", "_session", "_spectators", "_spectators_s", "_timers")

    def __init__(
        self, session: SessionHost, timers: Timers, clock: Clock, replication: Replication, spectators_s: float
    ) -> None:
        """spectators_s: as in `Timings`."""
        self._session, self._timers, self._clock, self._replication = session, timers, clock, replication
        self._spectators_s = spectators_s
        self._spectators: Spectators | None = None  # None before the first

    def release(self, session: SessionHost) -> None:
        """Keep the session itself no longer. session: a weak reference to it."""
        self._session, self._spectators = session, None

    @property
    def spectators(self) -> Spectators:
        """The spectators, here and on other nodes."""
        if self._spectators is None:
            self._spectators = Spectators(self._session, self._clock, self._replication, self._spectators_s)
        return self._spectators

    def enter(self, outbox: Outbox) -> None:
        """Note that one follows from now on: it holds its seat, or is a spectator."""
        seat = self._session.record.seat_of(outbox.player.id)
        if seat is None or self._spectators is not None:  # who sits down may have watched until now
            self.spectators.note_change()
        if seat is None:
            return
        if self._session.audience.wants(outbox).sits or self._session.seats.rank(seat) is None:
            self._hold(seat, outbox)
        elif self._session.seats.holders[seat] is outbox:
            before = self._session.seats.both_online
            self._session.seats.hold(seat, outbox, sits=False)
            self._pass_on(before)

    def leave(self) -> None:
        """Note that one follows no longer. Without any this node hears nothing of the others."""
        if not self._session.audience.outboxes:
            self._replication.leave(self._session)
            for node in self._session.seats.nodes:  # from now on nothing is heard of them
                self._session.seats.forget(node)
            if self._spectators is not None:
                self._spectators.clear()
        elif self._spectators is not None:
            self._spectators.note_change()

    def greet(self, outbox: Outbox) -> None:
        """Tell one who has just come of the spectators, if there are any."""
        if self._spectators is not None:
            self._spectators.greet(outbox)

    # --- seats ---

    def reserve_seat(self, outbox: Outbox) -> None:
        """Mark the seat of a client that is about to sit down, or to come back, as present."""
        record, seats = self._session.record, self._session.seats
        free = (seat for seat in (0, 1) if record.players[seat] is None and not seats.online(seat))
        seat = next(free, None) if (own := record.seat_of(outbox.player.id)) is None else own
        if seat is not None:
            self._hold(seat, outbox)

    def _hold(self, seat: Seat, outbox: Outbox) -> None:
        if not outbox.is_open:  # lost while its request was under way: a newer connection may have the seat
            return
        before = self._session.seats.both_online
        self._session.audience.hurry(outbox)
        older = self._session.seats.hold(seat, outbox, self._session.audience.wants(outbox).sits)
        if older is not None:
            self._show_replaced(older, seat)
        self._replication.tell(self._session)
        self._show_changes(before)

    def release_seat(self, outbox: Outbox) -> None:
        """Free the seat that a client holds: it could not sit down, or is gone. The seat stays the player's."""
        seats = self._session.seats
        if outbox in seats.holders:
            before = seats.both_online
            seats.leave(outbox)
            self._pass_on(before)

    def _pass_on(self, before: tuple[bool, bool]) -> None:
        """Give seats that are free, or left to any that wants them, to other connections of their players here.

        All are told of the changes since `before`.
        """
        taken = [(seat, outbox) for seat in (0, 1) if (outbox := self._next_holder(seat)) is not None]
        for seat, outbox in taken:
            older = self._session.seats.hold(seat, outbox, self._session.audience.wants(outbox).sits)
            if older is not None:
                self._show_replaced(older, seat)
        self._replication.tell(self._session)
        self._show_changes(before)
        for _, outbox in taken:
            self._session.audience.show_anew(outbox)

    def _next_holder(self, seat: Seat) -> Outbox | None:
        seats, player, audience = self._session.seats, self._session.record.players[seat], self._session.audience
        rank = seats.rank(seat)
        if player is None or (rank is not None and rank > 0):
            return None
        theirs = audience.connections_of(player.id)
        if not theirs or theirs[-1] is seats.holders[seat]:
            return None
        return theirs[-1] if rank is None or audience.wants(theirs[-1]).sits else None

    def message(self, seat: Seat) -> Presence:
        """The presence at a seat, as subscribers are told of it."""
        seats = self._session.seats
        online, claim_after = seats.online(seat), self._session.claims.after_s(self._session.record, seat)
        since = 0 if online else seats.away[seat] // 1000
        return Presence(match=self._session.record.id, seat=seat, online=online, claim_after=claim_after, since=since)

    def show_seat(self, outbox: Outbox) -> None:
        """Tell one of the players whose seat another connection has."""
        seat = self._session.record.seat_of(outbox.player.id)
        if seat is not None and self._session.seats.holders[seat] is not outbox:
            self._show_replaced(outbox, seat)

    def _show_replaced(self, outbox: Outbox, seat: Seat) -> None:
        outbox.send(encode(Replaced(match=self._session.record.id, seat=seat)))

    def _show_changes(self, before: tuple[bool, bool]) -> None:
        """Tell those who follow which seats are held now and were not `before`, or the other way."""
        seats, audience = self._session.seats, self._session.audience
        if seats.both_online != before:
            self._session.tell_seats()
        for seat in (0, 1):
            if seats.online(seat) != before[seat]:
                audience.show_others(frame_of(encode(self.message(seat))), seats.holders[seat])
        self._timers.arm_game()

    # --- messages of other nodes ---

    def new_presence(self) -> NodePresence:
        """The presence on this node, of which the others are told now."""
        return NodePresence(
            self._session.seats.here, NOBODY if self._spectators is None else self._spectators.new_watching()
        )

    def hear(self, node: str, presence: NodePresence) -> None:
        """Take over the presence of another node."""
        if self._spectators is not None or presence.watching.total:
            self.spectators.hear(node, presence.watching)
        before = self._session.seats.both_online
        replaced = self._session.seats.hear(node, presence.held)
        for outbox in replaced:
            self.show_seat(outbox)
        self._settle(before, is_news=bool(replaced))

    def forget(self, node: str) -> None:
        """Another node is dead, or follows the match no longer."""
        before = self._session.seats.both_online
        self._session.seats.forget(node)
        if self._spectators is not None:
            self._spectators.forget(node)
        self._settle(before)

    def _settle(self, before: tuple[bool, bool], is_news: bool = False) -> None:
        """Another node has told something: it may have left a seat to us. is_news: the others are to know of it."""
        if any(self._next_holder(seat) is not None for seat in (0, 1)):
            self._pass_on(before)
            return
        if is_news:
            self._replication.tell(self._session)
        self._show_changes(before)
