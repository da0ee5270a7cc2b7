"""A change that is asked of a match, how it is decided, and who gets the answer."""

import asyncio
from collections.abc import Callable
from functools import partial
from typing import NamedTuple

from msgspec.structs import replace
from tavla_engine.actions import Action
from tavla_engine.decide import decide
from tavla_engine.errors import IllegalAction, Reason
from tavla_protocol.codec import encode
from tavla_protocol.messages import Error, Ok

from tavla_server.delivery.outbox import Outbox
from tavla_server.match.events import Event
from tavla_server.match.state import Record

Decide = Callable[[Record], tuple[list[Event], Record]]


class Command(NamedTuple):
    """A change that is asked for.

    player, id: who asks, under which request id. seq: the version that was seen; None = whatever is current.
    decide: the events that it leads to, and the record then; raises IllegalAction or Refused.
    to: who gets the answer; None = nobody needs it. lag_ms: the round trip of who asks, given back to a running clock.
    """

    player: str
    id: int
    seq: int | None
    decide: Decide
    to: Outbox | asyncio.Future[Ok | Error] | None
    lag_ms: int = 0

    def answer(self, answer: Ok | Error) -> None:
        """Tell who asked, if somebody waits for it."""
        if isinstance(self.to, Outbox):
            self.to.send(encode(answer))
        elif self.to is not None and not self.to.done():
            self.to.set_result(answer)


def engine_decide(*actions: Action) -> Decide:
    """How the engine answers some actions, one after the other."""
    return partial(_decided, actions)


def _decided(actions: tuple[Action, ...], record: Record) -> tuple[list[Event], Record]:
    if None in record.players or record.cancelled:
        raise IllegalAction(Reason.WRONG_PHASE, "the match has not begun: nobody sits opposite you")
    events: list[Event] = []
    match, roll = record.match, record.roller()
    for action in actions:
        following, match = decide(match, action, roll)
        events += following
    return events, replace(record, match=match)
