"""Events of a match as a server tells them: arrays, read back as the engine's."""

import re
from collections.abc import Sequence
from typing import Any, NamedTuple, get_args

import msgspec

from tavla_engine import events as e
from tavla_engine.errors import BadText
from tavla_engine.events import Event
from tavla_engine.position import BAR
from tavla_engine.setup import is_board, is_cube

TYPES: dict[str, Any] = {re.sub(r"\B([A-Z])", r"_\1", type_.__name__).lower(): type_ for type_ in get_args(Event)}
# A server's own events.
TABLE_TYPES = frozenset({"created", "seated", "agreed", "met", "cancelled", "forked", "revealed", "ruled"})
_SEATS = (0, 1)
_HEAD = 3  # fields of a told event before its facts


class ServerEvent(NamedTuple):
    """An event as it is told. event: the engine's; None for the table's own, as `seated`, and a later version's."""

    seq: int
    time_ms: int
    type: str
    facts: tuple[Any, ...]
    event: Event | None


def read_server_events(events: Sequence[Sequence[Any]]) -> list[ServerEvent]:
    """Events as a server tells them. Raises: BadText."""
    return [_server_event(number, fields) for number, fields in enumerate(events, 1)]


def _server_event(number: int, fields: Sequence[Any]) -> ServerEvent:
    if len(fields) < _HEAD or tuple(map(type, fields[:_HEAD])) != (int, int, str):
        raise BadText(f"event {number} is none")
    seq, time_ms, type_, *facts = fields
    if (kind := TYPES.get(type_)) is not None:
        return ServerEvent(seq, time_ms, type_, tuple(facts), _event(number, kind, facts))
    return ServerEvent(seq, time_ms, type_, tuple(facts), None)


def _event(number: int, type_: Any, facts: Sequence[Any]) -> Event:
    try:
        event: Event = msgspec.convert([type_.__struct_config__.tag, *facts], type_)
    except (msgspec.ValidationError, RecursionError) as error:
        raise BadText(f"event {number}: {error}") from None
    if not _is_possible(event):
        raise BadText(f"event {number} cannot be: {event!r:.80}")
    return event


def _is_possible(event: Any) -> Any:
    """True if seats, dice and points are such."""
    kind = type(event)
    if kind is e.Rolled:
        return event.seat in _SEATS and 1 <= event.die_1 <= 6 and 1 <= event.die_2 <= 6
    if kind is e.OpeningRolled:
        return 1 <= event.die_0 <= 6 and 1 <= event.die_1 <= 6
    if kind is e.Moved:
        return (
            event.seat in _SEATS
            and len(event.moves) <= 4
            and all(0 <= target < source <= BAR for source, target in event.moves)
        )
    if kind is e.PositionSet:
        return event.seat in _SEATS and event.owner in (None, *_SEATS) and is_cube(event.cube) and is_board(event.board)
    if kind is e.GameEnded or kind is e.MatchEnded:
        return event.winner in _SEATS or (event.winner is None and kind is e.MatchEnded)
    return kind is e.GameStarted or event.seat in _SEATS
