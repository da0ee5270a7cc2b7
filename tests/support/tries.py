"""How often tests try what is left to chance: seldom before each push, often in the gate and in `make cover`."""

import os

MANY = bool(os.environ.get("TAVLA_TEST_MANY"))  # `make gate`, `make cover` and `make mutate` set it
SHARE = 10  # of many tries one before each push ...
FEWEST = 4  # ... but no fewer than these


def tries(many: int) -> int:
    """Number of tries of something that is tried so many times in the gate."""
    return many if MANY else max(many // SHARE, FEWEST)
