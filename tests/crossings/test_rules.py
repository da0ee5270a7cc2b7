"""Rules of a game where they meet a program: gym, position IDs, the page and the terminal, in every preset."""

import itertools
import math
import random
from typing import NamedTuple, Self

import msgspec
import numpy as np
import pytest
from tavla_cli.input.match_commands import resignable
from tavla_cli.records.steps import view_of
from tavla_cli.text.cube import may_beaver
from tavla_engine.actions import AcceptResignation, Forfeit, Move, Resign
from tavla_engine.conditions import to_act
from tavla_engine.errors import IllegalAction
from tavla_engine.events import Ending
from tavla_engine.fairness import expected_face, expected_rolls, face_margin, faces, margin, tables_per_alarm
from tavla_engine.match import Cube, Outcome, Phase
from tavla_engine.plays import check_play, has_play, legal_plays
from tavla_engine.position import BAR, Position, row
from tavla_engine.rules import PRESETS
from tavla_engine.rules import preset as preset_of
from tavla_engine.xgid import parse_xgid
from tavla_gym import BackgammonAEC, Choice
from tavla_gym.table import FACES
from tavla_protocol.codec import pack
from tavla_protocol.view import fields

from tests.support.browser.node import ask_modules, need_node
from tests.support.games.chance import states_by_chance
from tests.support.games.engine import after, on_roll

START = "-b----E-C---eE---c-e----B-"
MASKS = 1500  # with those of single moves that let a hitter run on, one of some hundred was wrong


@pytest.mark.parametrize("preset", PRESETS)
def test_single_moves_keep_a_hitter_at_home_where_the_rules_do(preset: str) -> None:
    env, rng = BackgammonAEC(preset, {"cube": False}, "moves"), np.random.default_rng(1)
    table, ran_on = env.table, 0
    for number in range(MASKS):
        if not number or table.over:
            env.reset(seed=number)
        turn = table.turn
        assert turn is not None, "without a cube there is nothing but plays"
        blots = {point for point in range(1, 7) if table.match.position.theirs[BAR - point] == 1}
        hitters = {target for _, target in turn.moves if target in blots and turn.position.mine[target] == 1}
        sources = {1 + (option - Choice.PLAY) // FACES for option in table.options}
        ran_on += bool(sources & hitters)
        table.choose(int(rng.choice(list(table.options))))
    assert bool(ran_on) == PRESETS[preset].rules.hit_and_run


CAPS = [  # cube, owner, turn, dice, scores, flags, length and cap of an XGID; the cube; why
    ("2:1:1:00:0:0:0:7:0", Cube(4, 0, turned=True), "at 4, and no cube"),
    ("2:1:1:31:0:0:3:0:0", Cube(4, 0, turned=True), "the same for money, with the Jacoby rule"),
    ("2:0:1:00:0:0:0:7:1", Cube(4), "at 4, and a cap of 2"),
    ("1:-1:-1:D:0:0:0:7:1", Cube(2, 1, turned=True), "a double beyond the cap"),
    ("0:0:1:D:0:0:0:7:0", Cube(), "a double, and no cube"),
    ("0:1:1:00:0:0:0:7:0", Cube(1, 0, turned=True), "an owner, and no cube"),
]


@pytest.mark.parametrize(("fields", "cube", "why"), CAPS)
def test_a_cap_below_the_cube_says_nothing(fields: str, cube: Cube, why: str) -> None:
    match = parse_xgid(f"XGID={START}:{fields}")
    assert (match.cube, match.rules.cube, match.rules.cube_cap) == (cube, True, 0), why


def test_the_page_reads_caps_as_the_engine_does() -> None:
    need_node()
    for read, (_, cube, why) in zip(ask_modules("setup", [f"{START}:{one[0]}" for one in CAPS]), CAPS, strict=True):
        owner = -1 if cube.owner is None else cube.owner
        assert (read["cube"], read["owner"], read["cap"]) == (cube.value, owner, 2**32), why


BOARDS, SEED = 150, 3


LOSSES = [  # preset, cube, whether seat 0 has borne off, kinds of loss that seat 0 may offer
    ("tournament", Cube(), False, 3),
    ("tournament", Cube(), True, 1),
    ("money", Cube(), False, 1),
    ("money", Cube(2, 0, turned=True), False, 3),
    ("tavla", Cube(), False, 2),
    ("portes", Cube(), False, 2),
    ("club", Cube(64, turned=True), False, 3),
    ("seats", Cube(), False, 3),
]


def test_only_losses_that_count_are_offered_in_page_and_terminal() -> None:
    """And the engine takes each of them for as much."""
    need_node()
    questions, expected = [], []
    for preset, cube, is_off, most in LOSSES:
        match = on_roll(PRESETS[preset].rules, cube=cube)
        if is_off:
            match = msgspec.structs.replace(match, board=(row(off=1, p1=14), match.board[1]))
        view = view_of(match)
        assert len(resignable(view, 0)) == most, preset
        for value in range(1, most + 1):
            ended = after(after(match, Resign(0, value)), AcceptResignation(1)).outcome
            assert ended == Outcome(1, value * cube.value, value, Ending.RESIGNATION)
        questions.append({"hex": pack(fields(view)).hex(), "seat": 0})
        expected.append([1, 2, 3][:most])
    assert ask_modules("resignable", questions) == expected


BEAVERS = [  # options of money play; most redoubles after one double, as a view tells of them
    {"beavers": 0},
    {"beavers": 1},
    {"beavers": 1, "cube_cap": 4},
    {"beavers": 2, "cube_cap": 8},
]


def test_a_beaver_is_offered_where_one_may_follow_in_page_and_terminal() -> None:
    """A view tells one redouble from none, and two from one by whose offer it is: with one at most that is all."""
    need_node()
    questions, answers = [], []
    for changes in BEAVERS:
        rules = preset_of("money", changes)
        for match in states_by_chance(rules, seed=4, count=400):
            if match.phase is Phase.CUBE and match.offer is not None:
                view = view_of(match)
                may = match.offer.beavers < rules.beavers and 4 * match.cube.value <= rules.cube_limit
                if rules.beavers < 2:
                    assert may_beaver(view) == may
                questions.append(pack(fields(view)).hex())
                answers.append(may_beaver(view))
    assert {True, False} == set(answers)
    assert ask_modules("mayBeaver", questions) == answers


class Steps(NamedTuple):
    """Single checkers of a position as a person moves them, by the rules of one die after the other.

    held: without hit-and-run, points where this turn has hit; None = hitters may go on.
    """

    mine: tuple[int, ...]
    theirs: tuple[int, ...]
    held: frozenset[int] | None

    def on(self, start: int, die: int) -> Self | None:
        """The position after a move; None = it cannot be."""
        mine, theirs, end = [*self.mine], [*self.theirs], max(0, start - die)
        highest = max(point for point in range(26) if mine[point])
        if not mine[start] or (mine[BAR] and start != BAR) or (end and theirs[BAR - end] > 1):
            return None
        if self.held is not None and start in self.held and mine[start] == 1:
            return None
        if not end and (highest > 6 or (start < die and start != highest)):
            return None
        mine[start] -= 1
        mine[end] += 1
        held = self.held
        if end and theirs[BAR - end]:
            theirs[BAR - end], theirs[BAR] = 0, theirs[BAR] + 1
            held = held if held is None or end > 6 else held | {end}
        return type(self)(tuple(mine), tuple(theirs), held)

    def reach(self, dice: tuple[int, ...], start: int, end: int) -> bool:
        """True if one checker gets from a point to another one."""
        if start == end:
            return True
        for index, die in enumerate(dice):
            after = self.on(start, die) if start > end else None
            if after and after.reach((*dice[:index], *dice[index + 1 :]), max(0, start - die), end):
                return True
        return False


def is_true(why: str, at: Steps, dice: tuple[int, ...], start: int | None, end: int) -> bool:
    """True if a reason for a refusal holds. start: None = the checker at `end` was to be chosen."""
    mine, theirs, _ = at
    free = at._replace(held=None)
    sums = {sum(some) for count in range(1, len(dice) + 1) for some in itertools.combinations(dice, count)}
    outside = sum(mine[7:]) - (1 if start and start > 6 else 0)
    point = end if start is None else start
    moves = [die for die in set(dice) if at.on(point, die)] if point else []
    reached = bool(moves) if start is None else at.reach(dice, start, end)
    holds = {
        "bar": mine[BAR] > (start == BAR),
        "theirs": not mine[end] and end < BAR and theirs[BAR - end] > 0,
        "empty": not mine[end],
        "stuck": all(point > die and theirs[BAR - point + die] > 1 for die in dice),
        "back": start is not None and end >= start,
        "closed": 0 < end < BAR and theirs[BAR - end] > 1,
        "far": start is not None and start - end not in sums,
        "short": not end and (start is None or sum(dice) < start),
        "way": start is not None and start - end in sums and not free.reach(dice, start, end),
        "home": outside > 0,
        "higher": not reached and not outside,
        "stay": not reached and (free.reach(dice, start, end) if start else any(free.on(end, die) for die in dice)),
        "both": reached,
        "larger": reached,
    }
    return holds[why]


@pytest.mark.slow
@pytest.mark.parametrize("hit_and_run", [True, False])
def test_the_page_s_reasons_for_refused_moves_are_true(hit_and_run: bool) -> None:
    """Boards by chance, most with blots and closed points; every move of one checker that is not allowed."""
    need_node()
    rng = random.Random(SEED)
    boards = [board_by_chance(rng) for _ in range(BOARDS)]
    held: list[int] | None = None if hit_and_run else []
    questions = [{"mine": mine, "theirs": theirs, "held": held, "dice": dice} for mine, theirs, dice in boards]
    given = set()
    for (mine, theirs, dice), answers in zip(boards, ask_modules("reasons", questions), strict=True):
        at = Steps(tuple(mine), tuple(theirs), None if hit_and_run else frozenset())
        played = tuple(dice * 2 if dice[0] == dice[1] else dice)
        for start, end, why in answers if has_play((bytes(mine), bytes(theirs)), (dice[0], dice[1])) else []:
            assert is_true(why, at, played, start, end), (why, start, end, mine, theirs, dice)
            given.add(why)
    assert ("stay" in given) is not hit_and_run
    assert {"bar", "back", "closed", "far", "way", "both", "higher", "home", "short", "stuck"} <= given


OPENING = PRESETS["tournament"].rules.start
HITTER = row(p8=2, p6=10, p3=3), row(p20=1, p18=2, p2=12)  # 8/5* with the 3; 7 is closed
TAPS = [  # rows, dice, chosen point, point that is tapped, beginning of what is said
    (OPENING, [3, 1], None, 0, "A checker may leave the board when"),
    (OPENING, [3, 1], 13, 14, "Checkers never go back"),
    (OPENING, [3, 1], 13, 11, "That is 2 away, and your dice have 3, 1"),
    (OPENING, [5, 5], None, 24, "From the 24 point every die leads to a closed point"),
    (OPENING, [3, 1], None, 20, ""),
    (OPENING, [3, 1], None, 13, ""),
    (HITTER, [3, 1], 8, 4, "A checker that has hit on your points 1 to 6 stays there"),
]


def test_a_tap_that_does_nothing_is_answered_with_the_reason() -> None:
    """In a match, a puzzle and a review by the same words; a point without a checker of ours is no move."""
    need_node()
    questions = [
        {"mine": [*mine], "theirs": [*theirs], "held": [], "dice": dice, "chosen": chosen, "point": point}
        for (mine, theirs), dice, chosen, point, _ in TAPS
    ]
    for said, (*_, wanted) in zip(ask_modules("refusedTap", questions), TAPS, strict=True):
        assert said.startswith(wanted), (said, wanted)
        assert bool(said) == bool(wanted), said


def test_a_typed_hit_and_run_is_refused_for_what_it_is() -> None:
    """Plays that portes allows and tavla does not, as the terminal hands them on."""
    rng, refused = random.Random(SEED), 0
    for mine, theirs, (one, two) in (board_by_chance(rng) for _ in range(2 * BOARDS)):
        position = Position(bytes(mine), bytes(theirs))
        kept = legal_plays(position, (one, two), hit_and_run=False)
        for end, play in legal_plays(position, (one, two)).items():
            if end not in kept:
                refused += 1
                with pytest.raises(IllegalAction, match="a checker that has hit on your points 1 to 6 stays"):
                    check_play(position, (one, two), play, hit_and_run=False)
    assert refused > 10


def board_by_chance(rng: random.Random) -> tuple[list[int], list[int], list[int]]:
    """Checkers of the player on roll, the opponent's, and dice."""
    mine, theirs = [0] * 26, [0] * 26
    highest = rng.choice([6, 9, 24])  # some bear off
    for _ in range(rng.randint(3, 7)):
        point = rng.randint(1, 24)
        theirs[BAR - point] = rng.choice([1, 2, 2])
    free = [point for point in range(1, highest + 1) if not theirs[BAR - point]] or [BAR]
    for point in rng.choices(free, k=rng.randint(1, 9)):
        mine[point] += 1
    mine[BAR] += rng.choice([0, 0, 0, 1, 2])
    mine[0], theirs[0] = 15 - sum(mine), 15 - sum(theirs)
    return mine, theirs, [rng.randint(1, 6), rng.randint(1, 6)]


# --- positions that were set up, and that no play leads to ---

LOCKED = "a" + "B" * 6 + "-" * 12 + "b" * 6 + "A"  # both on the bar before closed boards


@pytest.mark.parametrize("preset", PRESETS)
def test_where_nobody_can_ever_move_each_pass_is_asked_for(preset: str) -> None:
    """And a player may resign, or forfeit: dice that are rolled by themselves would go on for ever."""
    rules = PRESETS[preset].rules
    match = parse_xgid(f"XGID={LOCKED}:0:0:1:63:0:0:0:0:0")
    match = msgspec.structs.replace(match, rules=rules, auto_roll=(True, True), auto_play=(True, True))
    for seat in (0, 1, 0):
        assert to_act(match) == (seat,)
        match = after(match, Move(seat, ()), (6, 3))
    assert match.phase is Phase.MOVE
    assert after(match, Forfeit(1)).outcome is not None
    if rules.resignations:
        assert after(after(match, Resign(1, 1)), AcceptResignation(0)).outcome is not None


# --- fair dice and their bounds, in engine and page ---


def outside_exactly(trials: int, p: float, low: float, high: float) -> float:
    """Chance that a binomial count is outside, summed."""

    def chance(count: int) -> float:
        choose = math.lgamma(trials + 1) - math.lgamma(count + 1) - math.lgamma(trials - count + 1)
        return math.exp(choose + count * math.log(p) + (trials - count) * math.log1p(-p))

    return sum(chance(count) for count in range(trials + 1) if not low <= count <= high)


@pytest.mark.parametrize(("rolls", "tables"), [(1_000, 189), (10_000, 342), (30_000, 364)])
def test_fair_dice_are_outside_as_seldom_as_it_says(rolls: int, tables: int) -> None:
    mean, off, face, face_off = expected_rolls(rolls), margin(rolls), expected_face(rolls), face_margin(rolls)
    pair = outside_exactly(rolls, 1 / 36, mean - off, mean + off)
    one = outside_exactly(2 * rolls, 1 / 6, face - face_off, face + face_off)
    assert tables_per_alarm(rolls) == pytest.approx(tables, abs=1)
    assert tables_per_alarm(rolls) == pytest.approx(1 / (36 * pair + 6 * one), rel=0.06), "counts are whole numbers"


def test_five_per_cent_more_sixes_are_seen_in_thirty_thousand_rolls() -> None:
    """By the faces in nine tables of ten, by the 36 outcomes alone in two."""
    rolls, six = 30_000, 1.05 / 6
    die = np.array([(1 - six) / 5] * 5 + [six])
    tables = np.random.default_rng(1).multinomial(rolls, np.outer(die, die).ravel(), size=400).tolist()
    pairs = sum(any(abs(count - expected_rolls(rolls)) > margin(rolls) for count in table) for table in tables)
    by_face = sum(
        any(abs(count - expected_face(rolls)) > face_margin(rolls) for count in faces(table)) for table in tables
    )
    assert by_face > 340
    assert pairs < 140


def test_the_page_has_the_bounds_of_the_engine() -> None:
    need_node()
    tables = np.random.default_rng(2).integers(0, 900, (20, 36)).tolist()
    for counts, (shown, *figures) in zip(tables, ask_modules("fairness", tables), strict=True):
        rolls = sum(counts)
        assert shown == faces(counts)
        pair, face = (expected_rolls(rolls), margin(rolls)), (expected_face(rolls), face_margin(rolls))
        bounds = [mean + sign * off for mean, off in (pair, face) for sign in (-1, 1)]
        assert figures == pytest.approx([*bounds, tables_per_alarm(rolls)], rel=1e-3)
