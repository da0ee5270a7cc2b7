"""A client's connection, as the lobby sees it."""

from collections.abc import Collection
from typing import Protocol

from tavla_protocol.messages import Available, Message

from tavla_server.delivery.outbox import Outbox
from tavla_server.match.session import Session
from tavla_server.player import Player


class Following(Protocol):
    """The following: the matches to which a client is attached."""

    sessions: tuple[Session, ...]

    def of(self, match: str) -> Session | None: ...

    def add(self, session: Session) -> None: ...

    def remove(self, sessions: Collection[Session]) -> None: ...


class Recipient(Protocol):
    """A recipient: a client that is connected to this node. Two of them are never equal.

    address: for which limits count it. available: what a program has said of itself. token: what it came with.
    player: as now known.
    """

    address: str
    outbox: Outbox
    player: Player
    available: Available | None
    token: str

    @property
    def closed(self) -> bool: ...

    @property
    def following(self) -> Following: ...

    def send(self, message: Message) -> None: ...

    def log_out(self) -> None: ...
