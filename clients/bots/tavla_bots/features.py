"""Features of a position for the house bot, as numbers. Pure; many positions at a time, as numpy arrays.

A position is two rows of 26 counts as in the engine: the player on roll's, then the opponent's, each in its own
numbering. First comes what stands on each point, for either side, then what players speak of: the race, shots at blots,
primes, anchors, closed points, checkers that have not come past.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from tavla_engine.position import Position

Floats = NDArray[np.float32]
Counts = NDArray[np.uint8]

POINTS = 24
_PIPS = np.arange(26, dtype=np.float32)
_STEPS = 4  # numbers for the checkers of one side on one point
_HELD = 12  # numbers for one side as a whole

# Of 36 rolls, those that hit over a distance of 1 to 24 points with nothing in between.
# Source: bkgm.com/gloss/lookup.cgi?shot, the table of direct and indirect shots.
_SHOTS = (11, 12, 14, 15, 15, 17, 6, 6, 5, 3, 2, 3, 0, 0, 1, 1, 0, 1, 0, 1, 0, 0, 0, 1)


def _miss_table() -> Floats:
    """Logarithm of the chance to miss: [where the shooter stands, where the blot is], in the numbering of the blot."""
    table = np.zeros((26, 26), np.float32)
    for shooter in range(26):
        for blot in range(shooter + 1, 25):
            if blot - shooter <= len(_SHOTS):
                table[shooter, blot] = np.log(1 - _SHOTS[blot - shooter - 1] / 36)
    return table


MISS = _miss_table()
_WINDOWS = np.array([[start <= point < start + 6 for start in range(1, 20)] for point in range(26)], np.float32)


def rows(positions: Sequence[Position]) -> tuple[Counts, Counts]:
    """Positions as two arrays of 26 columns: ours and theirs."""
    joined = np.frombuffer(b"".join([half for position in positions for half in position]), np.uint8)
    both = joined.reshape(len(positions), 2, 26)
    return both[:, 0], both[:, 1]


def features(mine: Counts, theirs: Counts) -> Floats:
    """A row of WIDTH numbers, mostly 0 to 1, for each position."""
    ours, other = _side(mine, theirs), _side(theirs, mine)
    pips, their_pips = mine @ _PIPS, theirs @ _PIPS
    race = (their_pips - pips) / np.float32(50)
    whole = np.stack(
        [pips / 167, their_pips / 167, race, np.clip(race * 4, -1, 1), contact(mine, theirs).astype(np.float32)], axis=1
    )
    return np.concatenate([ours, other, whole], axis=1, dtype=np.float32)


WIDTH = 2 * (POINTS * _STEPS + _HELD) + 5


def contact(mine: Counts, theirs: Counts) -> NDArray[np.bool_]:
    """True if the sides have still to pass each other."""
    return _rearmost(mine) + _rearmost(theirs) > 25


def _rearmost(row: Counts) -> NDArray[np.int64]:
    return np.asarray(25 - np.argmax(row[:, :0:-1] > 0, axis=1))


def _side(row: Counts, other: Counts) -> Floats:
    board = row[:, 1:25].astype(np.float32)
    steps = [board == 1, board >= 2, board >= 3, np.maximum(board - 3, 0) / 2]
    return np.concatenate([*steps, _held(row, other)], axis=1, dtype=np.float32)


def _held(row: Counts, other: Counts) -> Floats:
    """Numbers for one side as a whole, _HELD of them."""
    made = (row >= 2).astype(np.float32)
    made[:, 0] = made[:, 25] = 0
    blots = (row == 1).astype(np.float32)
    blots[:, 0] = blots[:, 25] = 0
    shooters = (other[:, ::-1] > 0).astype(np.float32)  # in our numbering: their bar is our 0
    shooters[:, 25] = 0  # borne off
    shots = blots * (1 - np.exp(shooters @ MISS))
    home = made[:, 1:7].sum(axis=1)
    behind = _PIPS[None, :] * (row > 0) > 25 - _rearmost(other)[:, None]
    prime = (made @ _WINDOWS).max(axis=1)
    back = other[:, 19:26].sum(axis=1)
    columns = [
        row[:, 25] / 2,
        row[:, 0] / 15,
        shots.sum(axis=1),
        (shots * (25 - _PIPS)).sum(axis=1) / 24,  # how far a hit sends back
        prime / 6,
        prime * (back > 0) / 6,  # a prime with a checker behind it
        home / 6,
        (home / 6) ** 2 * (other[:, 25] > 0),  # they dance
        (home / 6) ** 2 * np.minimum((other[:, 1:25] == 1).sum(axis=1), 3) / 3,  # what our hits would be worth
        made[:, 19:25].max(axis=1),  # an anchor
        made[:, 20:22].max(axis=1),  # a good one: their five point or bar point's neighbour
        (behind * row).sum(axis=1) / 15,  # checkers that have not come past
    ]
    return np.stack(columns, axis=1).astype(np.float32)
