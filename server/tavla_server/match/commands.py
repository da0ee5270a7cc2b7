"""A change that is asked of a match, how it is decided, and who gets the answer."""

import asyncio
from collections.abc import Callable, Sequence
from functools import reduce
from types import MethodType

import msgspec
from msgspec.structs import replace
from tavla_engine.actions import Action, Ready
from tavla_engine.apply import apply
from tavla_engine.decide import decide, proceed
from tavla_engine.errors import IllegalAction, Reason
from tavla_engine.events import Event as EngineEvent
from tavla_engine.events import Readied
from tavla_protocol.codec import encode
from tavla_protocol.messages import Error, Ok

from tavla_server.delivery.outbox import Outbox
from tavla_server.match.events import Event
from tavla_server.match.state import Record
from tavla_server.metrics import ACTIONS

Decide = Callable[[Record], tuple[list[Event], Record]]


class Command(msgspec.Struct, frozen=True):
    """A change that is asked for.

    player, id: who asks, under which request id. seq: the version that was seen; None = whatever is current.
    decide: the events that it leads to, and the record then; raises IllegalAction or Refused.
    to: who gets the answer; None = nobody needs it. lag_ms: the round trip of who asks, given back to a running clock.
    queued_ms: since when it has waited for others to be stored, in ms since 1970; 0 = it has not.
    """

    player: str
    id: int
    seq: int | None
    decide: Decide
    to: Outbox | asyncio.Future[Ok | Error] | None
    lag_ms: int = 0
    queued_ms: int = 0

    def answer(self, answer: Ok | Error) -> None:
        """Tell who asked, if somebody waits for it."""
        if isinstance(self.to, Outbox):
            ACTIONS.add("ok" if isinstance(answer, Ok) else answer.code)
            self.to.send(encode(answer))
        elif self.to is not None and not self.to.done():
            self.to.set_result(answer)


def engine_decide(*actions: Action) -> Decide:
    """How the engine answers some actions, one after the other."""
    return MethodType(_decided, actions)  # as a partial would be, at a third of the cost


def _decided(actions: tuple[Action, ...], record: Record) -> tuple[list[Event], Record]:
    if not record.match.game:
        return _before_first_game(record, actions)
    events: list[Event] = []
    match, roll = record.match, record.roller()
    for action in actions:
        following, match = decide(match, action, roll)
        events += following
    return events, replace(record, match=match)


def _before_first_game(record: Record, actions: Sequence[Action]) -> tuple[list[Event], Record]:
    """How actions are answered while the dice may not be known yet: to be ready then starts nothing by itself."""
    if record.open or record.cancelled:
        raise IllegalAction(Reason.WRONG_PHASE, "the match has not begun: nobody sits opposite you")
    if record.unrevealed:
        raise IllegalAction(Reason.WRONG_PHASE, "the match has not begun: waiting for the seeds of the dice")
    events: list[Event] = []
    match = record.match
    for action in actions:
        answer: list[EngineEvent]
        if isinstance(action, Ready):
            answer = [] if match.ready[action.seat] else [Readied(action.seat)]
        else:
            answer = decide(match, action, record.roller())[0]
        match = reduce(apply, answer, match)
        events += answer
    return begun(events, replace(record, match=match))


def begun(events: list[Event], record: Record) -> tuple[list[Event], Record]:
    """What has happened so far, and the first game, if both players are ready and nobody has to reveal a seed."""
    if record.open or record.unrevealed:
        return events, record
    following, match = proceed(record.match, record.roller())
    return [*events, *following], replace(record, match=match)
