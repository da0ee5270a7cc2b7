"""SGF: the matches that GNU Backgammon saved, matches by chance there and back, and garbage."""

import re
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tavla_engine import actions as a
from tavla_engine import events as e
from tavla_engine.decide import decide
from tavla_engine.errors import BadText
from tavla_engine.events import Ending, Event
from tavla_engine.mat import export_mat, import_mat
from tavla_engine.match import Phase, new_match
from tavla_engine.plays import legal_plays
from tavla_engine.questions import no_double, to_act
from tavla_engine.rules import Rules, Variant, preset
from tavla_engine.sgf import export_sgf, import_sgf

from tests.support.games.chance import match_by_chance
from tests.support.games.engine import replayed
from tests.support.games.gnubg_matches import FOLDER, shown

NAMES = ("White", "Black")
SGF_FILES = sorted(FOLDER.glob("*.sgf"))


@pytest.mark.parametrize("file", SGF_FILES, ids=lambda file: file.stem)
def test_a_match_that_gnubg_saved_is_the_one_of_its_mat_file(file: Path) -> None:
    record, mat = import_sgf(file.read_text()), import_mat(file.with_suffix(".mat").read_text())
    assert (record.names, record.start, record.events) == (mat.names, mat.start, mat.events)
    assert import_sgf(export_sgf(record.names, record.start, record.events)) == record


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


RULES: list[Rules] = [
    preset("tournament"),
    preset("tournament", {"length": 1}),
    preset("tournament", {"length": 3, "variant": "nackgammon", "crawford": False}),
    preset("money"),
    preset("money", {"beavers": 3, "automatic_doubles": 2, "jacoby": False}),
    preset("money", {"variant": "hypergammon", "cube": False}),
    preset("club"),
    preset("mpgn"),
    preset("seats"),
    preset("tavla"),
    preset("portes"),
    preset("tavla", {"length": 0}),
    preset("seats", {"cube": False}),
    preset("seats", {"cube_cap": 1024}),
    preset("club", {"cube_cap": 2**31, "automatic_doubles": 12}),
]


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("rules", RULES)
def test_any_match_comes_back(rules: Rules, seed: int) -> None:
    match, log = match_by_chance(rules, seed)
    record = import_sgf(export_sgf(NAMES, new_match(rules), log))
    assert record.start == new_match(rules._replace(hints=False))
    assert record.names == NAMES
    assert shown(record.events) == shown(log)
    assert record.match.score == match.score
    assert replayed(record.start, record.events) == record.match


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


def test_a_cube_beyond_a_thousand_million_comes_back() -> None:
    match, log = new_match(preset("money")), list[Event]()
    while match.cube.value < 2**31:
        seat = to_act(match)[0]
        action: a.Action = a.Ready(seat)
        if match.phase is Phase.ROLL:
            action = a.Double(seat) if no_double(match, seat) is None else a.Roll(seat)
        elif match.phase is Phase.CUBE:
            action = a.Take(seat)
        elif match.phase is Phase.MOVE:
            plays = legal_plays(match.position, match.dice or (1, 2))
            action = a.Move(seat, next(iter(plays.values())))
        events, match = decide(match, action, lambda number: (2, 1))
        log += events
    events, match = decide(match, a.Forfeit(0), lambda _: (2, 1))
    log += events
    assert match.score == (0, 3 * 2**31)
    for text, read in (
        (export_sgf(NAMES, new_match(preset("money")), log), import_sgf),
        (export_mat(NAMES, new_match(preset("money")), log), import_mat),
    ):
        record = read(text)
        assert (record.match.score, shown(record.events)) == (match.score, shown(log))


def test_what_the_format_does_not_know_is_said() -> None:
    rules = preset("tournament", {"variant": Variant.LONGGAMMON})
    with pytest.raises(ValueError, match="knows no longgammon"):
        export_sgf(NAMES, new_match(rules), [])


BAD = [
    ("", "no SGF file"),
    ("hello", "cannot read 'hello'"),
    ("()", "no SGF file"),
    ("(;" + "x" * 600_000, "no more than 500000 characters"),
    ("(;MI[length:3]", "has no end"),
    ("(;MI[length:3](;W[31]))", "without variations"),
    ("(;W)", "cannot read"),
    ("([x])", "no property"),
    ("(;MI[length:3]\n;W[99])", "move 1: cannot read '99'"),
    ("(;MI[length:3]\n;W[31aa])", "line 1"),
    ("(;MI[length:3]\n;W[31abab])", "game 1"),
    ("(;MI[length:99]\n;W[31])", "cannot be played"),
    ("(;MI[length:3][ws:2]\n;W[31])(;MI[length:3][ws:0])", "the score is"),
    ("(;MI[length:3]RE[W+9]\n;W[31hefe])", "resign a single game"),
]


@pytest.mark.parametrize(("text", "fault"), BAD)
def test_what_cannot_be_read_is_said(text: str, fault: str) -> None:
    with pytest.raises(BadText, match=fault):
        import_sgf(text)


@given(st.text() | st.text(alphabet="(;)[]WB\\31abMIRU:double", max_size=80))
@settings(max_examples=300)
def test_garbage_is_refused_with_a_sentence(text: str) -> None:
    with suppress(BadText):
        import_sgf(text)


@settings(max_examples=60, deadline=None)
@given(st.data())
def test_a_file_with_a_part_cut_out_never_breaks_anything(data: st.DataObject) -> None:
    text = SGF_FILES[0].read_text()
    first, second = sorted(data.draw(st.tuples(st.integers(0, len(text)), st.integers(0, len(text)))))
    with suppress(BadText):
        import_sgf(text[:first] + text[second:])
