"""The state machine of a match: what each phase accepts, and what follows by itself."""

from collections.abc import Callable

import pytest
from msgspec.structs import replace
from tavla_engine import actions as a
from tavla_engine import events as e
from tavla_engine.actions import Action, Auto, Seat
from tavla_engine.conditions import to_act
from tavla_engine.errors import Reason
from tavla_engine.events import Ending
from tavla_engine.match import ACCEPTS, Cube, Match, Phase, Turn, new_match
from tavla_engine.position import row
from tavla_engine.rules import Opening, Variant, preset

from tests.support.games.engine import (
    MONEY,
    ONE_BLOT_ON_BAR,
    SHUT_HOME,
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

NO_CUBE = preset("tournament", {"cube": False})

# --- Every phase and every action -------------------------------------------------------------------------------

PHASES: dict[Phase, Match] = {  # seat 0 is on roll; money play, in which every action has its time
    Phase.READY: new_match(MONEY),
    Phase.ROLL: on_roll(),
    Phase.CUBE: doubled(),
    Phase.MOVE: to_move((3, 1)),
    Phase.RESIGN: resigned(1),
    Phase.OVER: after(new_match(MONEY), a.Leave(0)),
}
ACTIONS: dict[type, Callable[[Seat], Action]] = {
    a.Ready: a.Ready,
    a.Roll: a.Roll,
    a.Double: a.Double,
    a.Take: a.Take,
    a.Drop: a.Drop,
    a.Beaver: a.Beaver,
    a.Move: lambda seat: a.Move(seat, ((8, 5), (6, 5))),
    a.Resign: lambda seat: a.Resign(seat, 1),
    a.AcceptResignation: a.AcceptResignation,
    a.RefuseResignation: a.RefuseResignation,
    a.Forfeit: a.Forfeit,
    a.Leave: a.Leave,
    a.SetAuto: lambda seat: a.SetAuto(seat, Auto.PLAY, True),
    a.Abort: lambda seat: a.Abort(seat),
}
# Two marks each, for seat 0 and seat 1: + accepted, = accepted and changes nothing, T not your turn, P wrong phase.
ANSWERS = """
                     ready roll cube move resign over
    Ready             ++    PP   PP   PP    PP    PP
    Roll              PP    +T   TP   PT    TP    PP
    Double            PP    +T   TP   PT    TP    PP
    Take              PP    PT   T+   PT    TP    PP
    Drop              PP    PT   T+   PT    TP    PP
    Beaver            PP    PT   T+   PT    TP    PP
    Move              PP    PT   TP   +T    TP    PP
    Resign            PP    ++   ++   ++    =P    PP
    AcceptResignation PP    PT   TP   PT    T+    PP
    RefuseResignation PP    PT   TP   PT    T+    PP
    Forfeit           PP    ++   ++   ++    ++    PP
    Leave             ++    PP   PP   PP    PP    PP
    SetAuto           ++    ++   ++   ++    ++    PP
    Abort             ++    ++   ++   ++    ++    PP
"""
REASONS = {"T": Reason.NOT_YOUR_TURN, "P": Reason.WRONG_PHASE}


def _cells() -> list[tuple[Phase, type, Seat, str]]:
    head, *rows = (line.split() for line in ANSWERS.strip().splitlines())
    kinds = {kind.__name__: kind for kind in ACTIONS}
    return [
        (Phase(phase), kinds[name], seat, marks[seat])
        for name, *cells in rows
        for phase, marks in zip(head, cells, strict=True)
        for seat in (0, 1)
    ]


@pytest.mark.parametrize("phase", PHASES)
def test_every_phase_answers_every_action(phase: Phase) -> None:
    match = PHASES[phase]
    assert match.phase is phase
    for _, kind, seat, mark in [cell for cell in _cells() if cell[0] is phase]:
        action = ACTIONS[kind](seat)
        if mark in REASONS:
            error = refusal(match, action)
            assert error.reason is REASONS[mark], action
            assert 15 < len(str(error)) < 120
            assert str(error)[0].islower()
            assert str(error)[-1].isalpha()
        else:
            dice = [(5, 4)] if kind in (a.Roll, a.Take) else []
            assert bool(act(match, action, *dice).events) == (mark == "+"), action


def test_the_table_of_answers_is_the_table_of_phases() -> None:
    accepted: dict[Phase, set[type]] = {phase: set() for phase in Phase}
    for phase, kind, _, mark in _cells():
        if mark in "+=":
            accepted[phase].add(kind)
    accepted[Phase.READY].add(a.Forfeit)  # of a match; there is no game to forfeit in money play
    assert {phase: set(kinds) for phase, kinds in ACCEPTS.items()} == accepted


@pytest.mark.parametrize(
    ("match", "action", "text"),
    [
        (PHASES[Phase.MOVE], a.Ready(0), "the game has begun: waiting for the dice to be played"),
        (PHASES[Phase.READY], a.Roll(0), "not now: waiting for the players to be ready for the next game"),
        (PHASES[Phase.ROLL], a.Roll(1), "it is not your turn: waiting for the player on roll to roll or double"),
        (PHASES[Phase.ROLL], a.Move(0, ((8, 5),)), "not now: waiting for the player on roll to roll or double"),
        (PHASES[Phase.CUBE], a.Roll(0), "it is not your turn: waiting for an answer to the double: take or drop"),
        (PHASES[Phase.MOVE], a.Roll(0), "not now: waiting for the dice to be played"),
        (PHASES[Phase.MOVE], a.Double(0), "you have rolled: the cube is offered before the roll"),
        (PHASES[Phase.OVER], a.Ready(0), "the match is over"),
        (to_move((3, 1), crawford=True), a.Double(0), "this is the Crawford game: nobody may double"),
        (to_move((3, 1), cube=Cube(2, 1)), a.Double(0), "your opponent owns the cube"),
    ],
)
def test_a_refusal_says_what_the_match_waits_for(match: Match, action: Action, text: str) -> None:
    assert str(refusal(match, action)) == text


@pytest.mark.parametrize(
    "moves",
    [
        (),
        ((8, 5),),
        ((8, 5), (6, 5), (6, 5)),
        ((8, 5), (8, 5)),
        ((26, 23), (6, 5)),
        ((-1, -4), (6, 5)),
        ((10**30, 10**30 - 3), (-(10**30), 5)),
        ((0, 0), (25, 25)),
        ((6, -(10**9)), (8, 5)),
        ((5, 8), (5, 6)),
        ((0, -3), (0, -1)),
        ((6, 5),) * 1000,
    ],
)
@pytest.mark.parametrize("dice", [(3, 1), (6, 6), (5, 2)])
def test_a_play_that_the_dice_do_not_allow_is_refused(
    moves: tuple[tuple[int, int], ...], dice: tuple[int, int]
) -> None:
    assert refusal(to_move(dice), a.Move(0, moves)).reason is Reason.ILLEGAL_PLAY


# --- The way of a game ------------------------------------------------------------------------------------------


def test_a_game_starts_when_both_are_ready_and_the_higher_die_plays_both() -> None:
    match = after(new_match(TOURNAMENT), a.Ready(1))
    assert to_act(match) == (0,)
    assert act(match, a.Ready(1)).events == []
    events, match = act(match, a.Ready(0), (2, 2), (3, 5))
    assert events == [e.Readied(0), e.GameStarted(False), e.OpeningRolled(2, 2), e.OpeningRolled(3, 5)]
    assert (match.phase, match.turn, match.dice, match.rolls, match.game) == (Phase.MOVE, 1, (5, 3), 2, 1)
    assert to_act(match) == (1,)
    assert match.cube == Cube()


def test_seat_0_starts_with_two_dice_even_equal_ones() -> None:
    match = after(new_match(preset("club", {"opening": "seat_0"})), a.Ready(1))
    assert match.rules.opening is Opening.SEAT_0
    events, match = act(match, a.Ready(0), (4, 4))
    assert events == [e.Readied(0), e.GameStarted(False), e.Rolled(0, 4, 4)]
    assert (match.phase, match.turn, match.dice) == (Phase.MOVE, 0, (4, 4))


def test_seat_0_may_double_before_its_first_roll() -> None:
    match = after(new_match(preset("seats")), a.Ready(1))
    events, match = act(match, a.Ready(0))
    assert events == [e.Readied(0), e.GameStarted(False)]
    assert (match.phase, match.turn, match.rolls) == (Phase.ROLL, 0, 0)
    assert done(match, a.Double(0), a.Drop(1)).score == (1, 0)
    taken = act(done(match, a.Double(0)), a.Take(1), (6, 6)).match
    assert (taken.phase, taken.turn, taken.dice, taken.cube) == (Phase.MOVE, 0, (6, 6), Cube(2, 1, True))
    assert act(match, a.Roll(0), (4, 4)).match.dice == (4, 4)


def test_whoever_wins_a_game_starts_the_next_one() -> None:
    """Played as `tavla`: the first game begins with one die each."""
    match = after(new_match(preset("tavla")), a.Ready(0))
    events, match = act(match, a.Ready(1), (3, 5))
    assert events[1:] == [e.GameStarted(False), e.OpeningRolled(3, 5)]
    match = done(match, a.Resign(1, 2), a.AcceptResignation(0))
    assert match.score == (2, 0)
    events, match = act(after(match, a.Ready(0)), a.Ready(1), (6, 6))
    assert events == [e.Readied(1), e.GameStarted(False), e.Rolled(0, 6, 6)], "white has won, and rolls both dice"
    match = done(match, a.Resign(0, 1), a.AcceptResignation(1), a.Ready(0))
    assert act(match, a.Ready(1), (1, 2)).events[-1] == e.Rolled(1, 1, 2)


def test_where_nothing_counts_three_a_backgammon_is_a_gammon() -> None:
    match = to_move((6, 5))
    rules = preset("tavla")
    lost = replace(match, rules=rules, board=(row(p0=14, p1=1), row(p24=15)), turn=0, dice=(2, 1), cube=Cube())
    events, ended = act(lost, a.Move(0, ((1, 0),)))
    assert events[1] == e.GameEnded(0, 2, 2, Ending.BORNE_OFF)
    assert ended.score == (2, 0)
    assert refusal(replace(to_move((3, 1)), rules=rules), a.Resign(0, 3)).reason is Reason.NO_RESIGNATION


@pytest.mark.parametrize(
    ("variant", "start", "pips"),
    [
        (Variant.STANDARD, row(p24=2, p13=5, p8=3, p6=5), 167),
        (Variant.NACKGAMMON, row(p24=2, p23=2, p13=4, p8=3, p6=4), 194),
        (Variant.HYPERGAMMON, row(p24=1, p23=1, p22=1), 69),
        (Variant.LONGGAMMON, row(p24=15), 360),
    ],
)
def test_each_variant_sets_up_its_own_start(variant: Variant, start: bytes, pips: int) -> None:
    match = new_match(preset("club", {"variant": variant}))
    for seat in (0, 1):
        match = after(match, a.Ready(seat), *[(6, 1)] * seat)
    assert match.board == (start, start)
    assert sum(point * count for point, count in enumerate(start)) == pips


def test_the_next_player_decides_after_a_play_while_the_cube_is_open() -> None:
    events, match = act(to_move((3, 1)), a.Move(0, ((6, 5), (8, 5))))
    assert events == [e.Moved(0, ((8, 5), (6, 5)))]
    assert (match.phase, match.turn, match.dice) == (Phase.ROLL, 1, None)
    assert match.last == (Turn(0, (3, 1), ((8, 5), (6, 5))),)


@pytest.mark.parametrize(
    ("match", "why"),
    [
        (to_move((3, 1), NO_CUBE), "no cube"),
        (to_move((3, 1), TOURNAMENT, crawford=True), "Crawford game"),
        (to_move((3, 1), cube=Cube(2, 0, True)), "the opponent owns it"),
        (to_move((3, 1), TOURNAMENT, score=(0, 6)), "dead for the player who needs one point"),
        (to_move((3, 1), preset("club"), cube=Cube(64, None, True)), "at its cap"),
        (to_move((3, 1), auto_roll=(False, True)), "the player gave up cube decisions"),
    ],
)
def test_the_dice_are_rolled_for_a_player_without_a_cube_decision(match: Match, why: str) -> None:
    events, match = act(match, any_move(match), (6, 4))
    assert events[1:] == [e.Rolled(1, 6, 4)], why
    assert (match.phase, match.turn, match.dice) == (Phase.MOVE, 1, (6, 4))


def test_a_turn_without_a_legal_play_passes_by_itself() -> None:
    match = on_roll(NO_CUBE, board=(ONE_BLOT_ON_BAR, SHUT_HOME), turn=0)
    events, match = act(match, a.SetAuto(0, Auto.PLAY, True), (6, 6), (2, 1))
    assert events[1:] == [e.Rolled(0, 6, 6), e.Moved(0, (), auto=True), e.Rolled(1, 2, 1)]
    assert match.last == (Turn(0, (6, 6), ()),)


def test_the_last_turns_are_those_since_a_player_played_one() -> None:
    match = to_move((2, 1), NO_CUBE, board=(SHUT_HOME, ONE_BLOT_ON_BAR))
    match = after(match, a.Move(0, ((6, 4), (6, 5))), (5, 5), (3, 1))
    assert match.last == (Turn(0, (2, 1), ((6, 5), (6, 4))), Turn(1, (5, 5), ())), "a pass is added"
    match = after(match, a.Move(0, ((6, 3), (6, 5))), (5, 2), (2, 1))
    assert match.last == (Turn(0, (3, 1), ((6, 5), (6, 3))), Turn(1, (5, 2), ())), "a play begins anew"


def test_a_pass_stops_where_the_opponent_may_double() -> None:
    match = on_roll(board=(ONE_BLOT_ON_BAR, SHUT_HOME))
    assert after(match, a.Roll(0), (6, 6)).phase is Phase.ROLL
    assert to_act(after(match, a.Roll(0), (6, 6))) == (1,)


@pytest.mark.parametrize(
    ("board", "dice", "plays_itself"),
    [
        ((row(off=13, p1=2), row(p1=15)), (6, 5), True),
        ((row(bar=1, p1=14), row(p1=3, p2=3, p3=3, p4=3, p6=3)), (5, 2), True),
        ((row(off=12, p6=1, p5=1, p4=1), row(p1=15)), (2, 1), False),
    ],
)
def test_only_a_wholly_forced_turn_is_played_by_itself(
    board: tuple[bytes, bytes], dice: tuple[int, int], plays_itself: bool
) -> None:
    match = to_move(dice, board=board)
    assert match.auto_play == (False, False)
    events, _ = act(match, a.SetAuto(0, Auto.PLAY, True))
    assert (len(events) > 1) == plays_itself
    if plays_itself:
        assert isinstance(events[1], e.Moved)
    assert len(act(match, a.SetAuto(1, Auto.PLAY, True)).events) == 1, "the opponent's choice is not ours"


def test_cube_decisions_are_given_up_for_one_game_and_taken_back() -> None:
    events, match = act(on_roll(), a.SetAuto(0, Auto.ROLL, True), (3, 1))
    assert events == [e.AutoSet(0, Auto.ROLL, True), e.Rolled(0, 3, 1)]
    assert act(match, a.SetAuto(0, Auto.ROLL, True)).events == []
    match = after(after(match, any_move(match)), a.Roll(1), (4, 2))
    again = after(match, any_move(match), (2, 1))
    assert (again.turn, again.phase) == (0, Phase.MOVE)
    back = after(match, a.SetAuto(0, Auto.ROLL, False))
    assert after(back, any_move(back)).phase is Phase.ROLL
    assert after(match, a.Forfeit(0)).auto_roll == (False, False)
    assert after(after(match, a.SetAuto(0, Auto.PLAY, True)), a.Forfeit(0)).auto_play == (True, False)
