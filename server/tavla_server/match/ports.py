"""Protocols: a session as its parts see it, and those who are at the match as replication sees them."""

from typing import Protocol

from tavla_protocol.view import View

from tavla_server.match.audience import Audience
from tavla_server.match.claims import Claims
from tavla_server.match.command import MatchCommand
from tavla_server.match.history import History
from tavla_server.match.seats import Seats
from tavla_server.match.talk import Talk
from tavla_server.match.wire import NodePresence
from tavla_server.record.state import Record


class Attending(Protocol):
    """Attending players: the attendance at a match, as replication sees it."""

    def new_presence(self) -> NodePresence: ...

    def hear(self, node: str, presence: NodePresence) -> None: ...

    def forget(self, node: str) -> None: ...


class ReplicatedSession(Protocol):
    """A session, as replication sees it."""

    record: Record
    seq: int
    seats: Seats
    audience: Audience
    talk: Talk

    @property
    def attendance(self) -> Attending: ...

    def read_on(self) -> None: ...

    def heard_entry(self, seq: int, data: bytes) -> None: ...


class SessionHost(ReplicatedSession, Protocol):
    """The host of timers, subscribers and attendance: a session, as they see it."""

    claims: Claims

    @property
    def view(self) -> View: ...

    @property
    def history(self) -> History: ...

    def submit(self, command: MatchCommand) -> None: ...

    def tell_seats(self) -> None: ...
