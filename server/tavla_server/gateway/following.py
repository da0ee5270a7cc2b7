"""The matches that a connection is attached to, mostly one."""

from collections.abc import Collection

from tavla_protocol.codes import ErrorCode

from tavla_server.delivery.outbox import Outbox
from tavla_server.errors import Refused
from tavla_server.gateway.core import Core
from tavla_server.match.audience import WANTS_NOTHING, Wants
from tavla_server.match.command import MatchCommand
from tavla_server.match.history import HAVE_NOTHING, Have
from tavla_server.match.lifecycle import cancellation
from tavla_server.match.session import Session


class MatchFollowing:
    """The following of matches: attaches a connection's outbox to sessions, and detaches it.

    sessions: those that it is attached to.
    """

    __slots__ = ("_core", "_outbox", "sessions")

    def __init__(self, core: Core, outbox: Outbox) -> None:
        self._core, self._outbox = core, outbox
        self.sessions: tuple[Session, ...] = ()

    def of(self, match: str) -> Session | None:
        """The session of a match that is followed; None if it is not."""
        return next((session for session in self.sessions if session.record.id == match), None)

    @property
    def plays(self) -> bool:
        """True if the client has a seat in a match that goes on."""
        records, player = [session.record for session in self.sessions], self._outbox.player.id
        return any(record.seat_of(player) is not None and not (record.open or record.over) for record in records)

    def heartbeats(self) -> list[tuple[str, int, int, int]]:
        """The state of each match of which nothing is on its way."""
        return [session.heartbeat() for session in self.sessions if session.audience.in_step]

    def check_room(self, match: str = "") -> None:
        """Raises: Refused when one more match would be too many."""
        most = self._core.limits.followed
        if len(self.sessions) >= most and not self.of(match):
            self.remove([session for session in self.sessions if session.record.over])
        if len(self.sessions) >= most and not self.of(match):
            raise Refused(ErrorCode.TOO_MANY, f"you follow {most} matches: detach from one first")

    def add(
        self,
        session: Session,
        id: int | None = None,  # noqa: A002 - the field's name on the wire
        have: Have = HAVE_NOTHING,
        wants: Wants = WANTS_NOTHING,
    ) -> None:
        """Attach to a session, and answer the request `id`, if there was one, with what it shows."""
        if session not in self.sessions:
            self.sessions = (*self.sessions, session)
            over = [one for one in self.sessions if one.record.over and one is not session]
            self.remove(over[: -self._core.limits.followed_over])
        session.subscribers.attach(self._outbox, id, have, wants)
        self._core.registry.unused.keep(session)

    def remove(self, sessions: Collection[Session]) -> None:
        """Detach from some sessions."""
        gone = set(sessions)
        self.sessions = tuple(session for session in self.sessions if session not in gone)
        for session in sessions:
            session.subscribers.detach(self._outbox)
            self._core.registry.unused.forget_later(session)

    def leave(self, on_purpose: bool) -> None:
        """Detach from all. on_purpose: open tables are closed."""
        followed = self.sessions
        self.remove(followed)
        if on_purpose:
            for session in followed:
                self.close_if_left(session)

    def close_if_left(self, session: Session) -> None:
        """Close an open table that its maker, this client, follows no longer, nor in another window on this node."""
        record, player = session.record, self._outbox.player.id
        if not record.open or record.seat_of(player) is None:  # as with each of a crowd
            return
        if all(outbox.player.id != player for outbox in session.audience.outboxes):
            session.submit(MatchCommand.from_server(cancellation))

    def resync(self) -> None:
        """Show anew what was left out while the client did not read."""
        for session in self.sessions:
            session.subscribers.resync(self._outbox)
