"""Time to think over plays: the hard ones, and the others."""

from collections.abc import Sequence
from typing import NamedTuple

from tavla_engine import events as e
from tavla_engine.analysis import Analysis
from tavla_engine.events import Event

MOST_MS = 60_000  # a player may have been away


class ThinkingTime(NamedTuple):
    """Thinking time of one player, over plays that count. right: hard ones in which the choice was the judge's.

    hard_ms, others_ms: of all together, each of MOST_MS at most.
    """

    hard: int = 0
    right: int = 0
    hard_ms: int = 0
    others: int = 0
    others_ms: int = 0


def thinking_times(found: Analysis, events: Sequence[Event], times: Sequence[int]) -> tuple[ThinkingTime, ThinkingTime]:
    """Thinking time by seat; none where the judge does not tell what was hard. times: of the events, in ms."""
    took = _times_by_play(events, times)
    sums = [ThinkingTime(), ThinkingTime()]
    for one in found.findings:
        if one.hard is None or not one.counts:
            continue
        ms, is_right = took[one.game, one.turn], one.loss == 0
        more = ThinkingTime(1, is_right, ms) if one.hard else ThinkingTime(others=1, others_ms=ms)
        sums[one.seat] = ThinkingTime(*map(sum, zip(sums[one.seat], more, strict=True)))
    return sums[0], sums[1]


def _times_by_play(events: Sequence[Event], times: Sequence[int]) -> dict[tuple[int, int], int]:
    """Times from the roll to the play, by game and turn."""
    took, game, turn, rolled = dict[tuple[int, int], int](), 0, 1, 0
    for event, time in zip(events, times, strict=True):
        match event:
            case e.GameStarted():
                game, turn = game + 1, 1
            case e.OpeningRolled() | e.Rolled():
                rolled = time
            case e.Moved():
                took[game, turn] = min(max(time - rolled, 0), MOST_MS)
                turn += 1
    return took
