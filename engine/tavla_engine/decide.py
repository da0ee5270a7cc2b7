"""What an action leads to: the rules of a turn, the cube and the score."""

from typing import NamedTuple

from tavla_engine import actions as a
from tavla_engine import events as e
from tavla_engine.actions import Action, Seat
from tavla_engine.apply import apply
from tavla_engine.dice import Roller
from tavla_engine.errors import IllegalAction, Reason
from tavla_engine.events import Ending, Event
from tavla_engine.match import ACCEPTS, EITHER_SEAT, Match, Phase, loss_kind, no_double, to_act
from tavla_engine.plays import has_play, legal_plays, resolve_play
from tavla_engine.position import OFF
from tavla_engine.rules import Opening


class Decision(NamedTuple):
    """events: what happened, automatic steps included; empty when the action changes nothing. match: the state then."""

    events: list[Event]
    match: Match


def decide(match: Match, action: Action, roll: Roller) -> Decision:
    """What `action` leads to, up to the next decision that a player has to make. The given match is unchanged.

    roll: the dice of this match by number; called once for each pair that is drawn.
    Raises: IllegalAction, with the reason that the wire carries.
    """
    _check_phase(match, action)
    events = _answer(match, action, roll)
    if not events:
        return Decision([], match)
    for event in events:
        match = apply(match, event)
    while (step := _automatic(match, roll)) is not None:
        events.append(step)
        match = apply(match, step)
    return Decision(events, match)


_WAITS_FOR = {
    Phase.READY: "the players to be ready for the next game",
    Phase.OPENING: "the opening roll",
    Phase.ROLL: "the player on roll to roll or double",
    Phase.CUBE: "an answer to the double: take or drop",
    Phase.MOVE: "the dice to be played",
    Phase.RESIGN: "an answer to the resignation: accept or refuse",
}


def _check_phase(match: Match, action: Action) -> None:
    if match.phase is Phase.OVER:
        raise IllegalAction(Reason.WRONG_PHASE, "the match is over")
    waits_for = _WAITS_FOR[match.phase]
    if type(action) not in EITHER_SEAT and match.phase is not Phase.READY and action.seat not in to_act(match):
        raise IllegalAction(Reason.NOT_YOUR_TURN, f"it is not your turn: waiting for {waits_for}")
    if match.phase is Phase.MOVE and type(action) is a.Double:  # perhaps rolled for a player who could not double
        text = no_double(match, action.seat) or "you have rolled: the cube is offered before the roll"
        raise IllegalAction(Reason.WRONG_PHASE, text)
    if type(action) not in ACCEPTS[match.phase]:
        raise IllegalAction(Reason.WRONG_PHASE, f"not now: waiting for {waits_for}")


def _answer(match: Match, action: Action, roll: Roller) -> list[Event]:
    """The events that the action itself makes, before anything follows from them."""
    match action:
        case a.Roll(seat):
            return [e.Rolled(seat, *roll(match.rolls + 1))]
        case a.Move(seat, moves):
            assert match.dice is not None, "a move phase has dice"
            return [e.Moved(seat, resolve_play(match.position, match.dice, moves)[0])]
        case a.Double(seat):
            if (reason := no_double(match, seat)) is not None:
                raise IllegalAction(Reason.NO_DOUBLE, reason)
            return [e.Doubled(seat)]
        case a.Take(seat):
            return [e.Taken(seat)]
        case a.Drop(seat):
            return [e.GameEnded(1 - seat, match.cube.value, 1, Ending.DROP)]
        case a.Beaver(seat):
            return [_beaver(match, seat)]
        case a.Ready(seat):
            return [] if match.ready[seat] else [e.Readied(seat)]
        case a.Resign(seat, value):
            return _resign(match, seat, value)
        case a.AcceptResignation(seat):
            assert match.resignation is not None, "a resign phase has a resignation"
            return [_lost(match, match.resignation.seat, match.resignation.value, Ending.RESIGNATION)]
        case a.RefuseResignation(seat):
            return [e.ResignationRefused(seat)]
        case a.Forfeit(seat):
            return [_forfeit(match, seat)]
        case a.Leave(seat):
            return [_leave(match)]
        case a.SetAuto(seat, auto, on):
            now = match.auto_roll if auto is a.Auto.ROLL else match.auto_play
            return [] if now[seat] == on else [e.AutoSet(seat, auto, on)]


def _automatic(match: Match, roll: Roller) -> Event | None:
    """The step that needs no player, if one is due."""
    match match.phase:
        case Phase.READY:
            return _next_game(match)
        case Phase.OPENING if match.rules.opening is Opening.SEAT_0:
            return e.Rolled(0, *roll(match.rolls + 1))
        case Phase.OPENING:
            return e.OpeningRolled(*roll(match.rolls + 1))
        case Phase.ROLL:
            loser = match.turn
            if not any(match.board[1 - loser][OFF + 1 :]):
                return _lost(match, loser, loss_kind(match.board[loser]), Ending.BORNE_OFF)
            if match.auto_roll[match.turn] or no_double(match, match.turn) is not None:
                return e.Rolled(match.turn, *roll(match.rolls + 1))
        case Phase.MOVE:
            return _forced_turn(match)
    return None


def _next_game(match: Match) -> Event | None:
    length, best = match.rules.length, max(match.score)
    if length and best >= length:
        return e.MatchEnded(match.score.index(best), Ending.SCORE)
    if not all(match.ready):
        return None
    # Source: bkgm.com/rules.html#match_play: the first game after a player comes within one point of winning.
    crawford = match.rules.crawford and not match.crawford_done and match.game > 0 and best == length - 1
    return e.GameStarted(crawford)


def _forced_turn(match: Match) -> Event | None:
    assert match.dice is not None, "a move phase has dice"
    if not has_play(match.position, match.dice):
        return e.Moved(match.turn, (), auto=True)
    if match.auto_play[match.turn]:
        plays = legal_plays(match.position, match.dice)
        if len(plays) == 1:
            return e.Moved(match.turn, next(iter(plays.values())), auto=True)
    return None


def _lost(match: Match, loser: Seat, kind: int, ending: Ending) -> Event:
    if match.rules.jacoby and not match.cube.turned:
        kind = 1  # bkgm.com/rules.html#the_jacoby_rule: gammons count only after an accepted double
    return e.GameEnded(1 - loser, match.cube.value * kind, kind, ending)


def _beaver(match: Match, seat: Seat) -> Event:
    rules, offer = match.rules, match.offer
    assert offer is not None, "a cube phase has an offer"
    if not rules.beavers:
        raise IllegalAction(Reason.NO_DOUBLE, "this match is played without beavers: take or drop")
    if offer.beavers >= rules.beavers:
        raise IllegalAction(Reason.NO_DOUBLE, f"no more than {rules.beavers} may follow a double: take or drop")
    if 4 * match.cube.value > rules.cube_limit:
        raise IllegalAction(Reason.NO_DOUBLE, f"the cube goes to {rules.cube_limit} at most: take or drop")
    return e.Beavered(seat)


def _resign(match: Match, seat: Seat, value: int) -> list[Event]:
    if not match.rules.resignations:
        raise IllegalAction(Reason.NO_RESIGNATION, "this match is played without resignations: you may forfeit")
    if value not in (1, 2, 3):
        raise IllegalAction(Reason.NO_RESIGNATION, "resign a single game (1), a gammon (2) or a backgammon (3)")
    if match.resignation is not None:
        if (match.resignation.seat, match.resignation.value) == (seat, value):
            return []  # sent twice, acts once
        raise IllegalAction(Reason.WRONG_PHASE, f"not now: waiting for {_WAITS_FOR[Phase.RESIGN]}")
    if match.refused[seat] & 1 << value:
        raise IllegalAction(Reason.NO_RESIGNATION, "your opponent refused that in this turn: offer another, or play on")
    return [e.ResignationOffered(seat, value)]


def _forfeit(match: Match, seat: Seat) -> Event:
    rules, between_games = match.rules, match.phase is Phase.READY
    multiplier = rules.forfeit_multiplier
    if not multiplier or (rules.length and between_games):
        return e.MatchEnded(1 - seat, Ending.FORFEIT)
    if between_games:
        raise IllegalAction(Reason.WRONG_PHASE, "there is no game to forfeit: leave, or play the next one")
    return e.GameEnded(1 - seat, match.cube.value * multiplier, multiplier, Ending.FORFEIT)


def _leave(match: Match) -> Event:
    if match.rules.length:
        raise IllegalAction(Reason.WRONG_PHASE, "a match is played to its end: you may forfeit it")
    white, black = match.score
    return e.MatchEnded(None if white == black else int(black > white), Ending.LEFT)
