"""The page's own rules, views and dice, compared with the engine's, the protocol's and Python's."""

import gzip
import hashlib
import hmac
import json
import random
from pathlib import Path
from typing import Any

import msgpack
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace
from tavla_engine.notation import format_play
from tavla_engine.plays import legal_plays
from tavla_engine.position import BAR, Position
from tavla_protocol.codec import pack
from tavla_protocol.messages import Analysis, Finished
from tavla_protocol.view import FIELDS, View, checksum, diff, fields

from tests.support.browser.node import ask_modules
from tests.support.games.agreed import agreed, dice_of, link
from tests.support.games.records import ID
from tests.support.wire.views import two_views

DATA = Path(__file__).parents[1] / "data"

pytestmark = pytest.mark.slow


def cases() -> list[dict[str, Any]]:
    """Positions and dice, with every legal result, from three other programs."""
    with gzip.open(DATA / "legal_plays.jsonl.gz", "rt") as file:
        return [json.loads(line) for line in file]


def test_its_legal_plays_are_those_of_three_other_programs() -> None:
    questions = cases()
    assert len(questions) == 3000
    for case, answer in zip(questions, ask_modules("plays", questions), strict=True):
        results = sorted([mine, theirs] for mine, theirs, _ in answer)
        assert results == sorted([mine, theirs] for mine, theirs, _ in case["results"]), case["id"]
        assert {steps for *_, steps in answer} == {case["dice_played"]}, case["id"]


def test_its_plays_without_hit_and_run_are_those_of_the_engine(rng: random.Random) -> None:
    questions = []
    for _ in range(300):
        mine, theirs = bytearray(26), bytearray(26)
        for point in rng.sample(range(1, 7), 2):
            theirs[BAR - point] = 1
        free = [point for point in range(26) if not point or not theirs[BAR - point]]
        for point in rng.choices(free, k=15):
            mine[point] += 1
        dice = [rng.randint(1, 6), rng.randint(1, 6)]
        questions.append({"mine": [*mine], "theirs": [*theirs], "held": [], "dice": dice})
    for case, answer in zip(questions, ask_modules("plays", questions), strict=True):
        position = Position(bytes(case["mine"]), bytes(case["theirs"]))
        plays = legal_plays(position, (case["dice"][0], case["dice"][1]), hit_and_run=False)
        assert sorted([mine, theirs] for mine, theirs, _ in answer) == sorted(
            [[*one], [*other]] for one, other in plays
        )


def test_every_target_that_it_marks_belongs_to_a_legal_play_and_none_is_missing(rng: random.Random) -> None:
    """Fifty positions: whatever is tapped, the turn can be made legal; and every first step is marked."""
    questions = rng.sample([case for case in cases() if case["dice_played"]], 50)
    for case, answer in zip(questions, ask_modules("goals", questions), strict=True):
        position = Position(bytes(case["mine"]), bytes(case["theirs"]))
        plays = legal_plays(position, tuple(case["dice"]))
        ends = {(tuple(mine), tuple(theirs)) for mine, theirs, _ in case["results"]}
        for start, goal, end in answer:
            assert (tuple(end["mine"]), tuple(end["theirs"])) in ends, (case["id"], start, goal)
        marked = {(start, goal) for start, goal, _ in answer}
        for play in plays.values():
            assert tuple(play[0]) in marked, (case["id"], play)


TYPED = [  # dice, text, what comes of it: moves, and whether that is a whole turn; None = not allowed
    ([3, 1], "8/5 6/5", [[8, 5], [6, 5]], True),
    ([3, 1], "8/5", [[8, 5]], False),
    ([6, 5], "24/13", [[24, 18], [18, 13]], True),
    ([6, 5], "24/18/13", [[24, 18], [18, 13]], True),
    ([1, 1], "8/7(2) 6/5(2)", [[8, 7], [8, 7], [6, 5], [6, 5]], True),
    ([3, 1], "8/4 6/5", None, False),
    ([3, 1], "13/12 7/", None, False),
    ([3, 1], "bar/22", None, False),
    ([5, 5], "24/19", None, False),
    ([3, 1], "", [], False),
    ([3, 1], "8 6", [[8, 5], [6, 5]], True),
    ([1, 1], "8(2) 6(2)", [[8, 7], [8, 7], [6, 5], [6, 5]], True),
    ([3, 1], "8 6 6", None, False),
    ([3, 1], "7 6", None, False),
]


@pytest.mark.parametrize(("dice", "text", "moves", "done"), TYPED)
def test_a_turn_can_be_typed(dice: list[int], text: str, moves: list[list[int]] | None, done: bool) -> None:
    start = [0] * 26
    start[24], start[13], start[8], start[6] = 2, 5, 3, 5
    (answer,) = ask_modules("typed", [{"mine": start, "theirs": start, "dice": dice, "text": text}])
    assert answer == (None if moves is None else {"moves": moves, "done": done})


def test_a_checker_is_typed_in_from_the_bar_and_off() -> None:
    entering, empty, home, outside = [0] * 26, [0] * 26, [0] * 26, [0] * 26
    entering[25], entering[6], home[6], home[5] = 1, 14, 14, 1
    outside[12], outside[11], empty[1] = 1, 2, 15
    questions = [
        {"mine": entering, "theirs": empty, "dice": [3, 2], "text": "bar/22 6/4"},
        {"mine": home, "theirs": empty, "dice": [6, 5], "text": "6/off 5/off"},
        {"mine": outside, "theirs": empty, "dice": [6, 6], "text": "12/off 11/5(2)"},  # as it is written
    ]
    entered, borne_off, last = ask_modules("typed", questions)
    assert entered == {"moves": [[25, 22], [6, 4]], "done": True}
    assert borne_off == {"moves": [[6, 0], [5, 0]], "done": True}
    assert last == {"moves": [[12, 6], [11, 5], [11, 5], [6, 0]], "done": True}


def test_it_writes_plays_as_the_engine_does_and_takes_them_as_they_are_written(rng: random.Random) -> None:
    questions, written = [], []
    for case in rng.sample(cases(), 200):
        position = Position(bytes(case["mine"]), bytes(case["theirs"]))
        for play in legal_plays(position, tuple(case["dice"])).values():
            text = format_play(position, play)
            board = {name: case[name] for name in ("mine", "theirs", "dice")}
            questions.append({**board, "moves": list(play), "text": text})
            written.append([text] * 2)
    assert ask_modules("notation", questions) == written
    for question, answer in zip(questions, ask_modules("typed", questions), strict=True):
        assert answer, question


def test_its_view_has_the_fields_of_the_protocol() -> None:
    known = ask_modules("fields", [None])[0]
    assert known == list(FIELDS[: len(known)]), "their codes in a diff; later ones it passes over"


@settings(max_examples=10)
@given(pairs=st.lists(two_views(), min_size=1, max_size=40))
def test_its_patched_views_have_the_checksums_of_the_protocol(pairs: list[Any]) -> None:
    questions = [{"before": pack(fields(a)).hex(), "diff": pack(diff(a, b)).hex()} for a, b in pairs]
    assert ask_modules("patched", questions) == [checksum(after) for _, after in pairs]


def test_its_sha256_and_hmac_are_those_of_python(rng: random.Random) -> None:
    messages = [rng.randbytes(length) for length in [*range(130), 1000, 10_000]]
    hashes = [hashlib.sha256(message).hexdigest() for message in messages]
    assert ask_modules("sha256", [message.hex() for message in messages]) == hashes
    keyed = [(rng.randbytes(rng.randint(1, 64)), message) for message in messages]
    macs = [hmac.digest(key, message, "sha256").hex() for key, message in keyed]
    assert ask_modules("hmac", [(key.hex(), message.hex()) for key, message in keyed]) == macs


def test_its_dice_are_those_of_the_engine(rng: random.Random) -> None:
    seeds, last = (rng.randbytes(16).hex(), ""), rng.randbytes(32)
    view = agreed(View(rules={"length": 7}), last, seeds)
    dice = dice_of(ID, view, last, seeds)
    asked = [(rng.randint(1, 20), k) for k in range(1, 300)]
    shown = replace(view, seeds=seeds, seed=link(last, 20))
    (answer,) = ask_modules("roll", [{"match": ID, "view": pack(fields(shown)).hex(), "asked": asked}])
    assert answer == [list(dice.of_link(game).roll(k)) for game, k in asked]


VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**53) + 1, 2**53 - 1)
    | st.integers(-(2**30), 2**30).map(lambda value: value + 0.5)
    | st.text(max_size=40)
    | st.binary(max_size=40),
    lambda inner: st.lists(inner, max_size=5) | st.dictionaries(st.text("abcé€", max_size=40), inner, max_size=5),
)


@settings(max_examples=5)
@given(values=st.lists(VALUES, min_size=1, max_size=20))
def test_its_messagepack_is_that_of_the_protocol(values: list[Any]) -> None:
    packed = [msgpack.packb(value).hex() for value in values]
    assert ask_modules("recoded", packed) == packed


EDGES = [2**bits + off for bits in (5, 7, 8, 15, 16, 31, 32, 52) for off in (-1, 0, 1)]
LENGTHS = [0, 15, 16, 31, 32, 255, 256, 65_535, 65_536]


def test_its_messagepack_is_that_of_the_protocol_where_types_change() -> None:
    numbers = [*EDGES, *(-edge for edge in EDGES), 2**53 - 1, -(2**53) + 1, 0.1, -1e300, 1e-300]
    long = [what for size in LENGTHS for what in ("é" * size, b"x" * size, [None] * size)]
    maps = [{f"k{key}": key for key in range(size)} for size in LENGTHS]
    packed = [msgpack.packb(value).hex() for value in [*numbers, *long, *maps]]
    for before, after in zip(packed, ask_modules("recoded", packed), strict=True):
        assert after == before, before[:40]


def test_messagepack_that_ends_before_its_end_is_refused() -> None:
    values = [{"a": [1, -200, 2**40, 0.5, None, True]}, "long " * 60, b"bytes" * 60, list(range(40))]
    assert ask_modules("cut", [msgpack.packb(value).hex() for value in values]) == [False] * len(values)


JUDGED: list[tuple[Analysis | None, str]] = [
    (None, ""),
    (
        Analysis(by="house 1", ratings=(5.23, None), luck=(0.1, -0.256)),
        "PR – / 5.2 · luck −0.26 / +0.10 · judged by house 1",
    ),
    (Analysis(error="given up after 5 tries"), "not judged: given up after 5 tries"),
]


@pytest.mark.parametrize(("analysis", "said"), JUDGED)
def test_how_well_a_match_was_played_is_said_with_ones_own_figures_first(analysis: Analysis | None, said: str) -> None:
    finished = Finished(
        match="k3v7q2xa",
        table="sofa",
        seat=1,
        players=("ada", "bob"),
        kinds=("guest", "guest"),
        ending="borne_off",
        started=0,
        ended=1,
        analysis=analysis,
    )
    assert ask_modules("judged", [pack(finished).hex()]) == [said]


def pairing(round_: int, *players: str, winner: int | None = None, bracket: int = 0) -> dict[str, object]:
    return {"round": round_, "players": players, "winner": winner, "over": winner is not None, "bracket": bracket}


def test_a_bracket_shows_what_is_to_come_with_the_winners_that_are_known() -> None:
    """Of five: one match and three byes, then two; a row 10 comes after a row 9."""
    rows = [
        pairing(1, "ada"),
        pairing(1, "eve", "dan", winner=1),
        pairing(1, "bob"),
        pairing(1, "cem"),
        pairing(2, "ada", "dan", winner=0),
        pairing(2, "bob", "cem"),
        pairing(2, "eve", bracket=1),
    ]
    pairings = {str(number): one for number, one in enumerate(rows, 5)}
    main, consolation = ask_modules("bracket", [[pairings, 0, 3], [pairings, 1, 0]])
    assert main == [
        [[["ada"], "ada"], [["eve", "dan"], "dan"], [["bob"], "bob"], [["cem"], "cem"]],
        [[["ada", "dan"], "ada"], [["bob", "cem"], ""]],
        [[["ada", ""], ""]],
    ]
    assert consolation == [[[["eve"], "eve"]]]


def test_standings_are_ordered_by_points_then_tiebreaks_then_performance() -> None:
    rows = {
        "ada": {"points": 2, "tiebreaks": [3, 1], "performance": 1700, "match": "m1"},
        "bob": {"points": 2, "tiebreaks": [3, 2], "performance": 1500, "match": "m2"},
        "cem": {"points": 3, "tiebreaks": [0, 0], "match": "m1"},
        "dan": {"points": 2, "tiebreaks": [3, 1], "performance": 1800, "match": "m2"},
        "eve": {"rating": 1600},
        "fay": {},
    }
    assert ask_modules("standings", [rows]) == [
        [[1, "cem"], [2, "bob"], [3, "dan"], [4, "ada"], [5, "eve"], [6, "fay"]]
    ]
    assert ask_modules("boards", [rows]) == [[["m1", "cem", "ada"], ["m2", "bob", "dan"]]]


def test_a_limit_is_waited_for_unless_that_takes_longer_than_anybody_looks_on() -> None:
    answers = ask_modules("patience", [[0.5, 60], [0.5, 3600]])
    assert answers == [["answered", [500, 60_000]], ["too_many", [500]]]
