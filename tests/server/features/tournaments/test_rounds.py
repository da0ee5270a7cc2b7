"""Rules of the formats with rounds, and what holds of each whatever happens. Without a server."""

import contextlib
import itertools
import random
import re
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace
from tavla_engine.gameclock import GameClock
from tavla_engine.rules import Rules
from tavla_server.errors import Refused
from tavla_server.features.tournaments import decider
from tavla_server.features.tournaments import events as e
from tavla_server.features.tournaments.formats import format_of, knock_out, round_robin, standings, swiss
from tavla_server.features.tournaments.matching import match_all
from tavla_server.features.tournaments.round_time import ruled_by_time, slower
from tavla_server.features.tournaments.scores import Result, score_of
from tavla_server.features.tournaments.state import Tournament, apply, replay, result_of
from tavla_server.features.tournaments.views import match_of
from tavla_server.features.tournaments.waiting import Question, Waiting
from tavla_server.player import Player
from tavla_server.record.dice import MatchDice
from tavla_server.record.rating import START_RATING
from tavla_server.record.state import Record

PLAYERS = [Player(f"p{number:02}", f"p{number:02}", "guest", 2000.0 - number) for number in range(40)]
MINUTE_MS = 60_000
FORMATS = "swiss", "round-robin", "knock-out"


def no_outage(since_ms: int, now_ms: int) -> int:
    """The server was never away."""
    return 0


class Club:
    """A tournament that is played by lot, each decision made twice, as by a node that does not know. Time goes on."""

    def __init__(self, format_: str, players: int, rounds: int = 0, seed: int = 0) -> None:
        self.rng = random.Random(seed)
        self.state, self.entries, self.now_ms = Tournament(), list[e.TournamentEntry](), 0
        rules = Rules(length=1, reserve_s=60)
        opened = e.Opened(
            "friday",
            PLAYERS[0],
            rules,
            1000,
            1000 + MINUTE_MS,
            bytes(16),
            format=format_,
            rounds=rounds,
            round_ms=MINUTE_MS,
        )
        self.submit(decider.opening(opened))
        for player in PLAYERS[:players]:
            self.enter(player)
        self.now_ms = 1000

    def submit(self, decide: decider.Decide) -> None:
        """Have it in the journal."""
        events = decide(self.state, self.now_ms)
        if events:
            self.entries.append(e.TournamentEntry(self.now_ms, tuple(events)))
            self.state = apply(self.state, self.entries[-1])
        assert not decide(self.state, self.now_ms), "made again, it changes nothing"
        check(self.state)

    def enter(self, player: Player) -> None:
        """Enter, or be told why not."""
        with contextlib.suppress(Refused):
            self.submit(decider.entry(player, f"{self.now_ms}", 99))

    def pair(self) -> bool:
        """Pair, if it is time; true if it was."""
        self.submit(decider.again(no_outage))
        if not decider.is_due(self.state, self.now_ms, no_outage):
            return False
        waiting = self.state.waiting()
        found = format_of(self.state).pairing(self.state, waiting, self.now_ms)
        if isinstance(found, Question):
            found = [*map(e.Paired, match_all(found.waiting))]
        ids = frozenset(entrant.player.id for entrant in waiting)
        before = self.state
        self.submit(decider.round_begins(self.state.round + 1, ids, found))
        check_round(before, self.state)
        return True

    def score(self, number: int, winner: int | None, absent: tuple[int, ...] = ()) -> None:
        """A match is over."""
        self.submit(decider.score(result_of(number, winner, absent)))

    def play(self, steps: list[tuple[str, int]]) -> None:
        """Whatever happens; then to the end."""
        for what, at in steps:
            self.now_ms += 1000
            if what == "enter":
                self.enter(PLAYERS[at])
            elif what == "leave":
                self.submit(decider.leave([PLAYERS[at].id]))
            elif what == "remove" and PLAYERS[at].id in self.state.entrants:
                self.submit(decider.removal(PLAYERS[at].id))
            elif what == "pair":
                self.pair()
            elif what == "break":
                self.now_ms += decider.BREAK_MS
                self.pair()
            elif self.state.playing and what in ("score", "void", "absent", "neither"):
                number = sorted(self.state.playing)[at % len(self.state.playing)]
                absent = {"absent": (at % 2,), "neither": (0, 1)}.get(what, ())
                self.score(number, at % 2 if what == "score" else None, absent)
        self.finish()

    def finish(self, comes: Callable[[Player], bool] = lambda _: True) -> None:
        """Play to the end. comes: who enters again after each match."""
        for _ in range(200):
            for number in sorted(self.state.playing):
                self.score(number, self.rng.randrange(2))
            for entrant in list(self.state.entrants.values()):
                if not entrant.gone and comes(entrant.player):
                    self.enter(entrant.player)
            self.submit(decider.again(no_outage))
            self.submit(decider.closing)
            if self.state.closed_ms:
                break
            if not self.pair():
                self.now_ms += decider.BREAK_MS
        assert self.state.closed_ms, "it ends"
        assert replay(e.decode_entry(e.encode_entry(entry)) for entry in self.entries) == self.state
        assert not self.state.playing
        assert not self.state.again

    def of_round(self, round_: int, bracket: int = 0) -> list[set[str]]:
        """The pairs of a round, byes too."""
        pairs = [pair for pair in self.state.pairs if (pair.round, pair.bracket) == (round_, bracket)]
        return [{*filter(None, pair.players)} for pair in pairs]


def check(state: Tournament) -> None:
    """What holds of a tournament at any time."""
    assert not state.again & state.playing
    busy = [player for number in state.playing | state.again for player in state.pairs[number].players]
    assert len({*busy}) == len(busy), "nobody plays twice at a time"
    paired = [id_ for pair in state.pairs if pair.round == state.round for id_ in pair.players if id_]
    assert len({*paired}) == len(paired), "nobody is paired twice in one round"
    wins = Counter(
        pair.players[pair.scored.winner] for pair in state.pairs if pair.scored and pair.scored.winner in (0, 1)
    )
    for id_, entrant in state.entrants.items():
        assert entrant.number is None or entrant.number in state.playing
        assert not (entrant.commitment and entrant.number is not None), "who plays does not wait"
        assert entrant.score.wins == entrant.score.points == wins[id_], "each result counts once"
        numbers = [result.number for result in entrant.results]
        assert len({*numbers}) == len(numbers)
        assert all(id_ in state.pairs[number].players for number in numbers)


def check_round(before: Tournament, after: Tournament) -> None:
    """Nobody who waited and has a next match was forgotten."""
    if after.round == before.round:
        return
    assert before.opened is not None
    paired = {id_ for pair in after.pairs if pair.round == after.round for id_ in pair.players}
    for entrant in before.waiting():
        refusal = format_of(before).refusal(before, entrant.player.id, 0)
        is_alone = before.opened.format == "knock-out" and format_of(after).refusal(after, entrant.player.id, 0)
        assert entrant.player.id in paired or refusal or is_alone, "nobody is forgotten"


STEPS = st.lists(
    st.tuples(
        st.sampled_from(
            (
                "enter",
                "enter",
                "enter",
                "leave",
                "pair",
                "break",
                "score",
                "score",
                "void",
                "absent",
                "neither",
                "remove",
            )
        ),
        st.integers(0, 12),
    ),
    max_size=60,
)


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
    club.enter(PLAYERS[9])
    club.enter(PLAYERS[8])
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
        for number in sorted(club.state.playing):
            club.score(number, 0)
        for player in PLAYERS[:16]:
            club.enter(player)
        club.pair()
    loser = next(pair.players[1] for pair in club.state.pairs if pair.round == 2 and pair.bracket == 0)
    assert knock_out.refusal(club.state, loser, 0) == knock_out.OUT


# --- rounds ---


@pytest.mark.parametrize("format_", FORMATS)
def test_a_round_begins_when_all_are_there_or_when_the_break_is_over(format_: str) -> None:
    club = Club(format_, 4)
    club.now_ms = 999
    assert not club.pair(), "before the start"
    club.now_ms = 1000
    assert club.pair()
    for number in sorted(club.state.playing):
        club.score(number, 0)
    late = club.state.pairs[-1].players[0]
    for player in PLAYERS[:4]:
        if player.id != late:
            club.enter(player)
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
    for number in sorted(club.state.playing):
        club.score(number, 0)
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


def test_a_void_match_of_a_knock_out_is_played_again_as_a_new_one() -> None:
    """Also the final, when there is nothing else left to be played."""
    club = Club("knock-out", 2)
    assert club.pair()
    first = match_of("t", club.state, 0)
    for _ in range(2):
        club.now_ms += 1000
        club.score(0, None)
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
        assert club.state.pairs[0].commitments == (f"{club.now_ms}",) * 2, "with new seeds"
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
    for number in (0, 1):
        club.score(number, 1)
    for player in PLAYERS[:4]:
        club.enter(player)
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
