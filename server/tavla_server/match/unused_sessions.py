"""Sessions without subscribers, and when each is forgotten."""

from tavla_server.cluster.clock import Clock, Timer
from tavla_server.match.session import Session

LOOKS = 10  # in the time for which such a session is kept
FORGOTTEN_AT_ONCE = 32  # sessions in one turn of the loop: each takes some 10 us to be freed


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
