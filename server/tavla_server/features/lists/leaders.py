"""The rows of a list that come first by an order, found without looking at all rows each time."""

import functools
import heapq
from collections.abc import Callable, Iterable
from operator import attrgetter
from typing import Any, Generic, NamedTuple, TypeVar

from tavla_protocol.messages import Standing

from tavla_server.cluster.packed_rows import PackedRows
from tavla_server.limits import Limits

PERFORMANCES = 10**6  # a point, or a tiebreak, comes before any performance
TIEBREAKS = 10**4  # likewise before any tiebreak
PAUSED = 10**12  # a match that waits for a player comes behind all others: more than a time in seconds, or ratings

T = TypeVar("T")
_PLACE = attrgetter("place")


def _scored(row: Standing) -> int:
    """Points, and what tells those apart that have as many, as one number."""
    return functools.reduce(lambda scored, one: TIEBREAKS * scored + one, row.tiebreaks, row.points)


# A client that sorts by one of a list's orders has the first `Limits.listed` rows by it.
ORDERS: dict[str, tuple[Callable[[Any], int], ...]] = {
    "tables": (lambda table: table.since,),
    "matches": (
        lambda table: table.since - PAUSED * any(table.away),
        lambda table: sum(rating or 0 for rating in table.ratings) - PAUSED * any(table.away),
    ),
    "people": (lambda person: person.since, lambda person: person.rating or 0),
    "chat": (lambda line: line.since,),
    "seekers": (lambda seeker: seeker.since,),
    "tournaments": (lambda tournament: tournament.starts,),
    "tournament": (lambda tournament: tournament.starts,),
    "standings": (lambda row: PERFORMANCES * _scored(row) + (row.performance or 0),),
    "pairings": (lambda row: row.round,),
}


class PlacedRow(NamedTuple):
    """A row of the feed, and where it stands by an order."""

    place: int
    key: str
    row: bytes


class Leading(Generic[T]):
    """The leading rows by one order."""

    def __init__(self, order: Callable[[T], int], show: Callable[[bytes], T | None], limits: Limits) -> None:
        self._order, self._show, self._limits = order, show, limits
        self._kept: dict[str, PlacedRow] = {}  # all rows from `least` on, by key
        self._least: int | None = None  # None: all rows

    def set(self, key: str, row: bytes, shown: T) -> None:
        """A row is new, or has changed."""
        self.drop(key)  # it becomes the last one: of a player's two rows the latest is shown
        place = self._order(shown)
        if self._least is None or place >= self._least:
            self._kept[key] = PlacedRow(place, key, row)
        if len(self._kept) > 2 * self._limits.ordered:
            self._keep(self._kept.values())

    def drop(self, key: str) -> None:
        """A row is gone."""
        self._kept.pop(key, None)

    def first(self, count: int, rows: PackedRows) -> Iterable[PlacedRow]:
        """The first ones of so many rows, last ones first.

        All rows are looked at when too many of those that are kept have gone.
        """
        most = self._limits.listed
        if len(self._kept) < min(most, count):
            shown = ((key, row, self._show(row)) for key, row in rows.each())
            self._keep(PlacedRow(self._order(of), key, row) for key, row, of in shown if of is not None)
        kept = self._kept.values()
        return kept if len(kept) <= most else heapq.nlargest(most, kept, key=_PLACE)[::-1]

    def _keep(self, rows: Iterable[PlacedRow]) -> None:
        leading = heapq.nlargest(self._limits.ordered + 1, rows, key=_PLACE)
        kept = leading[: self._limits.ordered]
        self._least = kept[-1].place if len(kept) < len(leading) else None
        self._kept = {placed.key: placed for placed in kept}
