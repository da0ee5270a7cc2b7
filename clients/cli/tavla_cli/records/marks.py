"""Marks of a judged match: which decisions have cost something, by the events that they stand at. Pure."""

from collections.abc import Iterator

from tavla_engine import events as e
from tavla_engine.analysis import mark
from tavla_engine.apply import apply
from tavla_engine.events import Ending, Event
from tavla_engine.match import Match
from tavla_protocol.messages import Finding

from tavla_cli.records.record import Record
from tavla_cli.text.cleaning import clean
from tavla_cli.text.history import judge_text

WORST = ("?", "??")  # of the marks: a mistake, a blunder
Key = tuple[int, int, int, str]  # game, turn, seat, and what was decided


def marks_of(record: Record) -> dict[int, list[Finding]]:
    """The findings of a record that deserve a mark, by the place of the event that each is about."""
    found: dict[Key, Finding] = {}
    for one in record.told.findings if record.told is not None else ():
        if mark(one.loss, one.mark):
            found[_key(*one[:4])] = one
    places: dict[int, list[Finding]] = {}
    if found:
        for place, key in _keys(record):
            if key in found:
                places.setdefault(place, []).append(found[key])
    return places


def mistakes_of(record: Record, seat: int) -> Iterator[tuple[Match, Finding]]:
    """Decisions of a seat that were mistakes or worse, each with the match before it."""
    marks, match, before_roll = marks_of(record), record.start, record.start
    for place, event in enumerate(record.events):
        for finding in marks.get(place, ()):
            if finding.seat == seat and mark(finding.loss, finding.mark) in WORST:
                yield before_roll if finding[3] == "no double" else match, finding
        before_roll = match if isinstance(event, e.Rolled) else before_roll
        match = apply(match, event)


def begins_turn(event: Event) -> bool:
    """True for a roll that is played: a tie at the start of a game is not."""
    match event:
        case e.OpeningRolled(die_0, die_1):
            return die_0 != die_1
        case _:
            return isinstance(event, e.Rolled)


def turn_after(turn: int, match: Match, event: Event) -> int:
    """Number of the turn in its game after an event. match: before it. Dice that are not played have no turn."""
    if isinstance(event, e.GameStarted):
        return 0
    unplayed = isinstance(event, e.PositionSet) and match.dice is not None
    return turn + begins_turn(event) - unplayed


def sentence(finding: Finding, name: str) -> str:
    """Cost of a decision, and what was better; safe for a terminal, to which a file is printed as it is."""
    _, _, _, done, best, loss, judged = finding
    return clean(f"{mark(loss, judged)} {name} has lost {loss:.3f}: {best} instead of {done}")


def figures(record: Record) -> str:
    """Performance ratings of both players; "" if the match was not judged."""
    analysis = record.told.analysis if record.told is not None else None
    if analysis is None or analysis.error:
        return ""
    both = (
        f"{name} {'-' if rating is None else f'{rating:.1f}'}"
        for name, rating in zip(record.names, analysis.ratings, strict=True)
    )
    return f"Performance rating: {', '.join(both)} ({judge_text(analysis)})"


def _key(game: int, turn: int, seat: int, done: str) -> Key:
    return game, turn, seat, done if done in ("double", "no double", "take", "drop") else "play"


def _keys(record: Record) -> Iterator[tuple[int, Key]]:
    """Every decision that a judge may have something to say about; game and turn are counted as `steps` does."""
    match, turn = record.start, 0
    for place, event in enumerate(record.events):
        turn = turn_after(turn, match, event)
        match = apply(match, event)
        for seat, now, done in _decisions(event, turn):
            yield place, (match.game, now, seat, done)


def _decisions(event: Event, turn: int) -> Iterator[tuple[int, int, str]]:
    match event:
        case e.Moved(seat):
            yield seat, turn, "no double"
            yield seat, turn, "play"
        case e.Doubled(seat):
            yield seat, turn + 1, "double"
        case e.Taken(seat):
            yield seat, turn + 1, "take"
        case e.GameEnded(winner, _, _, Ending.DROP):
            yield 1 - winner, turn + 1, "drop"
