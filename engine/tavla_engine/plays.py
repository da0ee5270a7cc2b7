"""Which plays the dice allow: all of them for a roll, or a verdict on one that a player proposes.

Source of the rules: bkgm.com/rules.html ("Movement of the Checkers", "Hitting and Entering", "Bearing Off").

One fact keeps everything here small: the moves of a play that is legal in some order are also legal from
the highest point down. A higher move never needs a lower one first: checkers only go down, the opponent's
points stay what they are, and moving high checkers can only help entering and bearing off.
"""

from collections.abc import Sequence

from tavla_engine.dice import Dice
from tavla_engine.errors import IllegalAction, Reason
from tavla_engine.position import BAR, OFF, Move, Play, Position
from tavla_engine.refusals import choose_a_way, refusal

_BOARD = (1 << BAR) - 2  # points as bits: 1-24
_OUTSIDE = _BOARD & ~0b1111110 | 1 << BAR  # 7-24 and the bar
_ANY = b"0" + b"1" * 255  # byte translations: a count to a binary digit
_AT_MOST_ONE = b"11" + b"0" * 254

_new = tuple.__new__  # Position(...) in the innermost loop would cost legal_plays 8 % more time


def legal_plays(position: Position, dice: Dice) -> dict[Position, Play]:
    """Every legal way to play a roll, keyed by the position it leads to (sides not swapped).

    Args: `dice`, two ints 1-6 in either order; equal values are played four times.
    Returns: plays of 1 to 4 single-die moves, from high to low; the unchanged position and the empty play
        only when nothing can be played.
    Raises: ValueError for a die outside 1-6.
    Source: bkgm.com/rules.html: both numbers (all four of a double) or as many as can be played, the larger
        number if either but not both.
    """
    high, low = max(dice), min(dice)
    if low < 1 or high > 6:
        raise ValueError(f"a die shows 1 to 6, not {dice}")
    search = _Search(position)
    if high == low:
        search.walk((high,) * 4)
        return search.found[4] or search.found[3] or search.found[2] or search.found[1] or {position: ()}
    search.walk((high, low), again=1)
    only_high, search.found[1] = search.found[1], {}
    search.walk((low, high))
    return search.found[2] or only_high or search.found[1] or {position: ()}


def has_play(position: Position, dice: Dice) -> bool:
    """Whether anything at all can be played."""
    mine, theirs = position
    if not mine[BAR]:
        for die in dice:  # most often the first checker that is looked at can move
            for source in range(BAR - 1, die, -1):
                if mine[source] and theirs[BAR + die - source] < 2:
                    return True
    occupied, landable = _occupied(mine), _landable(theirs)
    return any(_movable(occupied, landable, die) for die in dice)


def check_play(position: Position, dice: Dice, moves: Sequence[Move]) -> Position:
    """The position after a proposed play; see `resolve_play`."""
    return resolve_play(position, dice, moves)[1]


def resolve_play(position: Position, dice: Dice, moves: Sequence[Move]) -> tuple[Play, Position]:
    """A proposed play as single-die moves in an order in which they can be played, and where it leads.

    The moves may come in any order, and one of them may use several dice with one checker (24/18 with 5-1).
    Such a move hits on its way only if it cannot be made otherwise. Where it must hit one blot or another on
    the way, it is refused: the player has to say which. Spelled out (24/23 23/18), both can be chosen.

    Raises: IllegalAction unless the play is legal as a whole turn.
    """
    one, two = dice
    if one == two:
        orders: tuple[tuple[int, ...], ...] = ((one, one, one, one),)
    else:
        orders = ((one, two), (two, one)) if one > two else ((two, one), (one, two))
    if len(moves) == len(orders[0]):
        todo = sorted(moves, reverse=True)
        for order in orders:
            if (reading := _spelled_out(position, order, todo)) is not None:
                return reading  # each move is one die: there is no other way to read them
    complete: list[tuple[Play, Position]] = []  # all dice are played, so no play could be fuller
    partial: list[tuple[Play, Position]] = []
    for order in orders:
        reading = _follow(position, order, moves)
        if reading is None:
            continue
        (partial if len(reading[0]) < len(order) else complete).append(reading)
    if not complete:
        legal = legal_plays(position, dice)
        complete = [reading for reading in partial if reading[1] in legal]
        if not complete:
            begun = partial[-1][0] if partial else None
            raise IllegalAction(Reason.ILLEGAL_PLAY, refusal(position, dice, moves, begun, list(legal.values())))
    fewest = min(after.theirs[BAR] for _, after in complete)
    best = [reading for reading in complete if reading[1].theirs[BAR] == fewest]
    if best[0][1] != best[-1][1]:
        raise IllegalAction(Reason.ILLEGAL_PLAY, choose_a_way([play for play, _ in best]))
    return best[0]


def hits(position: Position, play: Play) -> tuple[bool, ...]:
    """Which moves of a legal play hit a blot."""
    blots = {point for point in range(1, BAR) if position.theirs[BAR - point] == 1}
    marks = []
    for _, target in play:
        marks.append(target in blots)
        blots.discard(target)
    return tuple(marks)


def _occupied(mine: bytes | bytearray) -> int:
    """The mover's points and bar as a set of bits: bit 25 is the bar, bit 0 (off) stays empty."""
    return int(mine.translate(_ANY)[::-1], 2) & ~1


def _landable(theirs: bytes) -> int:
    """The points 1-24 of the mover, as bits, that the opponent does not hold with two checkers or more."""
    return int(theirs.translate(_AT_MOST_ONE), 2) & _BOARD


def _movable(occupied: int, landable: int, die: int) -> int:
    """The points, as bits, from which a checker can move with one die.

    Source: bkgm.com/rules.html: checkers on the bar first; never to a point held by two or more; off only when
    all are home, with the exact number or, if no checker is higher, with a larger one.
    """
    if occupied >> BAR:
        occupied = 1 << BAR
    movable = occupied & landable << die
    if occupied and not occupied & _OUTSIDE:
        highest = occupied.bit_length() - 1
        movable |= occupied & 1 << min(die, highest)
    return movable


def _hit(theirs: bytes, point: int) -> bytes:
    """The opponent's row after the blot on `point`, in the opponent's numbering, was hit."""
    row = bytearray(theirs)
    row[point] -= 1
    row[BAR] += 1
    return bytes(row)


class _Search:
    """A walk through all plays from one position, each set of moves once.

    found[n]: positions in which n dice are played and no further one can be, with the way there.
    """

    def __init__(self, position: Position) -> None:
        self.mine = bytearray(position.mine)  # changed on the way down, restored on the way up
        self.theirs = position.theirs
        self.landable = _landable(position.theirs)
        self.found: list[dict[Position, Play]] = [{}, {}, {}, {}, {}]

    def walk(self, dice: tuple[int, ...], again: int = 2) -> None:
        """Collect what the dice lead to when they are played in this order, each from the last one's point down.

        again: 2 if one point may send off two checkers in turn, 1 if not.
        """
        self.dice = dice
        self.again = again
        self.step(0, _occupied(self.mine), self.theirs, (2 << BAR) - 1, ())

    def step(self, count: int, occupied: int, theirs: bytes, allowed: int, play: Play) -> None:
        """Go on after `count` dice, from the `allowed` points only."""
        mine, die = self.mine, self.dice[count]
        movable = _movable(occupied, self.landable, die) & allowed
        if not movable:
            self.found[count].setdefault(Position(bytes(mine), theirs), play)
            return
        count += 1
        last = count == len(self.dice)
        found = self.found[count]
        while movable:
            source = movable.bit_length() - 1
            bit = 1 << source
            movable ^= bit
            after = theirs
            if source > die:
                target = source - die
                if theirs[BAR - target]:
                    after = _hit(theirs, BAR - target)
            else:
                target = OFF
            here, there = mine[source], mine[target]
            mine[source] = here - 1
            mine[target] = there + 1
            move = ((source, target),)
            if last:
                found.setdefault(_new(Position, (bytes(mine), after)), play + move)
            else:
                left = occupied if here > 1 else occupied ^ bit
                self.step(count, (left | bit >> die) & ~1, after, bit * self.again - 1, play + move)
            mine[source] = here
            mine[target] = there


def _spelled_out(position: Position, dice: tuple[int, ...], moves: Sequence[Move]) -> tuple[Play, Position] | None:
    """The moves, from the highest down and one for each die in this order, if they can be played so."""
    mine, theirs = bytearray(position.mine), bytearray(position.theirs)
    for die, (source, goal) in zip(dice, moves, strict=True):
        if not (OFF < source <= BAR and mine[source]) or (mine[BAR] and source != BAR):
            return None
        target = source - die
        if target > OFF:
            if target != goal or theirs[BAR - target] > 1:
                return None
            if theirs[BAR - target]:
                theirs[BAR - target] = 0
                theirs[BAR] += 1
        elif goal != OFF or any(mine[7:]) or (target < OFF and any(mine[source + 1 : 7])):
            return None
        mine[source] -= 1
        mine[goal] += 1
    return tuple(moves), Position(bytes(mine), bytes(theirs))


def _follow(position: Position, dice: tuple[int, ...], moves: Sequence[Move]) -> tuple[Play, Position] | None:
    """The moves played from the highest down with the dice in this order, if that is possible.

    A move that is longer than its die goes on with a later one.
    """
    if len(moves) > len(dice):
        return None
    mine, theirs = bytearray(position.mine), position.theirs
    landable = _landable(theirs)
    todo = sorted(moves)
    steps: list[Move] = []
    for die in dice:
        if not todo:
            break
        source, goal = todo.pop()
        if not OFF < source <= BAR or not _movable(_occupied(mine), landable, die) >> source & 1:
            return None
        target = source - die if source > die else OFF
        if target < goal:
            return None
        if target > goal:
            todo.append((target, goal))
            todo.sort()
        if target and theirs[BAR - target]:
            theirs = _hit(theirs, BAR - target)
        mine[source] -= 1
        mine[target] += 1
        steps.append((source, target))
    return None if todo else (tuple(steps), Position(bytes(mine), theirs))
