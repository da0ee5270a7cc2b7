"""How often tests try what is left to chance: seldom in the gate, often in `make cover` and `make mutate`."""

import os

MANY = bool(os.environ.get("TAVLA_TEST_MANY"))  # `make cover` and `make mutate` set it
SHARE = 10  # of many tries one elsewhere ...
FEWEST = 4  # ... but no fewer than these


def tries(many: int) -> int:
    """Number of tries of something that is tried so many times where it is tried often."""
    return many if MANY else max(many // SHARE, FEWEST)
