"""Decisions of a match, each with the match before it, and what each of them is about. Pure."""

from collections.abc import Iterable, Iterator
from typing import Literal, NamedTuple, get_args

from tavla_engine import events as e
from tavla_engine.actions import Seat
from tavla_engine.apply import replay
from tavla_engine.events import Ending, Event
from tavla_engine.match import Match
from tavla_engine.notation import parse_play
from tavla_engine.plays import resolve_play
from tavla_engine.position import BAR, Position, Rows
from tavla_engine.rules import STARTS

CUBE = ({"double", "no double"}, {"take", "drop"})

Theme = Literal["cube", "bear-off", "race", "opening", "hit", "prime", "middle game"]
THEMES: tuple[Theme, ...] = get_args(Theme)
GamePhase = Literal["opening", "middle game", "race", "bear-off"]
HOME = 6  # points
MOVED = 4  # checkers of a side that are no longer where they began: those of two turns
PRIME = 4  # points in a row


class Decision(NamedTuple):
    """A decision. at: the match before it. turn: see `analysis.Finding`. what: `play`, or as of the cube in `CUBE`."""

    at: Match
    turn: int
    seat: Seat
    what: str


def decisions(start: Match, events: Iterable[Event]) -> Iterator[Decision]:
    """All decisions of a match, in order. Raises: IllegalAction, for events that do not follow from the start."""
    turn = 0
    for match, event, _ in replay(start, events):
        match event:
            case e.GameStarted():
                turn = 0
            case e.Rolled(seat):
                yield Decision(match, turn + 1, seat, "no double")
                turn += 1
            case e.OpeningRolled(die_0, die_1):
                turn += die_0 != die_1
            case e.Moved(seat):
                yield Decision(match, turn, seat, "play")
            case e.Doubled(seat):
                yield Decision(match, turn + 1, seat, "double")
            case e.Taken(seat):
                yield Decision(match, turn + 1, seat, "take")
            case e.GameEnded(winner, _, _, Ending.DROP):
                yield Decision(match, turn + 1, 1 - winner, "drop")


def kind_of(done: str) -> str:
    """The `what` of a decision, from what was done there."""
    return done if done in CUBE[0] | CUBE[1] else "play"


def theme(at: Match, done: str, best: str) -> Theme:
    """The theme of a decision between two plays. Raises: BadText, IllegalAction, for what are no plays there."""
    if at.dice is None:
        return "cube"
    position = at.position
    ends = [resolve_play(position, at.dice, parse_play(play), at.rules.hit_and_run)[1] for play in (done, best)]
    if (found := phase(at)) != "middle game":
        return found
    if any(theirs[BAR] > position.theirs[BAR] for _, theirs in ends):
        return "hit"
    return "prime" if any(map(_has_prime, (position, position.other_side(), *ends))) else "middle game"


def phase(at: Match) -> GamePhase:
    """The phase of the game, as the side on roll sees it."""
    position = at.position
    if not any(position.mine[HOME + 1 :]):
        return "bear-off"
    if not _has_contact(position):
        return "race"
    is_opening = all(_moved(row, STARTS[at.rules.variant]) <= MOVED for row in position)
    return "opening" if is_opening else "middle game"


def _has_contact(position: Position) -> bool:
    rearmost = [max(point for point, count in enumerate(row) if count or not point) for row in position]
    return sum(rearmost) > BAR


def _moved(row: bytes, start: bytes) -> int:
    """Checkers that are not where they stood at the start."""
    return sum(max(before - now, 0) for before, now in zip(start, row, strict=True))


def _has_prime(rows: Rows) -> bool:
    """True if the first side has a prime that a checker of the other has still to pass."""
    mine, theirs = rows
    rear = max((point for point, count in enumerate(theirs) if count), default=0)
    points = range(BAR - rear + 1, BAR - PRIME + 1)  # the lowest one of the prime, before the rearmost of theirs
    return any(all(mine[point + place] > 1 for place in range(PRIME)) for point in points)
