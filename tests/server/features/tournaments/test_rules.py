"""A tournament's rules: what matches are worth, who plays whom, and what holds whatever happens. Without a server."""

import contextlib
from collections.abc import Container

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tavla_server.errors import Refused
from tavla_server.features.tournaments import decider
from tavla_server.features.tournaments import events as e
from tavla_server.features.tournaments.formats import arena, standings
from tavla_server.features.tournaments.matching import match
from tavla_server.features.tournaments.scores import Result, score_of
from tavla_server.features.tournaments.state import Tournament, apply, replay, result_of
from tavla_server.features.tournaments.views import row_of
from tavla_server.features.tournaments.waiting import Question, Waiting
from tavla_server.player import Player

from tests.support.games.tournaments import ADA, BOB, DAN, EVE, OPENED, decided, of, playing

POINTS = [  # wins and losses, points, streak
    ("", 0, 0),
    ("w", 2, 1),
    ("ww", 4, 2),
    ("www", 8, 3),
    ("wwww", 12, 4),
    ("wwwl", 8, 0),
    ("wwlww", 8, 2),
    ("wwlwww", 12, 3),
    ("ll", 0, 0),
]


@pytest.mark.parametrize(("results", "points", "streak"), POINTS)
def test_a_win_is_two_points_and_four_after_two_in_a_row(results: str, points: int, streak: int) -> None:
    score = score_of([Result(number, won == "w", 1500.0) for number, won in enumerate(results)], 1)
    assert (score.points, score.streak, score.wins) == (points, streak, results.count("w"))


def test_one_match_says_little_of_a_performance_and_many_say_much() -> None:
    won = [Result(number, True, 1800.0) for number in range(18)]
    assert score_of(won[:1], 1).performance == pytest.approx((1800 + 1737 + 2 * 1500) / 3, abs=1)
    assert score_of(won, 1).performance == pytest.approx((18 * (1800 + 1737) + 2 * 1500) / 20, abs=1)


def test_equal_points_are_told_apart_by_the_opponents() -> None:
    state = of([(ADA, EVE, 0), (BOB, DAN, 0)])
    assert [entrant.player for entrant in standings(state)][:2] == [ADA, BOB]
    state = of([(ADA, DAN, 0), (BOB, EVE, 0)])
    assert [entrant.player for entrant in standings(state)][:2] == [BOB, ADA]


def test_who_did_not_come_has_lost_and_waits_no_longer_and_nobody_has_a_point_of_it() -> None:
    state = playing(ADA, BOB)
    state = decided(state, decider.score(result_of(0, None, (1,))))
    ada, bob = state.entrants["a"], state.entrants["b"]
    assert (ada.score.points, ada.score.performance, bob.score.points) == (0, None, 0)
    assert (len(ada.results), len(bob.results)) == (0, 1)
    assert not bob.commitment
    assert ada.number is bob.number is None


def test_when_neither_came_nobody_has_a_point() -> None:
    state = decided(playing(ADA, BOB), decider.score(result_of(0, None, (0, 1))))
    assert [entrant.results for entrant in state.entrants.values()] == [(), ()]


def test_a_match_that_is_ruled_on_later_counts_as_it_was_ruled() -> None:
    state = decided(playing(ADA, BOB), decider.score(e.Scored(0, 0)))
    assert state.entrants["a"].score.points == 2
    state = decided(state, decider.score(e.Scored(0, 1)))
    assert [state.entrants[id_].score.points for id_ in "ab"] == [0, 2]
    state = decided(state, decider.score(e.Scored(0, None)))
    assert [len(state.entrants[id_].results) for id_ in "ab"] == [0, 0]


def test_nobody_enters_when_the_time_is_over_and_a_match_that_runs_counts() -> None:
    state = playing(ADA, BOB)
    late_ms = OPENED.ends_ms
    with pytest.raises(Refused, match="over"):
        decided(state, decider.entry(EVE, "x", 10), late_ms)
    assert decider.closing(state, late_ms) == []
    state = decided(state, decider.score(e.Scored(0, 1)), late_ms)
    assert state.entrants["b"].score.points == 2
    assert decider.closing(state, late_ms) == [e.Closed()]


def test_the_last_two_opponents_meet_again_when_nobody_else_has_come_for_a_while() -> None:
    state = decided(playing(ADA, BOB), decider.score(e.Scored(0, 0)))
    state = decided(decided(state, decider.entry(ADA, "x", 9)), decider.entry(BOB, "y", 9))
    soon, later = 1000, 1000 + arena.REMATCH_MS
    assert match(waiting_of(state, "ab", soon)) == []
    assert {*match(waiting_of(state, "ab", later))[0]} == {"a", "b"}


def test_those_who_are_not_here_or_before_the_start_are_not_paired() -> None:
    state = decided(Tournament(), decider.opening(OPENED))
    for player in (ADA, BOB):
        state = decided(state, decider.entry(player, f"x-{player.id}", 9))
    assert waiting_of(state, {"a"}, 1000)[0].id == "a"
    assert len(waiting_of(state, {"a"}, 1000)) == 1
    assert waiting_of(state, {"a", "b"}, -1) == []


# --- whatever happens ---

PLAYERS = [Player(f"p{number}", f"p{number}", "guest", 1500.0 + number) for number in range(9)]
Step = tuple[str, int, int]
STEPS = st.lists(
    st.tuples(
        st.sampled_from(
            ("enter", "enter", "leave", "pair", "score", "give", "void", "absent", "rule", "remove", "halt")
        ),
        st.integers(0, 8),
        st.integers(0, 1),
    ),
    max_size=60,
)


@given(STEPS)
def test_nobody_is_paired_twice_or_forgotten_and_each_result_counts_once(steps: list[Step]) -> None:
    entries: list[e.TournamentEntry] = []
    state = Tournament()
    now_ms = 0

    def submit(decide: decider.Decide) -> None:
        nonlocal state
        for events in (decide(state, now_ms), None):  # and once more, as a node does that does not know
            entry = e.TournamentEntry(now_ms, tuple(decide(state, now_ms) if events is None else events))
            assert events is not None or not entry.events, "made again, it changes nothing"
            if entry.events:
                entries.append(entry)
                state = apply(state, entry)

    submit(decider.opening(OPENED))
    for what, at, bit in steps:
        now_ms += 1000
        if what == "enter":
            player = PLAYERS[at]
            with contextlib.suppress(Refused):  # who was removed does not come back
                submit(decider.entry(player, f"{now_ms}-{player.id}", 99))
            known = state.entrants[player.id]
            assert known.commitment or known.number is not None or known.removed
        elif what == "leave":
            submit(decider.leave([PLAYERS[at].id]))
        elif what == "pair":
            before = state
            waiting = waiting_of(state, [player.id for player in PLAYERS], now_ms)
            pairs = match(waiting)
            submit(decider.pairing(map(e.Paired, pairs)))
            assert not (state.halted and waiting), "nobody is paired while it is halted"
            if len(waiting) >= arena.FEW:
                assert all(before.entrants[one].last != other for one, other in pairs)
        elif what == "remove" and PLAYERS[at].id in state.entrants:
            submit(decider.removal(PLAYERS[at].id))
        elif what == "halt":
            submit(decider.halt(bool(bit)))
        elif what == "rule" and state.pairs:
            submit(decider.score(e.Scored(at % len(state.pairs), bit)))
        elif what in ("score", "give", "void", "absent") and state.playing:
            number = sorted(state.playing)[at % len(state.playing)]
            winner, absent = bit if what in ("score", "give") else None, (bit,) if what == "absent" else ()
            submit(decider.score(result_of(number, winner, absent, unplayed=what == "give")))
        check(state)
    assert replay(e.decode_entry(e.encode_entry(entry)) for entry in entries) == state


def check(state: Tournament) -> None:
    """What holds of a tournament at any time."""
    busy = [player for number in state.playing for player in state.pairs[number].players]
    assert len(set(busy)) == len(busy), "nobody plays twice at a time"
    for number in state.playing:
        assert all(state.entrants[player].number == number for player in state.pairs[number].players)
    for id_, entrant in state.entrants.items():
        assert not (entrant.commitment and entrant.number is not None), "who plays does not wait"
        assert (entrant.number is None) == (id_ not in busy)
        numbers = [result.number for result in entrant.results]
        assert len(set(numbers)) == len(numbers), "each result counts once"
        assert not (entrant.removed and entrant.commitment), "who was removed does not wait"
        assert entrant.score == score_of(entrant.results, OPENED.rules.length)
    counted = [pair.scored for pair in state.pairs if pair.scored is not None and pair.scored.winner is not None]
    played = [scored for scored in counted if not (scored.absent or scored.unplayed)]
    assert sum(entrant.score.wins for entrant in state.entrants.values()) == len(played)
    assert sum(len(entrant.results) for entrant in state.entrants.values()) == len(counted) + len(played), (
        "what was not played counts for the loser alone"
    )


NETWORKS: list[tuple[str, str, int, int, str]] = [  # of a, b, d, e; who waits; for how long; pairs; why
    ("xxxy", "abde", 0, 1, "a puppet meets another player alone"),
    ("xxxy", "abd", 0, 0, "others play, and may come yet"),
    ("xxxy", "abd", arena.REMATCH_MS, 1, "after a while nobody else has come"),
    ("xxxx", "abde", 0, 2, "a club behind one address"),
    ("    ", "abde", 0, 2, "where addresses are not known"),
]


@pytest.mark.parametrize(("networks", "waits", "waited_ms", "pairs", "why"), NETWORKS)
def test_an_arena_pairs_nobody_of_one_address_where_others_wait(
    networks: str, waits: str, waited_ms: int, pairs: int, why: str
) -> None:
    state = decided(Tournament(), decider.opening(OPENED))
    for player in (ADA, BOB, DAN, EVE):
        state = decided(state, decider.entry(player, f"x-{player.id}", 9))
    now_ms = state.entrants["a"].since_ms + waited_ms
    question = arena.pairing(state, [one for one in state.waiting() if one.player.id in waits], now_ms)
    assert isinstance(question, Question)
    asked = arena.apart(question, state, lambda id_: networks["abde".index(id_)].strip(), now_ms)
    assert len(match(asked.waiting)) == pairs, why


def waiting_of(state: Tournament, here: Container[str], now_ms: int) -> list[Waiting]:
    """The players of an arena who are to be paired now."""
    if not decider.is_due(state, now_ms, lambda *_: 0):
        return []
    question = arena.pairing(state, [one for one in state.waiting() if one.player.id in here], now_ms)
    assert isinstance(question, Question)
    return question.waiting


def test_who_was_removed_is_in_no_standings_and_does_not_come_back() -> None:
    state = decided(of([(ADA, BOB, 0)]), decider.removal("a"))
    assert [entrant.player for entrant in standings(state)] == [BOB]
    with pytest.raises(Refused, match="removed"):
        decided(state, decider.entry(ADA, "x", 9))
    with pytest.raises(Refused, match="not in"):
        decided(state, decider.removal("nobody"))


def test_a_final_table_is_not_extended() -> None:
    state = decided(decided(Tournament(), decider.opening(OPENED)), decider.extension(2000))
    assert state.opened is not None
    assert state.opened.ends_ms == 2000
    state = decided(state, decider.closing, 2000)
    with pytest.raises(Refused, match="final"):
        decided(state, decider.extension(9000))


def test_who_leaves_before_a_first_match_is_in_no_standings_until_coming_back() -> None:
    state = decided(playing(ADA, BOB), decider.entry(EVE, "x-e", 99))
    state = decided(state, decider.leave("abe"))
    assert [entrant.player for entrant in standings(state)] == [ADA, BOB], "these play"
    assert row_of(state).players == 2
    assert EVE in [entrant.player for entrant in standings(decided(state, decider.entry(EVE, "y-e", 99)))]
    state = decided(state, decider.score(e.Scored(0, 0)))
    assert [entrant.player for entrant in standings(state)] == [ADA, BOB], "these have played"
