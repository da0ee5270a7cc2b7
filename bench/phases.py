"""Phases of a game, by which errors are counted.

Source of the words: the glossary of bkgm.com. A holding game: an anchor held, waiting for a shot at checkers that come
home. A back game: two anchors in the opponent's home, far behind in the race.
"""

import enum
from collections.abc import Sequence

from tavla_engine.apply import apply
from tavla_engine.events import Event, Moved
from tavla_engine.match import Match
from tavla_engine.position import BAR, Position, pips

OPENING_TURNS = 6  # of both sides together
FAR_BEHIND = 50  # pips


class Phase(enum.StrEnum):
    """A phase; the cube is one of its own."""

    OPENING = "opening"
    CONTACT = "contact"
    HOLDING = "holding"
    BACKGAME = "backgame"
    RACE = "race"
    BEAR_OFF = "bear-off"
    CUBE = "cube"


def phases(start: Match, events: Sequence[Event]) -> list[Phase]:
    """Phase of each play of a game, the first one first."""
    found: list[Phase] = []
    match = start
    for event in events:
        if isinstance(event, Moved):
            found.append(phase(match.position, len(found) + 1))
        match = apply(match, event)
    return found


def phase(position: Position, turn: int) -> Phase:
    """Phase of a play. turn: of the game, from 1."""
    mine, theirs = position
    if _rearmost(mine) + _rearmost(theirs) < BAR:
        return Phase.RACE if _rearmost(mine) > 6 else Phase.BEAR_OFF
    if turn <= OPENING_TURNS:
        return Phase.OPENING
    sides = (mine, theirs), (theirs, mine)
    if any(len(_anchors(one)) > 1 and pips(one) - pips(other) >= FAR_BEHIND for one, other in sides):
        return Phase.BACKGAME
    if any(_anchors(one) and _rearmost(other) < 19 for one, other in sides):
        return Phase.HOLDING
    return Phase.CONTACT


def _rearmost(row: bytes) -> int:
    return max((point for point, count in enumerate(row) if count), default=0)


def _anchors(row: bytes) -> list[int]:
    """Points in the opponent's home that are held."""
    return [point for point in range(19, 25) if row[point] > 1]
