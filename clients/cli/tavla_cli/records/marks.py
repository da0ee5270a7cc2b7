"""Marks of a judged match: which decisions have cost something, by the events that they stand at. Pure."""

import re
from collections.abc import Iterator, Sequence

from tavla_engine import events as e
from tavla_engine.analysis import mark
from tavla_engine.apply import replay
from tavla_engine.decisions import kind_of
from tavla_engine.dice import Dice
from tavla_engine.events import Ending, Event
from tavla_engine.match import Match
from tavla_engine.notation import format_play
from tavla_protocol.messages import Analysis, Finding

from tavla_cli.records.record import Record
from tavla_cli.text.cleaning import clean
from tavla_cli.text.history import judge_text

WORST = ("?", "??")  # of the marks: a mistake, a blunder
# `sentence` in a file, from its middle on, and what stands before it; files are strangers', so each part has a bound.
_LOSS = re.compile(
    r" has lost (\d{1,6}\.\d{3}): ([^\n]{1,60}?) instead of ([^\n]{1,60}?) \(game (\d{1,9}), turn (\d{1,9})\)"
)
_SIGN = re.compile(r"(?:^|[\[;.] ?)(\?[?!]?) [^\n]{1,80}\Z", re.MULTILINE)
_BEFORE = 90  # characters
Key = tuple[int, int, int, str]  # game, turn, seat, and what was decided


def marks_of(record: Record) -> dict[int, list[Finding]]:
    """The findings of a record that deserve a mark, by the place of the event that each is about."""
    found: dict[Key, Finding] = {}
    for one in record.findings:
        if mark(one.loss, one.mark):
            found[one.game, one.turn, one.seat, kind_of(one.done)] = one
    places: dict[int, list[Finding]] = {}
    if found:
        for place, key in _keys(record):
            if key in found:
                places.setdefault(place, []).append(found[key])
    return places


def mistakes_of(record: Record, seat: int) -> Iterator[tuple[Match, Finding]]:
    """Decisions of a seat that were mistakes or worse, each with the match before it."""
    marks, before_roll = marks_of(record), record.start
    for place, (match, event, _) in enumerate(replay(record.start, record.events)):
        for finding in marks.get(place, ()):
            if finding.seat == seat and mark(finding.loss, finding.mark) in WORST:
                yield before_roll if finding[3] == "no double" else match, finding
        before_roll = match if isinstance(event, e.Rolled) else before_roll


def decision_in(record: Record, at: Match) -> Finding | None:
    """The play of a roll, or the answer to a double, that a record has at a state; None: it has none there.

    What was done stands there as the best, too: nobody has judged it.
    """
    for turn, match, event, _ in turns(record):
        if match == at:
            for seat, now, done in reversed([*_decisions(event, turn)]):
                text = format_play(at.position, event.moves) if isinstance(event, e.Moved) else done
                return Finding(at.game, now, seat, text, text, 0.0) if text else None
    return None


def begins_turn(event: Event) -> bool:
    """True for a roll that is played: a tie at the start of a game is not."""
    match event:
        case e.OpeningRolled(die_0, die_1):
            return die_0 != die_1
        case _:
            return isinstance(event, e.Rolled)


def turns(record: Record) -> Iterator[tuple[int, Match, Event, Match]]:
    """Each event with the number of its turn in its game, and the match before and after it.

    Dice that are not played have no turn.
    """
    turn = 0
    for before, event, after in replay(record.start, record.events):
        unplayed = isinstance(event, e.PositionSet) and before.dice is not None
        turn = 0 if isinstance(event, e.GameStarted) else turn + begins_turn(event) - unplayed
        yield turn, before, event, after


def sentence(finding: Finding, name: str) -> str:
    """Cost of a decision, and what was better; safe for a terminal, to which a file is printed as it is."""
    _, _, _, done, best, loss, judged = finding
    return clean(f"{mark(loss, judged)} {name} has lost {loss:.3f}: {best} instead of {done}")


def remarks_of(record: Record) -> dict[int, list[str]]:
    """The marks as files have them, by the place of the event: `verdicts_in` reads them again."""
    return {
        place: [f"{sentence(one, record.names[one.seat])} (game {one.game}, turn {one.turn})" for one in found]
        for place, found in marks_of(record).items()
    }


def verdicts_in(text: str, record: Record) -> Iterator[Finding]:
    """The verdicts in a file's remarks. record: its match."""
    seats = {(game, turn, done): seat for _, (game, turn, seat, done) in _keys(record)}
    for found in _LOSS.finditer(text):
        loss, best, done, game, turn = found.groups()
        before = _SIGN.search(text[max(0, found.start() - _BEFORE) : found.start()])
        if before and (seat := seats.get((int(game), int(turn), kind_of(done)))) is not None:
            yield Finding(int(game), int(turn), seat, done, best, float(loss), before[1])


def judgement(record: Record) -> str:
    """The judge of a match, and the performance ratings of both players; "" if it was not judged."""
    analysis = record.told.analysis if record.told is not None else None
    if analysis is None or analysis.error:
        return record.tags.get("Judgement", "")
    return judged_by(record.names, analysis)


def judged_by(names: Sequence[str], analysis: Analysis) -> str:
    """A judge's name, and the performance ratings that it has found."""
    return f"{judge_text(analysis)}: {', '.join(_ratings(names, analysis.ratings))}"


def figures(record: Record) -> str:
    """Performance ratings of both players; "" if the match was not judged."""
    analysis = record.told.analysis if record.told is not None else None
    if analysis is None or analysis.error:
        told = clean(record.tags.get("Judgement", ""))
        return told and f"Performance rating by {told}"
    return f"Performance rating: {', '.join(_ratings(record.names, analysis.ratings))} ({judge_text(analysis)})"


def _ratings(names: Sequence[str], ratings: Sequence[float | None]) -> Iterator[str]:
    for name, rating in zip(names, ratings, strict=True):
        yield f"{name} {'-' if rating is None else f'{rating:.1f}'}"


def is_play(finding: Finding) -> bool:
    """True for a play, not for the cube."""
    return kind_of(finding.done) == "play"


def dice_of_turns(record: Record) -> dict[tuple[int, int], Dice]:
    """The dice of each turn, by game and turn."""
    return {(match.game, turn): match.dice for turn, _, _, match in turns(record) if match.dice is not None}


def _keys(record: Record) -> Iterator[tuple[int, Key]]:
    """Every decision that a judge may have something to say about; game and turn are counted as `steps` does."""
    for place, (turn, _, event, match) in enumerate(turns(record)):
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
