"""Timers of a match: the next game starts by itself, flags fall, seeds that do not come make it void."""

from tavla_engine import actions as a
from tavla_engine.actions import Seat
from tavla_engine.events import Ending, MatchEnded
from tavla_engine.match import READY

from tavla_server.cluster.clock import Clock, Timer
from tavla_server.cluster.liveness import Liveness
from tavla_server.match.command import MatchCommand
from tavla_server.match.ports import SessionHost
from tavla_server.match.seats import Seats
from tavla_server.record.decider import engine_decide
from tavla_server.record.dice import MatchDice
from tavla_server.record.events import Cancelled, Event
from tavla_server.record.state import Record, apply
from tavla_server.timings import Timings


class Timers:
    """The timers of a session. An outage of ours costs no player time."""

    __slots__ = (
        "_clock",
        "_flag",
        "_liveness",
        "_next_game",
        "_reveal",
        "_reveal_since_ms",
        "_seats",
        "_session",
        "_shown_ms",
        "_timings",
    )

    def __init__(self, session: SessionHost, seats: Seats, clock: Clock, liveness: Liveness, timings: Timings) -> None:
        self._session, self._seats, self._clock, self._liveness = session, seats, clock, liveness
        self._timings = timings
        self._next_game: Timer | None = None
        self._flag: Timer | None = None
        self._reveal: Timer | None = None
        self._reveal_since_ms: int | None = None  # since when a seed is owed
        self._shown_ms = 0  # when an entry was last shown that had just been stored

    def release(self, session: SessionHost) -> None:
        """Keep the session itself no longer. session: a weak reference to it."""
        self._session = session

    @property
    def running(self) -> bool:
        """True while a player's time runs: the session must not be forgotten."""
        return self._flag is not None or self._reveal is not None

    def credit_ms(self, now_ms: int, lag_ms: int) -> int:
        """The part of the time since the last entry that the player to act is given back."""
        clock = self._session.record.clock
        if clock.seat is None:
            return 0
        begin = max(clock.since, self._shown_ms, self._seats.pause.counts_from(now_ms, self._timings.absence_s))
        node = self._seats.at[clock.seat] or self._liveness.node
        outage_ms = self._liveness.credit_ms(begin, now_ms, node)
        return begin - clock.since + min(lag_ms, self._timings.lag_ms) + outage_ms

    def mark_shown(self) -> None:
        """Note the time at which an entry is shown: the player to act could not know of the turn before."""
        self._shown_ms = self._clock.now_ms()

    def elapsed_ms(self) -> int:
        """For how long the time of the one who is to act has been running."""
        now, clock = self._clock.now_ms(), self._session.record.clock
        return 0 if clock.seat is None else max(0, now - clock.since - self.credit_ms(now, 0))

    # --- flags ---

    def flag_has_fallen(self, now_ms: int, credit_ms: int) -> bool:
        """True if the time of the one who is to act has run out."""
        clock = self._session.record.clock
        return clock.seat is not None and clock.left(now_ms, credit_ms) + self._patience_ms(clock.seat) < 0

    def _patience_ms(self, seat: Seat) -> int:
        """A player's own node knows best what it has heard. Another waits until it would know if that one was dead."""
        return self._timings.dead_ms if self._seats.at[seat] else 0

    def flag(self) -> MatchCommand:
        """Ask for the end of the match, if a flag has fallen."""
        return MatchCommand.from_server(self._time_out)

    def _time_out(self, record: Record, _: MatchDice) -> tuple[list[Event], Record]:
        now = self._clock.now_ms()
        if not self.flag_has_fallen(now, self.credit_ms(now, 0)):
            return [], record
        assert record.clock.seat is not None, "its flag has fallen"
        event = MatchEnded(1 - record.clock.seat, Ending.TIME)
        return [event], apply(record, event)

    def arm_flag(self) -> None:
        """Look again when the flag is due. An action on its way may still be in time, so that is a little later."""
        if self._flag is not None:
            self._flag.cancel()
            self._flag = None
        clock = self._session.record.clock
        if clock.seat is not None:
            now = self._clock.now_ms()
            left_ms = max(0, clock.left(now, self.credit_ms(now, 0)) + self._patience_ms(clock.seat))
            self._flag = self._clock.call_later((left_ms + self._timings.lag_ms) / 1000, self._flag_due)

    def _flag_due(self) -> None:
        self._flag = None
        now = self._clock.now_ms()
        if self.flag_has_fallen(now, self.credit_ms(now, 0)):
            self._session.submit(self.flag())
        self.arm_flag()

    # --- before a game ---

    def arm_game(self) -> None:
        """Arm the timers before a game: its start, and the wait for seeds."""
        if self._session.record.match.phase is READY or self._next_game is not None or self._reveal is not None:
            self._arm_next_game()
            self._arm_reveal()

    def _arm_reveal(self) -> None:
        """Look again when those who have committed to a seed should have revealed it."""
        if self._reveal is not None:
            self._reveal.cancel()
            self._reveal = None
        if self._session.record.over or not self._session.record.missing_seeds:
            self._reveal_since_ms = None
            return
        if self._reveal_since_ms is None:
            self._reveal_since_ms = self._session.history.shown_ms or self._clock.now_ms()
        left_ms = self._reveal_left_ms(self._reveal_since_ms)
        self._reveal = self._clock.call_later((left_ms + self._timings.lag_ms) / 1000, self._reveal_due)

    def _reveal_left_ms(self, since_ms: int) -> int:
        """The longest time left of those who owe a seed: a player who is named then has had all of it."""
        return max((self._seat_left_ms(seat, since_ms) for seat in self._session.record.missing_seeds), default=0)

    def _seat_left_ms(self, seat: Seat, since_ms: int) -> int:
        """The time left for a player's seed. It stops while that player's node, or the store, stands still."""
        now, came_ms = self._clock.now_ms(), self._seats.since(seat)
        since_ms = max(since_ms, self._seats.pause.counts_from(now, self._timings.absence_s))
        begin = since_ms if came_ms is None else max(since_ms, came_ms)
        of_tournament, timings = self._session.record.tournament, self._timings
        due = since_ms + round(1000 * (timings.reveal_tournament_s if of_tournament else timings.reveal_away_s))
        if came_ms is not None:
            due = min(due, begin + round(1000 * self._timings.reveal_s))
        node = self._seats.at[seat] or self._liveness.node
        return max(0, due - now + self._liveness.credit_ms(since_ms, now, node) + self._patience_ms(seat))

    def _reveal_due(self) -> None:
        self._session.submit(MatchCommand.from_server(self._void))
        self._arm_reveal()

    def _void(self, record: Record, _: MatchDice) -> tuple[list[Event], Record]:
        """Cancel a match for which a promised seed has not come."""
        late = self._reveal_since_ms is not None and not self._reveal_left_ms(self._reveal_since_ms)
        if record.over or not record.missing_seeds or not late:
            return [], record
        return [Cancelled()], apply(record, Cancelled())

    def _arm_next_game(self) -> None:
        """Between games, with both players there, the next one starts by itself after a while; money play ends then."""
        match, seats = self._session.record.match, self._seats
        wanted = match.phase is READY and match.game > 0 and seats.online(0) and seats.online(1)
        if wanted and self._next_game is None:
            to_points = match.rules.length > 0
            after_s = self._timings.next_game_s if to_points else self._timings.next_money_s
            self._next_game = self._clock.call_later(after_s, self._start_next_game if to_points else self._end_money)
        elif not wanted and self._next_game is not None:
            self._next_game.cancel()
            self._next_game = None

    def _start_next_game(self) -> None:
        self._next_game = None
        for seat in (0, 1):
            self._session.submit(MatchCommand.from_server(engine_decide(a.Ready(seat))))

    def _end_money(self) -> None:
        self._next_game = None
        self._session.submit(MatchCommand.from_server(engine_decide(a.Leave(0))))
