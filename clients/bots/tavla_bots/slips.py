"""The difficulty of plays for people, which decides how often the levels below the best slip.

A plain bear-off is plain, and the first plays of a game are known by heart; with every blot there is more to be seen.
"""

from tavla_engine.position import Position

from tavla_bots.features import POINTS

BY_HEART = 0.25  # of an ordinary play: how hard the first one of a game is
FORGOTTEN = 2.0  # how much that grows until no checker stands where it began
RACE = 0.3  # the sides have passed each other, and checkers are still on their way home
CALM, BLOT, MOST_BLOTS = 0.6, 0.1, 6  # with contact: without blots, and what each of either side adds


def difficulty(position: Position, start: bytes) -> float:
    """The difficulty of a play: 0 in a plain bear-off, some 1 in the middle of a game. start: of the game, a side's."""
    mine, theirs = position
    if _rearmost(mine) + _rearmost(theirs) <= POINTS:
        return RACE if any(mine[7:]) else 0.0
    unmoved = sum(map(min, mine, start)) + sum(map(min, theirs, start))
    known = min(BY_HEART + FORGOTTEN * (1 - unmoved / (2 * sum(start))), 1.0)
    blots = mine[1 : POINTS + 1].count(1) + theirs[1 : POINTS + 1].count(1)
    return known * (CALM + BLOT * min(blots, MOST_BLOTS))


def _rearmost(row: bytes) -> int:
    return max((point for point, count in enumerate(row) if count), default=0)
