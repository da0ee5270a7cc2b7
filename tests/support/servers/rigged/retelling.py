"""Entries of a journal told otherwise: events changed one by one, or one play that was never made."""

import contextlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import reduce
from itertools import islice

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

TRIED = 1000  # of the ways in which a match may go on after another play
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
    end = reduce(apply, [event, *rest], match).board
    tellings = islice(_tellings(match, [event, *rest], event.seat, roll), TRIED)
    return next((told for told, board in tellings if board != end), None)


def _tellings(
    match: Match, events: Sequence[EngineEvent], player: Seat, roll: Roller
) -> Iterator[tuple[list[EngineEvent], object]]:
    """Events that the rules make of these, with other plays of that player, or the same; and the board at the end."""
    if not events:
        yield [], match.board
        return
    for action in _actions(match, events[0], player):
        with contextlib.suppress(IllegalAction):
            made, after = decide(match, action, roll)
            if len(made) <= len(events) and all(map(_alike, made, events, [player] * len(made))):
                for told, board in _tellings(after, events[len(made) :], player, roll):
                    yield [*made, *told], board


def _actions(match: Match, event: EngineEvent, player: Seat) -> list[a.Action]:
    """The actions that lead to an event like this one; the one that was, first."""
    if isinstance(event, Rolled):
        return [a.Roll(event.seat)]
    if not isinstance(event, Moved) or event.auto or not match.dice:
        return []
    plays = legal_plays(match.position, match.dice).values() if event.seat == player else ()
    return [a.Move(event.seat, play) for play in dict.fromkeys([event.moves, *plays])]


def _alike(made: EngineEvent, expected: EngineEvent, player: Seat | None) -> bool:
    """True if an event is the one that was, or another play of that player."""
    if isinstance(made, Moved) and isinstance(expected, Moved) and made.seat == player:
        return (made.seat, made.auto) == (expected.seat, expected.auto)
    return made == expected
