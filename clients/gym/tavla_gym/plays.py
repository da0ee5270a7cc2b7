"""Every legal play of many positions at a time, in numpy: the twin of `tavla_engine.plays`, held equal by tests.

A board is a row of BOARD counts: the 26 of the player on roll, then the opponent's, each in its owner's own numbering
(0 borne off, 1-24 points, 25 bar). As in the engine, the moves of a play are tried from the highest point down. So each
set of moves comes once, and only those that run with one checker or bear off can end alike.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from tavla_engine.position import BAR

Boards = NDArray[np.uint8]
Places = NDArray[np.int64]
_Bits = NDArray[np.uint32]  # of points: bit 25 is the bar

BOARD = 52
_THEIRS = 26  # where the opponent's row begins
_POINTS = np.arange(26, dtype=np.uint32)
_BIT = np.uint32(1) << _POINTS
_ON_BOARD = np.uint32((1 << BAR) - 2)
_HOME = np.uint32(0b1111110)
_OUTSIDE = np.uint32(((2 << BAR) - 1) & ~0b1111111)
_HIGHEST = np.array([max(bits.bit_length() - 1, 0) for bits in range(128)], np.uint32)  # of the points 1-6
_EVERYWHERE = np.uint32((2 << BAR) - 1)


def after_states(boards: Boards, dice: Boards, hit_and_run: bool = True) -> tuple[Boards, Places]:
    """Boards after every legal play of each board's dice, as the opponent sees them.

    boards: (n, BOARD). dice: (n, 2), in either order. hit_and_run: as in the engine's `Rules`.
    Returns: found (m, BOARD) and starts (n + 1,): those of board i are found[starts[i]:starts[i + 1]]. Where nothing
        can be played, that is one: the board itself.
    """
    high, low = dice.max(axis=1).astype(np.uint32), dice.min(axis=1).astype(np.uint32)
    landable = _bits(boards[:, :25:-1] < 2) & _ON_BOARD  # a hit changes nothing in that: a blot can be landed on, too
    blots = None if hit_and_run else _bits(boards[:, :25:-1] == 1) & _HOME
    whole = np.full(len(boards), _EVERYWHERE)
    nowhere, alike = np.full(len(boards), BOARD), np.zeros(len(boards), np.bool_)
    occupied = _bits(boards[:, :_THEIRS] > 0) & ~np.uint32(1)
    begun = _Plays(boards, np.arange(len(boards)), occupied, whole, nowhere, alike)
    game = _Game(landable, blots)
    both = _both(begun.some(np.flatnonzero(high != low)), game, high, low)
    same = begun.some(np.flatnonzero(high == low))
    levels = [begun]
    for number in range(4):
        same = same.on(game, high, again=2)
        levels += [same, *both[number : number + 1]]
    fullest = np.zeros(len(boards), np.int8)
    for number, level in enumerate(levels):  # the later ones are fuller
        fullest[level.owners] = number
    kept = [level.some(np.flatnonzero(fullest[level.owners] == number)) for number, level in enumerate(levels)]
    owners = np.concatenate([level.owners for level in kept])
    order = np.argsort(owners, kind="stable")
    found = np.concatenate([level.boards for level in kept])[order]
    starts = np.searchsorted(owners[order], np.arange(len(boards) + 1))
    return np.concatenate([found[:, _THEIRS:], found[:, :_THEIRS]], axis=1), starts


class _Game(NamedTuple):
    """By board, as bits: points that the opponent does not hold; blots whose hitter stays, or None if none does."""

    landable: _Bits
    blots: _Bits | None


class _Plays(NamedTuple):
    """Plays that have begun. owners: the boards they are of.

    occupied: points, as bits. limits: those from which they may go on. targets: of the last move. alike: others may end
    alike, since one checker went on, or one was borne off.
    """

    boards: Boards
    owners: Places
    occupied: _Bits
    limits: _Bits
    targets: Places
    alike: NDArray[np.bool_]

    def some(self, which: Places) -> "_Plays":
        """The plays at these places."""
        boards, owners, occupied, limits, targets, alike = self
        return _Plays(
            boards.take(which, axis=0), owners[which], occupied[which], limits[which], targets[which], alike[which]
        )

    def on(self, game: _Game, dice: _Bits, again: int) -> "_Plays":
        """Each play with one move more. dice: by owner. again: 2 if the same point may be left again."""
        die = dice[self.owners]
        movable = _movable(self.occupied, game.landable[self.owners], die) & self.limits
        if game.blots is not None:
            movable &= ~(game.blots[self.owners] & _bits(self.boards[:, :_THEIRS] == 1))
        places = np.flatnonzero(np.unpackbits(movable[:, None].view(np.uint8), axis=1, bitorder="little"))
        rows, sources = places >> 5, places & 31
        targets = np.maximum(sources - die[rows], 0)
        boards, occupied = _moved(self.boards.take(rows, axis=0), self.occupied[rows], sources, targets)
        alike = self.alike[rows] | (sources == self.targets[rows]) | (targets == 0)
        limits = _BIT[sources] * np.uint32(again) - np.uint32(1)
        return _Plays(boards, self.owners[rows], occupied, limits, targets, alike)


def _both(begun: _Plays, game: _Game, high: _Bits, low: _Bits) -> list[_Plays]:
    """Plays of two different dice: the lower one alone, the higher one alone, both."""
    only_high = begun.on(game, high, again=1)
    only_low = begun.on(game, low, again=2)
    two = [only_high.on(game, low, again=1), only_low.on(game, high, again=1)]
    return [only_low, only_high, _unlike(_Plays(*map(np.concatenate, zip(*two, strict=True))))]


def _unlike(plays: _Plays) -> _Plays:
    """Each board of an owner once."""
    places = np.flatnonzero(plays.alike)
    owners = plays.owners[places].astype(">u4").view(np.uint8).reshape(-1, 4)
    keys = np.concatenate([owners, plays.boards[places]], axis=1).view(f"V{BOARD + 4}")[:, 0]
    kept = ~plays.alike
    kept[places[np.unique(keys, return_index=True)[1]]] = True
    return plays.some(np.flatnonzero(kept))


def _bits(points: NDArray[np.bool_]) -> _Bits:
    """Rows of 26 truths as bits."""
    packed: NDArray[np.uint8] = np.packbits(points, axis=1, bitorder="little")
    return packed.view(np.uint32)[:, 0]


def _movable(occupied: _Bits, landable: _Bits, die: _Bits) -> _Bits:
    """Points, as bits, from which a checker can move with one die: as the engine's `_movable`."""
    occupied = np.where(occupied >> np.uint32(BAR), _BIT[BAR], occupied)
    off: _Bits = occupied & _BIT[np.minimum(die, _HIGHEST[occupied & np.uint32(127)])]
    off[occupied & _OUTSIDE > 0] = 0
    off |= occupied & (landable << die)
    return off


def _moved(boards: Boards, occupied: _Bits, sources: Places, targets: Places) -> tuple[Boards, _Bits]:
    """The boards, changed, and the points that are occupied after a move of each."""
    rows = np.arange(len(boards)) * BOARD
    flat = boards.reshape(-1)
    left = flat[rows + sources] - 1
    flat[rows + sources] = left
    flat[rows + targets] += 1
    opponents = rows + _THEIRS + BAR - targets
    hit = (targets > 0) & (flat[opponents] == 1)
    flat[opponents] -= hit
    flat[rows + _THEIRS + BAR] += hit
    return boards, (occupied ^ _BIT[sources] * (left == 0)) | (_BIT[targets] & ~np.uint32(1))
