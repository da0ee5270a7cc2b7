"""A command to a match: its decision, and the receiver of the answer."""

import asyncio
import secrets

import msgspec
from tavla_protocol.codec import encode
from tavla_protocol.messages import Error, Ok

from tavla_server.delivery.outbox import Outbox
from tavla_server.record.decider import Decide
from tavla_server.telemetry.metrics import ACTIONS

OTHER_EPOCH = -1  # as the version that was seen: one of another epoch is never current


class MatchCommand(msgspec.Struct, frozen=True, gc=False):
    """A command to change a match.

    player, id: of the request. seq: the version that was seen, or OTHER_EPOCH; None = whatever is current.
    decide: the events that it leads to, and the record then; raises IllegalAction or Refused.
    to: gets the answer; None = not needed. lag_ms: the round trip to the player, given back to a running clock.
    queued_ms: since when it has waited for others to be stored, in ms since 1970; 0 = it has not.
    """

    player: str
    id: int
    seq: int | None
    decide: Decide
    to: Outbox | asyncio.Future[Ok | Error] | None
    lag_ms: int = 0
    queued_ms: int = 0

    @classmethod
    def from_server(cls, decide: Decide, to: asyncio.Future[Ok | Error] | None = None) -> "MatchCommand":
        """A change of the server's own, whatever the version is by then."""
        return cls("", secrets.randbits(62), None, decide, to)

    def error(self, code: str, text: str, seq: int) -> Error:
        """The answer that refuses it. seq: the version by now."""
        return Error(id=self.id, code=code, text=text, seq=seq)

    def answer(self, answer: Ok | Error) -> None:
        """Send the answer, or resolve the future that waits for it."""
        if isinstance(self.to, Outbox):
            ACTIONS.add("ok" if isinstance(answer, Ok) else answer.code)
            self.to.send(encode(answer))
        elif self.to is not None and not self.to.done():
            self.to.set_result(answer)
