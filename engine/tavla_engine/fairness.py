"""Fair dice and their bounds: what many rolls should come to, and how far off chance alone leads.

A table of rolls has 36 outcomes and six faces. Loaded dice show in the faces first: dice with 5 % more sixes are
outside in 92 of 100 tables of 30,000 rolls, and by their outcomes alone in 21.
"""

import math

OUTCOMES = 36  # of two dice, the first and the second told apart
FACES = 6
SIGMAS = 4  # standard deviations that the bounds are away from what is expected


def expected_rolls(rolls: int, ways: int = 1) -> float:
    """Expected number of rolls that fall in one of `ways` of the 36 outcomes: rolls x ways / 36."""
    return rolls * ways / OUTCOMES


def margin(rolls: int, ways: int = 1) -> float:
    """Distance of the bounds from what is expected: 4 sqrt(rolls p (1 - p)), where p is ways / 36."""
    return SIGMAS * math.sqrt(rolls * ways * (OUTCOMES - ways)) / OUTCOMES


def expected_face(rolls: int) -> float:
    """Expected number of dice that show one face: two dice a roll, 2 rolls / 6."""
    return 2 * rolls / FACES


def face_margin(rolls: int) -> float:
    """Distance of a face's bounds from that: 4 sqrt(2 rolls p (1 - p)), where p is 1/6."""
    return SIGMAS * math.sqrt(2 * rolls * (FACES - 1)) / FACES


def faces(counts: list[int]) -> list[int]:
    """Dice that show each face, from the counts of the 36 outcomes, 1-1, 1-2, ... 6-6."""
    return [sum(counts[FACES * face : FACES * face + FACES]) + sum(counts[face::FACES]) for face in range(FACES)]


def tables_per_alarm(rolls: int) -> float:
    """Of how many such tables of fair dice one has an outcome or a face outside its bounds."""
    return 1 / (OUTCOMES * _outside(rolls, 1 / OUTCOMES) + FACES * _outside(2 * rolls, 1 / FACES))


def _outside(trials: int, p: float) -> float:
    """Chance that a count is outside: a normal one's, and what its skewness and kurtosis add (Edgeworth's series)."""
    density = math.exp(-(SIGMAS**2) / 2) / math.sqrt(2 * math.pi)
    third = SIGMAS**3 - 3 * SIGMAS
    fifth = SIGMAS**5 - 10 * SIGMAS**3 + 15 * SIGMAS
    variance = max(trials, 1) * p * (1 - p)
    more = ((1 - 6 * p * (1 - p)) * third / 24 + (1 - 2 * p) ** 2 * fifth / 72) / variance
    return math.erfc(SIGMAS / math.sqrt(2)) + 2 * density * more
