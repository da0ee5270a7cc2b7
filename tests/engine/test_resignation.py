"""Offers to lose a game: at any time, answered or not, and never twice the same in one turn."""

import pytest
from msgspec.structs import replace
from tavla_engine import actions as a
from tavla_engine import events as e
from tavla_engine.actions import Auto, Seat
from tavla_engine.conditions import to_act
from tavla_engine.errors import Reason
from tavla_engine.events import Ending
from tavla_engine.match import Cube, Match, Phase, Resignation, new_match
from tavla_engine.rules import preset

from tests.support.games.engine import MONEY, TOURNAMENT, act, after, any_move, doubled, on_roll, refusal, to_move

ANY_TIME = [
    on_roll(TOURNAMENT),
    on_roll(TOURNAMENT, seat=1, cube=Cube(4, 1, True)),
    doubled(TOURNAMENT),
    doubled(TOURNAMENT, seat=1),
    to_move((3, 1), TOURNAMENT),
    to_move((3, 1), TOURNAMENT, seat=1, crawford=True),
]


@pytest.mark.parametrize("match", ANY_TIME)
@pytest.mark.parametrize("seat", [0, 1])
@pytest.mark.parametrize("value", [1, 2, 3])
def test_a_resignation_may_be_offered_at_any_time(match: Match, seat: Seat, value: int) -> None:
    events, offered = act(match, a.Resign(seat, value))
    assert events == [e.ResignationOffered(seat, value)]
    assert offered.resignation == Resignation(seat, value, match.phase)
    assert to_act(offered) == (1 - seat,)

    events, ended = act(offered, a.AcceptResignation(1 - seat))
    points = match.cube.value * value
    assert events[0] == e.GameEnded(1 - seat, points, value, Ending.RESIGNATION)
    assert ended.score[1 - seat] == points
    assert (ended.dice, ended.offer, ended.resignation) == (None, None, None)

    events, refused = act(offered, a.RefuseResignation(1 - seat))
    assert events == [e.ResignationRefused(1 - seat)]
    assert replace(refused, refused=(0, 0)) == match, "everything is as it was"


def test_a_resignation_sent_twice_acts_once() -> None:
    match = after(on_roll(), a.Resign(0, 2))
    assert act(match, a.Resign(0, 2)) == ([], match)


@pytest.mark.parametrize(("seat", "value"), [(0, 1), (0, 3), (1, 1), (1, 2)])
def test_one_resignation_waits_at_a_time(seat: Seat, value: int) -> None:
    error = refusal(after(on_roll(), a.Resign(0, 2)), a.Resign(seat, value))
    assert error.reason is Reason.WRONG_PHASE
    assert str(error) == "not now: waiting for an answer to the resignation: accept or refuse"


@pytest.mark.parametrize("seat", [0, 1])
def test_a_refused_value_is_not_offered_again_in_the_same_turn(seat: Seat) -> None:
    match = after(after(on_roll(), a.Resign(seat, 1)), a.RefuseResignation(1 - seat))
    error = refusal(match, a.Resign(seat, 1))
    assert error.reason is Reason.NO_RESIGNATION
    assert str(error) == "your opponent refused that in this turn: offer another, or play on"
    rolled = after(match, a.Roll(0), (3, 1))
    assert refusal(rolled, a.Resign(seat, 1)).reason is Reason.NO_RESIGNATION, "still the same turn"
    assert after(match, a.Resign(seat, 2)).phase is Phase.RESIGN, "another value may be offered"
    assert after(match, a.Resign(1 - seat, 1)).phase is Phase.RESIGN, "so may the other player"
    assert after(after(rolled, any_move(rolled)), a.Resign(seat, 1)).phase is Phase.RESIGN, "the next turn"


@pytest.mark.parametrize("value", [0, 4, 99, -1, 10**30, -(10**30)])
def test_only_the_three_values_exist(value: int) -> None:
    error = refusal(on_roll(), a.Resign(0, value))
    assert error.reason is Reason.NO_RESIGNATION
    assert str(error) == "resign a single game (1), a gammon (2) or a backgammon (3)"
    assert refusal(after(on_roll(), a.Resign(0, 1)), a.Resign(0, value)).reason is Reason.NO_RESIGNATION


def test_a_match_may_be_played_without_resignations() -> None:
    error = refusal(on_roll(preset("mpgn")), a.Resign(0, 1))
    assert str(error) == "this match is played without resignations: you may forfeit"
    assert refusal(new_match(MONEY), a.Resign(0, 1)).reason is Reason.WRONG_PHASE, "no game, nothing to resign"


def test_the_jacoby_rule_counts_for_resignations_too() -> None:
    for turned, kind in ((False, 1), (True, 3)):
        match = after(on_roll(cube=Cube(2, 0, turned)), a.Resign(0, 3))
        events = act(match, a.AcceptResignation(1)).events
        assert events == [e.GameEnded(1, 2 * kind, kind, Ending.RESIGNATION)]


def test_under_a_beaver_the_cube_is_turned() -> None:
    match = after(after(doubled(), a.Beaver(1)), a.Resign(0, 2))
    assert act(match, a.AcceptResignation(1)).events == [e.GameEnded(1, 4, 2, Ending.RESIGNATION)]


def test_an_accepted_resignation_may_end_the_match() -> None:
    match = after(on_roll(TOURNAMENT, score=(0, 5)), a.Resign(0, 2))
    assert act(match, a.AcceptResignation(1)).events[1:] == [e.MatchEnded(1, Ending.SCORE)]


def test_what_was_left_to_the_server_meanwhile_happens_after_the_refusal() -> None:
    match = after(after(on_roll(), a.Resign(1, 1)), a.SetAuto(0, Auto.ROLL, True))
    assert match.phase is Phase.RESIGN
    assert act(match, a.RefuseResignation(0), (3, 1)).events == [e.ResignationRefused(0), e.Rolled(0, 3, 1)]


def test_a_double_still_waits_after_a_refused_resignation() -> None:
    match = after(after(doubled(), a.Resign(1, 1)), a.RefuseResignation(0))
    assert match.phase is Phase.CUBE
    assert after(match, a.Take(1), (3, 1)).cube == Cube(2, 1, True)
