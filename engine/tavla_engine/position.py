"""A position of the checkers, and its counts."""

from collections.abc import Iterable, Sequence
from typing import Final, NamedTuple

OFF: Final = 0
BAR: Final = 25
# `EMPTY + row` is `bytearray(row)`, `b"" + counts` is `bytes(counts)`.
# Holds bench/ceilings.toml: with these an action would take 1,900 instructions more.
EMPTY: Final = bytearray()

Move = tuple[int, int]  # (from, to) in the mover's numbering: 25 = bar, 0 = off
Play = tuple[Move, ...]
Rows = tuple[bytes, bytes]  # a position as a plain pair: making a `Position` takes as long as a turn's checks


class Position(NamedTuple):
    """A position of all checkers, seen by the player on roll.

    mine, theirs: 26 counts each, in the owner's own numbering: index 0 = borne off,
    1-24 = points counted from the owner's home, 25 = bar. Each row totals 15
    (3 in hypergammon). The opponent's point p is our point 25 - p.
    """

    mine: bytes
    theirs: bytes

    def other_side(self) -> "Position":
        """The same position seen by the other player."""
        return Position(self.theirs, self.mine)


def row(**points: int) -> bytes:
    """A row of 26 counts from keywords: row(p24=2, p13=5, p8=3, p6=5), `off` and `bar` too."""
    counts = bytearray(26)
    for name, count in points.items():
        counts[OFF if name == "off" else BAR if name == "bar" else int(name[1:])] = count
    return bytes(counts)


def hit(row: bytes, point: int) -> bytes:
    """A player's row after the blot on one of its points was hit."""
    counts = EMPTY + row
    counts[point] -= 1
    counts[BAR] += 1
    return b"" + counts


def rows_after(rows: Rows, moves: Iterable[Sequence[int]]) -> Rows:
    """The rows after some moves, legal or not. rows: the mover's first."""
    mine, theirs = EMPTY + rows[0], rows[1]
    for source, target in moves:
        mine[source] -= 1
        mine[target] += 1
        if target != OFF and theirs[BAR - target]:
            theirs = hit(theirs, BAR - target)
    return b"" + mine, theirs


def pips(row: bytes) -> int:
    """Pip count: points that a player's checkers still have to travel, 167 at the standard start."""
    return sum(point * count for point, count in enumerate(row))
