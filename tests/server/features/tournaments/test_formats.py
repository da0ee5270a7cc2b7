"""Rules of each format with rounds: pairs, byes, ties and refusals. Without a server."""

import itertools
import random
import re
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tavla_engine.rules import Rules
from tavla_server.errors import Refused
from tavla_server.features.tournaments import decider
from tavla_server.features.tournaments import events as e
from tavla_server.features.tournaments.formats import format_of, knock_out, round_robin, standings, swiss
from tavla_server.features.tournaments.matching import match_all
from tavla_server.features.tournaments.scores import Result, score_of
from tavla_server.features.tournaments.state import Tournament, apply
from tavla_server.features.tournaments.waiting import Waiting
from tavla_server.player import Player
from tavla_server.record.rating import START_RATING

from tests.support.games.club import MINUTE_MS, PLAYERS, Club

# --- Swiss ---


@pytest.mark.slow
@given(st.integers(2, 16), st.integers(0, 20), st.integers(0, 2**32))
@settings(max_examples=30)
def test_in_a_swiss_nobody_meets_twice_or_has_a_second_bye(players: int, rounds: int, seed: int) -> None:
    club = Club("swiss", players, rounds, seed)
    club.finish()
    met = Counter(frozenset(filter(None, pair.players)) for pair in club.state.pairs)
    byes = [pair.players[0] for pair in club.state.pairs if not pair.players[1]]
    assert len({*byes}) == len(byes)
    assert club.state.rounds == swiss.rounds(players, rounds)
    if rounds * 2 <= players:  # of more rounds the last ones may have no other way
        assert max(met.values()) == 1
    assert all(len(entrant.results) == club.state.rounds for entrant in club.state.entrants.values())


@given(st.integers(2, 8), st.integers(0, 2**32))
def test_a_rematch_happens_only_where_none_can_be_avoided(players: int, seed: int) -> None:
    rng = random.Random(seed)
    ids = [str(number) for number in range(players)]
    met = {id_: {other for other in ids if other != id_ and rng.random() < 0.5} for id_ in ids}
    met = {id_: {other for other in ids if other in met[id_] or id_ in met[other]} - {id_} for id_ in ids}
    waiting = [Waiting(id_, rng.randrange(4), tuple(met[id_]), rng.random() < 0.3) for id_ in ids]
    waiting.sort(key=lambda one: -one.rank)

    def cost(pairs: list[tuple[str, str]]) -> tuple[int, int]:
        byes = [one for one, other in pairs if not other]
        again = sum(other in met[one] for one, other in pairs if other)
        return sum(one.overlooked for one in waiting if one.id in byes), again

    def all_ways(rest: list[str]) -> list[list[tuple[str, str]]]:
        if not rest:
            return [[]]
        one, *others = rest
        ways = [[(one, other), *way] for other in others for way in all_ways([id_ for id_ in others if id_ != other])]
        if len(rest) % 2:
            ways += [[(one, ""), *way] for way in all_ways(others)]
        return ways

    pairs = match_all(waiting)
    assert sorted(filter(None, itertools.chain(*pairs))) == ids
    assert cost(pairs) == min(map(cost, all_ways(ids)))


def test_those_meet_who_have_won_as_much_and_the_bye_is_of_the_lowest() -> None:
    waiting = [Waiting(str(n), points, (), False) for n, points in enumerate((2, 2, 1, 1, 1, 1, 0, 0, 0))]
    points = {one.id: one.rank for one in waiting}
    *pairs, bye = match_all(waiting)
    assert all(points[one] == points[other] for one, other in pairs)
    assert (points[bye[0]], bye[1]) == (0, "")


def test_when_all_have_had_a_bye_one_has_a_second_one() -> None:
    *pairs, bye = match_all([Waiting(str(points), points, (), True) for points in (2, 1, 0)])
    assert (pairs, bye) == ([("2", "1")], ("0", ""))


@pytest.mark.slow
def test_a_thousand_are_paired_without_a_rematch_and_near_their_points() -> None:
    rng = random.Random(1)
    met: dict[str, list[str]] = {str(number): [] for number in range(1000)}
    points = dict.fromkeys(met, 0)
    for _ in range(5):
        order = sorted(met, key=lambda id_: (-points[id_], rng.random()))
        pairs = match_all([Waiting(id_, points[id_], tuple(met[id_]), False) for id_ in order])
        assert len(pairs) == 500
        assert sum(abs(points[one] - points[other]) for one, other in pairs) < 20
        for one, other in pairs:
            assert other not in met[one]
            met[one].append(other)
            met[other].append(one)
            points[rng.choice((one, other))] += 1


ROUNDS = [(2, 0, 1), (3, 0, 2), (8, 0, 3), (9, 0, 4), (16, 5, 5), (17, 0, 5), (4, 20, 3), (5, 20, 5)]


@pytest.mark.parametrize(("players", "wanted", "rounds"), ROUNDS)
def test_a_swiss_has_as_many_rounds_as_give_one_player_all_wins(players: int, wanted: int, rounds: int) -> None:
    assert swiss.rounds(players, wanted) == rounds


def test_ties_are_told_apart_by_buchholz_and_a_bye_counts_as_ones_own_points() -> None:
    club = Club("swiss", 3, 2)
    club.pair()
    (number,) = club.state.playing
    winner, loser = club.state.pairs[number].players
    (bye,) = {"p00", "p01", "p02"} - {winner, loser}
    club.score(number, 0)
    ranks = {id_: swiss.ranks(club.state, entrant) for id_, entrant in club.state.entrants.items()}
    assert ranks == {winner: (1, 0, 0), loser: (0, 1, 0), bye: (1, 1, 1)}


TIES = [  # format; rounds of pairs, each as the winner, the other, and who did not come, or "" for a bye; ranks by hand
    (
        "swiss",
        [["A B", "C D", "E -"], ["A C !C", "E D", "B -"], ["A E", "B D"]],  # C misses the last round
        {
            "A": (3, 2 + 3 + 2, 7),
            "B": (2, 3 + 2 + 0, 2),
            "C": (1, 0 + 1, 0),
            "D": (0, 1 + 2 + 2, 0),
            "E": (2, 2 + 0 + 3, 2),
        },
    ),
    (
        "round-robin",
        [["A B", "C D"], ["A C !C", "B D"], ["D A", "B C"]],
        {"A": (2, 1, 2 + 1), "B": (2, 0, 1 + 1), "C": (1, 1, 1), "D": (1, 0, 2)},
    ),
    (
        "round-robin",
        [["A B", "C -"], ["A C !C", "B -"], ["B C", "A -"]],
        {"A": (3, 0, 2 + 1), "B": (2, 0, 1), "C": (1, 0, 0)},
    ),
]


@pytest.mark.parametrize(("format_", "rounds", "ranks"), TIES)
def test_ties_are_counted_as_they_are_by_hand(
    format_: str, rounds: list[list[str]], ranks: dict[str, tuple[int, ...]]
) -> None:
    opened = e.Opened("friday", PLAYERS[0], Rules(length=1), 0, MINUTE_MS, bytes(16), format=format_)
    state = apply(
        Tournament(), e.TournamentEntry(0, (opened, *(e.Entered(Player(id_, id_, "guest", None), "") for id_ in ranks)))
    )
    for pairs in rounds:
        state = apply(state, e.TournamentEntry(0, (e.Round(MINUTE_MS, len(rounds)),)))
        for pair in pairs:
            winner, other, *absent = pair.split()
            is_bye, number = other == "-", len(state.pairs)
            players = (winner, "" if is_bye else other)
            state = apply(state, e.TournamentEntry(0, (e.Paired(players, absent=(1,) if absent or is_bye else ()),)))
            if not (absent or is_bye):
                state = apply(state, e.TournamentEntry(0, (e.Scored(number, 0),)))
    assert {id_: format_of(state).ranks(state, one) for id_, one in state.entrants.items()} == ranks


def test_the_protocol_s_example_of_a_record_follows_its_formula() -> None:
    text = (Path(__file__).parents[4] / "protocol" / "tournaments.md").read_text("utf-8")
    performances = re.search(r'"streak": 1,\n  "performance": (\d+)}\], \["bob".*"performance": (\d+)}\]\]', text)
    assert performances is not None
    results = Result(0, True, START_RATING), Result(0, False, 1517)
    assert [int(one) for one in performances.groups()] == [
        round(score_of([one], 3).performance or 0) for one in results
    ]


def test_late_comers_play_from_the_next_round_on() -> None:
    club = Club("swiss", 4, 3)
    club.pair()
    club.enter(PLAYERS[9], PLAYERS[8])
    club.finish()
    assert [len(club.state.entrants[id_].results) for id_ in ("p00", "p08", "p09")] == [3, 2, 2]


# --- round robin ---


@given(st.integers(2, 11), st.integers(0, 2**32))
@settings(max_examples=30)
def test_in_a_round_robin_each_pair_meets_once(players: int, seed: int) -> None:
    club = Club("round-robin", players, seed=seed)
    club.finish(lambda player: club.rng.random() < 0.9)  # who does not come loses, and the pairs are the same
    met = sorted(sorted(pair.players) for pair in club.state.pairs if pair.players[1])
    ids = [player.id for player in PLAYERS[:players]]
    assert met == [[*two] for two in itertools.combinations(ids, 2)]
    byes = [pair.players[0] for pair in club.state.pairs if not pair.players[1]]
    assert sorted(byes) == (ids if players % 2 else [])
    assert club.state.round == round_robin.rounds(players, 0)


@pytest.mark.parametrize("format_", ["round-robin", "knock-out"])
def test_nobody_enters_who_was_not_there_at_the_start(format_: str) -> None:
    club = Club(format_, 4)
    club.pair()
    with pytest.raises(Refused, match="has begun"):
        club.submit(decider.entry(PLAYERS[9], "x", 99))


def test_a_round_robin_is_full_with_so_many() -> None:
    club = Club("round-robin", round_robin.MOST)
    with pytest.raises(Refused, match="full"):
        club.submit(decider.entry(PLAYERS[-1], "x", 99))


# --- knock-out ---


def test_the_first_are_seeded_apart_and_have_the_byes() -> None:
    club = Club("knock-out", 13)
    club.pair()
    ids = [PLAYERS[number].id for number in range(13)]
    wanted = [{0}, {7, 8}, {3, 12}, {4, 11}, {1}, {6, 9}, {2}, {5, 10}]
    assert club.of_round(1) == [{ids[at] for at in pair} for pair in wanted]


HAPPENINGS = st.lists(st.sampled_from(("white", "black", "void", "absent", "neither", "leaves", "late")), max_size=40)


@given(HAPPENINGS, st.integers(0, 2**32))
def test_a_knock_out_of_13_has_one_winner_and_a_consolation_whatever_happens(what: list[str], seed: int) -> None:
    club = Club("knock-out", 13, seed=seed)
    for each in what:
        club.now_ms += 1000
        for entrant in list(club.state.entrants.values()):
            if not entrant.gone and each != "late":
                club.enter(entrant.player)
        while not club.state.playing and not club.state.closed_ms and club.pair():
            pass
        if not club.state.playing:
            club.now_ms += decider.BREAK_MS
            continue
        number = min(club.state.playing)
        if each == "leaves":
            club.submit(decider.leave(club.state.pairs[number].players[:1]))
        absent = {"absent": (0,), "neither": (0, 1)}.get(each, ())
        club.score(number, {"white": 0, "black": 1}.get(each), absent)
    club.finish()
    assert club.state.round == club.state.rounds == 4
    assert [len(club.of_round(round_)) for round_ in range(1, 5)] == [8, 4, 2, 1]
    first, second, *_ = standings(club.state)
    (final,) = [pair for pair in club.state.pairs if (pair.round, pair.bracket) == (4, 0)]
    assert {first.player.id, second.player.id} == {*final.players}
    assert knock_out.ranks(club.state, first)[0] > knock_out.ranks(club.state, second)[0]


def test_the_losers_of_the_first_round_play_on_and_theirs_too() -> None:
    club = Club("knock-out", 16)
    club.finish()
    assert [len(club.of_round(round_, 1)) for round_ in range(1, 5)] == [0, 4, 2, 1]
    assert [len(club.of_round(round_, 2)) for round_ in range(1, 5)] == [0, 0, 2, 1]
    lost = {id_ for pair in club.state.pairs[:8] for id_ in pair.players} - set().union(*club.of_round(2))
    assert set().union(*club.of_round(2, 1)) == lost
    with pytest.raises(Refused, match="over"):
        club.submit(decider.entry(PLAYERS[0], "x", 99))


def test_who_is_out_is_told_so() -> None:
    club = Club("knock-out", 16)
    club.pair()
    for _ in range(2):
        club.score_all(0)
        club.enter(*PLAYERS[:16])
        club.pair()
    loser = next(pair.players[1] for pair in club.state.pairs if pair.round == 2 and pair.bracket == 0)
    assert knock_out.refusal(club.state, loser, 0) == knock_out.OUT
