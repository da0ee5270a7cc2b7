"""Each kind of file that other programs write x reader, replay, each format there and back, and analysis."""

import threading
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tavla_bots.gnubg_analysis import by_gnubg
from tavla_bots.house_judge import HouseJudge
from tavla_bots.judging import judge_match
from tavla_cli.records.files import WRITERS, BadFile, parse, read
from tavla_cli.records.formats import text_of
from tavla_cli.records.record import Record
from tavla_cli.records.steps import steps
from tavla_engine import events as e
from tavla_engine.errors import BadText
from tavla_engine.events import Ending
from tavla_engine.gnuid import gnu_id
from tavla_engine.match import Match

from tests.support.browser.files import course, course_in_page, in_page
from tests.support.browser.node import need_node
from tests.support.games.engine import replayed
from tests.support.games.gnubg_matches import shown
from tests.support.games.gnubg_program import gnubg_program
from tests.support.tries import tries

FOLDER = Path(__file__).parents[1] / "data" / "field"  # in the words of real programs; the names are made up
FILES = sorted(FOLDER.iterdir())


class Reading(NamedTuple):
    """The right reading of a file. plays: with moves. games: winner and points of each that is over."""

    plays: int
    games: tuple[tuple[int, int], ...] = ()
    winner: int | None = None
    names: tuple[str, str] = ("cem", "dea")
    length: int = 1
    variant: str = "standard"
    score: tuple[int, int] | None = None


RIGHT = {
    "closed-account": Reading(2, names=("cem", "?")),
    "concedes": Reading(3, ((0, 1), (0, 2)), 0, length=3),
    "dated": Reading(2),
    "galaxy-losses-alone": Reading(6 - 1, ((1, 2), (0, 1)), length=5),
    "gave-up-before-the-roll": Reading(2, ((1, 1),), 1),
    "last-win-cut-to-the-length": Reading(147, ((0, 2), (1, 1), (1, 4)), 1, ("ada", "bob"), 3),
    "latin-1": Reading(2, names=("Søren", "Zoë")),
    "money-score-stays-zero": Reading(3, ((0, 1), (1, 1)), length=0),
    "nackgammon-dailygammon": Reading(2, length=3, variant="nackgammon"),
    "set-up-board": Reading(0, length=5, score=(1, 2)),
    "two-matches-in-one": Reading(2, ((1, 1),), 1),
    "whole-match-given-up": Reading(2, (), 1, length=7),
    "win-cut-to-need": Reading(3, ((0, 2),), 0),
}


def match_of(record: Record) -> Match:
    return replayed(record.start, list(record.events))


def winner_of(record: Record) -> int | None:
    return next((event.winner for event in record.events if isinstance(event, e.MatchEnded)), None)


HEAD = " 5 point match\n\n Game 1\n cem : 0                         dea : 0\n"
PLAYED = "  1) 31: 8/5 6/5                 62: 24/18 13/11\n"
SNOWIE = "62: Illegal play (5;0;0;0;1;dea;cem;0;0;0;3;0;0;-2;0;0;0;0;5;0;3;0;0;0;-5;4;1;0;0;-3;-1;-4;0;0;0;0;2;0;6;2;)"
SPELLINGS = [  # rows, (winner, points) of the games, the match's winner; why
    ("  1)  Losses 1 point\n\n Game 2\n cem : 0     dea : 1\n", ((1, 1),), None, "a game without a roll"),
    ("  1) 00: ????                     Wins 1 point\n", ((1, 1),), None, "no dice in the whole game"),
    ("  1) 00: ????                     Wins 1004 point\n", (), 1, "nor in the match"),
    (PLAYED + " " * 33 + " Losses 3 point\n", ((0, 3),), None, "a resignation in the right column"),
    ("  1) 31: 8/5 6/5                 62: Losses 3 point\n", ((0, 3),), None, "behind the dice"),
    (PLAYED + "  2)  Losses 1 point              Wins 1 point\n", ((1, 1),), None, "both cells"),
    (PLAYED + "  2)  Concedes the game\n      Wins 1 point\n", ((0, 1),), None, "the win in the wrong column"),
    ("  1) 31: 8/5 6/5                  Doubles => 2\n  2)  Losses 1 point\n", ((1, 1),), None, "after a double"),
    (PLAYED + "\n Game 2\n cem : 2     dea : 0\n", ((0, 2),), None, "only the next score says who has won"),
    (PLAYED + "  2)  Losses 1 point\n Game 1\n eva : 0     dea : 0\n", ((1, 1),), None, "a second match, no length"),
    (PLAYED + "  2)  Doubles => 2                Takes\n  3)" + " " * 29 + "Wins 5 point\n", ((1, 6),), 1, "a cut win"),
    (PLAYED + "  2)  Concedes\n", ((1, 1),), None, "no win at all"),
    ("  1) 31: 8/5 6/5                 " + SNOWIE + "\n  2) 43: 24/20 13/10\n", (), None, "an illegal play"),
]


@pytest.mark.parametrize(("rows", "games", "winner", "why"), SPELLINGS, ids=[one[-1] for one in SPELLINGS])
def test_more_spellings_are_read_and_come_back(
    rows: str, games: tuple[tuple[int, int], ...], winner: int | None, why: str
) -> None:
    record = parse(HEAD + rows)
    for one in (record, *(parse(write(record)) for write in WRITERS.values())):
        ended = tuple((event.winner, event.points) for event in one.events if isinstance(event, e.GameEnded))
        assert (ended, winner_of(one), shown(one.events)) == (games, winner, shown(record.events)), why


@pytest.mark.parametrize("rows", [one[0] for one in SPELLINGS], ids=[one[-1] for one in SPELLINGS])
def test_the_page_reads_these_spellings_as_the_terminal_does(rows: str) -> None:
    need_node()
    record = parse(HEAD + rows)
    assert course_in_page(in_page((HEAD + rows).encode())["told"]) == course(record)


@pytest.fixture(params=FILES, ids=lambda file: file.stem)
def record(request: pytest.FixtureRequest) -> Record:
    """The record in each file."""
    return read(request.param)


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_a_file_is_read_rightly(file: Path) -> None:
    record, right = read(file), RIGHT[file.stem]
    match = match_of(record)
    games = tuple((event.winner, event.points) for event in record.events if isinstance(event, e.GameEnded))
    plays = sum(isinstance(event, e.Moved) and bool(event.moves) for event in record.events)
    assert (record.names, match.rules.length, match.rules.variant.value) == right[3:6]
    assert (plays, games, winner_of(record)) == right[:3]
    assert right.score is None or match.score == right.score


def test_a_set_up_position_is_that_of_gnubg() -> None:
    record = read(FOLDER / "set-up-board.sgf")
    assert gnu_id(match_of(record)) == "4HNwADbgGRwwKw:EQGqABAAEAAE"


def test_a_second_match_is_said() -> None:
    record = read(FOLDER / "two-matches-in-one.mat")
    assert record.notes == ("a second match begins at line 8: only the first one is read",)
    assert steps(record)[0].said[-1] == record.notes[0]


@pytest.mark.parametrize("end", [b"\r\n", b"\r"])
def test_lines_may_end_as_elsewhere(tmp_path: Path, end: bytes) -> None:
    (tmp_path / "a.mat").write_bytes((FOLDER / "concedes.mat").read_bytes().replace(b"\n", end))
    assert read(tmp_path / "a.mat") == read(FOLDER / "concedes.mat")


def test_what_a_file_tells_of_its_match_is_kept_in_each_format() -> None:
    record = read(FOLDER / "dated.mat")
    told = {"Site": "The Club", "Event": "Winter cup", "Round": "3", "EventDate": "2021.03.14", "Transcriber": "fay"}
    assert record.tags == told
    for write in WRITERS.values():
        assert parse(write(record)).tags == told
    assert "PC[The Club]EV[Winter cup]RO[3]DT[2021-03-14]AN[fay]" in WRITERS[".sgf"](record)


@pytest.mark.parametrize("suffix", WRITERS)
def test_a_file_comes_back_from_each_format(record: Record, suffix: str) -> None:
    again = parse(WRITERS[suffix](record))
    assert (again.names, again.start) == (record.names, record.start)
    assert shown(again.events) == shown(record.events)
    assert gnu_id(match_of(again)) == gnu_id(match_of(record))
    assert winner_of(again) == winner_of(record)


@pytest.mark.parametrize("suffix", WRITERS)
def test_the_page_reads_what_the_terminal_has_written(record: Record, suffix: str) -> None:
    need_node()
    content = WRITERS[suffix](record)
    found = in_page(content if isinstance(content, bytes) else content.encode())
    assert (tuple(found["players"]), found["cut"]) == (record.names, None)
    assert course_in_page(found["told"]) == course(record)


def test_a_replay_shows_the_match(record: Record) -> None:
    shown_steps = steps(record)
    match = match_of(record)
    assert all(step.said for step in shown_steps)
    assert shown_steps[-1].match.board == match.board
    assert shown_steps[-1].match.score == match.score


SAID = {  # by a replay
    "set-up-board": ["game 1 begins", "a set-up position: the cube is at 2, dea owns it; cem is on roll"],
    "whole-match-given-up": [
        "game 1 begins: cem starts with 5-2",
        "cem plays 5-2: 13/11 13/8",
        "dea plays 6-3: 24/15",
        "cem forfeits the match at cem 0, dea 0, match to 7 points: dea wins",
    ],
    "gave-up-before-the-roll": [
        "game 1 begins: cem starts with 5-2",
        "cem plays 5-2: 13/11 13/8",
        "dea plays 6-3: 24/15",
        "cem offers to resign a single game",
        "cem resigns a single game: dea wins 1 point",
        "dea wins the match 1 to 0",
    ],
}


@pytest.mark.parametrize("name", SAID)
def test_a_replay_tells_what_happened(name: str) -> None:
    (file,) = FOLDER.glob(f"{name}.*")
    assert [said for step in steps(read(file)) for said in step.said] == SAID[name]


def test_a_match_can_be_analysed(record: Record) -> None:
    if record.start.rules.variant.value == "standard" and len(record.events) < 100:
        analysis = judge_match(HouseJudge(deep=False), record.start, record.events, lambda *_: None, threading.Event())
        plays = sum(isinstance(event, e.Moved) and bool(event.moves) for event in record.events)
        assert sum("/" in one.done for one in analysis.findings) == plays


@pytest.mark.long
def test_gnubg_judges_from_a_set_up_position() -> None:
    program = gnubg_program()
    text = (FOLDER / "set-up-board.sgf").read_text().replace("DI[42])", "DI[42]\n;W[42mimk])")
    record = parse(text.replace(";PL[W]DI[42]\n", ""))
    analysis = by_gnubg(program, record.start, record.events, lambda *_: None, threading.Event(), 1)
    (play,) = [one for one in analysis.findings if "/" in one.done]
    assert play.done == "13/11 13/9"


# --- What cannot be read is named ---

FOREIGN = [  # bytes, a part of the sentence
    (b"RGMH\x01\x00\x00\x00" + bytes(90), "eXtreme Gammon's own format"),
    (b'{"format":"BGF","version":"1.0","compress":true,"useSmile":true}\n\x1f\x8b\x08', "BGBlitz's own format"),
    (" 3 point match\n".encode("utf-16"), "text in UTF-16"),
    (" 3 point match\n".encode("utf-16-le"), "text in UTF-16"),
    (b"7;0;0;0;1;cem;dea;0;1;2;2;-1;0;-2;-2;0;0;0;4;0;2;0;0;0;-3;3;0;0;0;-3;0;-5;2;0;2;1;1;0;4;2;", "of Snowie"),
    (b"XGID=-b----E-C---eE---c-e----B-:0:0:1:00:0:0:0:7:10", "a position (an XGID)"),
    (b"11ccccchhhjjjjj:66666888dddddoo:N0N::B:C:0:0:5:0\n", "a position (an OGID)"),
    (b"4HPwATDgc/ABMA:cAkAAAAAAAAE\n", "a position (a GNU ID)"),
    (b"~\x00\x01\x00", "JellyFish"),
    (b"PK\x03\x04....", "a packed archive"),
    (b"<!DOCTYPE html><html>", "a web page"),
    (b"Score is 0-0 in a 5 point match.\nX: (3 1) 8-5 6-5", "from FIBS"),
    (b"MatchID: 12\nPlayer1: 1 cem 0", "True Money Games"),
    (b"(;FF[4]GM[1]SZ[19];B[pd])", "another game than backgammon"),
    (b"(;GM[6]RU[Hypergammon1]MI[length:3];W[31])", "a match of Hypergammon1"),
    (b"\x01\x02\x00\x03", "no text"),
    (b" 3 point match\n\n Game 1\n a : 0  b : 0\n  1) 54:    31: 8/5 6/5\n", "5-4 can be played here, but the"),
    (b" 3 point match\n\n Game 1\n a : 0  b : 0\n  1) 54: Illegal play\n", "an illegal play here, and no board"),
]


@pytest.mark.parametrize(("data", "sentence"), FOREIGN, ids=[sentence for _, sentence in FOREIGN])
def test_what_cannot_be_read_is_named(tmp_path: Path, data: bytes, sentence: str) -> None:
    (tmp_path / "a").write_bytes(data)
    with pytest.raises(BadFile) as refused:
        read(tmp_path / "a")
    assert sentence in str(refused.value)


# --- Mutants ---

PIECES = st.sampled_from(
    [
        *(
            "  Losses 2 point",
            " Concedes",
            "00: ????",
            "Wins 4016 point",
            "Wins 3 point",
            " 1 point match\n",
            " Game 1\n",
        ),
        *(
            "61:",
            " Doubles => 2",
            " Takes",
            " Drops",
            " : 0",
            "Illegal play (",
            ";",
            "[",
            "]",
            "AE[a:y]",
            "AW[f]",
            "CV[4]",
        ),
        *("CP[w]", "\n;W[31hefe]", "; Set Pos=-bb---D-B---cC---c-eB-BAA-/-2\n", "\xff", "\x00", "9" * 16),
    ]
)


@given(
    st.binary(max_size=60)
    | st.sampled_from([data for data, _ in FOREIGN]).flatmap(lambda data: st.binary().map(data.__add__))
)
def test_any_bytes_are_read_or_refused(data: bytes) -> None:
    with suppress(BadText):
        parse(text_of(data))


@settings(max_examples=tries(80), deadline=None)
@given(st.data())
def test_a_damaged_file_is_read_or_refused_with_a_sentence(data: st.DataObject) -> None:
    file = data.draw(st.sampled_from([file for file in FILES if file.stat().st_size < 1000]))
    text = file.read_bytes().decode("latin-1")
    for _ in range(data.draw(st.integers(1, 3))):
        start = data.draw(st.integers(0, len(text)))
        end = data.draw(st.integers(start, min(start + 30, len(text))))
        text = text[:start] + data.draw(PIECES | st.just("")) + text[end:]
    try:
        record = parse(text_of(text.encode("latin-1")))
    except BadText:
        return
    assert steps(record)
    for write in WRITERS.values():
        assert shown(parse(write(record)).events) == shown(record.events)


def test_a_match_that_is_given_up_as_a_whole_is_a_forfeit() -> None:
    for suffix in WRITERS:
        record = parse(WRITERS[suffix](read(FOLDER / "whole-match-given-up.mat")))
        assert record.events[-1] == e.MatchEnded(1, Ending.FORFEIT)
