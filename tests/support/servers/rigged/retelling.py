"""Entries of a journal told otherwise: events changed one by one, or one play that was never made."""

import contextlib
from collections.abc import Callable, Iterable, Sequence
from functools import reduce

from msgspec.structs import replace
from tavla_engine import actions as a
from tavla_engine.actions import Seat
from tavla_engine.apply import apply
from tavla_engine.decide import decide
from tavla_engine.dice import Roller
from tavla_engine.errors import IllegalAction
from tavla_engine.events import Event as EngineEvent
from tavla_engine.events import Moved, Rolled
from tavla_engine.match import Match, new_match
from tavla_engine.plays import legal_plays
from tavla_engine.rules import Rules
from tavla_server.record.events import Entry, Event, TableEvent

Entries = list[tuple[int, Entry]]


def with_events(entries: Iterable[tuple[int, Entry]], tell: Callable[[Event], list[Event]]) -> Entries:
    """The entries with what is told in the place of each event, in order."""
    return [
        (seq, replace(entry, events=tuple(told for event in entry.events for told in tell(event))))
        for seq, entry in entries
    ]


def with_another_play(rules: Rules, roll: Roller, entries: Entries) -> Entries:
    """The entries of a whole match with one play changed, so that all the rest follows by the rules.

    The last play that can be is changed, and the later ones of that player where they are not legal any more. It leads
    to another end, which a player who has only the record can compare with the view.
    """
    events = [event for _, entry in entries for event in entry.events if not isinstance(event, TableEvent)]
    for at in reversed(range(len(events))):
        if isinstance(event := events[at], Moved) and not event.auto:
            match = reduce(apply, events[:at], new_match(rules))
            if (told := _retold(match, event, events[at + 1 :], roll)) is not None:
                return _with(entries, dict(zip(map(id, events[at:]), told, strict=True)))
    raise AssertionError("some play can be another one")


def _with(entries: Entries, instead: dict[int, EngineEvent]) -> Entries:
    """The entries with other events, by the identity of those in whose place they stand."""
    return with_events(entries, lambda one: [instead.get(id(one), one)])


def _retold(match: Match, event: Moved, rest: Sequence[EngineEvent], roll: Roller) -> Sequence[EngineEvent] | None:
    """Another play that leads to another end, and yet to all that follows; and what follows then."""
    assert match.dice is not None, "a turn has dice"
    end = reduce(apply, [event, *rest], match).board
    for play in legal_plays(match.position, match.dice).values():
        told = _leads_to(match, Moved(event.seat, play), rest, roll)
        if told is not None and reduce(apply, told, match).board != end:
            return told
    return None


def _leads_to(
    match: Match, event: EngineEvent, rest: Sequence[EngineEvent], roll: Roller
) -> Sequence[EngineEvent] | None:
    """Events that the rules make of a play and those after it: just these, but for that player's plays; else None."""
    told, player = list[EngineEvent](), event.seat if isinstance(event, Moved) else None
    while True:
        made, after = _made(match, event, roll)
        expected = [event, *rest][: len(made)]
        if not made or not all(map(_alike, made, expected, [player] * len(made))):
            return None
        told += made
        match, rest = after, rest[len(made) - 1 :]
        if not rest:
            return told
        event, *rest = rest


def _made(match: Match, event: EngineEvent, roll: Roller) -> tuple[Sequence[EngineEvent], Match]:
    """The events of an action like this one, and the match then; of a play that is illegal, those of another."""
    actions = list[a.Action]()
    if isinstance(event, Moved) and not event.auto and match.dice:
        plays = legal_plays(match.position, match.dice).values()
        actions = [a.Move(event.seat, event.moves), *(a.Move(event.seat, play) for play in plays)]
    elif isinstance(event, Rolled):
        actions = [a.Roll(event.seat)]
    for action in actions:
        with contextlib.suppress(IllegalAction):
            return decide(match, action, roll)
    return [], match


def _alike(made: EngineEvent, expected: EngineEvent, player: Seat | None) -> bool:
    """True if an event is the one that was, or another play of that player."""
    if isinstance(made, Moved) and isinstance(expected, Moved) and made.seat == player:
        return (made.seat, made.auto) == (expected.seat, expected.auto)
    return made == expected
