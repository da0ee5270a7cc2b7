"""A journal in words: every event has some, and a match can be read from its first line to its last."""

import random
from typing import get_args

import pytest
from tavla_engine import actions as a
from tavla_engine import events as e
from tavla_engine.rules import preset
from tavla_server.player import Player
from tavla_server.record import events as t
from tavla_server.record.decider import engine_decide
from tavla_server.record.dice import MatchDice
from tavla_server.record.reducer import apply_entry
from tavla_server.record.report import report, words
from tavla_server.record.state import Record, apply_all

from tests.support.games.chance import choose_action

TIME_MS = 1_700_000_000_123
RULES = preset("tournament", {"length": 3, "clock": "fast"})
NO_RUNS = preset("tournament", {"length": 3, "clock": "none", "hit_and_run": False})
ADA, BOB = Player("a1", "ada"), Player("b2", "bob", "bot")
BEGUN = (t.Created("t1", RULES, bytes(32)), t.Seated(0, ADA), t.Seated(1, BOB))

# an event, its words
WORDS: list[tuple[t.Event, str]] = [
    (t.Created("t1", RULES, b"s" * 32), "table t1 opened: length 3, delay_s 8, reserve_s 20"),
    (t.Created("t1", NO_RUNS, b"s" * 32), "table t1 opened: length 3, hit_and_run False"),
    (t.Seated(1, BOB), "bob (bot b2) sits down as black"),
    (t.Agreed("tavla-terms-1\n"), "the terms are agreed"),
    (t.Revealed(None, "5eed3"), "the server shows its seed"),
    (t.Revealed(1, "5eed3"), "bob reveals a seed for the dice"),
    (t.Cancelled(), "table closed before the match began"),
    (t.Cancelled(put_back=True), "a backup older than the first roll was brought back: the match is void"),
    (t.Met(3), "the two have begun 3 other rated matches with each other within a day"),
    (t.Ruled("moderator", "a program played"), "decided by the moderator, 'a program played'"),
    (e.MatchEnded(None, e.Ending.VOIDED), "the match is void"),
    (e.MatchEnded(1, e.Ending.ADJUDICATED), "bob wins the match (adjudicated)"),
    (t.Forked(), "the store had lost entries that were shown: a new epoch begins"),
    (e.Readied(0), "ada is ready"),
    (e.GameStarted(crawford=False), "game 1 starts"),
    (e.GameStarted(crawford=True), "game 1 starts, Crawford"),
    (e.OpeningRolled(3, 1), "opening roll 3-1"),
    (e.Rolled(1, 6, 6), "bob rolls 6-6"),
    (e.Moved(0, ((8, 5), (6, 5))), "ada plays 8/5 6/5"),
    (e.Moved(0, (), auto=True), "ada plays nothing (by itself)"),
    (e.Doubled(1), "bob doubles"),
    (e.Taken(0), "ada takes"),
    (e.Beavered(0), "ada beavers"),
    (e.ResignationOffered(1, 2), "bob offers to resign a gammon"),
    (e.ResignationRefused(0), "ada refuses the resignation"),
    (e.AutoSet(0, a.Auto.PLAY, True), "ada turns automatic play on"),
    (e.AutoSet(1, a.Auto.ROLL, False), "bob turns automatic roll off"),
    (e.AbortAsked(0, True), "ada asks to abort the match"),
    (e.AbortAsked(1, False), "bob no longer asks to abort the match"),
    (e.GameEnded(0, 2, 2, e.Ending.BORNE_OFF), "ada wins 2 (gammon, borne off)"),
    (e.GameEnded(1, 4, 4, e.Ending.FORFEIT), "bob wins 4 (4 cubes, forfeit)"),
    (e.MatchEnded(1, e.Ending.TIME), "bob wins the match (time)"),
    (e.MatchEnded(None, e.Ending.LEFT), "the match ends level (left)"),
    (e.PositionSet(0, ((0,) * 26, (0,) * 26), 1, None), "a position is set up"),
]


def test_a_match_that_begins_with_a_fork_is_void() -> None:
    assert words(Record("m1"), t.Forked()) == "the store had lost the whole match: it is void"
    assert apply_all(Record("m1"), (t.Forked(),)).over


def test_every_event_has_words_here() -> None:
    assert {type(event) for event, _ in WORDS} == set(t.EVENTS) == set(get_args(t.Event))


@pytest.mark.parametrize(("event", "told"), WORDS)
def test_an_event_in_words(event: t.Event, told: str) -> None:
    assert words(apply_all(Record("m1"), BEGUN), event) == told


def test_who_did_not_reveal_a_seed_is_named() -> None:
    waiting = apply_all(Record("m1"), [*BEGUN[:2], t.Seated(1, BOB, commitment="c0"), e.Readied(0), e.Readied(1)])
    assert words(waiting, t.Cancelled()) == "the match is void: no seed came from bob"


def test_a_line_says_when_who_what_and_which_time_did_not_count() -> None:
    entries = [
        t.Entry("", 1, TIME_MS, 0, BEGUN),
        t.Entry(BOB.id, 2, TIME_MS, 1500, (e.Readied(1), e.AutoSet(1, a.Auto.ROLL, True))),
    ]
    _, line, *_ = report("m1", list(enumerate(entries, 1)))
    told = "bob is ready; bob turns automatic roll on  (clock credit 1.5 s)"
    assert line == f"    2  2023-11-14 22:13:20.123  bob               {told}"


def test_a_match_from_its_first_line_to_its_last(rng: random.Random) -> None:
    entries = [t.Entry("", 1, TIME_MS, 0, BEGUN)]
    record = apply_entry(Record("m1"), entries[0])
    actions: list[a.Action] = [a.Ready(0), a.Ready(1)]
    while not record.over:
        action = actions.pop(0) if actions else choose_action(record.match, rng)
        events, _ = engine_decide(action)(record, MatchDice())
        who = record.players[action.seat]
        assert who is not None
        entries.append(t.Entry(who.id, len(entries) + 1, TIME_MS + 1000 * len(entries), 0, tuple(events)))
        record = apply_entry(record, entries[-1])
    lines = list(report("m1", list(enumerate(entries, 1))))
    told, state = lines[: len(entries)], lines[len(entries) + 1 :]
    assert [int(line.split()[0]) for line in told] == list(range(1, len(entries) + 1))
    assert "wins the match" in told[-1]
    score = record.match.score
    assert state[0] == "match m1, table t1, epoch 1"
    assert state[1].startswith(f"white: ada (guest a1), score {score[0]}, ")
    assert state[2].startswith(f"black: bob (bot b2), score {score[1]}, ")
    assert state[3].startswith(f"game {record.match.game}, phase over, cube ")
    assert not any(secret in line for line in lines for secret in ("5eed", bytes(32).hex())), "no seed is told"
