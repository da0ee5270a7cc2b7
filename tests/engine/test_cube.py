"""The doubling cube: who may offer when, what it is worth after each answer, and its limits."""

from typing import Any

import pytest
from msgspec.structs import replace
from tavla_engine import actions as a
from tavla_engine import events as e
from tavla_engine.apply import apply
from tavla_engine.conditions import no_double
from tavla_engine.errors import Reason
from tavla_engine.events import Ending
from tavla_engine.match import Cube, Match, Offer, Phase, new_match
from tavla_engine.rules import MAX_CUBE_CAP, preset

from tests.support.games.engine import (
    HOME_STRETCH,
    LAST_CHECKER,
    MONEY,
    NONE_OFF,
    TOURNAMENT,
    act,
    after,
    any_move,
    doubled,
    on_roll,
    refusal,
    to_move,
)

CLUB = preset("club")
MPGN = preset("mpgn")
WIN = a.Move(0, ((1, 0),))  # with the last checker


# --- Who may offer ----------------------------------------------------------------------------------------------

OFFERS = [  # changes to a 7-point match with seat 0 on roll -> why it may not double; None when it may
    ({}, None, "the cube is in the middle"),
    ({"cube": Cube(2, 0, True)}, None, "its owner redoubles"),
    ({"cube": Cube(4, 0, True)}, None, "4 of the 7 points"),
    ({"crawford_done": True, "score": (0, 6)}, None, "post-Crawford, the trailer may double at once"),
    ({"score": (5, 6), "crawford_done": True}, None, "two points away"),
    ({"cube": Cube(8, 0, True)}, "dead", "8 is more than the match needs"),
    ({"score": (5, 0), "cube": Cube(2, 0, True)}, "dead", "2 is just what the owner needs"),
    ({"score": (6, 5), "crawford_done": True}, "dead", "the leader post-Crawford"),
    ({"cube": Cube(2, 1, True)}, "your opponent owns the cube", "the other player owns it"),
    ({"crawford": True}, "Crawford game", "nobody doubles in the Crawford game"),
    ({"rules": preset("tournament", {"cube": False})}, "without the cube", "no cube"),
    ({"rules": preset("tournament", {"cube_cap": 2}), "cube": Cube(2, None, True)}, "its cap", "at the cap"),
]


@pytest.mark.parametrize(("changes", "text", "why"), OFFERS)
def test_the_cube_is_offered_by_whom_it_belongs_to(changes: dict[str, Any], text: str | None, why: str) -> None:
    match = replace(on_roll(TOURNAMENT), **changes)
    if text is None:
        events, match = act(match, a.Double(0))
        assert (events, match.phase, match.offer) == ([e.Doubled(0)], Phase.CUBE, Offer(0, 1)), why
        assert match.cube == changes.get("cube", Cube()), "an offer turns nothing"
    else:
        error = refusal(match, a.Double(0))
        assert error.reason is Reason.NO_DOUBLE, why
        assert text in str(error)


def test_the_opponent_may_double_with_a_cube_that_is_dead_for_the_leader() -> None:
    match = to_move((3, 1), TOURNAMENT, score=(6, 3), crawford_done=True)
    match = after(match, any_move(match))
    assert match.phase is Phase.ROLL
    match = after(after(match, a.Double(1)), a.Take(0), (4, 2))
    assert match.cube == Cube(2, 0, True)


# --- Answers ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("value", [1, 2, 32])
def test_a_take_doubles_the_cube_and_gives_it_to_the_taker(value: int) -> None:
    events, match = act(doubled(cube=Cube(value, 0)), a.Take(1), (6, 4))
    assert events == [e.Taken(1), e.Rolled(0, 6, 4)], "the one who doubled has no decision left"
    assert match.cube == Cube(2 * value, 1, True)
    assert (match.phase, match.turn, match.offer) == (Phase.MOVE, 0, None)


@pytest.mark.parametrize("value", [1, 2, 32])
def test_a_drop_pays_the_cube_before_the_offer_and_nothing_else(value: int) -> None:
    match = doubled(cube=Cube(value, 0), board=(LAST_CHECKER, NONE_OFF))
    events, match = act(match, a.Drop(1))
    assert events == [e.GameEnded(0, value, 1, Ending.DROP)]
    assert (match.score, match.phase, match.offer) == ((value, 0), Phase.READY, None)


def test_each_redouble_comes_from_the_other_side() -> None:
    match = on_roll(CLUB)
    for turn, value in enumerate((2, 4, 8)):
        seat = turn % 2
        match = after(after(match, a.Double(seat)), a.Take(1 - seat), (2, 1))
        assert match.cube == Cube(value, 1 - seat, True)
        match = after(match, any_move(match))
        assert match.turn == 1 - seat


@pytest.mark.parametrize(("loser", "points"), [(HOME_STRETCH, 8), (NONE_OFF, 16), (NONE_OFF[:19] + b"\1" * 7, 24)])
def test_after_three_doubles_a_gammon_costs_16_and_a_backgammon_24(loser: bytes, points: int) -> None:
    match = on_roll(CLUB, board=(LAST_CHECKER, loser))
    for seat in (0, 1, 0):
        match = replace(match, phase=Phase.ROLL, turn=seat, dice=None)
        match = after(after(match, a.Double(seat)), a.Take(1 - seat), (2, 1))
    assert match.turn == 0
    assert after(match, any_move(match)).score == (points, 0)


# --- Limits -----------------------------------------------------------------------------------------------------


def doubled_up(match: Match, top: int) -> Match:
    """The same after doubles and takes in turn until the cube shows `top`."""
    while match.cube.value < top:
        seat = match.turn
        match = after(after(match, a.Double(seat)), a.Take(1 - seat), (2, 1))
        match = replace(match, phase=Phase.ROLL, turn=1 - seat, dice=None)
    return match


@pytest.mark.parametrize("cap", [2, 64, 128, 2**20])
def test_at_its_cap_the_cube_goes_to_the_middle_and_nobody_doubles(cap: int) -> None:
    match = doubled_up(on_roll(preset("club", {"cube_cap": cap})), cap)
    assert match.cube == Cube(cap, None, True)
    for seat in (0, 1):
        error = refusal(replace(match, turn=seat), a.Double(seat))
        assert str(error) == f"the cube is at {cap}, its cap: nobody may double"
    match = replace(match, phase=Phase.MOVE, dice=(2, 1), board=(NONE_OFF, NONE_OFF))
    assert isinstance(act(match, any_move(match), (6, 4)).events[-1], e.Rolled)


def test_where_it_is_kept_a_cube_at_its_cap_stays_with_the_taker_and_nobody_doubles() -> None:
    match = doubled_up(on_roll(preset("seats")), 64)
    assert (match.cube.value, match.cube.turned) == (64, True)
    assert match.cube.owner is not None
    for seat in (0, 1):
        assert no_double(match, seat) == "the cube is at 64, its cap: nobody may double"


def test_without_a_cap_the_cube_stays_exact_beyond_64() -> None:
    match = doubled_up(on_roll(preset("club", {"cube_cap": 0})), 2**20)
    assert match.cube.value == 1048576
    assert match.cube.owner is not None
    match = replace(match, board=(LAST_CHECKER, NONE_OFF), phase=Phase.MOVE, turn=0, dice=(2, 1))
    assert after(match, WIN).score == (2097152, 0)


def test_even_a_cube_without_a_cap_ends_before_its_points_are_too_long_for_the_wire() -> None:
    match = doubled_up(on_roll(preset("club", {"cube_cap": 0})), MAX_CUBE_CAP)
    assert refusal(match, a.Double(match.turn)).reason is Reason.NO_DOUBLE
    assert MAX_CUBE_CAP * 12 * 10**5 < 2**53, "100,000 of the dearest games are exact in a browser too"


@pytest.mark.parametrize(("ties", "value"), [(0, 1), (1, 2), (2, 4), (3, 4), (5, 4)])
def test_opening_ties_turn_the_cube_twice_at_most(ties: int, value: int) -> None:
    match = after(new_match(MPGN), a.Ready(0))
    events, match = act(match, a.Ready(1), *[(3, 3)] * ties, (2, 6))
    assert events[2:] == [e.OpeningRolled(3, 3)] * ties + [e.OpeningRolled(2, 6)]
    assert match.cube == Cube(value, None, False)
    assert (match.turn, match.dice, match.rolls) == (1, (6, 2), ties + 1)


@pytest.mark.parametrize("limit", range(13))
def test_ties_after_the_last_automatic_double_are_rolled_again(limit: int) -> None:
    rules = preset("club", {"automatic_doubles": limit, "cube_cap": 0})
    match = after(after(new_match(rules), a.Ready(0)), a.Ready(1), *[(1, 1)] * 14, (2, 1))
    assert match.cube == Cube(2**limit)
    assert after(after(match, any_move(match)), a.Double(1)).phase is Phase.CUBE


def test_ties_turn_nothing_in_the_crawford_game_nor_for_the_jacoby_rule() -> None:
    rules = preset("tournament", {"automatic_doubles": 2})
    match = replace(new_match(rules), score=(6, 0), game=3, ready=(True, False))
    assert after(match, a.Ready(1), (4, 4), (2, 1)).cube == Cube()
    rules = preset("money", {"automatic_doubles": 1})
    match = after(after(new_match(rules), a.Ready(0)), a.Ready(1), (4, 4), (2, 1))
    match = replace(match, board=(LAST_CHECKER, NONE_OFF), turn=0)
    assert act(match, WIN).events[1:] == [e.GameEnded(0, 2, 1, Ending.BORNE_OFF)]


# --- Money play -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("jacoby", [True, False])
@pytest.mark.parametrize("turned", [True, False])
def test_with_the_jacoby_rule_gammons_count_only_after_a_double(jacoby: bool, turned: bool) -> None:
    rules = preset("money", {"jacoby": jacoby})
    match = to_move((2, 1), rules, board=(LAST_CHECKER, NONE_OFF), cube=Cube(2, 0, turned))
    kind = 2 if turned or not jacoby else 1
    assert act(match, WIN).events[1:] == [e.GameEnded(0, 2 * kind, kind, Ending.BORNE_OFF)]


def test_a_beaver_redoubles_at_once_and_keeps_the_cube() -> None:
    events, match = act(doubled(), a.Beaver(1))
    assert events == [e.Beavered(1)]
    assert (match.cube.value, match.offer, match.phase) == (2, Offer(1, 1, 1), Phase.CUBE)
    events, taken = act(match, a.Take(0), (6, 4))
    assert events == [e.Taken(0), e.Rolled(0, 6, 4)]
    assert (taken.cube, taken.turn) == (Cube(4, 1, True), 0)
    assert act(match, a.Drop(0)).events == [e.GameEnded(1, 2, 1, Ending.DROP)]
    assert refusal(match, a.Take(1)).reason is Reason.NOT_YOUR_TURN


def test_beavers_and_raccoons_alternate_up_to_their_limit() -> None:
    match = doubled(preset("money", {"beavers": 3}), seat=1, cube=Cube(2, 1, True))
    for count, seat in enumerate((0, 1, 0)):  # beaver, raccoon, and one more
        match = after(match, a.Beaver(seat))
        assert (match.cube.value, match.offer) == (4 * 2**count, Offer(seat, 0, count + 1))
    error = refusal(match, a.Beaver(1))
    assert (error.reason, str(error)) == (Reason.NO_DOUBLE, "no more than 3 may follow a double: take or drop")
    assert after(match, a.Take(1), (2, 1)).cube == Cube(32, 0, True)
    assert act(match, a.Drop(1)).events == [e.GameEnded(0, 16, 1, Ending.DROP)]


BEAVERS = [  # changes to money play, cube before the double, text of the refusal
    ({"beavers": 0}, 1, "this match is played without beavers: take or drop"),
    ({"cube_cap": 4}, 2, "the cube goes to 4 at most: take or drop"),
    ({"cube_cap": 64}, 32, "the cube goes to 64 at most: take or drop"),
    ({}, MAX_CUBE_CAP // 2, f"the cube goes to {MAX_CUBE_CAP} at most: take or drop"),
]


@pytest.mark.parametrize(("changes", "value", "text"), BEAVERS)
def test_a_beaver_needs_room_on_the_cube(changes: dict[str, Any], value: int, text: str) -> None:
    error = refusal(doubled(preset("money", changes), cube=Cube(value)), a.Beaver(1))
    assert (error.reason, str(error)) == (Reason.NO_DOUBLE, text)


def test_a_beaver_that_reaches_the_cap_puts_the_cube_back_to_the_middle() -> None:
    match = after(doubled(preset("money", {"cube_cap": 4})), a.Beaver(1))
    assert after(match, a.Take(0), (2, 1)).cube == Cube(4, None, True)


def test_a_forfeit_under_a_double_pays_the_cube_before_the_offer() -> None:
    match = doubled(MONEY, cube=Cube(2, 0, True))
    for seat in (0, 1):
        assert act(match, a.Forfeit(seat)).events == [e.GameEnded(1 - seat, 6, 3, Ending.FORFEIT)]
    beavered = apply(match, e.Beavered(1))
    assert act(beavered, a.Forfeit(0)).events == [e.GameEnded(1, 12, 3, Ending.FORFEIT)]
