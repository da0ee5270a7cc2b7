"""History of one match: the requests, answers and views of every client, in the order that the client had them."""

from typing import NamedTuple

from tavla_protocol import messages as m
from tavla_protocol.view import View


class Sent(NamedTuple):
    """An action that was asked for, perhaps again. player: the id of who asked."""

    player: str
    request: m.MatchAction


class Answered(NamedTuple):
    """The answer to an action. at_s: the monotonic clock's time. seq: of the change; None = refused with `code`."""

    at_s: float
    player: str
    id: int
    seq: int | None
    code: str = ""


class Saw(NamedTuple):
    """A version of the match that was shown. client: the name of who saw it. at_s: the monotonic clock's time."""

    at_s: float
    client: str
    epoch: int
    seq: int
    view: View


class History:
    """All that is known of one match without asking the server's store."""

    def __init__(self, match: str) -> None:
        self.match = match
        self.sent: list[Sent] = []
        self.answered: list[Answered] = []
        self.saw: list[Saw] = []

    def requests(self) -> dict[tuple[str, int], m.MatchAction]:
        """Each action that was sent, by player and request id."""
        return {(player, request.id): request for player, request in self.sent}

    def verdicts(self) -> dict[tuple[str, int], Answered]:
        """The last answer to each action: one that was refused may have been sent again, and accepted."""
        return {(answer.player, answer.id): answer for answer in self.answered}

    def last_views(self) -> dict[str, Saw]:
        """The last view of each client."""
        return {saw.client: saw for saw in self.saw}
