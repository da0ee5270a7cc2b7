"""Plays against 3,028 cases on which three independent programs agree, a brute force, and the rules by name."""

import functools
import gzip
import json
import random
from collections import Counter
from collections.abc import Iterator
from itertools import permutations
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tavla_engine.dice import Dice
from tavla_engine.errors import IllegalAction, Reason
from tavla_engine.plays import check_play, has_play, hits, legal_plays, resolve_play
from tavla_engine.position import BAR, OFF, Move, Play, Position, pips, row

from tests.support.games.brute_force import brute_force, one_die
from tests.support.tries import MANY, tries

DATA = Path(__file__).parent.parent / "data"
START_ROW = row(p24=2, p13=5, p8=3, p6=5)
START = Position(START_ROW, START_ROW)


class Case(NamedTuple):
    name: str
    position: Position
    dice: Dice
    dice_played: int
    results: set[Position]


def read_case(case: dict[str, Any]) -> Case:
    high, low = case["dice"]
    return Case(
        case.get("name") or case["id"],
        Position(bytes(case["mine"]), bytes(case["theirs"])),
        (high, low),
        case["dice_played"],
        {Position(bytes(mine), bytes(theirs)) for mine, theirs, _ in case["results"]},
    )


NAMED = [read_case(case) for case in json.loads((DATA / "legal_plays_named.json").read_text())]


SPARSE = 1 if MANY else 4  # as many times fewer cases


@functools.cache
def every_case() -> list[Case]:
    """The cases without a name: each process collects this file, and one of them needs these."""
    with gzip.open(DATA / "legal_plays.jsonl.gz", "rt") as lines:
        return [read_case(json.loads(line)) for line in lines]


@st.composite
def positions(draw: st.DrawFn) -> Position:
    checkers = draw(st.sampled_from([15, 15, 15, 3]))
    far = draw(st.sampled_from([25, 25, 12, 6]))  # the mover is all over the board, coming home, or home
    mine, theirs = bytearray(26), bytearray(26)
    for place in draw(st.lists(st.integers(0, far), min_size=checkers, max_size=checkers)):
        mine[place] += 1
    free = [place for place in range(26) if place in (OFF, BAR) or not mine[25 - place]]
    for place in draw(st.lists(st.sampled_from(free), min_size=checkers, max_size=checkers)):
        theirs[place] += 1
    return Position(bytes(mine), bytes(theirs))


dice = st.tuples(st.integers(1, 6), st.integers(1, 6))


# ---- all plays


@pytest.mark.parametrize("case", NAMED, ids=lambda case: case.name)
def test_named_edge_cases_of_the_rules(case: Case) -> None:
    plays = legal_plays(case.position, case.dice)
    assert set(plays) == case.results
    assert {len(play) for play in plays.values()} == {case.dice_played}


def test_every_case_has_exactly_the_results_that_three_programs_agree_on() -> None:
    for case in every_case():
        plays = legal_plays(case.position, case.dice)
        assert set(plays) == case.results, case
        assert {len(play) for play in plays.values()} == {case.dice_played}, case
        assert has_play(case.position, case.dice) is (case.dice_played > 0), case


@settings(deadline=None, max_examples=tries(150))
@given(positions(), dice)
def test_plays_are_those_of_the_brute_force(position: Position, roll: Dice) -> None:
    plays = legal_plays(position, roll)
    assert set(plays) == brute_force(position, roll)
    assert legal_plays(position, (roll[1], roll[0])) == plays
    assert has_play(position, roll) is (plays != {position: ()})


@given(positions(), dice)
def test_every_play_keeps_the_checkers_of_both_sides_and_runs_from_high_to_low(position: Position, roll: Dice) -> None:
    for after, play in legal_plays(position, roll).items():
        assert [sum(side) for side in after] == [sum(side) for side in position]
        assert list(play) == sorted(play, key=lambda move: -move[0])


START_COUNTS = {  # results of each roll from the standard start
    1: [42],
    2: [15, 75],
    3: [16, 17, 73],
    4: [14, 18, 17, 52],
    5: [8, 8, 9, 9, 4],
    6: [10, 14, 14, 14, 7, 11],
}


def test_the_standard_start_has_the_known_numbers_of_results() -> None:
    counts = {high: [len(legal_plays(START, (high, low))) for low in range(1, high + 1)] for high in range(1, 7)}
    assert counts == START_COUNTS


@pytest.mark.parametrize("roll", [(0, 3), (3, 7), (-1, -1), (7, 7)])
def test_a_die_shows_one_to_six(roll: Dice) -> None:
    with pytest.raises(ValueError, match="1 to 6"):
        legal_plays(START, roll)


# ---- one play


def spellings(play: Play) -> Iterator[Play]:
    """The same play with some of its steps joined: 24/23 23/18 as 24/18."""
    yield play
    for i, (source, middle) in enumerate(play):
        for j, (start, target) in enumerate(play):
            if i != j and middle == start:
                rest = [move for k, move in enumerate(play) if k not in (i, j)]
                yield from spellings((*rest, (source, target)))


def test_every_legal_play_is_accepted_in_any_order_of_its_moves() -> None:
    shuffler = random.Random(1)
    for case in every_case() + NAMED:
        for after, play in legal_plays(case.position, case.dice).items():
            moves = shuffler.sample(play, len(play))
            assert resolve_play(case.position, case.dice, moves) == (play, after), (case, moves)


def test_joined_moves_are_accepted_and_never_hit_more_than_they_need_to() -> None:
    for case in every_case()[:: 4 * SPARSE] + NAMED:
        plays = legal_plays(case.position, case.dice)
        for after, play in plays.items():
            for moves in spellings(play):
                try:
                    steps, rows = resolve_play(case.position, case.dice, moves)
                except IllegalAction as refusal:
                    assert "say which checker to hit" in str(refusal), (case, moves)  # noqa: PT017
                else:
                    assert type(rows) is tuple, "as a match's board is kept"
                    end = Position(*rows)
                    assert plays[end] == steps or len(steps) == case.dice_played, (case, moves)
                    assert end.theirs[BAR] <= after.theirs[BAR], (case, moves)


@pytest.mark.slow
def test_a_part_of_a_play_is_refused_unless_it_leads_to_a_legal_result() -> None:
    for case in every_case()[:: 8 * SPARSE] + NAMED:
        legal = list(legal_plays(case.position, case.dice).values())
        for play in legal[:20]:
            for left_out in range(len(play)):
                moves = play[:left_out] + play[left_out + 1 :]
                assert_verdict(case, legal, moves)


@pytest.mark.slow
def test_spoiled_plays_are_refused() -> None:
    spoiler = random.Random(2)
    for case in every_case()[:: 2 * SPARSE] + NAMED:
        legal = list(legal_plays(case.position, case.dice).values())
        for play in legal[:8]:
            moves = list(play)
            for _ in range(spoiler.randint(1, 2)):
                k = spoiler.randrange(len(moves) + 1)
                moves[k : k + 1] = [(spoiler.randint(-1, 26), spoiler.randint(-1, 26))] * spoiler.randint(0, 2)
            assert_verdict(case, legal, tuple(moves))


def assert_verdict(case: Case, legal: list[Play], moves: Play) -> None:
    """An accepted play leads to a legal result by moves that lead there; a refused one is no legal play."""
    try:
        steps, after = resolve_play(case.position, case.dice, moves)
    except IllegalAction as refusal:
        assert refusal.reason is Reason.ILLEGAL_PLAY  # noqa: PT017
        assert Counter(moves) not in [Counter(play) for play in legal]
    else:
        assert after in case.results
        assert moved(case.position, steps) == after
        travel = Counter(source for source, _ in steps) - Counter(target for _, target in steps)
        assert travel == Counter(source for source, _ in moves) - Counter(target for _, target in moves)


def moved(position: Position, steps: Play) -> Position:
    for source, target in steps:
        dice_that_fit = [die for die in range(1, 7) if ((source, target) in dict(one_die(position, die)))]
        assert dice_that_fit, (position, steps)
        position = dict(one_die(position, dice_that_fit[0]))[source, target]
    return position


HOSTILE = [
    [(0, 0)],
    [(26, 25), (25, 24)],
    [(-1, -4), (8, 5)],
    [(6, 9)],
    [(8, 5), (6, -1)],
    [(10**30, 5), (-(10**30), 10**30)],
    [(8, 5), (6, 5), (24, 23)],
    [(24, 23)] * 1000,
]


@pytest.mark.parametrize("moves", HOSTILE, ids=str)
@pytest.mark.parametrize("roll", [(3, 1), (1, 1)])
def test_any_integers_are_refused_in_words(moves: list[Move], roll: Dice) -> None:
    with pytest.raises(IllegalAction) as refusal:
        check_play(START, roll, moves)
    assert refusal.value.reason is Reason.ILLEGAL_PLAY
    assert 10 < len(str(refusal.value)) < 120


def test_nothing_is_the_play_only_when_nothing_can_be_played() -> None:
    for case in NAMED:
        if case.dice_played:
            with pytest.raises(IllegalAction, match="you must play"):
                check_play(case.position, case.dice, [])
        else:
            assert check_play(case.position, case.dice, []) == case.position


CLOSED = row(p6=2, p5=2, p4=2, p3=2, p2=2, p1=2, p8=3)  # the opponent's home board, seen by the opponent
RACE = row(p1=2, p24=0, off=13)
ON_THE_BAR = row(bar=1, p13=5, p8=4, p6=5)
TWO_ON_THE_BAR = row(bar=2, p13=5, p8=3, p6=5)
BEARING_OFF = row(p5=2, p3=2, off=11)

SENTENCES = [  # mine, theirs, dice, moves, what the player reads
    (START_ROW, START_ROW, (3, 1), [(8, 5)], "you must play both dice: 8/5 6/5, for example"),
    (START_ROW, START_ROW, (3, 1), [], "you must play both dice: 24/21 21/20, for example"),
    (START_ROW, START_ROW, (3, 3), [(8, 5), (6, 3)], r"you must play all four 3s: .*8/5.* 6/3, for example"),
    (START_ROW, START_ROW, (6, 5), [(24, 19), (13, 7)], "the opponent holds your 19 point"),
    (START_ROW, START_ROW, (5, 5), [(24, 14)], "the opponent holds your 19 point, on the way of 24/14"),
    (START_ROW, START_ROW, (3, 1), [(7, 4), (6, 5)], "you have no checker on your 7 point"),
    (START_ROW, START_ROW, (3, 1), [(25, 22), (6, 5)], "you have no checker on the bar"),
    (row(p24=1, p1=14), START_ROW, (2, 1), [(24, 22), (24, 23)], "you have no checker on your 24 point"),
    (START_ROW, START_ROW, (6, 3), [(13, 6)], "13/6 is not a 6, a 3 or both"),
    (START_ROW, START_ROW, (3, 3), [(13, 9)], "13/9 is not a 3 or several of them"),
    (START_ROW, START_ROW, (6, 3), [(13, 7), (8, 2)], "13/7 8/2 does not fit a 6 and a 3"),
    (START_ROW, START_ROW, (3, 1), [(8, 7), (7, 3)], "8/7 7/3 does not fit a 3 and a 1"),
    (START_ROW, START_ROW, (3, 3), [(13, 4), (8, 2)], "13/4 8/2 does not fit four 3s"),
    (START_ROW, START_ROW, (6, 1), [(6, 0), (6, 5)], "bear off only when all your checkers are home"),
    (START_ROW, START_ROW, (6, 1), [(5, 6)], "a move goes from the bar or a point down"),
    (START_ROW, START_ROW, (2, 1), [(6, 4), (6, 5), (8, 7)], "a 2-1 gives you 2 moves at most"),
    (ON_THE_BAR, START_ROW, (3, 1), [(13, 10), (6, 5)], "enter from the bar first"),
    (TWO_ON_THE_BAR, START_ROW, (3, 1), [(25, 21)], "enter all your checkers from the bar first"),
    (ON_THE_BAR, CLOSED, (3, 1), [(25, 22)], "you cannot move with 3-1: the turn passes"),
    (BEARING_OFF, RACE, (4, 1), [(3, 0), (5, 4)], "bear off from your 5 point first, or with an exact 3"),
    (BEARING_OFF, RACE, (2, 1), [(5, 0)], "2-1 is too little for 5/off"),
    (row(p24=1, p1=14), row(p12=15), (6, 5), [(24, 19)], "you must play the higher die, 6: 24/18, for ex"),
    (row(p24=1, p1=14), row(p12=15), (6, 5), [], "you must play one die: 24/18, for example"),
    (
        row(p24=1, p1=14),
        row(p2=1, p6=1, p12=13),
        (5, 1),
        [(24, 18)],
        "say which checker to hit on the way: 24/19 19/18",
    ),
]


@pytest.mark.parametrize(("mine", "theirs", "roll", "moves", "sentence"), SENTENCES, ids=lambda value: str(value)[:40])
def test_refusals_tell_the_player_what_to_do(
    mine: bytes, theirs: bytes, roll: Dice, moves: list[Move], sentence: str
) -> None:
    with pytest.raises(IllegalAction, match=sentence):
        check_play(Position(mine, theirs), roll, moves)


RUNNER = row(p24=1, p1=14)
JOINED = [  # theirs, dice, moves, steps, why this row is here
    (START_ROW, (6, 2), [(24, 16)], ((24, 18), (18, 16)), "over either point: the larger die first"),
    (row(p7=2, p9=13), (6, 2), [(24, 16)], None, "lands on a held point"),
    (row(p7=2, p13=13), (6, 2), [(24, 16)], ((24, 22), (22, 16)), "18 is held: over 22"),
    (row(p7=1, p13=14), (6, 2), [(24, 16)], ((24, 22), (22, 16)), "past the blot on 18, not over it"),
    (row(p7=1, p3=2, p13=12), (6, 2), [(24, 16)], ((24, 18), (18, 16)), "22 is held: the blot on 18 is hit"),
    (row(p7=1, p13=14), (6, 2), [(18, 16), (24, 18)], ((24, 18), (18, 16)), "step by step the blot is hit"),
    (row(p13=15), (3, 3), [(24, 15), (15, 12)], None, "12 is held"),
    (row(p14=15), (3, 3), [(24, 18), (18, 12)], ((24, 21), (21, 18), (18, 15), (15, 12)), "two and two of a double"),
    (row(p14=15), (3, 3), [(15, 12), (24, 15)], ((24, 21), (21, 18), (18, 15), (15, 12)), "three, and one before it"),
]


@pytest.mark.parametrize(("theirs", "roll", "moves", "steps", "why"), JOINED, ids=[str(case[-1]) for case in JOINED])
def test_one_move_may_use_several_dice(
    theirs: bytes, roll: Dice, moves: list[Move], steps: Play | None, why: str
) -> None:
    position = Position(RUNNER, theirs)
    if steps is None:
        with pytest.raises(IllegalAction):
            resolve_play(position, roll, moves)
    else:
        play, after = resolve_play(position, roll, moves)
        assert play == steps, why
        assert moved(position, steps) == after


def test_the_last_checker_may_go_off_with_one_die_although_two_could_be_used() -> None:
    position = Position(row(p3=1, off=14), RACE)
    assert resolve_play(position, (6, 1), [(3, 0)])[1][0] == row(off=15)
    assert resolve_play(position, (6, 1), [(3, 2), (2, 0)])[1][0] == row(off=15)


def test_a_checker_that_is_off_moves_no_further() -> None:
    for moves in [((1, 0), (0, 0)), ((0, 0), (1, 0)), ((1, 0), (0, -1))]:
        with pytest.raises(IllegalAction):
            resolve_play((row(p1=1, off=14), RACE), (6, 5), moves)


def test_hits_marks_each_blot_once() -> None:
    position = Position(row(p8=2, p6=2, p20=11), row(p20=1, p21=1, p10=13))
    assert hits(position, ((8, 5), (6, 5), (5, 4))) == (True, False, True)
    assert hits(position, ((8, 7), (6, 0))) == (False, False)


def test_hits_agrees_with_the_opponents_bar() -> None:
    for case in every_case()[::10] + NAMED:
        for after, play in legal_plays(case.position, case.dice).items():
            assert sum(hits(case.position, play)) == after.theirs[BAR] - case.position.theirs[BAR]


@settings(deadline=None)
@given(positions(), dice)
def test_every_order_of_a_play_gives_the_same_turn(position: Position, roll: Dice) -> None:
    for after, play in list(legal_plays(position, roll).items())[:5]:
        assert {resolve_play(position, roll, moves) for moves in permutations(play)} == {(play, after)}


def test_pips_are_counted_to_the_edge_from_the_bar_as_25() -> None:
    assert [pips(START_ROW), pips(row(bar=1, p1=2, off=12)), pips(row(off=15))] == [167, 27, 0]
