"""The end of a game and of a match: by bearing off, forfeit, an abort, or by leaving."""

import pytest
from msgspec.structs import replace
from tavla_engine import actions as a
from tavla_engine import events as e
from tavla_engine.actions import Seat
from tavla_engine.conditions import asks_abort, no_abort, to_act
from tavla_engine.events import Ending
from tavla_engine.match import Cube, Match, Offer, Outcome, Phase, Turn, new_match
from tavla_engine.position import row
from tavla_engine.rules import Rules, preset

from tests.support.games.engine import (
    DEEP_BEHIND,
    HOME_STRETCH,
    LAST_CHECKER,
    MONEY,
    NONE_OFF,
    TOURNAMENT,
    act,
    after,
    any_move,
    done,
    doubled,
    on_roll,
    refusal,
    resigned,
    to_move,
)


def match_of(rules: Rules) -> Match:
    """A match with white to play a 3 and a 1."""
    return replace(to_move((3, 1)), rules=rules)


CLOCKED = preset("tournament", {"length": 3, "clock": "fast"})


def test_a_match_that_both_want_to_abort_ends_without_a_winner() -> None:
    match = match_of(CLOCKED)
    events, asked = act(match, a.Abort(0))
    assert events == [e.AbortAsked(0, True)]
    assert act(asked, a.Abort(0)).events == [], "asked twice, asks once"
    events, over = act(asked, a.Abort(1))
    assert events == [e.MatchEnded(None, Ending.ABORTED)]
    assert (over.phase, over.outcome) == (Phase.OVER, Outcome(None, 0, 0, Ending.ABORTED))


def test_who_takes_the_wish_back_plays_on() -> None:
    match = done(match_of(CLOCKED), a.Abort(0), a.Abort(0, False))
    assert match.aborts == (None, None)
    assert act(match, a.Abort(1)).events == [e.AbortAsked(1, True)]


def test_a_wish_to_abort_stands_until_the_opponent_has_played_on() -> None:
    unclocked = match_of(preset("tournament", {"length": 3, "crawford": False, "cube": False}))
    asked = act(unclocked, a.Abort(0)).match
    their_turn = act(asked, a.Move(0, ((8, 5), (6, 5))), (6, 2)).match
    assert asks_abort(their_turn, 0)
    assert act(their_turn, a.Abort(1)).match.phase is Phase.OVER
    played_on = act(their_turn, a.Move(1, ((24, 18), (13, 11))), (4, 2)).match
    assert not asks_abort(played_on, 0)
    assert act(played_on, a.Abort(1)).events == [e.AbortAsked(1, True)], "that is a new wish, not the answer"


@pytest.mark.parametrize(("clock", "late"), [("fast", True), ("none", False)])
def test_with_a_clock_a_match_may_be_aborted_before_its_third_turn_alone(clock: str, late: bool) -> None:
    rules = preset("tournament", {"length": 3, "cube": False, "clock": clock})
    match = after(new_match(rules), a.Ready(0))
    match = act(match, a.Ready(1), (2, 2), (3, 1)).match
    assert no_abort(match) is None, "a tie of the opening roll is no turn"
    match = act(match, a.Move(0, ((8, 5), (6, 5))), (6, 2)).match
    assert no_abort(match) is None
    match = act(match, a.Move(1, ((24, 18), (13, 11))), (4, 2)).match
    assert (no_abort(match) is not None) == late
    if late:
        assert str(refusal(match, a.Abort(0))) == no_abort(match)
        given_up = done(match, a.Resign(0, 1), a.AcceptResignation(1))
        assert no_abort(given_up) is not None, "nor between two games"


@pytest.mark.parametrize(
    ("loser", "kind", "why"),
    [
        (HOME_STRETCH, 1, "one checker off"),
        (row(off=1, p24=2, p6=12), 1, "one off saves the gammon, wherever the others are"),
        (NONE_OFF, 2, "none off"),
        (row(p18=1, p6=14), 2, "just outside the winner's home"),
        (DEEP_BEHIND, 3, "in the winner's home"),
        (row(p19=1, p6=14), 3, "on the edge of the winner's home"),
        (row(bar=1, p6=14), 3, "on the bar"),
    ],
)
@pytest.mark.parametrize("value", [1, 4])
def test_bearing_off_wins_the_cube_once_twice_or_thrice(loser: bytes, kind: int, why: str, value: int) -> None:
    match = to_move((2, 1), preset("club"), seat=1, board=(loser, LAST_CHECKER), cube=Cube(value, 0, True))
    events, match = act(match, any_move(match))
    assert events[1:] == [e.GameEnded(1, value * kind, kind, Ending.BORNE_OFF)], why
    assert (match.score, match.phase, match.dice) == ((0, value * kind), Phase.READY, None)
    assert match.outcome == Outcome(1, value * kind, kind, Ending.BORNE_OFF)
    assert to_act(match) == (0, 1)


def test_three_checkers_off_win_a_game_of_hypergammon() -> None:
    rules = preset("club", {"variant": "hypergammon"})
    match = to_move((2, 1), rules, board=(row(off=2, p1=1), row(p7=3)))
    assert act(match, any_move(match)).events[1:] == [e.GameEnded(0, 2, 2, Ending.BORNE_OFF)]


def test_a_match_is_over_when_one_has_the_points_and_keeps_them_all() -> None:
    match = to_move((2, 1), TOURNAMENT, score=(4, 5), cube=Cube(2, 1, True), board=(LAST_CHECKER, NONE_OFF))
    events, match = act(match, any_move(match))
    assert events[1:] == [e.GameEnded(0, 4, 2, Ending.BORNE_OFF), e.MatchEnded(0, Ending.SCORE)]
    assert (match.phase, match.score, to_act(match)) == (Phase.OVER, (8, 5), ())
    assert match.outcome == Outcome(0, 4, 2, Ending.BORNE_OFF)


CRAWFORD = [  # score before, Crawford game over?, games before -> is the next one the Crawford game?
    ((0, 0), False, 0, 7, False, "first game"),
    ((5, 5), False, 4, 7, False, "nobody one point away"),
    ((6, 0), False, 2, 7, True, "one point away for the first time"),
    ((3, 6), False, 2, 7, True, "the other player"),
    ((6, 2), True, 3, 7, False, "post-Crawford"),
    ((6, 6), True, 5, 7, False, "double match point"),
    ((0, 0), False, 0, 1, False, "a match of one point has no Crawford game"),
    ((1, 0), False, 1, 2, True, "a match of two points"),
]


@pytest.mark.parametrize(("score", "done", "games", "length", "crawford", "why"), CRAWFORD)
def test_the_crawford_game_is_the_first_one_point_before_the_end(
    score: tuple[int, int], done: bool, games: int, length: int, crawford: bool, why: str
) -> None:
    rules = preset("tournament", {"length": length})
    match = replace(new_match(rules), score=score, crawford_done=done, game=games, ready=(True, False))
    events, match = act(match, a.Ready(1), (3, 1))
    assert events[1] == e.GameStarted(crawford), why
    assert match.crawford_done == (done or crawford)
    without = replace(new_match(rules._replace(crawford=False)), score=score, game=games, ready=(True, False))
    assert act(without, a.Ready(1), (3, 1)).events[1] == e.GameStarted(False)


@pytest.mark.parametrize(
    "start", [on_roll(), doubled(), to_move((3, 1)), resigned(2), resigned(2, seat=1), to_move((3, 1), seat=1)]
)
@pytest.mark.parametrize("multiplier", [0, 1, 2, 3])
@pytest.mark.parametrize("seat", [0, 1])
def test_a_forfeit_costs_the_match_or_so_many_times_the_cube(start: Match, multiplier: int, seat: Seat) -> None:
    rules = preset("tournament", {"length": 20, "forfeit_multiplier": multiplier})
    match = replace(start, rules=rules, cube=Cube(4), score=(3, 5))
    events, match = act(match, a.Forfeit(seat))
    if multiplier:
        points = 4 * multiplier
        assert events == [e.GameEnded(1 - seat, points, multiplier, Ending.FORFEIT)]
        assert (match.phase, match.score) == (Phase.READY, (3 + points, 5) if seat else (3, 5 + points))
    else:
        assert events == [e.MatchEnded(1 - seat, Ending.FORFEIT)]
        assert (match.phase, match.score) == (Phase.OVER, (3, 5))
        assert match.outcome == Outcome(1 - seat, 0, 0, Ending.FORFEIT)
    assert (match.dice, match.offer, match.resignation) == (None, None, None)


def test_a_forfeited_game_may_end_the_match() -> None:
    match = on_roll(preset("tournament", {"forfeit_multiplier": 2}), score=(6, 5))
    assert act(match, a.Forfeit(0)).events[1:] == [e.MatchEnded(1, Ending.SCORE)]


@pytest.mark.parametrize("multiplier", [0, 2])
def test_between_two_games_a_forfeit_costs_a_match_and_money_players_leave(multiplier: int) -> None:
    match = new_match(preset("tournament", {"forfeit_multiplier": multiplier}))
    for seat in (0, 1):
        assert act(match, a.Forfeit(seat)).events == [e.MatchEnded(1 - seat, Ending.FORFEIT)]
    assert str(refusal(match, a.Leave(0))) == "a match is played to its end: you may forfeit it"
    money = new_match(preset("money"))
    assert str(refusal(money, a.Forfeit(0))) == "there is no game to forfeit: leave, or play the next one"


@pytest.mark.parametrize(("score", "winner"), [((0, 0), None), ((3, 3), None), ((5, 2), 0), ((1, 2), 1)])
def test_money_play_ends_when_someone_leaves_between_games(score: tuple[int, int], winner: Seat | None) -> None:
    match = replace(new_match(MONEY), score=score)
    events, match = act(match, a.Leave(0))
    assert events == [e.MatchEnded(winner, Ending.LEFT)]
    assert (match.phase, match.score) == (Phase.OVER, score)


def test_a_new_game_starts_from_the_middle_with_nothing_left_over() -> None:
    dirty = on_roll(cube=Cube(8, 1, True), refused=(2, 4), offer=Offer(0, 1), last=Turn(0, (3, 1), ()))
    match = after(after(after(dirty, a.Forfeit(0)), a.Ready(0)), a.Ready(1), (1, 2))
    assert match == replace(new_match(MONEY), phase=Phase.MOVE, game=2, turn=1, dice=(2, 1), rolls=1, score=match.score)
