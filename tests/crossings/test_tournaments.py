"""Where a tournament meets the rest: every end of a match in every format."""

import re

import pytest
from msgspec.structs import replace
from tavla_cli.text.story import result
from tavla_engine.actions import Forfeit
from tavla_engine.events import Ending, GameEnded, MatchEnded
from tavla_engine.gameclock import GameClock
from tavla_engine.rules import Rules
from tavla_protocol.codec import pack
from tavla_protocol.view import fields
from tavla_server.features.tournaments import decider
from tavla_server.features.tournaments.caretaker import result_in, ruling_in
from tavla_server.features.tournaments.events import ARENA, Opened, Paired, TournamentEntry
from tavla_server.features.tournaments.formats import FORMATS
from tavla_server.features.tournaments.round_time import ruled_by_time
from tavla_server.features.tournaments.state import Tournament, apply
from tavla_server.features.tournaments.views import pairing_of, standing_of
from tavla_server.match.lifecycle import opening, ruling
from tavla_server.player import Player as Person
from tavla_server.record.decider import Decide, engine_decide
from tavla_server.record.dice import MatchDice
from tavla_server.record.events import Cancelled, Event, Revealed, Seated, Terms
from tavla_server.record.projection import view_of
from tavla_server.record.state import Record, apply_all

from tests.support.browser.node import ask_modules, need_node

# --- every end of a match, in every format ---

ADA, BOB = Person("a" * 16, "ada", "account", 1600.0), Person("b" * 16, "bob")
DICE = MatchDice()
ID = "aaaaaaaaaaaa"
NOBODY = "nobody"


PLAYS = 4  # two of each: then a match was played


def begun(commitment_: str = "") -> Record:
    """A match of a tournament that has been played for a while; or, with commitments, one that waits for the seeds."""
    seated = [Seated(seat, player, commitment=commitment_) for seat, player in enumerate((ADA, BOB))]
    terms = Terms(tournament=(ID, 0))
    record = opening("friday-1", Rules(length=1, reserve_s=60), terms, *seated)(Record("m1"), DICE)[1]
    return record if commitment_ else replace(record, match=replace(record.match, rolls=record.match.rolls + PLAYS))


def ended(*events: Event) -> Record:
    """A match that these events have ended."""
    return apply_all(begun(), events)


def decided(decide: Decide) -> Record:
    """A match that a decision has ended."""
    return decide(begun(), DICE)[1]


def by_time() -> Record:
    """A match in which ada has used more time than bob when that of the round is over."""
    record = replace(begun(), clock=GameClock((60_000, 60_000), used=(9_000, 5_000)))
    return ruled_by_time(60_000, lambda *_: 0)(record, DICE)[1]


def without_seeds(*revealed_: int) -> Record:
    """A match for which only these seats have revealed a seed."""
    record = apply_all(begun("0f" * 32), [Revealed(seat, "0a" * 16) for seat in revealed_])
    return apply_all(record, [Cancelled()])


def put_back() -> Record:
    """A match that was brought back without its dice."""
    return apply_all(begun("0f" * 32), [Cancelled(put_back=True)])


def of_game(ending: Ending, kind: int = 1) -> tuple[Event, ...]:
    """Bob wins the only game."""
    return GameEnded(1, 1, kind, ending), MatchEnded(1, Ending.SCORE)


ENDS: dict[str, tuple[Record, str, list[int], str]] = {  # the match, who wins, which seats were absent, what ada reads
    "borne off": (ended(*of_game(Ending.BORNE_OFF)), "bob", [], "bob wins the match 1 to 0"),
    "double dropped": (ended(*of_game(Ending.DROP)), "bob", [], "bob wins the match 1 to 0"),
    "resigned": (ended(*of_game(Ending.RESIGNATION)), "bob", [], "bob wins the match 1 to 0"),
    "forfeit": (decided(engine_decide(Forfeit(0))), "bob", [], "you forfeit the match at .*: bob wins"),
    "flag": (ended(MatchEnded(1, Ending.TIME)), "bob", [], "you run out of time at .*: bob wins"),
    "claim": (ended(MatchEnded(1, Ending.ABANDONED)), "bob", [], "you stay away at .*: bob wins"),
    "aborted": (ended(MatchEnded(None, Ending.ABORTED)), NOBODY, [], "both wanted to abort the match, .*: nobody wins"),
    "voided": (decided(ruling("void", "eve", "tea")), NOBODY, [], "by a ruling this match does not count"),
    "put back": (put_back(), NOBODY, [], "the server was brought back from a backup .*: this match does not count"),
    "ruled": (decided(ruling("black", "eve", "tea")), "bob", [], "decided by a ruling, .*: bob wins"),
    "round time": (by_time(), "bob", [], "the time of the round is over, .*: bob wins, with 0:05 used against 0:09"),
    "absence of ada": (without_seeds(1), "bob", [0], "the match is void, .*: the server says .* no seed .* from you"),
    "absence of both": (without_seeds(), NOBODY, [0, 1], "the match is void, .*: .* from you and bob"),
}


def test_each_ending_that_the_engine_knows_is_in_the_table() -> None:
    found = {record.match.outcome.ending for record, *_ in ENDS.values() if record.match.outcome is not None}
    assert found == {*Ending} - {Ending.SCORE, Ending.LEFT}, (
        "a match has the end of its last game; LEFT is of money play"
    )


def scored(format_: str, record: Record) -> Tournament:
    """A tournament of two whose first match has ended so."""
    state, now_ms = Tournament(), 1000
    made = Opened("cup", ADA, Rules(length=1, reserve_s=60), 0, 90_000, bytes(16), format=format_, round_ms=60_000)
    pair = Paired((ADA.id, BOB.id))
    pairs = (
        decider.pairing([pair]) if format_ == ARENA else decider.round_begins(1, frozenset((ADA.id, BOB.id)), [pair])
    )
    decisions = decider.opening(made), decider.entry(ADA, "0a", 9), decider.entry(BOB, "0b", 9), pairs
    for decide in decisions:
        state = apply(state, TournamentEntry(now_ms, tuple(decide(state, now_ms))))
    if state.pairs[0].players[0] != ADA.id:  # seats are drawn by lot
        state = replace(state, pairs=(state.pairs[0]._replace(players=(ADA.id, BOB.id)),))
    for _ in range(2):  # by a second node, too
        decide = decider.score(result_in(record, 0), ruling_in(record, 0))
        state = apply(state, TournamentEntry(now_ms, tuple(decide(state, now_ms))))
    return state


@pytest.mark.parametrize("end", ENDS)
@pytest.mark.parametrize("format_", FORMATS)
def test_each_end_of_a_match_counts_in_each_format_and_is_told_and_listed(format_: str, end: str) -> None:
    record, winner, absent, sentence = ENDS[end]
    if absent == [0, 1] and format_ == "knock-out":
        winner = "ada"  # somebody has to go on: the one on seat 0
    state = scored(format_, record)
    is_due = winner == NOBODY and (format_ == "knock-out" or (end == "put back" and format_ != ARENA))
    assert bool(state.again) is is_due, "it is played again"
    rows = {entrant.player.name: standing_of(ID, state, entrant) for entrant in state.entrants.values()}
    won, lost = (1, 1, 2 if format_ == ARENA else 1), (1, 0, 0)
    if absent and format_ == ARENA:
        won = 0, 0, 0  # it was not played
    for name, row in rows.items():
        wanted = (0, 0, 0) if winner == NOBODY else won if name == winner else lost
        assert (row.matches, row.wins, row.points) == wanted, name
        assert not row.match
    assert {name for name, entrant in zip(rows, state.entrants.values(), strict=True) if entrant.gone} == {
        ("ada", "bob")[seat] for seat in absent
    }
    listed = pairing_of(ID, state, 0)
    names = {listed.players[listed.winner]} if listed.winner is not None else {NOBODY}
    assert (listed.over, names, listed.absent, listed.players) == (True, {winner}, absent, ("ada", "bob"))
    assert listed.match, "it can be looked at"
    assert re.match(sentence, result(view_of(record), 0)), result(view_of(record), 0)


@pytest.mark.parametrize("end", [end for end, (_, winner, absent, _) in ENDS.items() if winner == "bob" and not absent])
@pytest.mark.parametrize("format_", FORMATS)
def test_what_was_not_played_counts_in_an_arena_for_who_ended_it_alone(format_: str, end: str) -> None:
    """An arena pairs the same two as often as they come: for a win they are to have played."""
    record = ENDS[end][0]
    state = scored(format_, replace(record, match=replace(record.match, rolls=PLAYS)))
    rows = {entrant.player.name: standing_of(ID, state, entrant) for entrant in state.entrants.values()}
    assert (rows["ada"].matches, rows["ada"].wins) == (1, 0)
    assert (rows["bob"].matches, rows["bob"].wins) == ((0, 0) if format_ == ARENA else (1, 1))


JUDGED = {"voided": "void", "ruled": "black"}


@pytest.mark.parametrize("end", ENDS)
@pytest.mark.parametrize("format_", FORMATS)
def test_a_ruling_on_a_match_stands_once_among_those_of_its_tournament(format_: str, end: str) -> None:
    state = scored(format_, ENDS[end][0])
    told = [(one.directed.judge, one.directed.what, one.directed.reason) for one in state.rulings]
    assert told == ([("eve", JUDGED[end], "tea")] if end in JUDGED else [])


def test_the_page_says_how_each_match_has_ended() -> None:
    need_node()
    views = [fields(view_of(record)) for record, *_ in ENDS.values()]
    told = dict(zip(ENDS, ask_modules("outcomes", [pack(view).hex() for view in views]), strict=True))
    assert told["round time"] == "bob wins the match: the time of the round was over, with 0:05 used against 0:09."
    assert told["voided"] == "By a ruling this match does not count."
    assert told["ruled"] == "bob wins the match: decided by a ruling."
    assert len({*told.values()}) == len(told) - 2, "each of its own, but for those that the score says"
