"""Protocols: a session as its parts see it, and its subscribers as replication sees them."""

from collections.abc import Collection
from typing import Protocol

from tavla_protocol.messages import Said
from tavla_protocol.view import View

from tavla_server.delivery.outbox import Outbox
from tavla_server.match.command import Command
from tavla_server.match.history import Have
from tavla_server.match.wire import NodePresence
from tavla_server.record.state import Record


class TimerHost(Protocol):
    """A session, as its timers see it."""

    @property
    def record(self) -> Record: ...

    @property
    def shown_ms(self) -> int | None: ...

    def submit(self, command: Command) -> None: ...


class Following(Protocol):
    """The subscribers of a match on this node, as its spectators and replication see them."""

    @property
    def outboxes(self) -> Collection[Outbox]: ...

    def show(self, frame: bytes) -> int: ...

    @property
    def nodes(self) -> list[str]: ...

    @property
    def presence(self) -> NodePresence: ...

    def heard_presence(self, node: str, presence: NodePresence) -> None: ...

    def heard_end(self, node: str) -> None: ...

    def heard_said(self, speaker: str, said: Said) -> None: ...


class Replicated(Protocol):
    """A session, as replication sees it."""

    @property
    def record(self) -> Record: ...

    @property
    def seq(self) -> int: ...

    @property
    def subscribers(self) -> Following: ...

    def read_on(self) -> None: ...

    def heard_entry(self, seq: int, data: bytes) -> None: ...


class SubscriberHost(Replicated, Protocol):
    """A session, as its subscribers see it."""

    @property
    def view(self) -> View: ...

    def updates_after(self, have: Have) -> list[bytes] | None: ...

    def seats_changed(self) -> None: ...
