"""Fair dice and their bounds: what many rolls should come to, and how far off chance alone leads."""

import math

OUTCOMES = 36  # of two dice, the first and the second told apart
SIGMAS = (
    4  # standard deviations: fair dice leave one of 36 such bounds in about one of 400 tables of 10,000 rolls or more
)


def expected(rolls: int, ways: int = 1) -> float:
    """Expected number of rolls that fall in one of `ways` of the 36 outcomes: rolls x ways / 36."""
    return rolls * ways / OUTCOMES


def margin(rolls: int, ways: int = 1) -> float:
    """Distance of the bounds from what is expected: 4 sqrt(rolls p (1 - p)), where p is ways / 36."""
    return SIGMAS * math.sqrt(rolls * ways * (OUTCOMES - ways)) / OUTCOMES
