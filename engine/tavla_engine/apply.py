"""The state after an event. Events are facts: nothing is checked here."""

from typing import TypeVar

from msgspec.structs import replace

from tavla_engine import events as e
from tavla_engine.actions import Auto, Seat
from tavla_engine.events import Ending, Event
from tavla_engine.match import Cube, Match, Offer, Outcome, Phase, Resignation, Turn
from tavla_engine.position import BAR, OFF, Play

T = TypeVar("T")


def apply(match: Match, event: Event) -> Match:
    """The match after one event. Replaying a match's events gives its state again."""
    match event:
        case e.Rolled(seat, die_1, die_2):
            dice = (max(die_1, die_2), min(die_1, die_2))
            return replace(match, phase=Phase.MOVE, turn=seat, dice=dice, rolls=match.rolls + 1)
        case e.Moved(seat, moves, auto):
            return _moved(match, seat, moves, auto)
        case e.Doubled(seat):
            return replace(match, phase=Phase.CUBE, offer=Offer(seat, holder=1 - seat))
        case e.Taken():
            return _taken(match)
        case e.Beavered(seat):
            assert match.offer is not None, "a beaver answers an offer"
            cube = match.cube._replace(value=2 * match.cube.value, turned=True)
            return replace(match, cube=cube, offer=match.offer._replace(seat=seat, beavers=match.offer.beavers + 1))
        case e.OpeningRolled(die_0, die_1):
            return _opening_rolled(match, die_0, die_1)
        case e.Readied(seat):
            return replace(match, ready=_with(match.ready, seat, True))
        case e.GameStarted(crawford):
            return _game_started(match, crawford)
        case e.ResignationOffered(seat, value):
            return replace(match, phase=Phase.RESIGN, resignation=Resignation(seat, value, match.phase))
        case e.ResignationRefused():
            assert match.resignation is not None, "a refusal answers a resignation"
            seat, value, phase = match.resignation
            refused = _with(match.refused, seat, match.refused[seat] | 1 << value)
            return replace(match, phase=phase, resignation=None, refused=refused)
        case e.AutoSet(seat, Auto.ROLL, on):
            return replace(match, auto_roll=_with(match.auto_roll, seat, on))
        case e.AutoSet(seat, _, on):
            return replace(match, auto_play=_with(match.auto_play, seat, on))
        case e.GameEnded():
            return _game_ended(match, event)
        case e.MatchEnded(winner, ending):
            outcome = match.outcome if ending is Ending.SCORE else Outcome(winner, 0, 0, ending)
            return replace(match, phase=Phase.OVER, dice=None, offer=None, resignation=None, outcome=outcome)


def _with(pair: tuple[T, T], seat: Seat, value: T) -> tuple[T, T]:
    return (value, pair[1]) if seat == 0 else (pair[0], value)


def _moved(match: Match, seat: Seat, moves: Play, auto: bool) -> Match:
    assert match.dice is not None, "a turn has dice"
    mine, theirs = bytearray(match.board[seat]), bytearray(match.board[1 - seat])
    for source, target in moves:
        mine[source] -= 1
        mine[target] += 1
        if target != OFF and theirs[BAR - target]:
            theirs[BAR - target] -= 1
            theirs[BAR] += 1
    board = (bytes(mine), bytes(theirs)) if seat == 0 else (bytes(theirs), bytes(mine))
    turn = Turn(seat, match.dice, moves)
    last = (*match.last, turn) if auto else (turn,)
    return replace(match, phase=Phase.ROLL, board=board, turn=1 - seat, dice=None, refused=(0, 0), last=last)


def _taken(match: Match) -> Match:
    assert match.offer is not None, "a take answers an offer"
    value = 2 * match.cube.value
    owner = None if value == match.rules.cube_limit else match.offer.holder
    return replace(match, phase=Phase.ROLL, cube=Cube(value, owner, turned=True), offer=None)


def _opening_rolled(match: Match, die_0: int, die_1: int) -> Match:
    match = replace(match, rolls=match.rolls + 1)
    if die_0 != die_1:
        dice = (max(die_0, die_1), min(die_0, die_1))
        return replace(match, phase=Phase.MOVE, turn=int(die_1 > die_0), dice=dice)
    if not match.crawford and match.cube.value < 2**match.rules.automatic_doubles:  # so far only ties have turned it
        return replace(match, cube=match.cube._replace(value=2 * match.cube.value))
    return match


def _game_started(match: Match, crawford: bool) -> Match:
    return replace(
        match,
        phase=Phase.OPENING,
        game=match.game + 1,
        crawford=crawford,
        crawford_done=match.crawford_done or crawford,
        board=(match.rules.start.mine, match.rules.start.theirs),
        turn=0,
        cube=Cube(),
        refused=(0, 0),
        ready=(False, False),
        last=(),
        outcome=None,
    )


def _game_ended(match: Match, event: e.GameEnded) -> Match:
    return replace(
        match,
        phase=Phase.READY,
        score=_with(match.score, event.winner, match.score[event.winner] + event.points),
        crawford=False,
        dice=None,
        offer=None,
        resignation=None,
        auto_roll=(False, False),
        outcome=Outcome(event.winner, event.points, event.kind, event.ending),
    )
