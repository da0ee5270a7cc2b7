"""What happened in a match, from wherever it comes: a server, or a file of ours or of another program. Pure."""

import re
from collections.abc import Sequence
from typing import Any, NamedTuple, get_args

import msgspec
from tavla_engine.apply import apply
from tavla_engine.errors import BadText
from tavla_engine.events import Event
from tavla_engine.mat import MatRecord
from tavla_engine.match import Match, new_match
from tavla_engine.rules import BadRules, Rules, checked
from tavla_protocol import messages as m
from tavla_protocol.view import View, from_fields

_TYPES: dict[str, Any] = {re.sub(r"\B([A-Z])", r"_\1", type_.__name__).lower(): type_ for type_ in get_args(Event)}
_SEATED = 3  # fields of a told event before what it has: seq, time, type


class Record(NamedTuple):
    """A match from its start, as far as it has come.

    id: of the match at its server, "" for one of another program. start: before the first event. times: when each event
    was decided, in ms since 1970; 0 = unknown. told: what the server said of it, None for a match of another program.
    """

    id: str
    names: tuple[str, str]
    start: Match
    events: tuple[Event, ...]
    times: tuple[int, ...]
    told: m.Recorded | None = None

    @property
    def view(self) -> View:
        """What the server showed of the match; for one of another program, its rules and names."""
        if self.told is not None:
            return from_fields(self.told.view)
        return View(rules=plain_rules(self.start.rules), players=self.names)

    @property
    def over(self) -> bool:
        """Whether nothing more can come."""
        return self.told is None or self.view.phase == "over"


def of_server(told: m.Recorded) -> Record:
    """The record of a server's answer.

    Raises: BadText, for what is none.
    """
    try:
        view = from_fields(told.view)
        start = new_match(checked(Rules(**{**Rules()._asdict(), **view.rules})))
        pairs = [(event, time) for _, time, type_, *facts in told.events if (event := _event(type_, facts))]
        _replayed(start, [event for event, _ in pairs])
    except (ValueError, TypeError, AssertionError, IndexError, BadRules) as error:
        raise BadText(f"this is no match: {error}") from None
    names = (view.players[0] or "?", view.players[1] or "?")
    return Record(told.match, names, start, tuple(e for e, _ in pairs), tuple(t for _, t in pairs), told)


def of_file(match: MatRecord) -> Record:
    """The record of a `.mat` or SGF file."""
    return Record("", match.names, match.start, tuple(match.events), (0,) * len(match.events))


def with_more(record: Record, later: m.Recorded) -> Record:
    """The record with what has come since. later: the answer to the last seq that is known.

    Raises: BadText.
    """
    assert record.told is not None, "only a server knows more"
    view = later.view or record.told.view
    told = msgspec.structs.replace(record.told, seq=later.seq, view=view, events=record.told.events + later.events)
    return of_server(told)


def plain_rules(rules: Rules) -> dict[str, bool | int | str]:
    """Rules as a view has them."""
    return {name: value.value if hasattr(value, "value") else value for name, value in rules._asdict().items()}


def _event(type_: str, facts: Sequence[Any]) -> Event | None:
    """The engine's event; None for one that is the server's own, as `seated`."""
    kind = _TYPES.get(type_)
    if kind is None:
        return None
    event: Event = msgspec.convert([kind.__struct_config__.tag, *facts], kind)
    return event


def _replayed(match: Match, events: Sequence[Event]) -> None:
    for event in events:
        match = apply(match, event)
