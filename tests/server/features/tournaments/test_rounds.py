"""Rounds of the formats that have some, and what holds of each whatever happens. Without a server."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace
from tavla_engine.gameclock import GameClock
from tavla_server.features.tournaments import decider
from tavla_server.features.tournaments import events as e
from tavla_server.features.tournaments.formats import format_of, standings
from tavla_server.features.tournaments.round_time import ruled_by_time, slower
from tavla_server.features.tournaments.views import match_of
from tavla_server.record.dice import MatchDice
from tavla_server.record.state import Record

from tests.support.games.club import MINUTE_MS, PLAYERS, Club, no_outage

FORMATS = "swiss", "round-robin", "knock-out"

HAPPENINGS = (*("enter",) * 3, "leave", "pair", "break", *("score",) * 2, "void", "absent", "neither", "remove")
STEPS = st.lists(st.tuples(st.sampled_from(HAPPENINGS), st.integers(0, 12)), max_size=60)


@pytest.mark.parametrize("format_", FORMATS)
@given(st.integers(0, 12), st.integers(0, 6), STEPS, st.integers(0, 99))
def test_nobody_is_paired_twice_in_a_round_or_forgotten_and_it_ends(
    format_: str, players: int, rounds: int, steps: list[tuple[str, int]], seed: int
) -> None:
    club = Club(format_, players, rounds, seed)
    club.play(steps)
    listed = standings(club.state)
    ranks = [format_of(club.state).ranks(club.state, entrant) for entrant in listed]
    assert ranks == sorted(ranks, reverse=True)


@pytest.mark.parametrize("format_", FORMATS)
def test_a_round_begins_when_all_are_there_or_when_the_break_is_over(format_: str) -> None:
    club = Club(format_, 4)
    club.now_ms = 999
    assert not club.pair(), "before the start"
    club.now_ms = 1000
    assert club.pair()
    club.score_all(0)
    late = club.state.pairs[-1].players[0]
    club.enter(*(player for player in PLAYERS[:4] if player.id != late))
    assert not club.pair()
    club.now_ms += max(decider.missing_players(club.state, club.now_ms, no_outage).values())
    assert decider.is_due(club.state, club.now_ms, no_outage)
    assert not decider.is_due(club.state, club.now_ms, lambda *_: 1), "an outage lengthens it"
    assert club.pair()
    assert club.state.entrants[late].gone, "next time nobody waits for this one"
    assert club.state.round == 2


def test_after_a_halt_there_is_a_break_again() -> None:
    club = Club("swiss", 4)
    club.pair()
    club.score_all(0)
    club.submit(decider.halt(True))
    club.now_ms += 10 * decider.BREAK_MS
    assert not club.pair()
    club.submit(decider.halt(False))
    assert not club.pair()
    club.now_ms += decider.BREAK_MS
    assert decider.is_due(club.state, club.now_ms, no_outage)


def test_a_round_that_was_paired_for_others_does_not_begin() -> None:
    club = Club("swiss", 4)
    ids = frozenset(player.id for player in PLAYERS[:4])
    pairs = [e.Paired(("p00", "p01")), e.Paired(("p02", "p03"))]
    club.enter(PLAYERS[4])
    club.submit(decider.round_begins(1, ids, pairs))
    assert club.state.round == 0


def test_a_director_begins_at_once_and_lets_a_round_be_the_last_one() -> None:
    club = Club("swiss", 4, 3)
    club.now_ms = 10
    assert not club.pair()
    club.submit(decider.beginning)
    assert club.state.opened is not None
    assert (club.state.opened.starts_ms, club.state.opened.ends_ms) == (10, 10 + MINUTE_MS)
    assert club.pair()
    club.submit(decider.curtailment)
    club.finish()
    assert club.state.round == club.state.rounds == 1


@pytest.mark.parametrize(("format_", "put_back"), [("knock-out", False), *((one, True) for one in FORMATS)])
def test_a_void_match_of_a_knock_out_or_one_that_was_put_back_is_played_again(format_: str, put_back: bool) -> None:
    """Also the final, when there is nothing else left to be played."""
    club = Club(format_, 2)
    assert club.pair()
    first = match_of("t", club.state, 0)
    for _ in range(2):
        club.now_ms += 1000
        club.submit(decider.score(e.Scored(0, None, again=put_back)))
        assert club.state.again == {0}
        assert not decider.closing(club.state, club.now_ms), "it is not over"
        assert {*decider.calls(club.state, club.now_ms, no_outage)} == {one.id for one in PLAYERS[:2]}
        club.enter(PLAYERS[0])
        assert not decider.again(no_outage)(club.state, club.now_ms), "one of the two is still to come"
        assert {*decider.calls(club.state, club.now_ms, no_outage)} == {PLAYERS[1].id}
        club.enter(PLAYERS[1])
        club.submit(decider.again(no_outage))
        assert club.state.playing == {0}
        assert not club.state.again
        fresh = {f"{club.now_ms}-{player.id}" for player in PLAYERS[:2]}
        assert {*club.state.pairs[0].commitments} == fresh, "with new seeds"
        assert match_of("t", club.state, 0) != first, "by a new id, so that it has its own journal"
    club.score(0, 1)
    club.submit(decider.closing)
    assert club.state.closed_ms
    assert club.state.entrants[club.state.pairs[0].players[1]].score.wins == 1


@pytest.mark.parametrize("here", [(0,), ()], ids=["one waits", "nobody waits"])
def test_who_does_not_come_to_a_match_that_is_played_again_has_lost_it(here: tuple[int, ...]) -> None:
    club = Club("knock-out", 4)
    assert club.pair()
    players = club.state.pairs[0].players
    club.score(0, None)
    for seat in here:
        club.enter(club.state.entrants[players[seat]].player)
    club.submit(decider.again(no_outage))
    assert club.state.again, "there is a minute to come"
    club.now_ms += decider.BREAK_MS
    club.submit(decider.again(no_outage))
    scored = club.state.pairs[0].scored
    assert scored is not None
    assert (scored.winner, scored.absent) == (0, (1,)), "and if neither comes, one goes on by lot, as the seats were"


def test_what_is_void_when_the_next_round_has_begun_stays_as_it_was() -> None:
    club = Club("knock-out", 4)
    assert club.pair()
    club.score_all(1)
    club.enter(*PLAYERS[:4])
    assert club.pair()
    club.score(0, None)
    assert not club.state.again
    scored = club.state.pairs[0].scored
    assert scored is not None
    assert scored.winner == 1


def test_a_tournament_that_nobody_came_to_ends() -> None:
    club = Club("swiss", 1)
    assert not club.pair()
    assert decider.closing(club.state, club.now_ms) == []
    assert decider.closing(club.state, 1000 + MINUTE_MS) == [e.Closed()]


def test_no_round_begins_for_one_who_is_left_alone() -> None:
    club = Club("swiss", 2, 1)
    club.state = replace(club.state, rounds=3, round=1)
    club.submit(decider.leave(["p01"]))
    club.now_ms += decider.BREAK_MS
    assert decider.round_begins(2, frozenset(["p00"]), [])(club.state, club.now_ms) == [e.Curtailed()]


def test_the_time_of_a_round_is_longer_by_what_the_server_was_away() -> None:
    club = Club("swiss", 2)
    club.pair()
    ends_ms = 1000 + MINUTE_MS
    assert not decider.time_is_over(club.state, ends_ms - 1, no_outage)
    assert decider.time_is_over(club.state, ends_ms, no_outage)
    assert not decider.time_is_over(club.state, ends_ms, lambda *_: 1)
    club.submit(decider.score(e.Scored(0, 1)))
    assert not decider.time_is_over(club.state, ends_ms, no_outage)


SLOWER = [  # what both have used, whose time runs, how long it has, who loses
    ((5_000, 3_000), None, 0, 0),
    ((3_000, 5_000), None, 0, 1),
    ((3_000, 5_000), 0, 2_001, 0),
    ((3_000, 5_000), 0, 1_999, 1),
    ((3_000, 3_000), 1, 0, 1),
    ((0, 0), None, 0, 0),
]


@pytest.mark.parametrize(("used", "seat", "runs_ms", "loser"), SLOWER)
def test_who_has_taken_more_time_loses_a_match_whose_round_is_over(
    used: tuple[int, int], seat: int | None, runs_ms: int, loser: int
) -> None:
    record = Record("m1", clock=GameClock((60_000, 60_000), seat, 0, 60_000, used))
    assert slower(record, runs_ms, 0) == loser
    assert seat is None or slower(record, runs_ms + 500, 500) == loser, "an outage is not counted"


def test_a_match_that_has_not_begun_or_is_over_is_not_ruled_by_time() -> None:
    for record in (Record("m1"), Record("m1", cancelled=True)):
        assert ruled_by_time(60_000, lambda *_: 0)(record, MatchDice()) == ([], record)


def test_a_pairing_of_an_older_version_is_read() -> None:
    assert e.decode_entry(bytes.fromhex("920191920392a161a162")).events == (e.Paired(("a", "b")),)
