"""Legal plays by brute force, straight from the rules: every order of dice, every checker."""

from collections.abc import Iterator

from tavla_engine.dice import Dice
from tavla_engine.position import BAR, OFF, Move, Play, Position


def one_die(position: Position, die: int) -> Iterator[tuple[Move, Position]]:
    """Moves of one checker with one die, and where they lead."""
    mine, theirs = position
    for source in [BAR] if mine[BAR] else range(1, BAR):
        target = max(source - die, OFF)
        if not mine[source] or (target and theirs[25 - target] >= 2):
            continue
        if target == OFF and (any(mine[7:]) or (source < die and any(mine[source + 1 :]))):
            continue
        new_mine, new_theirs = bytearray(mine), bytearray(theirs)
        new_mine[source] -= 1
        new_mine[target] += 1
        if target and theirs[25 - target] == 1:
            new_theirs[25 - target] -= 1
            new_theirs[BAR] += 1
        yield (source, target), Position(bytes(new_mine), bytes(new_theirs))


def _sequences(position: Position, dice: tuple[int, ...]) -> Iterator[tuple[Play, Position]]:
    yield (), position
    if dice:
        for move, after in one_die(position, dice[0]):
            for play, end in _sequences(after, dice[1:]):
                yield (move, *play), end


def brute_force(position: Position, dice: Dice) -> set[Position]:
    """The positions that a roll may lead to."""
    high, low = max(dice), min(dice)
    orders = [(high,) * 4] if high == low else [(high, low), (low, high)]
    found = [[(len(play), after) for play, after in _sequences(position, order)] for order in orders]
    most = max(count for ends in found for count, _ in ends)
    if most == 1 and any(count == 1 for count, _ in found[0]):
        found = found[:1]
    return {after for ends in found for count, after in ends if count == most}
