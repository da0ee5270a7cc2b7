"""Decisions on the actions of players: by the engine, and before the first game by the table."""

from collections.abc import Callable, Sequence
from functools import reduce
from types import MethodType

from msgspec.structs import replace
from tavla_engine.actions import Action, Ready
from tavla_engine.apply import apply
from tavla_engine.decide import decide, proceed
from tavla_engine.errors import IllegalAction, Reason
from tavla_engine.events import Event as EngineEvent
from tavla_engine.events import Readied

from tavla_server.record.dice import MatchDice
from tavla_server.record.events import Event
from tavla_server.record.state import Record

Decide = Callable[[Record, MatchDice], tuple[Sequence[Event], Record]]  # raises IllegalAction or Refused


def engine_decide(*actions: Action) -> Decide:
    """The engine's decision on an action; or on several, one after the other, before the first game.

    Holds bench/ceilings.toml: with `functools.partial` an action would take 720 instructions more.
    """
    return MethodType(_decided, actions)


def _decided(actions: tuple[Action, ...], record: Record, dice: MatchDice) -> tuple[Sequence[Event], Record]:
    if not record.match.game:
        return _before_first_game(record, actions, dice)
    (action,) = actions
    events, match = decide(record.match, action, dice.roller(record))
    return events, replace(record, match=match)


def _before_first_game(record: Record, actions: Sequence[Action], dice: MatchDice) -> tuple[list[Event], Record]:
    """The decision on actions while the dice may be unknown as yet: to be ready then starts nothing by itself."""
    if record.open or record.cancelled:
        raise IllegalAction(Reason.WRONG_PHASE, "the match has not begun: nobody sits opposite you")
    if record.missing_seeds:
        raise IllegalAction(Reason.WRONG_PHASE, "the match has not begun: waiting for the seeds of the dice")
    events: list[Event] = []
    match = record.match
    for action in actions:
        answer: list[EngineEvent]
        if isinstance(action, Ready):
            answer = [] if match.ready[action.seat] else [Readied(action.seat)]
        else:
            answer = decide(match, action, dice.roller(record))[0]
        match = reduce(apply, answer, match)
        events += answer
    return start_first_game(events, replace(record, match=match), dice)


def start_first_game(events: list[Event], record: Record, dice: MatchDice) -> tuple[list[Event], Record]:
    """The events so far, and those of the first game, if both players sit and have revealed their seeds."""
    if record.open or record.missing_seeds:
        return events, record
    following, match = proceed(record.match, dice.roller(record))
    return [*events, *following], replace(record, match=match)
