"""The place in a record to which a replay has come. Pure."""

from itertools import pairwise

from tavla_cli.records.record import Record
from tavla_cli.records.steps import Step, steps


class ReplayPlace:
    """A place among the steps of a record, which may grow. at: the number of the step, from 0."""

    def __init__(self, record: Record) -> None:
        self.record, self.at, self.steps = record, 0, steps(record)

    @property
    def step(self) -> Step:
        """The step that is looked at."""
        return self.steps[self.at]

    @property
    def last(self) -> int:
        """The number of the last step."""
        return len(self.steps) - 1

    def go(self, at: int) -> None:
        """Go to a step, or to the end that is nearest to it."""
        self.at = max(0, min(self.last, at))

    def game(self, by: int) -> int:
        """Step at which the next game begins; or this one, or if one is there the one before."""
        games = [0, *(step.match.game for step in self.steps)]
        starts = [place for place, (before, game) in enumerate(pairwise(games)) if game != before]
        if by > 0:
            return next((place for place in starts if place > self.at), self.last)
        return next((place for place in reversed(starts) if place < self.at), 0)

    def grow(self, record: Record) -> bool:
        """Take the record anew. A place at its end goes along. True if there are steps beyond the place now."""
        is_last, before = self.at == self.last, self.last
        self.record, self.steps = record, steps(record)
        if is_last:
            self.at = self.last
        return not is_last and before != self.last
