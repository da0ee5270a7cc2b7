"""A client's connection, as the lobby sees it."""

from typing import Protocol

from tavla_protocol.messages import Available, Message

from tavla_server.delivery.outbox import Outbox
from tavla_server.match.session import Session
from tavla_server.player import Player


class Recipient(Protocol):
    """A client that is connected to this node. Two of them are never equal.

    closed: the connection has ended. available: what a program has said of itself. token: what it came with.
    """

    outbox: Outbox
    closed: bool
    available: Available | None
    token: str

    @property
    def player(self) -> Player:
        """The player."""

    def send(self, message: Message) -> None:
        """Send it a message; nobody waits for it."""

    def follows(self, match: str) -> bool:
        """Whether it is attached to a match."""

    def follow(self, session: Session) -> None:
        """Attach it to a match and show it what is there."""

    def log_out(self) -> None:
        """Its token is good no longer: tell it, and close."""
