"""Marks of a match that a server has judged: in a replay, and in files."""

import math
from itertools import chain

import pytest
from msgspec.structs import replace
from tavla_cli.records.files import as_json, as_sgf, parse
from tavla_cli.records.marks import decision_in, marks_of, mistakes_of
from tavla_cli.records.record import of_server
from tavla_cli.records.steps import steps, view_of
from tavla_cli.text.analysis import deeper_text
from tavla_engine import events as e
from tavla_engine.apply import apply
from tavla_engine.decisions import decisions, kind_of
from tavla_engine.match import Match
from tavla_engine.notation import format_play
from tavla_engine.plays import legal_plays
from tavla_engine.sgf import export_sgf, import_sgf
from tavla_protocol import messages as m

from tests.support.games.judged import CUBE_AND_DROP, FORFEITED, judged
from tests.support.games.records import ALL_RULES, played, recorded

TAKE_AND_DROP = 32  # in its first game
TIED = 21  # its second game begins with a tie


@pytest.mark.parametrize(("seed", "games"), [(CUBE_AND_DROP, 1), (TIED, 2)])
def test_each_finding_stands_at_its_decision(seed: int, games: int) -> None:
    record = judged(seed, 0.2, games)
    assert record.told is not None
    marks = marks_of(record)
    assert sorted(chain(*marks.values())) == sorted(record.told.findings)
    words = {e.Doubled: "double", e.Taken: "take", e.GameEnded: "drop"}
    match = record.start
    for place, event in enumerate(record.events):
        for *_, done, _, _, _ in marks.get(place, ()):
            if isinstance(event, e.Moved):
                assert done in ("no double", format_play(match.position, event.moves))
            else:
                assert done == words[type(event)]
        match = apply(match, event)


def test_a_replay_tells_what_a_decision_has_cost() -> None:
    record = judged(FORFEITED, 0.1234)
    said = [sentence for step in steps(record) for sentence in step.said]
    assert sum(sentence.startswith("? ") for sentence in said) == len(record.told.findings if record.told else ())
    assert any(sentence.endswith(" has lost 0.123: drop instead of take") for sentence in said)
    assert said[-1] == "Performance rating: ada 5.2, bob - (somebody)"
    silent = [sentence for step in steps(judged(FORFEITED, 0.03)) for sentence in step.said]
    assert silent == [sentence for sentence in said if not sentence.startswith("? ")], "as good as right"


def test_each_mistake_comes_with_the_match_before_it() -> None:
    record = judged(CUBE_AND_DROP, 0.1)
    assert record.told is not None
    phases = {"double": "roll", "no double": "roll", "take": "cube", "drop": "cube"}
    for seat in (0, 1):
        own = list(mistakes_of(record, seat))
        assert [finding for _, finding in own] == [one for one in record.told.findings if one[2] == seat]
        for at, (_, _, _, done, *_) in own:
            assert at.phase.value == phases.get(done, "move")
            assert view_of(at).to_act == (seat,)
    assert not [*mistakes_of(judged(CUBE_AND_DROP, 0.079), 0)]


@pytest.mark.slow
def test_a_judge_that_has_marks_of_its_own_has_the_say() -> None:
    assert [*mistakes_of(judged(CUBE_AND_DROP, 0.07, mark="?"), 0)]
    assert not [*mistakes_of(judged(CUBE_AND_DROP, 0.1, mark="?!"), 0)]
    assert marks_of(judged(CUBE_AND_DROP, 0.2, mark="")) == {}
    assert as_sgf(judged(CUBE_AND_DROP, 0.03, mark="?!")).count("C[?! ") > 10


def test_findings_that_fit_nowhere_are_passed_over() -> None:
    record = judged(FORFEITED, 0.2)
    assert record.told is not None
    odd = [
        m.Finding(1, 1, 7, "take", "drop", 0.5),
        m.Finding(10**9, -1, 0, "", "", math.inf),
        m.Finding(1, 1, 0, "x", "y", math.nan),
    ]
    assert marks_of(record._replace(told=replace(record.told, findings=odd))) == {}


def test_files_have_the_marks() -> None:
    record = judged(CUBE_AND_DROP, 0.2)
    again = parse(as_json(record))
    assert (marks_of(again), steps(again)[-1].said) == (marks_of(record), steps(record)[-1].said)
    sgf = as_sgf(record)
    assert sgf.count("BM[2]C[?? ") == len(marks_of(record))
    assert import_sgf(sgf).events == import_sgf(export_sgf(record.names, record.start, record.events)).events


def test_what_a_hostile_server_has_found_does_nothing_to_a_terminal() -> None:
    record = judged(FORFEITED, 0.2)
    assert record.told is not None
    text = "\x1b]0;x\x07\x9b2J\u202e"
    hostile = [one._replace(best=text, mark=text) for one in record.told.findings]
    text = as_sgf(record._replace(told=replace(record.told, findings=hostile)))
    assert "?]0;x??2J?" in text.replace("\\", "")
    assert all(char.isprintable() or char == "\n" for char in text)


def test_what_can_be_looked_at_deeper_is_named_as_a_finding_names_it() -> None:
    record = of_server(recorded(ALL_RULES[0], played(ALL_RULES[0], TAKE_AND_DROP, 1)))
    found = [decision_in(record, step.match) for step in steps(record)]
    wanted = [
        (at.game, turn, seat, what)
        for at, turn, seat, what in decisions(record.start, record.events)
        if what in ("take", "drop") or (what == "play" and has_play(at))
    ]
    assert [(*one[:3], kind_of(one.done)) for one in found if one] == wanted
    assert {"play", "take", "drop"} == {what for *_, what in wanted}


def has_play(at: Match) -> bool:
    """Whether a checker can move."""
    return at.dice is not None and any(legal_plays(at.position, at.dice).values())


def test_a_deeper_look_is_told_in_a_line() -> None:
    look = m.DeeperLook(id=1, by="Sage 2.0, rollout", choices=[("8/5 6/5", 0.231, 0.026), ("13/9", -0.017, None)])
    assert deeper_text(look) == "8/5 6/5 +0.231 (within 0.026); 13/9 -0.017: Sage 2.0, rollout"
