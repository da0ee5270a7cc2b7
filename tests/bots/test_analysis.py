"""Matches judged: by GNU Backgammon just as it judges them itself, and by the house evaluator. Sage: test_sage.py."""

import threading

import pytest
from tavla_bots import gnubg_process
from tavla_bots.analysis import analyse
from tavla_bots.evaluator import NETWORKS
from tavla_bots.house_judge import HouseJudge
from tavla_bots.judging import AnalysisStopped, CannotAnalyse, judge_match, plays_by_game, turn_of
from tavla_engine import events as e
from tavla_engine.analysis import ALIKE
from tavla_engine.apply import apply
from tavla_engine.mat import import_mat
from tavla_engine.match import new_match
from tavla_engine.rules import Rules, Variant, preset
from tavla_engine.transcript import MatRecord

from tests.support.games.figures import gnubg_figures, our_figures
from tests.support.games.gnubg_matches import MAT_FILES, orderly_match
from tests.support.games.gnubg_program import gnubg_program
from tests.support.games.records import played


@pytest.fixture
def needs_gnubg() -> None:
    gnubg_program()


class Told:
    """Progress, as it was told."""

    def __init__(self) -> None:
        self.plays: list[tuple[int, int]] = []

    def __call__(self, done: int, plays: int) -> None:
        self.plays.append((done, plays))


def shortest() -> MatRecord:
    return import_mat(min(MAT_FILES, key=lambda file: file.stat().st_size).read_text())


def two_games() -> MatRecord:
    """A match of which two games are over: the second counts its score."""
    record = import_mat(next(file for file in MAT_FILES if file.name == "match_09.mat").read_text())
    ends = [place for place, event in enumerate(record.events) if isinstance(event, e.GameEnded)]
    return record._replace(events=record.events[: ends[1] + 1])


def money_play() -> MatRecord:
    """Two short games with doubles and a beaver, played by chance."""
    rules = preset("money", {"cube_cap": 8})
    return MatRecord(("a", "b"), new_match(rules), orderly_match(rules, 377, games=2), new_match(rules), {})


def choices(record: MatRecord, seat: int) -> int:
    """Plays of a seat that were not forced."""
    match, count = record.start, 0
    for event in record.events:
        if isinstance(event, e.Moved) and event.seat == seat and event.moves:
            count += len(turn_of(match, seat).plays) > 1
        match = apply(match, event)
    return count


@pytest.mark.long
@pytest.mark.usefixtures("needs_gnubg")
@pytest.mark.parametrize("record", [two_games(), money_play()], ids=["match", "money"])
def test_the_figures_are_those_of_gnubgs_own_analysis(record: MatRecord) -> None:
    told = Told()
    found = analyse(record.start, record.events, told, threading.Event(), judge="gnubg")
    for seat, (one, other) in enumerate(zip(our_figures(found), gnubg_figures(record), strict=True)):
        judged = [finding for finding in found.findings if finding.seat == seat and finding.dice]
        assert choices(record, seat) == other.unforced
        assert len(judged) >= other.unforced, "forced ones have a finding, too"
        alike = other.unforced - one.unforced
        assert 0 <= alike <= sum(not finding.counts for finding in judged), "all that do not count beside forced ones"
        assert all(finding.loss < ALIKE for finding in judged if not finding.counts)
        assert one.marked == other.marked
        assert one.plays == pytest.approx(other.plays, abs=0.002)
        assert one.cube == pytest.approx(other.cube, abs=0.002)
        assert one.luck == pytest.approx(other.luck, abs=0.002)
    plays = plays_by_game(record.events)
    assert told.plays == [(sum(plays[:done]), sum(plays)) for done in range(len(plays) + 1)]


@pytest.mark.long
@pytest.mark.usefixtures("needs_gnubg")
def test_gnubg_is_stopped_with_its_work() -> None:
    record, stop = shortest(), threading.Event()
    with pytest.raises(AnalysisStopped):
        analyse(record.start, record.events, lambda *_: stop.set(), stop, judge="gnubg")


@pytest.mark.slow
def test_without_gnubg_the_house_judges(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gnubg_process, "PROGRAM", "no-such-program")
    record, told = shortest(), Told()
    events = record.events[:40]  # with a double
    found = analyse(record.start, events, told, threading.Event(), judge="gnubg")
    assert found.by == "the house evaluator"
    assert all(one.loss >= -1e-6 for one in found.findings)
    plays = [event for event in events if isinstance(event, e.Moved) and event.moves]
    assert sum(one.dice is not None for one in found.findings) == len(plays)
    doubles = [event for event in events if isinstance(event, e.Doubled)]
    assert sum(one.done == "double" for one in found.findings) == len(doubles)
    assert sum(one.done in ("take", "drop") for one in found.findings) == len(doubles)
    assert found.all(0).rating is not None
    assert told.plays == [(done, len(plays)) for done in range(len(plays) + 1)]


@pytest.mark.long
def test_the_house_agrees_with_gnubg_who_played_worse() -> None:
    """PlayerA has a PR of 26.6 by GNU Backgammon at two plies, PlayerB 85.7."""
    record = shortest()
    found = judge_match(HouseJudge(deep=False), record.start, record.events, lambda *_: None, threading.Event())
    first, second = found.all(0).rating, found.all(1).rating
    assert first is not None
    assert second is not None
    assert first < second


def test_a_program_that_tells_nothing_is_no_gnubg(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gnubg_process, "PROGRAM", "true")
    record = shortest()
    with pytest.raises(CannotAnalyse, match="cannot be asked"):
        analyse(record.start, record.events, lambda *_: None, threading.Event(), judge="gnubg")


@pytest.mark.slow
def test_money_play_and_an_unfinished_game_are_judged() -> None:
    rules = preset("money", {"beavers": 2, "automatic_doubles": 1})
    events = played(rules, 99, games=2)[:-3]  # with a beaver
    found = judge_match(HouseJudge(deep=False), new_match(rules), events, lambda *_: None, threading.Event())
    assert all(one.loss >= -1e-6 for one in found.findings)
    assert {one.game for one in found.findings} == {1, 2}


@pytest.mark.parametrize("rules", [preset("tavla"), preset("portes"), preset("money", {"backgammons": False})])
def test_what_gnubg_does_not_know_is_judged_by_the_house(rules: Rules) -> None:
    events = played(rules, 3, games=1)[:10]
    found = analyse(new_match(rules), events, lambda *_: None, threading.Event(), judge="gnubg")
    assert found.by == "the house evaluator"
    assert {one.mark for one in found.findings} == {None}, "its marks are those of the loss"


def test_what_nobody_can_judge_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(NETWORKS, Variant.HYPERGAMMON)
    start = new_match(preset("tournament", {"variant": "hypergammon"}))
    with pytest.raises(CannotAnalyse, match="nobody here can judge hypergammon"):
        analyse(start, [], lambda *_: None, threading.Event())


def test_a_match_that_ended_before_its_first_game_is_said_to_have_none() -> None:
    with pytest.raises(CannotAnalyse, match="no game was begun"):
        analyse(
            new_match(preset("tournament")), [e.MatchEnded(0, e.Ending.FORFEIT)], lambda *_: None, threading.Event()
        )


def test_the_house_stops_when_it_is_told_to() -> None:
    record, stop = shortest(), threading.Event()
    stop.set()
    with pytest.raises(AnalysisStopped):
        judge_match(HouseJudge(deep=False), record.start, record.events, lambda *_: None, stop)


def test_a_match_in_which_nothing_happened_has_no_rating() -> None:
    found = judge_match(HouseJudge(deep=False), new_match(preset("tournament")), [], lambda *_: None, threading.Event())
    assert (found.findings, found.all(0).rating, found.luck) == ((), None, (0.0, 0.0))
