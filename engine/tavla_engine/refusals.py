"""Refusals of plays: one sentence that tells the player what to do instead.

Only reached once a play is known to be illegal, so nothing here is fast or decides anything.
"""

from collections.abc import Sequence

from tavla_engine.dice import Dice
from tavla_engine.notation import format_moves
from tavla_engine.position import BAR, OFF, Move, Play, Position


def refusal(position: Position, dice: Dice, moves: Sequence[Move], begun: Play | None, legal: Sequence[Play]) -> str:
    """Why `moves` are not a legal turn.

    begun: the moves in single dice, when each of them can be made; legal: the plays that there are.
    """
    if not legal[0]:
        return f"you cannot move with {_roll(dice)}: the turn passes"
    if begun is not None:
        return _play_more(dice, begun, legal)
    if len(moves) > _count(dice):
        return f"a {_roll(dice)} gives you {_count(dice)} moves at most"
    mine = list(position.mine)
    ordered = sorted(moves, reverse=True)
    for source, target in ordered:
        fault = _move_fault(mine, position.theirs, dice, source, target)
        if fault:
            return fault
        mine[source] -= 1
        mine[target] += 1
    what = f"a {max(dice)} and a {min(dice)}" if dice[0] != dice[1] else f"four {dice[0]}s"
    return f"{format_moves(ordered)} does not fit {what}"


def choose_a_way(plays: Sequence[Play]) -> str:
    """A move with several dice hits one blot or another on its way: ask which."""
    return f"say which checker to hit on the way: {' or '.join(format_moves(play) for play in plays)}"


def stay(legal: Sequence[Play]) -> str:
    """A checker would hit at home and run on, in a match where it may not."""
    example = format_moves(legal[0])
    return f"a checker that has hit on your points 1 to 6 stays there for this turn: {example}, for example"


def _play_more(dice: Dice, begun: Play, legal: Sequence[Play]) -> str:
    """The moves are no whole turn. The example goes on from them if any legal play does."""
    example = next((play for play in legal if set(begun) <= set(play)), legal[0])
    count, die = len(legal[0]), max(dice)
    if dice[0] == dice[1]:
        what = ("", f"one {die}", f"two {die}s", f"three {die}s", f"all four {die}s")[count]
    elif count == 2:
        what = "both dice"
    else:
        what = f"the higher die, {die}" if begun else "one die"
    return f"you must play {what}: {format_moves(example)}, for example"


def _move_fault(mine: Sequence[int], theirs: bytes, dice: Dice, source: int, target: int) -> str:
    """Fault of one move, whatever the others are; "" if it has none."""
    if not (OFF < source <= BAR and OFF <= target < source):
        return "a move goes from the bar or a point down to a lower point or off"
    if mine[BAR] and source != BAR:
        return "enter from the bar first"
    if not mine[source]:
        return f"you have no checker on {_place(source)}"
    if target == OFF:
        return _bearing_off_fault(mine, theirs, dice, source)
    distance, move = source - target, format_moves([(source, target)])
    if distance not in _distances(dice):
        one = f"a {max(dice)}, a {min(dice)} or both" if dice[0] != dice[1] else f"a {dice[0]} or several of them"
        return f"{move} is not {one}"
    if theirs[BAR - target] > 1:
        return f"the opponent holds {_place(target)}"
    if distance in dice:
        return ""
    if source == BAR and mine[BAR] > 1:
        return "enter all your checkers from the bar first"
    return _blocked_on_the_way(theirs, dice, source, target)


def _bearing_off_fault(mine: Sequence[int], theirs: bytes, dice: Dice, source: int) -> str:
    highest = max(point for point in range(1, BAR + 1) if mine[point])
    if sum(mine[7:]) > (source > 6):
        return "bear off only when all your checkers are home"
    if source > max(_distances(dice)):
        return f"{_roll(dice)} is too little for {source}/off"
    if source in dice or source > max(dice):
        return _blocked_on_the_way(theirs, dice, source, OFF)
    if highest > source:
        return f"bear off from {_place(highest)} first, or with an exact {source}"
    return ""


def _blocked_on_the_way(theirs: bytes, dice: Dice, source: int, target: int) -> str:
    """The points on which the opponent stops a checker that is to use several dice, in words."""
    ways = [source - distance for distance in _distances(dice)]
    held = [point for point in ways if source > point > target and theirs[BAR - point] > 1]
    if not held or source - target in dice:
        return ""
    return f"the opponent holds {' and '.join(map(_place, held))}, on the way of {format_moves([(source, target)])}"


def _distances(dice: Dice) -> list[int]:
    """Distances that one checker can go, shortest first."""
    low, high = sorted(dice)
    return [low, high, low + high] if low != high else [low, 2 * low, 3 * low, 4 * low]


def _count(dice: Dice) -> int:
    return 4 if dice[0] == dice[1] else 2


def _roll(dice: Dice) -> str:
    return f"{max(dice)}-{min(dice)}"


def _place(point: int) -> str:
    return "the bar" if point == BAR else f"your {point} point"
