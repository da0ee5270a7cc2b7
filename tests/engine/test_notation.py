"""Plays as people write them."""

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tavla_engine.errors import BadText
from tavla_engine.notation import MAX_TEXT, format_moves, format_play, parse_play
from tavla_engine.plays import check_play, legal_plays
from tavla_engine.position import Move, Position, row
from tavla_engine.positionid import parse_position_id

from tests.support.games.gnubg_matches import JSON_FILES

READINGS: list[tuple[str, tuple[Move, ...]]] = [
    ("8/5 6/5", ((8, 5), (6, 5))),
    ("8 5 6 5", ((8, 5), (6, 5))),
    ("bar 20 13 8", ((25, 20), (13, 8))),
    ("6 o 5 off", ((6, 0), (5, 0))),
    ("bar-20, 6-o", ((25, 20), (6, 0))),
    ("8/5* 6/5", ((8, 5), (6, 5))),
    ("8/5,6/5", ((8, 5), (6, 5))),
    ("  8/5 ,\t6/5\n", ((8, 5), (6, 5))),
    ("8-5; 6-5", ((8, 5), (6, 5))),
    ("bar/22*", ((25, 22),)),
    ("BAR/22", ((25, 22),)),
    ("b/22", ((25, 22),)),
    ("25/22", ((25, 22),)),
    ("6/off", ((6, 0),)),
    ("6/Off 5/o 4/0", ((6, 0), (5, 0), (4, 0))),
    ("13/8(3)", ((13, 8),) * 3),
    ("6/1*(2)", ((6, 1),) * 2),
    ("6/1(2)*", ((6, 1),) * 2),
    ("24/13", ((24, 13),)),
    ("24/18/13", ((24, 18), (18, 13))),
    ("24/18*/13*", ((24, 18), (18, 13))),
    ("bar/24/23(2)", ((25, 24), (24, 23)) * 2),
    ("", ()),
    (" ", ()),
]

REFUSALS = [  # text, what the answer says
    ("hello", "hello"),
    ("24", "one point"),
    ("24/", "cannot read '24/'"),
    ("x" * 100, f"cannot read '{'x' * 59}: write"),
    ("/off", "cannot read '/off'"),
    ("8/5 6/x", "cannot read '6/x'"),
    ("26/20", "cannot read '26/20'"),
    ("013/8", "cannot read"),
    ("８/５", "cannot read"),
    ("13/8(5)", "cannot read"),
    ("13/8(", "cannot read"),
    ("8/13", "higher point to a lower"),
    ("8/8", "higher point to a lower"),
    ("off/3", "higher point to a lower"),
    ("4/3/2/1/0 6/5", "no more than 4 moves"),
    ("13/8(4) 6/1", "no more than 4 moves"),
    ("8/5 " * 1000, f"no more than {MAX_TEXT} characters"),
]

BLOTS = row(p24=1, p20=1, p18=1, p10=1, p6=11)  # of the opponent: our points 1, 5, 7 and 15
PRINTS: list[tuple[tuple[Move, ...], str, str]] = [
    (((6, 4), (13, 11)), "13/11 6/4", "from high to low"),
    (((13, 10), (13, 12)), "13/12 13/10", "the longer move of one point comes last"),
    (((24, 18), (18, 13)), "24/13", "one checker's moves are joined"),
    (((18, 13), (24, 18)), "24/13", "in whatever order they come"),
    (((13, 7), (7, 4)), "13/7*/4", "a hit on the way is shown"),
    (((13, 7), (7, 5)), "13/7*/5*", "two hits"),
    (((25, 20), (6, 0)), "bar/20 6/off", "the bar and off have names"),
    (((6, 1), (6, 1)), "6/1*(2)", "repeated, though only the first one hits"),
    (((8, 7), (8, 7), (7, 6), (7, 6)), "8/7*/6 8/6", "ways that differ are not counted together"),
    (((6, 5), (6, 5), (6, 5), (6, 5)), "6/5*(4)", "four times"),
    (((24, 22), (24, 22), (22, 20), (13, 11)), "24/20 24/22 13/11", "the joined one first"),
    (((24, 13),), "24/13", "a move that was joined before"),
    ((), "", "nothing could be played"),
]


@pytest.mark.parametrize(("text", "moves"), READINGS)
def test_the_usual_spellings_are_read(text: str, moves: tuple[Move, ...]) -> None:
    assert parse_play(text) == moves


@pytest.mark.parametrize(("text", "reason"), REFUSALS)
def test_what_cannot_be_read_is_named(text: str, reason: str) -> None:
    with pytest.raises(BadText) as caught:
        parse_play(text)
    assert reason in str(caught.value)


@pytest.mark.parametrize(("moves", "text", "why"), PRINTS)
def test_plays_are_written_in_the_usual_order(moves: tuple[Move, ...], text: str, why: str) -> None:
    assert format_play(Position(row(p24=4, p13=4, p8=2, p6=4, bar=1), BLOTS), moves) == text, why


def test_for_programs_each_move_is_written_by_itself() -> None:
    assert format_moves(((25, 20), (20, 14), (6, 0))) == "bar/20 20/14 6/off"


@pytest.mark.parametrize("file", JSON_FILES, ids=lambda file: file.stem)
def test_plays_of_recorded_matches_are_written_as_gnu_backgammon_does(file: Path) -> None:
    for game in json.loads(file.read_text())["games"]:
        for decision in game["decisions"]:
            if decision["action"] != "move":
                continue
            position = parse_position_id(decision["position_id"])
            steps = tuple((source, target) for source, target in decision["checker_moves"])
            assert format_play(position, steps) == decision["move"]
            after = check_play(position, tuple(decision["dice"]), steps)
            assert check_play(position, tuple(decision["dice"]), parse_play(decision["move"])) == after


@given(st.sampled_from(JSON_FILES), st.data())
def test_any_legal_play_comes_back_from_its_text(file: Path, data: st.DataObject) -> None:
    game = data.draw(st.sampled_from(json.loads(file.read_text())["games"]))
    decision = data.draw(st.sampled_from(game["decisions"]))
    position = parse_position_id(decision["position_id"])
    dice = data.draw(st.tuples(st.integers(1, 6), st.integers(1, 6)))
    after, play = data.draw(st.sampled_from(list(legal_plays(position, dice).items())))
    if play:
        assert check_play(position, dice, parse_play(format_play(position, play))) == after


@given(st.text() | st.text("bar0123456789/-off*() ,"))
def test_any_text_is_read_or_refused(text: str) -> None:
    try:
        moves = parse_play(text)
    except BadText:
        return
    assert all(25 >= source > target >= 0 for source, target in moves)
