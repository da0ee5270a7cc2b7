"""Order of a record: its numbers never fall, nothing follows its end but a ruling, and a flag falls when time is up."""

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

from tavla_engine.event_texts import SIDES
from tavla_engine.events import MatchEnded
from tavla_engine.gameclock import GameClock, clock_after
from tavla_engine.match import Match
from tavla_engine.server_events import TABLE_TYPES, ServerEvent

BEHIND_THE_END = frozenset({"ruled", "match_ended", "forked"})  # and the seed that the entry of the end shows


class Program(NamedTuple):
    """A program on a seat: nothing is added to its first turn, so that no record's clock is behind the server's."""

    kind: str = "bot"


class RecordClock:
    """A clock that the times of a record run.

    The server gives back time that a record does not tell of, for lines and outages; so this clock is ahead of its.
    """

    def __init__(self) -> None:
        self._clock = GameClock()

    def run(self, before: Match, after: Match, time_ms: int) -> None:
        """Take the time of what has led from one state to the next."""
        if after.rules.clocked:
            self._clock = clock_after(self._clock, before, after, time_ms, 0, (Program(), Program()))

    def left_ms(self, time_ms: int) -> int:
        """Milliseconds that the player to act has left; negative when the time is up."""
        return self._clock.left(time_ms) if self._clock.seat is not None else 0


def unknown_type(told: Sequence[ServerEvent]) -> str:
    """Type of the first event that this version does not know; "" = it knows all."""
    return next((one.type for one in told if one.event is None and one.type not in TABLE_TYPES), "")


def order_faults(told: Sequence[ServerEvent]) -> Iterator[str]:
    """Faults in the order of events, as sentences."""
    for before, after in pairwise(told):
        if after.seq < before.seq:
            yield f"the numbers of the entries fall: {after.seq} stands behind {before.seq}"
            break
    end = next((place for place, one in enumerate(told) if isinstance(one.event, MatchEnded)), len(told))
    for place, one in enumerate(told[end + 1 :], end + 1):
        is_seed = one.type == "revealed" and one.seq == told[end].seq and one.facts[:1] == (None,)
        if one.type not in BEHIND_THE_END and not is_seed:
            yield f"{one.type} stands behind the end of the match"
            break
        if one.type == "ruled" and not (place + 1 < len(told) and told[place + 1].type == "match_ended"):
            yield "a ruling stands behind the end of the match, and rules nothing"
            break


def flag_fault(seat: int, left_ms: int) -> str:
    """Fault of a flag that fell with time left, as a sentence; "" = the time was up."""
    if left_ms <= 0:
        return ""
    minutes, seconds = divmod(left_ms // 1000, 60)
    return f"{SIDES[seat]} loses on time with {minutes}:{seconds:02} left by the times of the record"
