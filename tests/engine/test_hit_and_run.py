"""Tavla's rule of hit-and-run, against a slow player who moves each checker by itself and reads the sentence literally.

A checker that has hit on one's points 1 to 6 does not move on in that turn. As many dice as possible are played under
that rule, and the higher one where only one of either can be.
"""

from collections.abc import Iterator
from typing import NamedTuple

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from msgspec.structs import replace
from tavla_engine import actions as a
from tavla_engine.decide import decide
from tavla_engine.dice import Dice
from tavla_engine.errors import IllegalAction
from tavla_engine.match import MOVE, Match, new_match
from tavla_engine.plays import check_play, has_play, legal_plays
from tavla_engine.position import BAR, OFF, Play, Position, row
from tavla_engine.rules import PRESETS

from tests.support.tries import tries


class Checkers(NamedTuple):
    """A position as a person sees it. mine: where each checker stands. tired: those that have hit at home."""

    mine: tuple[int, ...]
    theirs: bytes
    tired: frozenset[int] = frozenset()

    @property
    def position(self) -> Position:
        counts = bytearray(26)
        for point in self.mine:
            counts[point] += 1
        return Position(bytes(counts), self.theirs)


def checkers(position: Position) -> Checkers:
    return Checkers(tuple(point for point in range(26) for _ in range(position.mine[point])), position.theirs)


def moves(now: Checkers, die: int) -> Iterator[Checkers]:
    """Positions after a move of one checker with one die."""
    for checker, source in enumerate(now.mine):
        target = max(source - die, OFF)
        waits = source == OFF or checker in now.tired or (BAR in now.mine and source != BAR)
        if waits or (target and now.theirs[BAR - target] > 1):
            continue
        if target == OFF and (max(now.mine) > 6 or (source < die and max(now.mine) > source)):
            continue
        mine = (*now.mine[:checker], target, *now.mine[checker + 1 :])
        theirs, tired = bytearray(now.theirs), now.tired
        if target and theirs[BAR - target]:
            theirs[BAR - target], theirs[BAR] = 0, theirs[BAR] + 1
            tired = tired | {checker} if target <= 6 else tired
        yield Checkers(mine, bytes(theirs), tired)


def furthest(now: Checkers, dice: tuple[int, ...]) -> Iterator[tuple[int, Position]]:
    """The number of dice that can be played in this order, and the position where each way leads."""
    after = list(moves(now, dice[0])) if dice else []
    if not after:
        yield 0, now.position
    for one in {(tuple(sorted(found.mine)), found.theirs, _places(found)): found for found in after}.values():
        for count, end in furthest(one, dice[1:]):
            yield count + 1, end


def _places(found: Checkers) -> tuple[int, ...]:
    return tuple(sorted(found.mine[checker] for checker in found.tired))


def slow(position: Position, dice: Dice) -> set[Position]:
    high, low = max(dice), min(dice)
    orders: list[tuple[int, ...]] = [(high,) * 4] if high == low else [(high, low), (low, high)]
    found = [list(furthest(checkers(position), order)) for order in orders]
    most = max(count for ends in found for count, _ in ends)
    if most == 1 and any(count == 1 for count, _ in found[0]):
        found = found[:1]
    return {after for ends in found for count, after in ends if count == most}


@st.composite
def near_home(draw: st.DrawFn) -> Position:
    """Positions with blots on the points 1 to 6 of the player on roll."""
    mine, theirs = bytearray(26), bytearray(26)
    blots = draw(st.sets(st.integers(1, 6), min_size=1, max_size=4))
    for point in blots:
        theirs[BAR - point] = 1
    free = [point for point in range(26) if point not in blots]
    for point in draw(st.lists(st.sampled_from(free), min_size=5, max_size=15)):
        mine[point] += 1
    held = [point for point in range(1, 25) if not mine[BAR - point] and not theirs[point]]
    for point in draw(st.lists(st.sampled_from(held), max_size=4)) if held else []:
        theirs[point] = 2
    return Position(bytes(mine), bytes(theirs))


DICE = st.tuples(st.integers(1, 6), st.integers(1, 6))
CASES = [  # mine, theirs, dice, moves, legal, why
    (row(p8=2, p24=13), row(p20=1), (3, 1), [(8, 5), (5, 4)], False, "it has hit on 5 and runs on"),
    (row(p8=2, p24=13), row(p20=1), (3, 1), [(8, 5), (24, 23)], True, "it has hit on 5 and stays"),
    (row(p8=2, p24=13), row(p20=1), (3, 1), [(8, 4)], True, "8/7/4, past the blot"),
    (row(p9=2, p24=13), row(p17=1), (1, 3), [(9, 8), (8, 5)], True, "the blot was outside"),
    (row(p8=3, p24=12), row(p20=1), (3, 3), [(8, 5), (8, 5), (5, 2), (24, 21)], True, "the one beside it goes on"),
    (row(p8=3, p24=12), row(p20=1), (3, 3), [(8, 5), (5, 2), (24, 21), (24, 21)], False, "it is alone there"),
]


@pytest.mark.parametrize(("mine", "theirs", "dice", "play", "legal", "why"), CASES)
def test_the_rule_by_name(mine: bytes, theirs: bytes, dice: Dice, play: Play, legal: bool, why: str) -> None:
    position = Position(mine, theirs)
    assert check_play(position, dice, play), "with hit-and-run all of these are plays"
    if legal:
        assert check_play(position, dice, play, hit_and_run=False) in slow(position, dice), why
    else:
        with pytest.raises(IllegalAction, match="a checker that has hit on your points 1 to 6 stays there"):
            check_play(position, dice, play, hit_and_run=False)


def test_it_comes_before_as_many_dice_as_possible() -> None:
    """8/5*/4 is the one way to play both dice: without it the higher die alone is played."""
    position = Position(row(p8=1, off=14), row(p20=1, p18=2, off=12))
    assert [*legal_plays(position, (3, 1)).values()] == [((8, 5), (5, 4))]
    assert [*legal_plays(position, (3, 1), hit_and_run=False).values()] == [((8, 5),)]


@settings(deadline=None, max_examples=tries(300))
@given(near_home(), DICE)
@example(Position(row(p7=2, p24=13), row(p19=1, p20=1)), (1, 1))
def test_plays_are_those_of_the_slow_player(position: Position, dice: Dice) -> None:
    plays = legal_plays(position, dice, hit_and_run=False)
    assert set(plays) == slow(position, dice)
    assert has_play(position, dice) is (plays != {position: ()})
    for after, play in plays.items():
        if play:
            assert check_play(position, dice, play, hit_and_run=False) == after
    for after, play in legal_plays(position, dice).items():
        if after not in plays and play:
            with pytest.raises(IllegalAction):
                check_play(position, dice, play, hit_and_run=False)


def test_a_match_of_the_preset_is_played_by_it() -> None:
    assert [name for name, preset in PRESETS.items() if not preset.rules.hit_and_run] == ["tavla"]
    match = new_match(PRESETS["tavla"].rules)
    match = _with(match, Position(row(p8=2, p24=13), row(p20=1, off=14)), (3, 1))
    with pytest.raises(IllegalAction, match="stays there for this turn"):
        decide(match, a.Move(0, ((8, 5), (5, 4))), lambda _: (2, 1))
    assert decide(match, a.Move(0, ((8, 5), (24, 23))), lambda _: (2, 1))[0]


def _with(match: Match, position: Position, dice: Dice) -> Match:
    """A match in the midst of a game, seat 0 to play."""
    board = position.mine, position.theirs
    return replace(match, phase=MOVE, game=1, turn=0, dice=dice, board=board, rolls=1)
