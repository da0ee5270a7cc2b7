"""How often tests try what is left to chance: seldom in the gate, often in `make cover` and `make mutate`."""

import os
from collections.abc import Sequence
from typing import TypeVar

Row = TypeVar("Row")

MANY = bool(os.environ.get("TAVLA_TEST_MANY"))  # `make cover` and `make mutate` set it
SHARE = 10  # of many tries one elsewhere ...
FEWEST = 4  # ... but no fewer than these


def tries(many: int) -> int:
    """Number of tries of something that is tried so many times where it is tried often."""
    return many if MANY else max(many // SHARE, FEWEST)


def first_of(rows: Sequence[Row], few: int) -> Sequence[Row]:
    """Rows of a table of tests that cost much: all where things are tried often, elsewhere the first ones."""
    return rows if MANY else rows[:few]
