"""The state after an event. Events are facts: nothing is checked here."""

from collections.abc import Callable, Iterable, Iterator
from typing import Any, get_args

from msgspec.structs import replace

from tavla_engine import events as e
from tavla_engine.actions import Auto
from tavla_engine.conditions import starter
from tavla_engine.dice import Dice
from tavla_engine.events import Ending, Event
from tavla_engine.match import (
    CENTRED,
    CUBE,
    MOVE,
    OPENING,
    OVER,
    READY,
    RESIGN,
    ROLL,
    Cube,
    Match,
    Offer,
    Outcome,
    Resignation,
    Turn,
)
from tavla_engine.position import Rows, rows_after
from tavla_engine.values import with_one

# By die and die. Every match has dice, and those of its last turn: 21 pairs, one object each, serve all of them.
_HIGH_FIRST: list[list[Dice]] = [[(max(one, two), min(one, two)) for two in range(7)] for one in range(7)]


def apply(match: Match, event: Event) -> Match:
    """The match after one event. Replaying a match's events gives its state again."""
    return APPLY[type(event)](match, event)


def replay(match: Match, events: Iterable[Event]) -> Iterator[tuple[Match, Event, Match]]:
    """Each event, with the match before and after it."""
    for event in events:
        before, match = match, apply(match, event)
        yield before, event, match


def after_turn(match: Match, event: e.Moved, after: Rows, rolled: e.Rolled | None = None) -> Match:
    """The match after a turn, for a caller that knows the rows it leads to: the mover's first.

    rolled: the opponent's roll, if it has followed as well.
    """
    assert match.dice is not None, "a turn has dice"
    seat = event.seat
    board = after if seat == 0 else (after[1], after[0])
    turn = Turn(seat, match.dice, event.moves)
    last = (*match.last, turn) if event.auto else (turn,)
    if rolled is None:
        return replace(match, phase=ROLL, board=board, turn=1 - seat, dice=None, refused=(0, 0), last=last)
    dice, rolls = _HIGH_FIRST[rolled.die_1][rolled.die_2], match.rolls + 1
    return replace(match, board=board, turn=1 - seat, dice=dice, refused=(0, 0), rolls=rolls, last=last)


def _moved(match: Match, event: e.Moved) -> Match:
    return after_turn(match, event, rows_after((match.board[event.seat], match.board[1 - event.seat]), event.moves))


def _rolled(match: Match, event: e.Rolled) -> Match:
    dice = _HIGH_FIRST[event.die_1][event.die_2]
    return replace(match, phase=MOVE, turn=event.seat, dice=dice, rolls=match.rolls + 1)


def _taken(match: Match, _: e.Taken) -> Match:
    assert match.offer is not None, "a take answers an offer"
    value = 2 * match.cube.value
    out_of_play = value == match.rules.cube_limit and not match.rules.cap_kept
    owner = None if out_of_play else match.offer.holder
    return replace(match, phase=ROLL, cube=Cube(value, owner, turned=True), offer=None)


def _beavered(match: Match, event: e.Beavered) -> Match:
    assert match.offer is not None, "a beaver answers an offer"
    cube = match.cube._replace(value=2 * match.cube.value, turned=True)
    return replace(match, cube=cube, offer=match.offer._replace(seat=event.seat, beavers=match.offer.beavers + 1))


def _opening_rolled(match: Match, event: e.OpeningRolled) -> Match:
    die_0, die_1 = event.dice
    match = replace(match, rolls=match.rolls + 1)
    if die_0 != die_1:
        return replace(match, phase=MOVE, turn=int(die_1 > die_0), dice=(max(die_0, die_1), min(die_0, die_1)))
    match = replace(match, opened=match.rolls)
    if not match.crawford and match.cube.value < 2**match.rules.automatic_doubles:  # so far only ties have turned it
        return replace(match, cube=match.cube._replace(value=2 * match.cube.value))
    return match


def _game_started(match: Match, event: e.GameStarted) -> Match:
    seat = starter(match)
    return replace(
        match,
        phase=OPENING if seat is None else ROLL,
        game=match.game + 1,
        crawford=event.crawford,
        crawford_done=match.crawford_done or event.crawford,
        board=(match.rules.start.mine, match.rules.start.theirs),
        turn=seat or 0,
        cube=CENTRED,
        refused=(0, 0),
        ready=(False, False),
        last=(),
        outcome=None,
        opened=match.rolls,
        aborts=(None, None),
    )


def _resignation_refused(match: Match, _: e.ResignationRefused) -> Match:
    assert match.resignation is not None, "a refusal answers a resignation"
    seat, value, phase = match.resignation
    refused = with_one(match.refused, seat, match.refused[seat] | 1 << value)
    return replace(match, phase=phase, resignation=None, refused=refused)


def _auto_set(match: Match, event: e.AutoSet) -> Match:
    if event.auto is Auto.ROLL:
        return replace(match, auto_roll=with_one(match.auto_roll, event.seat, event.on))
    return replace(match, auto_play=with_one(match.auto_play, event.seat, event.on))


def _game_ended(match: Match, event: e.GameEnded) -> Match:
    return replace(
        match,
        phase=READY,
        score=with_one(match.score, event.winner, match.score[event.winner] + event.points),
        crawford=False,
        dice=None,
        offer=None,
        resignation=None,
        auto_roll=(False, False),
        outcome=Outcome(event.winner, event.points, event.kind, event.ending),
    )


def _match_ended(match: Match, event: e.MatchEnded) -> Match:
    score = event.ending is Ending.SCORE
    outcome = match.outcome if score else Outcome(event.winner, 0, 0, event.ending)
    return replace(match, phase=OVER, dice=None, offer=None, resignation=None, outcome=outcome)


def _position_set(match: Match, event: e.PositionSet) -> Match:
    first, second = event.board
    return replace(
        match,
        phase=ROLL,
        board=(bytes(first), bytes(second)),
        turn=event.seat,
        dice=None,
        cube=Cube(event.cube, event.owner, turned=event.owner is not None),
        offer=None,
        resignation=None,
        refused=(0, 0),
        last=(),
    )


# A table: a `match` statement asks a struct's metaclass about each case that comes before the right one.
APPLY: dict[type[Event], Callable[[Match, Any], Match]] = {
    e.Readied: lambda match, event: replace(match, ready=with_one(match.ready, event.seat, True)),
    e.GameStarted: _game_started,
    e.OpeningRolled: _opening_rolled,
    e.Rolled: _rolled,
    e.Moved: _moved,
    e.Doubled: lambda match, event: replace(match, phase=CUBE, offer=Offer(event.seat, holder=1 - event.seat)),
    e.Taken: _taken,
    e.Beavered: _beavered,
    e.ResignationOffered: lambda match, event: replace(
        match, phase=RESIGN, resignation=Resignation(event.seat, event.value, match.phase)
    ),
    e.ResignationRefused: _resignation_refused,
    e.AutoSet: _auto_set,
    e.GameEnded: _game_ended,
    e.MatchEnded: _match_ended,
    e.AbortAsked: lambda match, event: replace(
        match, aborts=with_one(match.aborts, event.seat, match.rolls if event.on else None)
    ),
    e.PositionSet: _position_set,
}
assert set(APPLY) == set(get_args(Event)), "every event changes something"
