"""Files of eXtreme Gammon, BGBlitz and OpenGammon, read as the field reads them."""

from pathlib import Path

import pytest
from tavla_cli.records.files import as_mat, parse, read
from tavla_cli.records.record import of_server
from tavla_engine import events as e
from tavla_engine.apply import apply
from tavla_engine.mat_text import Cell, Game, Kind, Sheet
from tavla_engine.rules import preset
from tavla_engine.transcript import record_of

from tests.support.games.bgf import bgf_of
from tests.support.games.gnubg_matches import shown
from tests.support.games.records import played, recorded

RULES = preset("tournament", {"length": 3})
FOLDER = Path(__file__).parents[2] / "data" / "foreign"


def course(file: Path) -> list[object]:
    """Each state of the match after an event; the order of a play's steps is a matter of taste."""
    record = read(file)
    match = record.start
    states: list[object] = []
    for event in record.events:
        match = apply(match, event)
        states.append((match.board, match.dice, match.cube, match.score))
    return states


@pytest.mark.parametrize("file", ["online-7.xg", "commented-9.xg", "online-7.ogxm"])
def test_it_is_read_as_another_reader_reads_it(file: str) -> None:
    assert course(FOLDER / file) == course((FOLDER / file).with_suffix(".xg.mat"))


@pytest.mark.parametrize("file", ["emberoak-5.bgf", "emberoak-5.xg"])
def test_it_is_read_as_its_site_has_written_it(file: str) -> None:
    assert course(FOLDER / file) == course((FOLDER / file).with_suffix(".mat"))


def test_names_and_places_outside_latin_1_are_whole_and_the_files_own_judge_stays_with_it() -> None:
    record = read(FOLDER / "commented-9.xg")
    assert record.names == ("Ada Öz", "Bob Çelik")
    assert record.tags["Site"] == "İzmir"
    said = record.tags["Judgement"]
    assert said == "eXtreme Gammon: Ada Öz 6.51, Bob Çelik 6.78", "with the doubles that were not made"
    assert parse(as_mat(record)).tags["Judgement"] == said
    assert record.view.players == record.names


def test_a_play_that_cannot_be_made_as_it_is_written_is_said() -> None:
    """6/off 4/3 leads to where 6/3 4/off leads, which is legal: the match is read to its end."""
    record = read(FOLDER / "illegal-play-7.xg")
    assert record.notes == ("game 3, entry 56: 6/off 4/3 is no play of 6-3, read as 6/3 4/off",)
    assert isinstance(record.events[-1], e.MatchEnded)


def test_an_illegal_play_is_read_up_to_there_with_what_would_have_been_legal() -> None:
    cells = [Cell(1, 0, Kind.ROLL, (3, 1), "8/5 6/5"), Cell(2, 1, Kind.ROLL, (6, 6), "24/18(2) 13/7 13/1")]
    record = record_of(Sheet(3, {}, [Game(0, 1, ("a", "b"), (0, 0), cells)], unit="entry", is_cut_at_fault=True))
    (note,) = record.notes
    assert note.startswith("entry 2, game 1: ")
    assert note.endswith("the match is read up to there")
    assert sum(isinstance(event, e.Moved) for event in record.events) == 1


def test_the_figures_of_bgblitz_are_those_that_it_shows_itself() -> None:
    """The other reader counts fewer decisions, and has 3.88 for 3.26."""
    assert read(FOLDER / "emberoak-5.bgf").tags["Judgement"] == "BGBlitz: Emberoak05 18.35, Jade1 3.26"


def test_a_match_of_bgblitz_is_read() -> None:
    record = of_server(recorded(RULES, played(RULES, 1)))
    again = parse(bgf_of(record))
    assert (again.names, again.start.rules.length) == (record.names, 3)
    assert shown(again.events) == shown(record.events)
