"""Entries of a journal told otherwise: events changed one by one, or one play that was never made."""

import contextlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import reduce
from itertools import chain, islice

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
from tavla_engine.plays import check_play, legal_plays
from tavla_engine.rules import Rules
from tavla_server.record.events import Entry, Event, TableEvent

TRIED = 50  # of the ways in which a match may go on after another play
Entries = list[tuple[int, Entry]]


def with_events(entries: Iterable[tuple[int, Entry]], tell: Callable[[Event], list[Event]]) -> Entries:
    """The entries with what is told in the place of each event, in order."""
    return [
        (seq, replace(entry, events=tuple(told for event in entry.events for told in tell(event))))
        for seq, entry in entries
    ]


def with_another_play(rules: Rules, roll: Roller, entries: Entries) -> Entries:
    """The entries of a whole match with one play changed, so that all the rest follows by the rules.

    The last play that can be is changed, and the later ones of that player where they are not legal any more. If there
    is such a play near at hand, it leads to another end, which a player who has only the record can compare with the
    view: three checkers a side leave none in one match of thirty.
    """
    events = [event for _, entry in entries for event in entry.events if not isinstance(event, TableEvent)]
    end = reduce(apply, events, new_match(rules)).board
    tellings = islice(_retellings(rules, roll, events), TRIED)
    first = next(tellings)
    changed, _ = next((one for one in chain([first], tellings) if one[1] != end), first)
    return _with(entries, changed)


def _retellings(
    rules: Rules, roll: Roller, events: list[EngineEvent]
) -> Iterator[tuple[dict[int, EngineEvent], object]]:
    """Other events by the identity of those in whose place they stand, the last first; and the board at the end."""
    for at in reversed(range(len(events))):
        if isinstance(event := events[at], Moved) and not event.auto:
            match = reduce(apply, events[:at], new_match(rules))
            for told, board in _retold(match, event, events[at + 1 :], roll):
                yield dict(zip(map(id, events[at:]), told, strict=True)), board


def _with(entries: Entries, instead: dict[int, EngineEvent]) -> Entries:
    """The entries with other events, by the identity of those in whose place they stand."""
    return with_events(entries, lambda one: [instead.get(id(one), one)])


def _retold(
    match: Match, event: Moved, rest: Sequence[EngineEvent], roll: Roller
) -> Iterator[tuple[list[EngineEvent], object]]:
    """Other plays that lead elsewhere, and yet to all that follows; what follows then, and the board at the end."""
    assert match.dice is not None, "a turn has dice"
    done = check_play(match.position, match.dice, event.moves)
    for play in [play for to, play in legal_plays(match.position, match.dice).items() if to != done]:
        made, after = decide(match, a.Move(event.seat, play), roll)
        if all(map(_alike, made, [event, *rest], [event.seat] * len(made))):
            for told, board in _tellings(after, rest[len(made) - 1 :], event.seat, roll):
                yield [*made, *told], board


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
