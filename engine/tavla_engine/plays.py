"""Plays that the dice allow: all of them for a roll, or a verdict on one that a player proposes.

Source of the rules: bkgm.com/rules.html ("Movement of the Checkers", "Hitting and Entering", "Bearing Off").

One fact keeps everything here small: the moves of a play that is legal in some order are also legal from
the highest point down. A higher move never needs a lower one first: checkers only go down, the opponent's
points stay what they are, and moving high checkers can only help entering and bearing off.

Without hit-and-run a checker that has hit on one of the points 1-6 stays there for the rest of the turn (tavla:
bkgm.com/variants/Tavla.html). A checker that lands beside it may go on. So a play keeps the rule if each point where it
has hit at home is still held, in whatever order its moves are made: the fact above holds for these plays as well.
"""

from collections.abc import Sequence
from typing import Final

from tavla_engine.dice import Dice
from tavla_engine.errors import IllegalAction, Reason
from tavla_engine.position import BAR, EMPTY, OFF, Move, Play, Position, Rows, hit
from tavla_engine.refusals import choose_a_way, refusal, stay

_BOARD: Final = (1 << BAR) - 2  # points as bits: 1-24
_HOME: Final = range(1, 7)
_OUTSIDE: Final = _BOARD & ~0b1111110 | 1 << BAR  # 7-24 and the bar
_ANY: Final = b"0" + b"1" * 255  # byte translations: a count to a binary digit
_AT_MOST_ONE: Final = b"11" + b"0" * 254

_new = tuple.__new__  # Position(...) in the innermost loop would cost legal_plays 8 % more time


def legal_plays(position: Position, dice: Dice, hit_and_run: bool = True) -> dict[Position, Play]:
    """Every legal way to play a roll, keyed by the position it leads to (sides not swapped).

    Args: `dice`, two ints 1-6 in either order; equal values are played four times. `hit_and_run`: as in `Rules`; the
        plays are restricted before as many dice as possible are asked for.
    Returns: plays of 1 to 4 single-die moves, from high to low; the unchanged position and the empty play
        only when nothing can be played.
    Raises: ValueError for a die outside 1-6.
    Source: bkgm.com/rules.html: both numbers (all four of a double) or as many as can be played, the larger
        number if either but not both.
    """
    high, low = max(dice), min(dice)
    if low < 1 or high > 6:
        raise ValueError(f"a die shows 1 to 6, not {dice}")
    search = _Search(position, hit_and_run)
    if high == low:
        search.walk((high,) * 4)
        return search.found[4] or search.found[3] or search.found[2] or search.found[1] or {position: ()}
    search.walk((high, low), again=1)
    only_high, search.found[1] = search.found[1], {}
    search.walk((low, high))
    return search.found[2] or only_high or search.found[1] or {position: ()}


def has_play(rows: Rows, dice: Dice) -> bool:
    """True if anything at all can be played."""
    mine, theirs = rows
    one, two = dice
    if mine[BAR]:  # it enters on the point that the opponent counts as the die
        return theirs[one] < 2 or theirs[two] < 2
    highest = source = len(mine.rstrip(b"\0")) - 1
    while source > OFF:  # most often one of the first checkers that are looked at can move
        if mine[source] and (
            (source > one and theirs[BAR + one - source] < 2) or (source > two and theirs[BAR + two - source] < 2)
        ):
            return True
        source -= 1
    return OFF < highest <= 6 and (max(dice) >= highest or mine[one] > 0 or mine[two] > 0)


def is_locked(rows: Rows) -> bool:
    """True if neither side can ever move again, whatever is rolled: both wait on the bar before closed boards.

    No play leads there: the last hit would leave its checker on a point that has to be closed. A position that was set
    up can be so.
    """
    mine, theirs = rows
    return not any(has_play(side, dice) for side in ((theirs, mine), rows) for dice in ((1, 2), (3, 4), (5, 6)))


def check_play(position: Position, dice: Dice, moves: Sequence[Move], hit_and_run: bool = True) -> Position:
    """The position after a proposed play; see `resolve_play`."""
    return Position(*resolve_play(position, dice, moves, hit_and_run)[1])


def resolve_play(rows: Rows, dice: Dice, moves: Sequence[Move], hit_and_run: bool = True) -> tuple[Play, Rows]:
    """A proposed play as single-die moves in an order in which they can be played, and where it leads.

    The moves may come in any order, and one of them may use several dice with one checker (24/18 with 5-1).
    Such a move hits on its way only if it cannot be made otherwise. Where it must hit one blot or another on
    the way, it is refused: the player has to say which. Spelled out (24/23 23/18), both can be chosen.

    Args: `hit_and_run`, as in `Rules`.
    Raises: IllegalAction unless the play is legal as a whole turn.
    """
    found = _spelled_out(rows, dice, moves)
    if found is not None and (hit_and_run or keeps_hitters(rows, *found)):
        return found
    return _read(Position(*rows), dice, moves, hit_and_run)


def keeps_hitters(rows: Rows, play: Play, after: Rows) -> bool:
    """True if each point at home where the play has hit is still held."""
    mine, theirs = after[0], rows[1]
    return all(mine[target] or target not in _HOME or theirs[BAR - target] != 1 for _, target in play)


def home_blots(position: Position) -> tuple[int, ...]:
    """Points 1-6 of the mover on which a lone checker of the opponent stands: without hit-and-run its hitter stays."""
    return tuple(point for point in _HOME if position.theirs[BAR - point] == 1)


def hits(position: Position, play: Play) -> tuple[bool, ...]:
    """Moves of a legal play that hit a blot."""
    blots = {point for point in range(1, BAR) if position.theirs[BAR - point] == 1}
    marks = []
    for _, target in play:
        marks.append(target in blots)
        blots.discard(target)
    return tuple(marks)


def _read(position: Position, dice: Dice, moves: Sequence[Move], hit_and_run: bool) -> tuple[Play, Rows]:
    """The same, whatever the moves are: fewer than the dice, since one goes further or no die is left to play."""
    fled = False
    one, two = dice
    if one == two:
        orders: tuple[tuple[int, ...], ...] = ((one, one, one, one),)
    else:
        orders = ((one, two), (two, one)) if one > two else ((two, one), (one, two))
    complete: list[tuple[Play, Position]] = []  # all dice are played, so no play could be fuller
    partial: list[tuple[Play, Position]] = []
    for order in orders:
        reading = _follow(position, order, moves)
        if reading is None:
            continue
        if not (hit_and_run or keeps_hitters(position, *reading)):
            fled = True
            continue
        (partial if len(reading[0]) < len(order) else complete).append(reading)
    if not complete:
        legal = legal_plays(position, dice, hit_and_run)
        complete = [reading for reading in partial if reading[1] in legal]
        if not complete:
            if fled:
                raise IllegalAction(Reason.ILLEGAL_PLAY, stay(list(legal.values())))
            begun = partial[-1][0] if partial else None
            raise IllegalAction(Reason.ILLEGAL_PLAY, refusal(position, dice, moves, begun, list(legal.values())))
    fewest = min(after.theirs[BAR] for _, after in complete)
    best = [reading for reading in complete if reading[1].theirs[BAR] == fewest]
    if best[0][1] != best[-1][1]:
        raise IllegalAction(Reason.ILLEGAL_PLAY, choose_a_way([play for play, _ in best]))
    play, after = best[0]
    return play, (after.mine, after.theirs)


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


class _Search:
    """A walk through all plays from one position, each set of moves once.

    found[n]: positions in which n dice are played and no further one can be, with the way there.
    """

    def __init__(self, position: Position, hit_and_run: bool) -> None:
        self.mine = bytearray(position.mine)  # changed on the way down, restored on the way up
        self.blots = () if hit_and_run else home_blots(position)
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
        for point in self.blots:
            if mine[point] == 1:  # it has hit there, and stays
                movable &= ~(1 << point)
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
                    after = hit(theirs, BAR - target)
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


def _spelled_out(rows: Rows, dice: Dice, moves: Sequence[Move]) -> tuple[Play, Rows] | None:
    """Moves, as many as there are dice, from the highest down and each with one of them, if they can be played so.

    There is no other way to read those, then.
    """
    one, two = dice  # those that are left: when one of them is played, the other is both
    if len(moves) != (2 if one != two else 4):
        return None
    # Holds bench/ceilings.toml: always sorted, an action would take 1,230 instructions more.
    play = tuple(moves) if one != two and moves[0] >= moves[1] else tuple(sorted(moves, reverse=True))
    mine, theirs = EMPTY + rows[0], rows[1]
    if (waiting := mine[BAR]) and play[min(waiting, len(play)) - 1][0] != BAR:
        return None  # checkers on the bar come first
    try:
        for source, target in play:
            if target > OFF:
                die = source - target
                if there := theirs[BAR - target]:
                    if there > 1:
                        return None
                    theirs = hit(theirs, BAR - target)
            else:
                die = _bearing_off_die(mine, one, two, source, target)
            if die == one:
                one = two
            elif die == two:
                two = one
            else:
                return None
            mine[source] -= 1
            mine[target] += 1
    except (ValueError, IndexError):  # no checker stands there, or there is no such point
        return None
    return play, (b"" + mine, theirs)


def _bearing_off_die(mine: bytearray, one: int, two: int, source: int, target: int) -> int:
    """The die that bears off from `source`: the exact one, or the larger if no checker is higher; 0 if none does."""
    highest = len(mine.rstrip(b"\0")) - 1
    if target != OFF or source < 1 or highest > 6:
        return 0
    if source in (one, two):
        return source
    larger = max(one, two)
    return larger if source == highest and larger > source else 0


def _can_move(mine: bytearray, theirs: bytes, die: int, source: int) -> bool:
    """True if a checker can move from `source`: as `_movable` has it, for one of the points."""
    if not mine[source] or (mine[BAR] and source != BAR):
        return False
    if source > die:
        return theirs[BAR + die - source] < 2
    return _bearing_off_die(mine, die, die, source, OFF) == die


def _follow(position: Position, dice: tuple[int, ...], moves: Sequence[Move]) -> tuple[Play, Position] | None:
    """The moves played from the highest down with the dice in this order, if that is possible.

    A move that is longer than its die goes on with a later one.
    """
    if len(moves) > len(dice):
        return None
    mine, theirs = bytearray(position.mine), position.theirs
    todo = sorted(moves)
    steps: list[Move] = []
    for die in dice:
        if not todo:
            break
        source, goal = todo.pop()
        if not OFF < source <= BAR or not _can_move(mine, theirs, die, source):
            return None
        target = source - die if source > die else OFF
        if target < goal:
            return None
        if target > goal:
            todo.append((target, goal))
            todo.sort()
        if target and theirs[BAR - target]:
            theirs = hit(theirs, BAR - target)
        mine[source] -= 1
        mine[target] += 1
        steps.append((source, target))
    return None if todo else (tuple(steps), Position(bytes(mine), theirs))
