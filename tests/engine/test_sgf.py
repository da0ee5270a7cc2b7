"""SGF: the matches that GNU Backgammon saved, matches by chance there and back, and garbage."""

import re
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tavla_engine import events as e
from tavla_engine.errors import BadText
from tavla_engine.events import Ending, Event
from tavla_engine.mat import import_mat
from tavla_engine.match import new_match
from tavla_engine.rules import Variant, preset
from tavla_engine.sgf import export_sgf, import_sgf, sgf_facts

from tests.support.games.chance import NAMES, match_by_chance
from tests.support.games.gnubg_matches import FOLDER, shown
from tests.support.tries import tries

SGF_FILES = sorted(FOLDER.glob("*.sgf"))


@pytest.mark.parametrize("file", SGF_FILES, ids=lambda file: file.stem)
def test_a_match_that_gnubg_saved_is_the_one_of_its_mat_file(file: Path) -> None:
    record, mat = import_sgf(file.read_text()), import_mat(file.with_suffix(".mat").read_text())
    assert (record.names, record.start, record.events) == (mat.names, mat.start, mat.events)
    assert import_sgf(export_sgf(record.names, record.start, record.events, sgf_facts(record.tags))) == record


def test_the_saved_matches_are_there() -> None:
    assert len(SGF_FILES) == 9


@pytest.mark.parametrize("file", SGF_FILES, ids=lambda file: file.stem)
def test_we_write_the_moves_as_gnubg_does(file: Path) -> None:
    """The same lines; but a play may have its steps in another order, and gnubg tells of analysis in GS."""
    ours = export_sgf(*import_sgf(file.read_text())[:3])
    assert [_plain(line) for line in ours.splitlines()] == [_plain(line) for line in file.read_text().splitlines()]


def _plain(line: str) -> str:
    if turn := re.fullmatch(r"(;[WB]\[\d\d)(\w+)\]\)?", line):
        return turn[1] + " ".join(sorted(re.findall("..", turn[2])))
    properties = [part + "]" for part in line.replace(")", "").split("]") if part]
    return "".join(part for part in properties if not part.startswith(("AP", "DT", "GS", "[C:", "[D:")))


def test_a_match_without_a_game_has_none_in_its_file() -> None:
    assert export_sgf(NAMES, new_match(preset("tournament")), [e.Readied(0)]) == ""


def test_a_game_that_is_given_up_after_the_roll_keeps_its_dice() -> None:
    """Which `.mat` cannot tell: GNU Backgammon reads it there as a roll that could not be played."""
    log: list[Event] = [
        e.Readied(0),
        e.Readied(1),
        e.GameStarted(False),
        e.OpeningRolled(6, 3),
        e.ResignationOffered(0, 2),
        e.GameEnded(1, 2, 2, Ending.RESIGNATION),
    ]
    text = export_sgf(NAMES, new_match(preset("tournament")), log)
    assert text.endswith("RU[Crawford]RE[B+2R]\n;PL[W]DI[63])\n")
    assert shown(import_sgf(text).events) == shown(log)


def test_a_remark_stands_at_its_turn() -> None:
    start = new_match(preset("tournament", {"length": 1}))
    log = match_by_chance(start.rules, 1)[1]
    first = next(place for place, event in enumerate(log) if isinstance(event, e.Moved))
    text = export_sgf(NAMES, start, log, remarks={first: [("C", "a [word]"), ("BM", "1")]})
    (node,) = re.findall(r";[WB]\[\w+\]C.*", text)
    assert node.endswith("C[a [word\\]]BM[1]")
    assert import_sgf(text).events == import_sgf(export_sgf(NAMES, start, log)).events


def test_names_are_escaped_and_come_back() -> None:
    names = ("a]b\\c:d", "  Åsa  (x) ")
    rules = preset("tournament")
    text = export_sgf(names, new_match(rules), match_by_chance(rules, 1)[1], {"GC": "so ] it ended"})
    assert "PW[a\\]b\\\\c\\:d]PB[Åsa (x)]GC[so \\] it ended]" in text
    assert import_sgf(text).names == ("a]b\\c:d", "Åsa (x)")


def test_what_the_format_does_not_know_is_said() -> None:
    rules = preset("tournament", {"variant": Variant.LONGGAMMON})
    with pytest.raises(ValueError, match="knows no longgammon"):
        export_sgf(NAMES, new_match(rules), [])


BAD = [
    ("", "no SGF file"),
    ("hello", "cannot read 'hello'"),
    ("()", "no SGF file"),
    ("(;" + "x" * 11_000_000, "no more than 10000000 characters"),
    ("(;MI[length:3]", "has no end"),
    (";MI[length:3]", "no SGF file"),
    ("(;W)", "cannot read"),
    ("([x])", "no property"),
    ("(;MI[length:3]\n;W[99])", "move 1: cannot read '99'"),
    ("(;MI[length:3]\n;W[31aa])", "move 1"),
    ("(;MI[length:3]\n;W[31abab])", "game 1"),
    ("(;MI[length:99]\n;W[31])", "cannot be played"),
    ("(;MI[length:3][ws:2]\n;W[31])(;MI[length:3][ws:0])", "the game has no end, and another one follows"),
    ("(;MI[length:0]RE[W+9]\n;W[31hefe])", "resign a single game"),
]


@pytest.mark.parametrize(("text", "fault"), BAD)
def test_what_cannot_be_read_is_said(text: str, fault: str) -> None:
    with pytest.raises(BadText, match=fault):
        import_sgf(text)


def test_of_variations_the_first_is_read() -> None:
    record = import_sgf("(;GM[6]MI[length:3];W[31hefe](;B[62agln](;W[43xtmj])(;W[43xqqq]))(;B[62axac];W[66]))")
    assert sum(isinstance(event, e.Moved) for event in record.events) == 3
    assert record.notes == ("this file has variations: only the first one of each is read",)


@given(st.text() | st.text(alphabet="(;)[]WB\\31abMIRU:double", max_size=80))
@settings(max_examples=tries(300))
def test_garbage_is_refused_with_a_sentence(text: str) -> None:
    with suppress(BadText):
        import_sgf(text)


@settings(max_examples=tries(60), deadline=None)
@given(st.data())
def test_a_file_with_a_part_cut_out_never_breaks_anything(data: st.DataObject) -> None:
    text = SGF_FILES[0].read_text()
    first, second = sorted(data.draw(st.tuples(st.integers(0, len(text)), st.integers(0, len(text)))))
    with suppress(BadText):
        import_sgf(text[:first] + text[second:])
