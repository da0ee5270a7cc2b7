"""The end of a match whose round is over: it goes to the player who has taken less of its time. Pure.

Each has, as it were, half of a round. Only the player to act can let time pass, and it counts against that one: so
nobody wins by waiting, be it for the end of a round in which one is ahead. The free seconds of each turn count, too.
"""

from collections.abc import Callable

from tavla_engine.actions import Seat

from tavla_server.match.lifecycle import ruling
from tavla_server.record.decider import Decide
from tavla_server.record.dice import MatchDice
from tavla_server.record.events import ROUND_OVER, Event
from tavla_server.record.state import Record


def ruled_by_time(now_ms: int, credit_ms: Callable[[int, int], int]) -> Decide:
    """The match ends, if it has begun. credit_ms: as in `Timers`."""

    def decide(record: Record, dice: MatchDice) -> tuple[list[Event], Record]:
        if record.over or not record.match.game:
            return [], record  # a match that has not begun has its own end
        loser = slower(record, now_ms, credit_ms(now_ms, 0))
        events, after = ruling("black" if loser == 0 else "white", ROUND_OVER.judge, ROUND_OVER.why)(record, dice)
        return [*events], after

    return decide


def slower(record: Record, now_ms: int, credit_ms: int) -> Seat:
    """The seat that has taken more time; if neither has, the one whose time runs."""
    white, black = record.clock.stop(now_ms, credit_ms).used
    if white == black:
        return record.clock.seat or 0
    return 0 if white > black else 1
