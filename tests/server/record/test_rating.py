"""Changes that results make: the formula, what counts, and what an entry adds to a table's tally."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace
from tavla_engine.events import Ending, Event, GameEnded, MatchEnded
from tavla_engine.match import Cube, Match, Phase
from tavla_engine.rules import MAX_LENGTH, preset
from tavla_server.player import Player
from tavla_server.record.events import Created, Entry, Seated
from tavla_server.record.projection import view_of
from tavla_server.record.rating import (
    COUNTED_POINTS,
    START_RATING,
    Standing,
    Tally,
    rating_delta,
    result,
    tally_after,
    was_played,
)
from tavla_server.record.reducer import apply_entry
from tavla_server.record.state import Record, decode_record, encode_record

standings = st.builds(Standing, st.floats(500, 2500), st.integers(0, 5000))
points = st.integers(1, COUNTED_POINTS)


def test_the_known_example_of_fibs() -> None:
    favourite, underdog = Standing(1500 + 155.634835, 2761), Standing(1500, 187)
    assert rating_delta(favourite, underdog, 3, won=True) == pytest.approx(2.930831, abs=5e-7)
    assert rating_delta(underdog, favourite, 3, won=False) == pytest.approx(-9.173502, abs=5e-7)


CHANGES = [  # own, other, points, won, change, why this row is here
    (Standing(1500, 400), Standing(1500, 400), 1, True, 2.0, "equals with experience play for two points"),
    (Standing(1500, 400), Standing(1500, 400), 9, False, -6.0, "nine points count three times as much as one"),
    (Standing(), Standing(), 1, True, 10.0, "a beginner moves five times as far"),
    (Standing(1500, 9999), Standing(1500, 0), 1, True, 2.0, "experience stops to count at 400"),
]


@pytest.mark.parametrize(("own", "other", "count", "won", "expected", "why"), CHANGES)
def test_a_change_is_what_the_formula_says(
    own: Standing, other: Standing, count: int, won: bool, expected: float, why: str
) -> None:
    assert rating_delta(own, other, count, won) == pytest.approx(expected), why


@given(standings, standings, points)
def test_the_winner_gains_and_more_against_the_stronger(own: Standing, other: Standing, count: int) -> None:
    gain, loss = rating_delta(own, other, count, won=True), rating_delta(own, other, count, won=False)
    assert gain > 0 > loss
    if abs(own.rating - other.rating) > 1e-6:  # nearer than that, the sums are equal but for rounding
        assert (gain > -loss) == (own.rating < other.rating)


MATCH = Match(preset("tournament", {"length": 7, "rated": True}), phase=Phase.MOVE, game=3, cube=Cube(4))
MONEY = Match(preset("money", {"rated": True}), phase=Phase.MOVE, game=3, cube=Cube(4))  # a forfeit costs three cubes

RESULTS: list[tuple[Match, list[Event], tuple[int, int] | None, str]] = [
    (MATCH, [GameEnded(0, 4, 1, Ending.BORNE_OFF)], None, "a game of a match"),
    (MATCH, [GameEnded(0, 8, 2, Ending.BORNE_OFF), MatchEnded(0, Ending.SCORE)], (0, 7), "a match's length counts"),
    (MATCH, [MatchEnded(1, Ending.FORFEIT)], (1, 7), "a forfeit"),
    (MATCH, [MatchEnded(1, Ending.TIME)], (1, 7), "a flag"),
    (MATCH, [MatchEnded(0, Ending.ABANDONED)], (0, 7), "a claim"),
    (MONEY, [GameEnded(1, 8, 2, Ending.BORNE_OFF)], (1, 8), "a game for money: cube times gammon"),
    (MONEY, [GameEnded(1, 12, 3, Ending.FORFEIT)], (1, 12), "a forfeit of one costs what the rules say"),
    (MONEY, [MatchEnded(1, Ending.TIME)], (1, 12), "a flag in one costs as much"),
    (replace(MONEY, phase=Phase.READY), [MatchEnded(1, Ending.LEFT)], None, "the games have counted already"),
    (replace(MONEY, phase=Phase.READY), [MatchEnded(None, Ending.LEFT)], None, "so have those of a level session"),
    (replace(MONEY, phase=Phase.READY), [MatchEnded(0, Ending.ABANDONED)], None, "and nobody loses between two games"),
]


@pytest.mark.parametrize(("before", "events", "expected", "why"), RESULTS)
def test_what_counts_and_for_how_much(
    before: Match, events: list[Event], expected: tuple[int, int] | None, why: str
) -> None:
    assert result(before, events) == expected, why


@given(standings, standings, st.lists(st.tuples(st.integers(0, 1), points), max_size=9))
def test_a_tally_is_the_sum_of_its_results(white: Standing, black: Standing, results: list[tuple[int, int]]) -> None:
    tally, now = Tally(), [white, black]
    for winner, count in results:
        tally = tally_after(tally, (white, black), winner, count)
        changes = [rating_delta(now[seat], now[1 - seat], count, won=winner == seat) for seat in (0, 1)]
        now = [Standing(now[seat].rating + changes[seat], now[seat].experience + count) for seat in (0, 1)]
    assert (tally.results, tally.experience) == (len(results), sum(count for _, count in results))
    assert white.rating + tally.changes[0] == pytest.approx(now[0].rating)
    assert black.rating + tally.changes[1] == pytest.approx(now[1].rating)


def test_one_game_counts_no_more_than_the_longest_match() -> None:
    both = (Standing(), Standing())
    assert tally_after(Tally(), both, 0, 2**32) == tally_after(Tally(), both, 0, MAX_LENGTH)


# --- tables ---


def ended(rated: bool, white: Player, black: Player, rolls: int = 9, met: int = 0) -> Record:
    """A match to three points that black has forfeited, after `rolls` plays."""
    rules = preset("tournament", {"length": 3, "rated": rated})
    entries = [
        Entry("w", 1, 0, 0, (Created("t", rules, bytes(32)), Seated(0, white))),
        Entry("b", 1, 0, 0, (Seated(1, black),)),
        Entry("b", 2, 0, 0, (MatchEnded(0, Ending.FORFEIT),)),
    ]
    record = Record("m")
    for entry in entries[:2]:
        record = apply_entry(record, entry)
    record = replace(record, met=met, match=replace(record.match, rolls=rolls, game=1))
    return apply_entry(record, entries[2])


ADA = Player("w", "ada", "account", START_RATING, 400)
BOB = Player("b", "bob", "bot", START_RATING, 0)


def test_a_rated_table_shows_what_its_result_made_of_the_ratings() -> None:
    record = ended(True, ADA, BOB)
    assert record.tally.results == 1
    assert record.tally.changes == pytest.approx((2 * 3**0.5, -10 * 3**0.5))
    view = view_of(record)
    assert (view.kinds, view.ratings) == (("account", "bot"), (1503, 1483))
    assert decode_record(encode_record(3, record)) == (3, record), "a snapshot keeps it"


@pytest.mark.parametrize(("rolls", "counts"), [(0, False), (1, False), (4, False), (5, True)])
def test_before_both_have_made_two_plays_nobody_gains(rolls: int, counts: bool) -> None:
    gain, loss = ended(True, ADA, BOB, rolls).tally.changes
    assert loss == pytest.approx(-10 * 3**0.5), "who ends it loses as ever"
    assert gain == pytest.approx(2 * 3**0.5 if counts else 0)


PLAYED: list[tuple[Match, bool, str]] = [  # at the end of a match
    (Match(preset("tournament", {}), game=1, rolls=6, opened=2), False, "ties of the opening are no plays"),
    (Match(preset("tournament", {}), game=1, rolls=7, opened=2), True, "the fifth roll: two plays of each are made"),
    (Match(preset("tournament", {}), game=2, rolls=5, opened=3), True, "plays of a match are those of all its games"),
    (Match(preset("money", {}), game=2, rolls=5, opened=3), False, "for money each game counts for itself"),
    (Match(preset("money", {}), game=2, rolls=8, opened=3), True, "as this one"),
]


@pytest.mark.parametrize(("match", "played", "why"), PLAYED)
def test_a_match_is_played_when_both_have_made_two_plays(match: Match, played: bool, why: str) -> None:
    assert was_played(match) is played, why


def test_who_have_met_often_move_less_and_less_down_to_nothing() -> None:
    gains = [ended(True, ADA, BOB, met=met).tally.changes for met in range(13)]
    parts = [gain / gains[0][0] for gain, _ in gains]
    assert parts == pytest.approx([max(0, 1 - met / 10) for met in range(13)])
    assert [loss / gains[0][1] for _, loss in gains] == pytest.approx(parts), "both alike"


@pytest.mark.parametrize(
    ("rated", "black", "ratings"), [(False, BOB, (1500, 1500)), (True, Player("b", "bob"), (1500, None))]
)
def test_nothing_changes_where_nothing_is_rated(rated: bool, black: Player, ratings: tuple[int, int | None]) -> None:
    record = ended(rated, ADA, black)
    assert record.tally == Tally()
    assert view_of(record).ratings == ratings
