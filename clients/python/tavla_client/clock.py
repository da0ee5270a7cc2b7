"""The time that a seat has in a match with a clock. Pure."""

from typing import NamedTuple

from tavla_protocol.view import View


class TimeLeft(NamedTuple):
    """The time left to a seat in a match with a clock, in seconds.

    free: of this turn; 0 when the seat's time does not run.
    """

    free: float
    reserve: float


def time_left(view: View, seat: int, spent_s: float) -> TimeLeft | None:
    """A seat's time when those who act have done so for `spent_s`; None in a match without a clock."""
    if view.clock is None:
        return None
    *reserves, free_ms = view.clock
    if view.phase == "ready" or seat not in view.to_act:
        return TimeLeft(0.0, reserves[seat] / 1000)
    free = free_ms - 1000 * spent_s
    return TimeLeft(max(0.0, free) / 1000, max(0.0, reserves[seat] + min(0.0, free)) / 1000)
